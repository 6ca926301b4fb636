package openwop

import (
	"encoding/json"
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/interrupts"
	"github.com/openassay/assay/scenarios/wire"
)

// forking is a request for a fork.
type forking struct {
	asked
	over   *ending // how its source had ended before
	later  wire.Value
	beyond bool // it begins beyond the place behind the last event of its source
}

// forkings are the rules about requests for forks.
var forkings = struct{ made, refused rule[forking] }{
	rule[forking]{"fork-made", scenarios.IDs{openwop.OWPRPL1, openwop.OWPRPL2}, func(f forking, j *scenarios.Judge) {
		if !f.Ok() || f.Body.Key("runId").String() == "" {
			return
		}
		j.Check(openwop.OWPRPL1, f.Body.Key("sourceRunId")).To(check.Equal(f.id()), "sourceRunId of the fork")
		var body dialect.ForkRunRequest
		if f.into(&body) && body.Mode != "" {
			j.Check(openwop.OWPRPL1, f.Body.Key("mode")).To(check.Equal(string(body.Mode)), "mode of the fork")
		}
		if f.over != nil && f.later.Present() {
			j.Check(openwop.OWPRPL2, f.later.Key("status")).To(check.Equal(f.over.status.String()), "status of the source behind the fork")
		}
	}},
	rule[forking]{"fork-refused", scenarios.IDs{openwop.OWPRPL5, openwop.OWPRPL6, openwop.OWPRPL8, openwop.OWPRPL9, openwop.OWPRPL13},
		func(f forking, j *scenarios.Judge) {
			members, ok := f.members()
			if !ok || f.keyed() || !f.Ok() && f.Code != http.StatusBadRequest && f.Code != http.StatusUnprocessableEntity {
				return // it is refused for something else
			}
			mode, _ := members["mode"].(string)
			from, isNumber := members["fromSeq"].(json.Number)
			at, err := from.Int64()
			overlay, _ := members["runOptionsOverlay"].(map[string]any)
			malformed := check.Status(http.StatusBadRequest, http.StatusUnprocessableEntity)
			if mode == "" {
				j.Check(openwop.OWPRPL9, f.Status).To(malformed, "a fork without a mode")
			}
			if isNumber && err == nil && at < 0 && mode == string(dialect.ForkModeReplay) {
				j.Check(openwop.OWPRPL6, f.Status).To(malformed, "a replay from before the first event")
			}
			if mode == string(dialect.ForkModeReplay) && len(overlay) > 0 {
				j.Check(openwop.OWPRPL8, f.Status).To(malformed, "a replay with other run options")
			}
			switch beyond := f.beyond && isNumber && err == nil; {
			case beyond && mode == string(dialect.ForkModeReplay):
				j.Check(openwop.OWPRPL5, f.Status).To(malformed, "a replay from beyond the place behind the last event")
			case mode == string(dialect.ForkModeBranch) && (beyond || members["fromSeq"] == nil):
				j.Check(openwop.OWPRPL13, f.Status).To(malformed, "a branch from nowhere, or from beyond the log")
			}
		}},
}

func (t *traffic) judgeForkings() {
	for _, x := range t.of(dialect.ForkRun) {
		if !x.decided() {
			continue
		}
		f := forking{asked: x}
		if end, over := t.over(x.id(), x); over {
			f.over = &end
			f.later = t.later(x.id(), x, func(status string) bool { return status != "" })
			var body dialect.ForkRunRequest
			l, whole := t.whole(x.id())
			f.beyond = x.into(&body) && body.FromSeq != nil && whole && (!x.Ok() || t.since(x, l)) && *body.FromSeq > host.Sequence(l.Last())+1
		}
		forkings.made.hold(t.sights, x.id(), f)
		forkings.refused.hold(t.sights, x.id(), f)
	}
}

// replayed is a replay that has ended, and its source.
type replayed struct{ source, replay host.RunLog }

// replays is the rule about replays. Where one tells that it differs from its record, it is held to nothing.
var replays = rule[replayed]{"replayed", scenarios.IDs{openwop.OWPBND15, openwop.OWP0061M1, openwop.OWPINT10},
	func(r replayed, j *scenarios.Judge) {
		if len(r.replay.OfType(dialect.ReplayDiverged, dialect.ReplayDivergedAtRefusal).Values) > 0 {
			return
		}
		interrupts.CheckKeysReplayed(j, r.source, r.replay)
		if slices.ContainsFunc(r.source.Events, suspends) || slices.ContainsFunc(r.replay.Events, suspends) {
			return // somebody may have answered otherwise
		}
		if was := r.source.Breaches(); len(was.Values) > 0 {
			j.Check(openwop.OWPBND15, r.replay.Breaches().Each("/payload")).To(check.SameAs(was.Each("/payload")), "breach in the replay")
		}
		if turns := r.source.Decided(); len(turns.Values) > 0 {
			j.Check(openwop.OWP0061M1, r.replay.Iterations()).To(check.SameAs(r.source.Iterations()), "iterations of the replay")
		}
	}}

func (t *traffic) judgeReplays() {
	for _, id := range t.order {
		fork := t.runs[id]
		if fork.copies == nil || fork.copies.mode != dialect.ForkModeReplay || fork.copies.source == id {
			continue
		}
		source, whole := t.whole(fork.copies.source)
		replay, also := t.whole(id)
		// One that somebody cancelled, or that failed for a reason of its own, may not have come as far.
		end := dialect.EventOf(source.Terminals().Last())
		alike := end == dialect.EventOf(replay.Terminals().Last()) && end != dialect.RunCancelled
		if whole && also && alike && !t.runs[fork.copies.source].forked && hidden(source)+hidden(replay) == 0 {
			replays.hold(t.sights, id, replayed{source, replay})
		}
	}
}
