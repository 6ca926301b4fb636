package model

import (
	"slices"
	"strconv"
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openwop/dialect"
)

// forked compares a fork with what was read of its source.
func (r Run) forked(s runStep) []history.Miss {
	code, _ := s.Out.Status.Int()
	if s.Out.Unsent || slices.Contains([]int64{409, 410, 422, 501}, code) {
		return nil
	}
	if out := success(s.Out.Status, "a fork"); out != nil {
		return out
	}
	b := s.Out.Body
	id, mode := scenarios.RequirementID(openwop.OWPRPL3), s.In.Mode
	if mode == string(dialect.ForkModeBranch) {
		id = openwop.OWPRPL10
	}
	out := whether(b.Key("runId").String() != s.Out.RunID, openwop.OWPRPL1, b.Key("runId"), "an id of its own")
	out = append(out, whether(b.Key("sourceRunId").String() == s.Out.RunID, openwop.OWPRPL1, b.Key("sourceRunId"), "its source")...)
	out = append(out, whether(b.Key("mode").String() == mode, openwop.OWPRPL1, b.Key("mode"), "the mode %s", mode)...)
	var copied []event
	for _, v := range s.Out.Copy {
		if e, ok := eventOf(v); ok {
			copied = append(copied, e)
		}
	}
	for _, e := range copied {
		if own := e.at.Key("runId"); own.String() != b.Key("runId").String() {
			out = append(out, missOf(openwop.OWPRPL1, own, "the run that the fork is"))
			break
		}
	}
	if to := s.Out.Forks.Key("sourceRunId"); s.Out.Forks.Present() {
		out = append(out, whether(to.String() == b.Key("runId").String(), openwop.OWPRPL1, to, "the fork that was forked")...)
	}
	if s.Out.Parent.Present() {
		out = append(out, r.here(s.Out.Parent, b.Key("runId").String())...)
	}
	known := r.Log.events()
	out = append(out, chainsOf(copied, known, s)...)
	for _, k := range known {
		if k.seq >= s.Out.Cursor {
			break
		}
		i := slices.IndexFunc(copied, func(e event) bool { return e.seq == k.seq })
		if i < 0 || copied[i].kind != k.kind || copied[i].node != k.node || copied[i].detail != k.detail {
			return append(out, missOf(id, s.Out.Status, "at sequence %d the %s of its source", k.seq, k.kind))
		}
	}
	if out = append(out, r.countsAs(copied, known, s)...); len(out) > 0 || len(s.Out.Second) == 0 {
		return out
	}
	var second []event
	for _, v := range s.Out.Second {
		if e, ok := eventOf(v); ok {
			second = append(second, e)
		}
	}
	s.In.Mode = string(dialect.ForkModeReplay)
	return r.countsAs(second, copied, s)
}

// countsAs compares the turns of a fork with those of its source: a replay takes the same, and whatever a branch decides it counts on.
func (r Run) countsAs(copied, known []event, s runStep) (out []history.Miss) {
	if !r.Claims.Counts {
		return nil
	}
	is, was := countsOf(copied), countsOf(known)
	for i, n := range is {
		switch {
		case s.In.Mode == string(dialect.ForkModeReplay) && i < len(was) && n != was[i]:
			return []history.Miss{missOf(openwop.OWP0061M1, s.Out.Status, "in turn %d the iteration %s of its source, and not %s", i+1, was[i], n)}
		case s.In.Mode == string(dialect.ForkModeBranch) && n != strconv.Itoa(i+1):
			return []history.Miss{missOf(openwop.OWP0061B2, s.Out.Status, "the iteration %d, and not %s", i+1, n)}
		}
	}
	return nil
}

// countsOf are the iterations of decisions.
func countsOf(events []event) (out []string) {
	for _, e := range events {
		if e.kind == dialect.Decided {
			out = append(out, strings.SplitN(e.detail, " ", 4)[2])
		}
	}
	return out
}

// chainsOf expects that what a fork took over of handoffs names its causes by the ids of its source, or none of it does.
func chainsOf(copied, known []event, s runStep) []history.Miss {
	if n := len(known); n == 0 || known[n-1].seq < s.Out.Cursor-1 {
		return nil // not all of the source is known
	}
	abroad, all := 0, 0
	for _, e := range copied {
		if e.kind != dialect.HandedOver || e.seq >= s.Out.Cursor {
			continue
		}
		all++
		cause := e.at.Key("causationId").String()
		if slices.ContainsFunc(known, func(k event) bool { return k.id == cause }) &&
			!slices.ContainsFunc(copied, func(k event) bool { return k.id == cause }) {
			abroad++
		}
	}
	return whether(abroad == 0 || abroad == all, openwop.OWP0037B3, s.Out.Status,
		"causes of handoffs in the fork, or all of them in its source")
}
