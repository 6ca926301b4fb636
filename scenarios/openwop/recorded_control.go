package openwop

import (
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// controlled is what was asked of one run, and how the run stood around it.
type controlled struct {
	asked
	over  *ending    // how it had ended before
	later wire.Value // its snapshot afterwards: of its end, or the next one if it was over
}

// controls are the rules about what is asked of a run.
var controls = struct{ cancelled, ended, paused rule[controlled] }{
	rule[controlled]{"cancelled", scenarios.IDs{openwop.OWPERR23, openwop.OWPERR24}, func(c controlled, j *scenarios.Judge) {
		said := c.Body.Key("status")
		switch {
		case c.op != dialect.CancelRun || c.keyed():
		case c.over != nil && c.Ok() && said.String() != "":
			j.Check(openwop.OWPERR24, said).To(check.Equal(c.over.status.String()), "status in the reply to a cancel of a run that has ended")
		case c.over != nil && c.Code == http.StatusConflict: // OWP-R42
			j.Check(openwop.OWPERR24, c.Status).To(check.Status(http.StatusConflict), "a cancel of a run that has ended")
		case c.over == nil && c.Ok() && c.later.Present():
			checkCancelled(j, openwop.OWPERR23, said, c.later)
		}
	}},
	rule[controlled]{"final", scenarios.IDs{openwop.OWPERR28}, func(c controlled, j *scenarios.Judge) {
		if c.over != nil && c.later.Present() {
			j.Check(openwop.OWPERR28, c.later.Key("status")).To(check.Equal(c.over.status.String()), "status of a run that had ended, behind %s %s",
				c.Method, c.Path)
		}
	}},
	rule[controlled]{"pause-of-ended", scenarios.IDs{openwop.OWPCTL23}, func(c controlled, j *scenarios.Judge) {
		if c.op != dialect.PauseRun || c.over == nil || c.keyed() || !c.Ok() && c.Code != http.StatusConflict {
			return
		}
		if j.Check(openwop.OWPCTL23, c.Status).To(check.Status(http.StatusConflict), "a pause of a run that has ended") {
			j.Check(openwop.OWPCTL23, c.Body.At("/details/runStatus")).To(check.Equal(c.over.status.String()), "details.runStatus")
		}
	}},
}

// checkCancelled checks how a run ended of which the host said that it is cancelled, or is about to be. One that is about to be may
// fail before.
func checkCancelled(j *scenarios.Judge, id scenarios.RequirementID, said, later wire.Value) {
	end := later.Key("status")
	if said.String() == "cancelled" || said.String() == "cancelling" && end.String() != "failed" {
		j.Check(id, end).To(check.Equal("cancelled"), "end of a run that was said to be %s", said.String())
	}
}

// bulk is a request to cancel several runs.
type bulk struct {
	asked
	runs  []string
	over  map[string]ending     // of those that had ended before
	later map[string]wire.Value // ends of the others
}

// bulks are the rules about requests to cancel several runs.
var bulks = struct{ told, refused rule[bulk] }{
	rule[bulk]{"bulk-cancel", scenarios.IDs{openwop.OWPCTL13, openwop.OWPCTL14, openwop.OWPCTL16}, func(b bulk, j *scenarios.Judge) {
		list := b.Body.Key("results")
		if !b.Ok() || !host.IsList(list) {
			return
		}
		results, want := wire.Found{Values: list.Items(), In: list.Ref()}, make([]any, len(b.runs))
		for i, run := range b.runs {
			want[i] = run
		}
		if !j.Check(openwop.OWPCTL14, results.Each("/runId")).To(check.Equal(want), "runId of the results") {
			return
		}
		for i, r := range results.Values {
			ok, _ := r.Key("ok").Bool()
			end, over := b.over[b.runs[i]]
			later := b.later[b.runs[i]]
			switch {
			case over && ok: // OWP-R42
				j.Check(openwop.OWPCTL16, r.Key("status")).To(check.Equal(end.status.String()), "status of a run that has ended in its result")
			case over:
				j.Check(openwop.OWPCTL16, r.Key("ok")).To(check.Equal(false), "ok of a run that has ended")
			case ok && later.Present():
				checkCancelled(j, openwop.OWPCTL13, r.Key("status"), later)
			}
		}
	}},
	rule[bulk]{"bulk-refused", scenarios.IDs{openwop.OWPCTL17, openwop.OWPCTL18}, func(b bulk, j *scenarios.Judge) {
		switch {
		case !b.Ok() && b.Code != http.StatusBadRequest:
		case len(b.runs) == 0:
			j.Check(openwop.OWPCTL18, b.Status).To(check.Status(http.StatusBadRequest), "a bulk cancel of no run")
		case len(b.runs) > mostBulk &&
			j.Check(openwop.OWPCTL17, b.Status).To(check.Status(http.StatusBadRequest), "a bulk cancel of %d runs", len(b.runs)):
			j.Check(openwop.OWPCTL17, b.Body.At("/details/maxRunIds")).To(check.Integer(1, mostBulk), "details.maxRunIds")
		}
	}},
}

// mostBulk is how many runs a bulk cancel may name.
const mostBulk = 100

func (t *traffic) judgeControls() {
	for _, x := range t.of(dialect.CancelRun, dialect.PauseRun, dialect.ResumeRun, dialect.ForkRun, dialect.AnswerNode) {
		if !x.decided() {
			continue
		}
		c := controlled{asked: x}
		if end, over := t.over(x.id(), x); over {
			c.over = &end
			c.later = t.later(x.id(), x, func(status string) bool { return status != "" })
		} else {
			c.later = t.later(x.id(), x, host.IsTerminal)
		}
		for _, r := range []rule[controlled]{controls.cancelled, controls.ended, controls.paused} {
			r.hold(t.sights, x.id(), c)
		}
	}
	for _, x := range t.of(dialect.CancelRuns) {
		if b, ok := t.bulk(x); ok {
			bulks.told.hold(t.sights, x.Path, b)
			bulks.refused.hold(t.sights, x.Path, b)
		}
	}
}

// bulk reads a request to cancel several runs. ok is false if there is another reason to refuse it.
func (t *traffic) bulk(x asked) (b bulk, ok bool) {
	members, isObject := x.members()
	list, isList := members["runIds"].([]any)
	for name := range members {
		isObject = isObject && slices.Contains([]string{"runIds", "reason"}, name)
	}
	if reason, isText := members["reason"].(string); members["reason"] != nil && (!isText || reason == "") {
		return b, false
	}
	b = bulk{asked: x, over: map[string]ending{}, later: map[string]wire.Value{}}
	for _, v := range list {
		run, isText := v.(string)
		if !isText || run == "" || slices.Contains(b.runs, run) {
			return b, false
		}
		b.runs = append(b.runs, run)
		if end, over := t.over(run, x); over {
			b.over[run] = end
		} else {
			b.later[run] = t.later(run, x, host.IsTerminal)
		}
	}
	return b, isObject && isList && x.decided() && !x.keyed()
}
