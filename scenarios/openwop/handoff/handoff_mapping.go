package handoff

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/wire"
)

// Values that mappings carry to workers and back.

// RFC 0037 B says "exactly when": mapped output is harvested.
var harvestedWhenMapped = scenarios.Scenario{
	ID:     "openwop/handoff/harvested-when-mapped",
	Title:  "a worker that completed is harvested once where its output is mapped, after it completed, and no other is",
	Proves: scenarios.IDs{openwop.OWP0037B1, openwop.OWPDSP20},
	Claim:  claims.HandoffMapping,
	Ask: scenarios.Ask(mappedLoops, func(o MappedObservation, j *scenarios.Judge) {
		if len(o.Harvests) == 0 {
			j.Block("no offered loop maps anything back", fixture.Load)
		}
		o.given(j)
		for _, m := range o.Runs {
			m.checkHarvest(j)
		}
	}),
}

// RFC 0037 B says "exactly when": other output is not harvested.
var unmappedNotHarvested = scenarios.Scenario{
	ID:     "openwop/handoff/unmapped-not-harvested",
	Title:  "workers whose output is not mapped are not harvested",
	Proves: scenarios.IDs{openwop.OWP0037B1},
	Claim:  claims.ExecutionModel,
	Ask: scenarios.Ask(LoopOfWorkers, func(o WorkersObservation, j *scenarios.Judge) {
		switch {
		case o.Mapped && o.Unmapped != nil:
			o = *o.Unmapped
		case o.Mapped:
			j.Block("the offered fixture maps the output of its worker", fixture.Load)
		}
		o.Given(j)
		o.completed(j)
		CheckUnharvested(o.Log, j)
	}),
}

// completed blocks the judge unless the log tells that every worker completed. It violates OWP-0037-B3 if more of the child
// runs did, as they are served, than the log tells of.
func (o WorkersObservation) completed(j *scenarios.Judge) {
	told := o.Log.Phase(dialect.ChainPhaseChildCompleted)
	if len(told.Values) >= len(o.Workers) {
		return
	}
	const reason = "setup failed: the log does not tell that every worker completed"
	did := 0
	for _, c := range o.Children {
		if c.Log.Status().String() == "completed" {
			did++
		}
	}
	if did > len(told.Values) {
		j.Violates(openwop.OWP0037B3, told, reason)
	}
	j.Block(reason, "have the workers of the fixture complete")
}

// RFC 0037 A 3, RFC 0022 A.
var resultsReachParent = carriedScenario("results-reach-parent",
	"what a worker leaves in its variables ends up in those of the parent that the mapping names",
	openwop.OWP0037A4, func(o MappedObservation) []Carried { return o.Harvests })

// RFC 0022 A.
var inputsReachChild = carriedScenario("inputs-reach-child",
	"a worker is given the values of the parent's variables that the mapping names",
	openwop.OWPDSP16, func(o MappedObservation) []Carried { return o.Inputs })

// RFC 0022 D.
var workerToWorker = carriedScenario("worker-to-worker", "a worker is given what the one before it in the same decision has brought back",
	openwop.OWPDSP19, func(o MappedObservation) []Carried { return o.Across })

func carriedScenario(name, title string, id scenarios.RequirementID, of func(MappedObservation) []Carried) scenarios.Scenario {
	return scenarios.Scenario{
		ID: scenarios.ScenarioID("openwop/handoff/" + name), Title: title, Proves: scenarios.IDs{id}, Claim: claims.DispatchMapping,
		Ask: scenarios.Ask(mappedLoops, func(o MappedObservation, j *scenarios.Judge) {
			o.given(j)
			shown(j, of(o))
			checkCarried(j, id, of(o))
		}),
	}
}

// RFC 0022 A: neither null nor an error. The control is an input that the host shows.
var unsetInputAbsent = scenarios.Scenario{
	ID:     "openwop/handoff/unset-input-absent",
	Title:  "a parent's variable without a value gives the worker no input, and nothing fails",
	Proves: scenarios.IDs{openwop.OWPDSP17},
	Claim:  claims.DispatchMapping,
	Ask: scenarios.Ask(mappedLoops, func(o MappedObservation, j *scenarios.Judge) {
		o.given(j)
		shown(j, o.Unset)
		if len(o.Inputs) == 0 || !o.Inputs[0].seen().Present() {
			const reason = "setup failed: the host does not show an input that a worker was given"
			if len(o.Inputs) > 0 && o.Inputs[0].Snapshot.Key("inputs").Present() {
				j.Violates(openwop.OWPDSP16, o.Inputs[0].seen(), reason)
			}
			j.Block(reason, "show a run's inputs in its snapshot (docs/seams.md)")
		}
		for _, c := range o.Unset {
			j.Check(openwop.OWPDSP17, c.seen()).To(check.Absent(), "%s, in %s", c.What, c.Way)
			j.Check(openwop.OWPDSP17, c.Snapshot.Key("status")).To(check.Equal("completed"),
				"status of a worker whose input has no source, in %s", c.Way)
		}
		for _, m := range o.Runs {
			j.Check(openwop.OWPDSP17, m.Log.Status()).To(check.Equal("completed"), "status of %s", m.Way)
		}
	}),
}

// RFC 0022 A: the worker's mapping replaces the default and does not add to it.
var ownMapping = scenarios.Scenario{
	ID:     "openwop/handoff/own-mapping",
	Title:  "a worker with a mapping of its own is given, and brings back, what that one names and nothing of the default",
	Proves: scenarios.IDs{openwop.OWPDSP18},
	Claim:  claims.DispatchMapping,
	Ask: scenarios.Ask(mappedLoops, func(o MappedObservation, j *scenarios.Judge) {
		o.given(j)
		shown(j, o.Own)
		checkCarried(j, openwop.OWPDSP18, o.Own)
		for _, c := range o.Replaced {
			j.Check(openwop.OWPDSP18, c.seen()).To(check.Absent(), "%s", c.What)
		}
	}),
}

// given blocks the judge unless all loops ran as planned.
func (o MappedObservation) given(j *scenarios.Judge) {
	for _, m := range o.Runs {
		m.Log.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
		decidedAs(m.Log, j, o.Chosen, m.Workers...)
		if len(m.Children) < len(m.Workers) {
			handedOver(m.Log, j, m.Workers)
		}
	}
	if !o.Chosen {
		j.Find("", "driven by upstream's fixtures, most of whose values are fixed: canned answers for them could pass; offer "+
			"assay-loop-mapped to have the values chosen at random")
	}
}

// shown blocks the judge if the host does not show where the values would be.
func shown(j *scenarios.Judge, carried []Carried) {
	if len(carried) == 0 {
		j.Block("no offered loop maps such a value", fixture.Load)
	}
	for _, c := range carried {
		if !c.Snapshot.Key("variables").Present() && len(c.Want) > 0 && (c.Back || !c.Snapshot.Key("inputs").Present()) {
			j.Block("the snapshot of a run in "+c.Way+" shows neither inputs nor variables",
				"show a run's inputs and variables in its snapshot (docs/seams.md)")
		}
	}
}

// checkCarried compares carried values with their sources.
func checkCarried(j *scenarios.Judge, id scenarios.RequirementID, carried []Carried) {
	for _, c := range carried {
		ok := j.Check(id, c.seen()).To(check.OneOf(c.Want...), "%s, in %s", c.What, c.Way)
		if ok && len(c.Want) > 1 && c.seen().String() != c.Want[0] {
			j.Find("", "%s, in %s, is the fixture's own value: the run's input of that name did not become its variable", c.What, c.Way)
		}
	}
}

// seen returns the value at its destination: the parent's variables, or a
// worker's inputs; its variables if the host shows no inputs.
func (c Carried) seen() wire.Value {
	inputs, variables := c.Snapshot.Key("inputs"), c.Snapshot.Key("variables")
	if c.Back || !inputs.Present() {
		return variables.Key(c.Key)
	}
	return inputs.Key(c.Key)
}
