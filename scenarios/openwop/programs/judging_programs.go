package programs

import (
	"fmt"
	"maps"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/handoff"
	"github.com/openassay/assay/scenarios/openwop/loop"
	"github.com/openassay/assay/scenarios/openwop/model"
	"github.com/openassay/assay/scenarios/wire"
)

// played is a program as it ran, and what its run must show.
type played struct {
	Ran
	model.Story
}

// ofEach asks one question about every program.
func ofEach(judge func(played, *scenarios.Judge)) scenarios.Question {
	return scenarios.Ask(drawnPrograms, func(o Observation, j *scenarios.Judge) {
		for _, r := range o.Programs {
			judge(played{r, tell(r.Program)}, j)
		}
	})
}

// kinds are those of the decisions, in order.
func (r played) kinds() (out []string) {
	for _, t := range r.Turns {
		out = append(out, t.Kind())
	}
	return out
}

// untilAsked is how many turns there are up to the first that asks, all if none does.
func (r played) untilAsked() int {
	if i := slices.IndexFunc(r.Turns, func(t model.Taken) bool { return t.Prompt != "" }); i >= 0 {
		return i + 1
	}
	return len(r.Turns)
}

// given blocks the judge unless the run was made, answered and ended.
func (r played) given(j *scenarios.Judge) {
	r.Log.Exists(j, openwop.OWPCAP19)
	for _, h := range r.Held {
		h.Given(j)
		h.CheckAnswered(j)
	}
	r.Log.Ends(j, openwop.OWP0037A1)
	r.Log.Readable(j)
	r.Log.Decides(j)
}

// taken is like given, and blocks the judge too unless the loop took the turns of its program: one that goes on violates what was to
// stop it.
func (r played) taken(j *scenarios.Judge) {
	r.given(j)
	var beyond scenarios.RequirementID = openwop.OWPDSP5
	if r.Breached {
		beyond = openwop.OWP0061E4
	}
	r.Log.Takes(j, len(r.Turns), beyond)
}

// goesOn reports whether the loop took more turns than its program.
func (r played) goesOn() bool { return len(r.Log.Decided().Values) > len(r.Turns) }

// checkTurns compares the decisions with the plan, and the order of decisions and settled workers.
func (r played) checkTurns(j *scenarios.Judge) {
	var workers [][]string
	var order []dialect.Event
	for _, t := range r.Turns {
		order = append(order, dialect.Decided)
		if t.Workers != nil {
			workers = append(workers, t.Workers)
		}
		for range t.Workers {
			order = append(order, dialect.HandedOver)
		}
	}
	decisions := r.Log.Decided().Each("/payload/decision")
	j.Check(openwop.OWP0037A2, r.Log.Kinds()).To(loop.KindsOf(r.kinds()), "kinds of the decisions")
	j.Check(openwop.OWP0037A2, decisions.Each("/nextWorkerIds").Where(func(v wire.Value) bool { return v.Present() })).
		To(check.Equal(workers), "workers of the decisions for workers")
	r.checkWords(j)
	settled := r.Log.All().Where(func(e wire.Value) bool {
		return dialect.EventOf(e) == dialect.Decided || handoff.IsPhase(dialect.ChainPhaseChildCompleted)(e)
	}).Each("/type")
	j.Check(openwop.OWP0037A5, settled).To(dialect.Types(order...), "turns and settled workers in order")
	j.Check(openwop.OWP0037A1, settled).To(check.Len(len(order)), "turns, and workers that settled")
}

// checkWords compares what decisions say beside their kinds and workers.
func (r played) checkWords(j *scenarios.Judge) {
	decisions := r.Log.Decided().Each("/payload/decision").Values
	for i, t := range r.Turns {
		if i >= len(decisions) {
			return
		}
		switch d := decisions[i]; {
		case t.Reason != "":
			j.Check(openwop.OWP0037A2, d.Key("reason")).To(check.Equal(t.Reason), "reason of the decision to end the loop")
		case t.Prompt != "" && d.Key("kind").String() == t.Kind():
			j.Check(openwop.OWP0037A2, d.Key("prompt")).To(check.Equal(t.Prompt), "prompt of turn %d", i+1)
		}
	}
}

// checkWorkers compares the workers of each turn with its decision.
func (r played) checkWorkers(j *scenarios.Judge) {
	loop.CheckDecidedFirst(r.Log, j, len(r.Turns))
	r.told(j)
	for i, t := range r.Turns {
		began := handoff.Turn(r.Log, i).Where(handoff.IsPhase(dialect.ChainPhaseDispatchBegan))
		if len(t.Workers) == 0 {
			j.Check(openwop.OWPDSP3, began.Each("/payload/workerId")).To(check.Len(0), "workers of turn %d, which decides for none", i+1)
			continue
		}
		j.Check(openwop.OWPDSP3, began.Each("/payload/workerId")).To(check.Equal(t.Workers), "workers of turn %d", i+1)
	}
}

// told blocks the judge unless the log tells of workers, if there were any.
func (r played) told(j *scenarios.Judge) {
	if len(r.Workers()) > 0 {
		handoff.Told(r.Log, j)
	}
}

// children returns a member of each child run's snapshot.
func (r played) children(pointer string) wire.Found {
	f := wire.Found{In: r.Log.All().In}
	for _, c := range r.Children {
		f.Values = append(f.Values, c.Snapshot.At(pointer))
	}
	return f
}

// unnamed blocks the judge: the run does not name a child for each worker.
func (r played) unnamed(j *scenarios.Judge) {
	j.Block(fmt.Sprintf("setup failed: the run names %d child runs, and its plan has %d workers", len(r.Children), len(r.Workers())),
		"name the run of each worker in dispatch.succeeded or node.dispatched")
}

// mapped blocks the judge unless the loop maps variables, its run was carried out and its snapshot shows them.
func (r played) mapped(j *scenarios.Judge) {
	if r.Program.Workflow != fixture.Mapped {
		j.Block("no loop that maps variables is on offer", fixture.Load)
	}
	r.taken(j)
	if len(r.Children) < len(r.Workers()) {
		r.unnamed(j)
	}
	for _, c := range r.Children {
		if !c.Snapshot.Key("runId").Present() {
			j.Block("setup failed: the child run "+c.ID+", which its parent names, is not served", "serve child runs to whoever made their parent")
		}
	}
	if !r.Log.Ended.Last.Key("variables").Present() {
		j.Block("the snapshot of a run shows no variables", "show a run's inputs and variables in its snapshot (docs/seams.md)")
	}
}

// checkInputs compares what each worker was given.
func (r played) checkInputs(j *scenarios.Judge) {
	i := 0
	for _, t := range r.Turns {
		heard := false // a worker of the same decision has brought something back
		for _, h := range t.Handoffs {
			shown := r.Children[i].Snapshot.Key("inputs")
			if !shown.Present() { // then they are among its variables
				shown = r.Children[i].Snapshot.Key("variables")
			}
			i++
			for _, name := range sorted(h.Inputs) {
				var id scenarios.RequirementID = openwop.OWPDSP16
				if heard && name == "aside" {
					id = openwop.OWPDSP19
				}
				j.Check(id, shown.Key(name)).To(check.Equal(h.Inputs[name]), "input %s of worker %d, %s", name, i, h.Worker)
			}
			heard = heard || h.Worker == fixture.Echo
		}
	}
}

// checkSpared expects no worker to be given what has no value, or what only a mapping gives that its own replaces.
func (r played) checkSpared(j *scenarios.Judge) {
	for i, h := range r.Workers() {
		shown := r.Children[i].Snapshot.Key("inputs")
		if !shown.Present() {
			j.Block("the snapshot of a worker shows no inputs", "show a run's inputs in its snapshot (docs/seams.md)")
		}
		for _, name := range h.Unset {
			j.Check(openwop.OWPDSP17, shown.Key(name)).To(check.Absent(), "input %s of worker %d, whose variable has no value", name, i+1)
		}
		for _, name := range h.Replaced {
			j.Check(openwop.OWPDSP18, shown.Key(name)).To(check.Absent(), "input %s of worker %d, whose own mapping has none", name, i+1)
		}
	}
}

func sorted(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
