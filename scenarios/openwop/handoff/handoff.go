// Package handoff tests how a decision becomes a child run, what the parent takes back, and how runs name each other.
package handoff

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Suite returns the scenarios that follow a handoff from the decision to the harvest.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "handoff", Title: "from a decision to a child run and back: its phases, what caused them, and what is mapped",
		Scenarios: []scenarios.Scenario{
			chainOfCauses, childIsARun, secondWaitsForFirst,
			failedWorker, cancelledWorker, uncreatableWorker,
			harvestedWhenMapped, unmappedNotHarvested, failedNotHarvested, cancelledNotHarvested,
			resultsReachParent, inputsReachChild, unsetInputAbsent, ownMapping, workerToWorker, harvestAttested,
			cancelReachesAll, cancelledTreeRests,
			oddAmongMany, oddNotHarvested,
		},
	}
}

// RFC 0037 B.
var chainOfCauses = scenarios.Scenario{
	ID:     "openwop/handoff/chain-of-causes",
	Title:  "each step of a handoff is one event that the step before it caused, and the first is caused by the decision for this worker",
	Proves: scenarios.IDs{openwop.OWP0037B3, openwop.OWPDSP10},
	Claim:  claims.ExecutionModel,
	Ask: scenarios.Ask(LoopOfWorkers, func(o WorkersObservation, j *scenarios.Judge) {
		o.Given(j)
		j.Check(openwop.OWP0037B3, o.Log.All().Each("/eventId")).To(check.Distinct(), "eventId of every event")
		for i, worker := range o.Workers {
			steps := checkHandoff(o.Log, j, openwop.OWP0037B3, i, worker, completion)
			CheckNamed(j, steps, worker)
		}
		CheckChains(o.Log, j)
		told := o.Log.Phase(dialect.ChainPhaseDispatchBegan).Each("/payload/workerId")
		j.Check(openwop.OWP0037B3, told).To(check.Equal(o.Workers), "workers of all handoffs")
		for _, inner := range o.Inner {
			if steps := inner.OfType(dialect.HandedOver); len(steps.Values) > 0 {
				CheckChains(inner, j)
				j.Check(openwop.OWP0037B3, steps.Each("/payload/parentRunId")).To(check.Each(check.Equal(inner.RunID)),
					"parentRunId of the handoffs of a worker that is a loop itself")
			}
		}
	}),
}

// RFC 0037 B, as a later text specifies it: OWP-R103.
var childIsARun = scenarios.Scenario{
	ID: "openwop/handoff/child-is-a-run",
	Title: "the child of each handoff is a run of that worker, served under its own id, with a log of its own and the end " +
		"that the handoff tells",
	Proves: scenarios.IDs{openwop.OWPDSP12, openwop.OWPDSP13},
	Claim:  claims.ExecutionModel,
	Ask: scenarios.Ask(LoopOfWorkers, func(o WorkersObservation, j *scenarios.Judge) {
		o.Given(j)
		for i, worker := range o.Workers {
			checkChild(j, o.Log, o.Children, handoff(o.Log, i, worker), worker, "completed")
		}
		ids := o.Log.Phase(dialect.ChainPhaseDispatchSucceeded).Each("/payload/childRunId")
		j.Check(openwop.OWPDSP12, ids).To(check.Distinct(o.Log.RunID), "childRunId of the handoffs")
		if len(o.Children) == 0 || o.Children[0].Log.Ended.Last.Key("parentRunId").Actual() == nil {
			j.Find(openwop.OWPDSP13, "a child run's snapshot does not name its parent")
		}
	}),
}

// RFC 0007 D. The first worker waits for a person, so a fast host cannot pass by finishing it early.
var secondWaitsForFirst = scenarios.Scenario{
	ID:     "openwop/handoff/second-waits-for-first",
	Title:  "of two workers in one decision the second begins when the first has settled, and not while it waits",
	Proves: scenarios.IDs{openwop.OWPDSP14},
	Claim:  claims.ExecutionModel,
	Ask: scenarios.Ask(WorkerThatWaits, func(o WaitingWorkerObservation, j *scenarios.Judge) {
		o.Given(j)
		later := o.Lull.Later
		j.Check(openwop.OWPDSP14, host.Dispatched(later).Each("/type")).To(host.NoMoreThan(1),
			"workers that were dispatched while the first waits for a person, when another run had ended and %s had gone by", o.Lull.Window)
		if children := later.Ended.Last.Key("childRuns"); children.Present() {
			j.Check(openwop.OWPDSP14, children).To(host.NoMoreThan(1), "child runs while the first waits")
		}
		o.Answered(j)
		settled := IsPhase(dialect.ChainPhaseDispatchBegan, dialect.ChainPhaseDispatchFailed,
			dialect.ChainPhaseChildCompleted, dialect.ChainPhaseChildFailed, dialect.ChainPhaseChildCancelled)
		first, second := o.Workers[0], o.Workers[1]
		j.Check(openwop.OWPDSP14, o.Log.All().Where(settled).Each("/payload/workerId")).
			To(check.Equal([]any{first, first, second, second}), "whose handoff began and settled, in order")
	}),
}

// Given blocks the judge unless a worker waited.
func (o WaitingWorkerObservation) Given(j *scenarios.Judge) {
	if o.Found.What == "" { // the run was never created
		o.Log.Exists(j, openwop.OWPCAP19)
		return
	}
	if !o.Found.Reached || o.Child.Suspended.What == "" {
		j.Block("setup failed: the run does not show the child run of its worker while that is at work; last seen: "+o.Found.Last.JSON(),
			"tell of a child run when it is made, with dispatch.succeeded or node.dispatched, and serve it under its id")
	}
	o.Child.Given(j)
	host.SentinelEnded(j, o.Lull.Sentinel)
	o.Lull.Later.Readable(j)
}

// Answered blocks the judge unless the worker took its answer and the loop ended.
func (o WaitingWorkerObservation) Answered(j *scenarios.Judge) {
	o.Child.CheckAnswered(j)
	o.Log.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
	decidedAs(o.Log, j, true, o.Workers...)
}

// checkHarvest checks that a loop harvests exactly the mapped workers and variables.
func (m MappedRun) checkHarvest(j *scenarios.Judge) {
	var workers []any
	for i, keys := range m.Harvested {
		if keys != nil {
			workers = append(workers, m.Workers[i])
		}
	}
	harvests := m.Log.Phase(dialect.ChainPhaseOutputHarvested)
	if len(workers) == 0 {
		j.Check(openwop.OWP0037B1, harvests.Each("/payload/workerId")).To(check.Len(0), "workers of %s that were harvested", m.Way)
		return
	}
	j.Check(openwop.OWP0037B1, harvests.Each("/payload/workerId")).To(check.Equal(workers), "workers of %s that were harvested", m.Way)
	for i, keys := range m.Harvested {
		if keys == nil {
			continue
		}
		of := harvests.Where(func(e wire.Value) bool { return e.At("/payload/workerId").String() == m.Workers[i] })
		if len(keys) > 0 {
			j.Check(openwop.OWPDSP20, of.Each("/payload/harvestedKeys")).To(check.Equal([]any{keys}), "harvestedKeys of %s", m.Workers[i])
		}
		ended := handoff(m.Log, 0, m.Workers[i]).Where(IsPhase(dialect.ChainPhaseChildCompleted)).Last().Key("eventId")
		j.Check(openwop.OWP0037B1, of.Each("/causationId")).To(check.Equal([]any{ended.String()}), "cause of the harvest of %s", m.Workers[i])
	}
}
