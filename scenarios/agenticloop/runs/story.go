package runs

import (
	"slices"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop/host"
	"github.com/openassay/assay/scenarios/agenticloop/model"
	"github.com/openassay/assay/scenarios/wire"
)

// told is a turn beside what the interpreter says of it.
type told struct {
	model.Turn
	Goal    string          // of its run
	Allowed []string        // tools of the config
	Planned *model.Decision // that its request comes of, if it has one; nil if nobody knows
	last    []string        // the run that was started last, and those that were over at once since
	host    host.Turn
	files   wire.Value // of its workspace after the turn, if it has one
	before  wire.Value // the same before the turn
	asked   wire.Value // the payload of the request that its run made last
	lost    *host.Turn // the same job before, of which the answer was lost
	live    bool       // decisions may differ
	most    int64      // max_reframes
	lower   int        // max_steps that its start asks for; 0 for none
	own     string     // the name of the plugin
	seen    model.Seen
	after   model.Known // its run

	decided  bool  // its planner decides as it is to
	furthest int64 // the last step that any run came to
}

// tell interprets the programs, each up to the turn that leaves the rules, which is the last then.
func (o Observation) tell() (all []told) {
	furthest := int64(0)
	for _, played := range o.Programs {
		world, last := model.Begin(model.Program{Runs: played.Runs}, o.Settings), []string(nil)
		before, asked := map[int]wire.Value{}, map[int]wire.Value{} // the files of runs, and what they asked for last
		for _, taken := range played.Turns {
			t, ok := world.Turn(taken.Move)
			if !ok {
				break
			}
			s := seen(t, taken.Turn)
			world = world.After(t, s)
			run := played.Runs[taken.Move.Run]
			as := told{
				Turn: t, Goal: run.Goal, Allowed: world.Allowed(t), Planned: t.Decision, last: last, host: taken.Turn, lost: taken.Lost,
				live: o.Live, most: int64(run.Reframes), lower: run.Lower, own: o.Settings.Name, seen: s, after: world.Runs[taken.Move.Run],
				decided: o.Settings.Steered && !o.Live, asked: asked[taken.Move.Run],
			}
			if s.Did == model.Asked || s.Did == model.Retried {
				asked[taken.Move.Run] = taken.Turn.Requests().Last().Key("payload")
			}
			if as.files = taken.Files; as.files.Present() {
				as.before, before[taken.Move.Run] = before[taken.Move.Run], as.files
			}
			if s.Did == model.Retried && !t.Before.Free && o.Settings.Steered && t.Before.Taken < len(run.Decisions) {
				as.Planned = &run.Decisions[t.Before.Taken]
			}
			switch {
			case t.Rule == nil && s.Run != "":
				last = []string{s.Run}
			case t.Rule == nil && len(taken.Turn.Ends().Values) > 0: // there need be no such run (AL-R10)
				last = append(slices.Clone(last), taken.Turn.Ends().Last().At("/payload/run_id").String())
			}
			if s.Did == model.Asked {
				furthest = max(furthest, t.Next)
			}
			all = append(all, as)
			if departs(t, taken.Turn) != "" {
				break
			}
		}
	}
	for i := range all {
		all[i].furthest = furthest
	}
	return all
}

// delivery is what the turn was handed, as judges of other suites have it.
func delivery(t model.Turn) host.Delivery { return host.Delivery(t.Delivery) }

// departs says how a turn leaves the rules, "" if it does not.
func departs(t model.Turn, turn host.Turn) string {
	if endsAtOnce(t, turn) {
		return delivery(t).Touches(turn)
	}
	return delivery(t).Departs(turn)
}

// endsAtOnce reports whether a start did nothing but end its run, or was refused, and may do so.
func endsAtOnce(t model.Turn, turn host.Turn) bool {
	if t.Rule != nil || !turn.Answered() {
		return false
	}
	if len(t.Payload) > 0 && len(turn.Events().Values) == 0 && len(turn.NewRuns().Values) == 0 { // it descends from another run (AL-R13)
		return true
	}
	if !t.MayEnd {
		return false
	}
	if turn.Status() == "error" {
		return t.AtOnce && len(turn.Ends().Values) == 0
	}
	done := len(turn.OfType(host.Completed).Values) == 1 && t.AtOnce && t.Decision.Kind == model.Done
	return len(turn.Events().Values) == 1 && (done || len(turn.OfType(host.Escalated).Values) == 1)
}

// seen returns what a turn did.
func seen(t model.Turn, turn host.Turn) model.Seen {
	asked := turn.Requests().Last().Key("payload")
	step, asks := asked.Key("step").Int()
	out := model.Seen{Did: model.Nothing, Run: asked.Key("run_id").String(), Tool: asked.Key("tool").String()}
	if n, whole := turn.Run(out.Run).Key("max_steps").Int(); whole && t.Rule == nil {
		out.Budget = int(n)
	}
	switch {
	case turn.Status() != "ok":
		out.Did = model.Refused
	case len(turn.OfType(host.Completed).Values) > 0:
		out.Did = model.Completed
	case len(turn.OfType(host.Escalated).Values) > 0:
		out.Did = model.Escalated
	case asks && t.Rule != nil && step == t.Before.Step:
		out.Did = model.Retried
		if !t.Rule.Allows(model.Retried) {
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

// breach returns how a turn leaves the rules; the zero Breach if it does not.
func (t told) breach() host.Breach {
	if touched := delivery(t.Turn).Touches(t.host); t.host.Answered() && touched != "" {
		b := host.Breach{Of: agenticloop.RFC103READ5, Shown: t.host.Runs(), Why: "setup failed: " + t.host.Name + ": " + touched}
		// It moved another run in place of the one that it was to make.
		if t.Rule == nil && len(t.host.NewRuns().Values) == 0 && !endsAtOnce(t.Turn, t.host) {
			b.Of = agenticloop.RFC103T3
		}
		if t.Rule == model.Unknown || t.Rule == model.Misshapen {
			b.Of = agenticloop.RFC103I5
		}
		if t.Rule == model.Again && len(t.host.KeptRuns().Values) > 0 {
			b.Of = agenticloop.RFC103READ2
		}
		return b
	}
	why := departs(t.Turn, t.host)
	switch {
	case why == "":
		return host.Breach{}
	case t.Move.Own && t.host.Answered():
		return host.Breach{Of: agenticloop.RFC103B2, Shown: t.host.Events(), Why: t.host.Name + ": " + why}
	}
	return delivery(t.Turn).Breach(t.host)
}

// question is what a scenario looks at.
type question struct {
	about func(told) bool              // the turns that it looks at
	look  func(told, *scenarios.Judge) // of such a turn
	also  scenarios.IDs                // sentences that it does not prove, and whose breach it shows as one of its own
	none  [2]string                    // why there may be no such turn, and what would help
}

// asked returns the scenario that looks at turns of drawn runs. It presumes that the rules are kept which it does not prove: a turn that
// leaves one ends the judge, on the sentence that it breaks. Without a turn to look at it is blocked.
func asked(s scenarios.Scenario, q question) scenarios.Scenario {
	s.Ask = scenarios.Ask(DrawnRuns, func(o Observation, j *scenarios.Judge) {
		host.GivenReached(j, len(o.Programs) > 0)
		if o.Shrunk > 0 {
			j.Find("", "a program was shrunk from %d turns to %d", o.Shrunk, len(o.Programs[len(o.Programs)-1].Turns))
		}
		looked := false
		for _, t := range o.tell() {
			host.Given(j, t.host)
			about, b := q.about(t), t.breach()
			proves := slices.Contains(s.Proves, b.Of)
			if about && (b.Why == "" || proves || slices.Contains(q.also, b.Of)) {
				looked = true
				q.look(t, j)
			}
			if b.Why != "" && !(about && proves) {
				b.Stop(j)
			}
		}
		switch {
		case looked:
		case q.none[0] != "":
			j.Block(q.none[0], q.none[1])
		default:
			j.Block("setup failed: no run came to what this is about", "see the turns of its transcript, and certify with another --seed")
		}
	})
	return s
}

// under selects turns that one of these rules is about.
func under(rules ...*model.Rule) func(told) bool {
	return func(t told) bool {
		return slices.Contains(rules, t.Rule)
	}
}
