package runs

import (
	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/model"
)

// told is a turn beside what the interpreter says of it.
type told struct {
	model.Turn
	Goal    string          // of its run
	Allowed []string        // tools of the config
	Planned *model.Decision // that its request comes of, if it has one; nil if nobody knows
	last    string          // the run that was started last
	host    host.Turn
	seen    model.Seen
	after   model.Known // its run
}

// tell interprets the programs, each up to the turn that leaves the rules, which is the last then.
func (o Observation) tell() (all []told) {
	for _, played := range o.Programs {
		world, last := model.Begin(model.Program{Runs: played.Runs}, o.Settings), ""
		for _, taken := range played.Turns {
			t, ok := world.Turn(taken.Move)
			if !ok {
				break
			}
			s := seen(t, taken.Turn)
			world = world.After(t, s)
			run := played.Runs[taken.Move.Run]
			as := told{t, run.Goal, o.Settings.Tools, t.Decision, last, taken.Turn, s, world.Runs[taken.Move.Run]}
			if taken.Move.Allowed != nil {
				as.Allowed = taken.Move.Allowed
			}
			if s.Did == model.Retried && !t.Before.Free && o.Settings.Steered {
				as.Planned = &run.Decisions[t.Before.Taken]
			}
			if t.Rule == nil && s.Run != "" {
				last = s.Run
			}
			all = append(all, as)
			if departs(t, taken.Turn) != "" {
				break
			}
		}
	}
	return all
}

// delivery is what the turn was handed, as judges of other suites have it.
func delivery(t model.Turn) host.Delivery { return host.Delivery(t.Delivery) }

// departs says how a turn leaves the rules, "" if it does not.
func departs(t model.Turn, turn host.Turn) string {
	if t.Rule == nil && t.MayEnd && gaveUp(turn) {
		return delivery(t).Touches(turn)
	}
	return delivery(t).Departs(turn)
}

// gaveUp reports whether a turn did nothing but escalate a run.
func gaveUp(t host.Turn) bool {
	return t.Answered() && len(t.Events().Values) == 1 && len(t.OfType(host.Escalated).Values) == 1
}

// seen returns what a turn did.
func seen(t model.Turn, turn host.Turn) model.Seen {
	asked := turn.Requests().Last().Key("payload")
	step, asks := asked.Key("step").Int()
	out := model.Seen{Did: model.Nothing, Run: asked.Key("run_id").String(), Tool: asked.Key("tool").String()}
	switch {
	case turn.Status() != "ok":
		out.Did = model.Refused
	case len(turn.OfType(host.Completed).Values) > 0:
		out.Did = model.Completed
	case len(turn.OfType(host.Escalated).Values) > 0:
		out.Did = model.Escalated
	case asks && t.Rule != nil && step == t.Before.Step:
		out.Did = model.Retried
		if t.Rule != model.Failed && t.Rule != model.Unclear {
			out.Did = model.Repeated
		}
	case asks:
		out.Did = model.Asked
	}
	switch plan := t.Decision; {
	case plan == nil:
	case out.Did == model.Asked:
		out.Left = plan.Kind != model.Call || plan.Tool != out.Tool && plan.Tool != turn.Plugins()[0]
	case out.Did == model.Completed:
		out.Left = plan.Kind != model.Done
	}
	return out
}

// given ends the judge of a turn that leaves the rules: on the sentence that it breaks, whichever scenario is about it.
func (t told) given(j *scenarios.Judge) {
	host.Given(j, t.host)
	why := departs(t.Turn, t.host)
	if why == "" {
		return
	}
	if touched := delivery(t.Turn).Touches(t.host); touched != "" {
		j.Violates(agenticloop.RFC103READ5, t.host.Runs(), "setup failed: "+t.host.Name+": "+touched)
	}
	delivery(t.Turn).Breach(t.host).Stop(j)
}

// of has a judge look at the turns that it is about, and presumes that the others keep the rules. It blocks the judge if there are none.
func of(about func(told) bool, look func(told, *scenarios.Judge)) scenarios.Question {
	return scenarios.Ask(DrawnRuns, func(o Observation, j *scenarios.Judge) {
		host.GivenReached(j, len(o.Programs) > 0)
		if o.Shrunk > 0 {
			j.Find("", "a program was shrunk from %d turns to %d", o.Shrunk, len(o.Programs[len(o.Programs)-1].Turns))
		}
		looked := false
		for _, t := range o.tell() {
			if about(t) {
				host.Given(j, t.host)
				looked = true
				look(t, j)
			} else {
				t.given(j)
			}
		}
		if !looked {
			j.Block("setup failed: no run came to what this is about", "see the turns of its transcript; certify with another --seed")
		}
	})
}

// under selects turns that one of these rules is about.
func under(rules ...*model.Rule) func(told) bool {
	return func(t told) bool {
		for _, r := range rules {
			if t.Rule == r {
				return true
			}
		}
		return false
	}
}
