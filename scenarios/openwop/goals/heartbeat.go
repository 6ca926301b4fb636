package goals

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// HeartbeatSuite asks whether heartbeats report state changes.
func HeartbeatSuite() scenarios.Suite {
	return scenarios.Suite{
		ID: "heartbeat", Title: "what a heartbeat takes for a change",
		Scenarios: []scenarios.Scenario{changeTold, sameStateFiresNothing},
	}
}

var changeTold = scenarios.Scenario{
	ID:     "openwop/heartbeat/change-told",
	Title:  "a heartbeat that sees another state says that it changed",
	Proves: scenarios.IDs{openwop.OWPHBT1},
	Claim:  claims.Heartbeats, Reaches: scenarios.Attested,
	Ask: scenarios.Ask(heartbeatLooks, func(o HeartbeatLooks, j *scenarios.Judge) {
		o.answered(j)
		j.Check(openwop.OWPHBT1, o.changed(true)).To(check.Each(check.Equal(true)), "changed, of looks at another state than before")
		if runs := o.runs(); len(runs.Values) > 1 {
			j.Check(openwop.OWPHBT1, runs).To(check.Distinct(), "runs that the changes fired")
		}
	}),
}

var sameStateFiresNothing = scenarios.Scenario{
	ID:     "openwop/heartbeat/same-state-fires-nothing",
	Title:  "a heartbeat that sees the state of last time says so and fires no run",
	Proves: scenarios.IDs{openwop.OWPHBT2},
	Claim:  claims.Heartbeats, Reaches: scenarios.Attested,
	Ask: scenarios.Ask(heartbeatLooks, func(o HeartbeatLooks, j *scenarios.Judge) {
		o.answered(j)
		j.Check(openwop.OWPHBT2, o.changed(false)).To(check.Each(check.Equal(false)), "changed, of looks at the state of last time")
		for _, l := range o.Looks {
			if l.open() || l.Another {
				continue
			}
			if run := l.Reply.Key("runId"); run.Present() {
				j.Check(openwop.OWPHBT2, run).To(check.Equal(nil), "run that was fired by the state of last time")
			}
			if runs := l.Reply.Key("enqueuedRuns"); runs.Present() {
				j.Check(openwop.OWPHBT2, runs).To(check.Equal(0), "runs that were fired by the state of last time")
			}
		}
	}),
}

// answered blocks the judge unless the seam answered.
func (o HeartbeatLooks) answered(j *scenarios.Judge) {
	for _, l := range o.Looks {
		if !l.unread() {
			host.SeamAnswered(j, l.Status, o.Seam)
		}
	}
}

// changed returns the reported change: a member of the look, or of a list with one evaluation, as hosts do.
func (l HeartbeatLook) changed() wire.Value {
	if v := l.Reply.At("/evaluated/0/changed"); v.Present() {
		return v
	}
	return l.Reply.Key("changed")
}

// changed returns the reports of the looks that saw another state, or of those that saw the same one. It skips those of which
// the text leaves it open.
func (o HeartbeatLooks) changed(another bool) wire.Values {
	var out wire.Values
	for _, l := range o.Looks {
		if !l.open() && l.Another == another {
			out = append(out, l.changed())
		}
	}
	return out
}

// runs are the ids of the runs that the replies to changes name.
func (o HeartbeatLooks) runs() wire.Found {
	var f wire.Found
	for _, l := range o.Looks {
		if id := l.Reply.Key("runId"); id.String() != "" && (l.First || l.Another) {
			f.Values, f.In = append(f.Values, id), l.Reply.Ref()
		}
	}
	return f
}
