package handoff

import (
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Workers that do not complete.

// RFC 0037 B. The loop goes on by OWP-R10.
var failedWorker = scenarios.Scenario{
	ID:     "openwop/handoff/failed-worker",
	Title:  "a worker that fails ends its handoff with child.failed and the error, and the loop goes on",
	Proves: scenarios.IDs{openwop.OWP0037B3, openwop.OWPDSP10, openwop.OWPDSP11, openwop.OWPDSP12, openwop.OWPDSP13, openwop.OWPDSP15},
	Claim:  claims.ExecutionModel,
	Ask: scenarios.Ask(failingWorker, func(o LostObservation, j *scenarios.Judge) {
		o.given(j)
		o.checkEnded(j, "failed", failure)
		o.checkErrors(j)
	}),
}

var cancelledWorker = scenarios.Scenario{
	ID:     "openwop/handoff/cancelled-worker",
	Title:  "a worker that is cancelled while it is at work ends its handoff with child.cancelled, and the loop goes on",
	Proves: scenarios.IDs{openwop.OWP0037B3, openwop.OWPDSP10, openwop.OWPDSP12, openwop.OWPDSP13, openwop.OWPDSP15, openwop.OWPDSP28},
	Claim:  claims.ExecutionModel,
	Ask: scenarios.Ask(stoppedWorker, func(o LostObservation, j *scenarios.Judge) {
		o.wasCancelled(j)
		o.checkEnded(j, "cancelled", cancellation)
		o.checkOfItself(j)
		if a := o.Asking; a != nil && host.Succeeded(a.Cancelled) {
			a.given(j)
			a.checkEnded(j, "cancelled", cancellation)
			a.checkOfItself(j)
		}
	}),
}

// checkOfItself expects the log of a worker that was cancelled not to name the loop above it, which went on.
func (o LostObservation) checkOfItself(j *scenarios.Judge) {
	for _, c := range o.Children {
		if c.Log.Status().String() == "cancelled" {
			checkOfItself(j, c.Log, "a worker that was cancelled directly")
		}
	}
}

// RFC 0037, conformance 3.
var uncreatableWorker = scenarios.Scenario{
	ID:     "openwop/handoff/uncreatable-worker",
	Title:  "a worker that does not exist is one dispatch.failed with nothing after it, and the loop goes on",
	Proves: scenarios.IDs{openwop.OWP0037B4, openwop.OWPDSP10, openwop.OWPDSP11, openwop.OWPDSP15},
	Claim:  claims.ExecutionModel,
	Ask: scenarios.Ask(missingWorker, func(o LostObservation, j *scenarios.Judge) {
		if !host.Succeeded(o.Log.Created) { // it may look up the workers of a plan beforehand
			j.Block("setup failed: a loop whose plan names a worker that does not exist is refused with HTTP "+o.Log.Created.JSON(),
				"make the run, and find out at the dispatch that the worker cannot be created")
		}
		o.given(j)
		steps := checkHandoff(o.Log, j, openwop.OWP0037B4, 0, o.Lost, refusal)
		j.Check(openwop.OWP0037B4, steps.Where(IsPhase(dialect.ChainPhaseOutputHarvested))).To(check.Len(0),
			"harvests of a worker that does not exist")
		j.Check(openwop.OWPDSP10, steps.Each("/payload/childRunId")).To(allAbsent(), "childRunId of a worker that does not exist")
		o.checkErrors(j)
		o.checkGoesOn(j)
		if l := o.Misfit; l.Ended.Reached && len(l.Breaches().Values) == 0 {
			made, refused := l.Phase(dialect.ChainPhaseDispatchSucceeded), l.Phase(dialect.ChainPhaseDispatchFailed)
			j.Check(openwop.OWP0037B4, l.Phase(dialect.ChainPhaseDispatchBegan)).To(check.Len(len(made.Values)+len(refused.Values)),
				"handoffs of a loop whose worker has a plan that is none, each of which came to a child or to dispatch.failed")
		}
		if other := o.Log.OfType("core.dispatch.failed"); len(other.Values) > 0 {
			j.Find("", "the log has an event of the type core.dispatch.failed, which no schema allows; the phase of "+
				"core.workflowChain.event is what counts: OWP-R2")
		}
	}),
}

// RFC 0037 B, RFC 0022 B.
var failedNotHarvested = scenarios.Scenario{
	ID:     "openwop/handoff/failed-not-harvested",
	Title:  "nothing of a worker that failed is harvested, and the parent's variable stays as it was",
	Proves: scenarios.IDs{openwop.OWP0037B2},
	Claim:  claims.HandoffMapping,
	Ask: scenarios.Ask(failingWorker, func(o LostObservation, j *scenarios.Judge) {
		o.given(j)
		o.checkUntouched(j)
	}),
}

var cancelledNotHarvested = scenarios.Scenario{
	ID:     "openwop/handoff/cancelled-not-harvested",
	Title:  "nothing of a worker that was cancelled is harvested, and the parent's variable stays as it was",
	Proves: scenarios.IDs{openwop.OWP0037B2},
	Claim:  claims.HandoffMapping,
	Ask: scenarios.Ask(stoppedWorker, func(o LostObservation, j *scenarios.Judge) {
		o.wasCancelled(j)
		o.checkUntouched(j)
	}),
}

// given blocks the judge unless the loop decided on its first worker, and on the second if it went on.
func (o LostObservation) given(j *scenarios.Judge) {
	o.Log.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
	if o.Log.Status().String() != "failed" {
		decidedAs(o.Log, j, true, o.Lost, o.Next)
		return
	}
	if o.Beside {
		decidedAs(o.Log, j, true, o.Lost, o.Next) // failed with its first worker, or behind the second: OWP-R10
		return
	}
	if slices.Equal(decidedOn(o.Log), []string{o.Lost, o.Next}) {
		j.Block("setup failed: the loop failed behind its second worker", "have the second worker complete, and the loop with it")
	}
	decidedAs(o.Log, j, true, o.Lost) // failed with its first worker: OWP-R10
}

// wasCancelled blocks the judge unless the worker was cancelled while at work.
func (o LostObservation) wasCancelled(j *scenarios.Judge) {
	o.Log.Exists(j, openwop.OWPCAP19)
	o.Log.Readable(j)
	if !o.Running.Reached {
		j.Block("setup failed: the worker was not seen at work: "+o.Running.What+", last seen: "+o.Running.Last.JSON(),
			"tell of a child run when it is made, with dispatch.succeeded or node.dispatched, serve it under its id, and have it "+
				"wait as long as its fixture says")
	}
	if status, _ := o.Cancelled.Int(); status/100 != 2 {
		j.Block("setup failed: cancelling the worker was answered HTTP "+o.Cancelled.JSON(),
			"let the given key cancel child runs with {cancel run}")
	}
	o.given(j)
}

// checkEnded checks the handoff to a worker that was created and did not complete.
func (o LostObservation) checkEnded(j *scenarios.Judge, status string, phases []dialect.ChainPhase) {
	steps := checkHandoff(o.Log, j, openwop.OWP0037B3, 0, o.Lost, phases)
	CheckNamed(j, steps, o.Lost)
	checkChild(j, o.Log, o.Children, steps, o.Lost, status)
	if o.Log.Status().String() != "failed" {
		checkHandoff(o.Log, j, openwop.OWP0037B3, o.turns()-1, o.Next, completion)
	}
	o.checkGoesOn(j)
}

func (o LostObservation) checkErrors(j *scenarios.Judge) {
	CheckError(j, handoff(o.Log, 0, o.Lost), o.Lost)
}

// checkGoesOn checks that the loop went on after its worker was lost; a loop that did not is only a finding.
func (o LostObservation) checkGoesOn(j *scenarios.Judge) {
	j.Check(openwop.OWPDSP15, o.Log.Status()).To(check.Equal("completed"), "status of a loop whose worker did not complete")
	j.Check(openwop.OWPDSP15, o.Log.Decided()).To(check.Len(o.turns()+1), "turns of a loop whose worker did not complete")
}

// turns is how many turns of the loop are for workers.
func (o LostObservation) turns() int {
	if o.Beside {
		return 1
	}
	return 2
}

// checkUntouched checks that nothing came back from a worker that did not complete.
func (o LostObservation) checkUntouched(j *scenarios.Judge) {
	if !o.Mapped {
		j.Block("the offered fixture maps nothing back, so nothing could be harvested", fixture.Load)
	}
	variables := o.Log.Ended.Last.Key("variables")
	if !variables.Present() {
		j.Block("the run's snapshot shows no variables", "show a run's variables in its snapshot (docs/seams.md)")
	}
	if o.Default && !variables.Key("outcome").Present() {
		j.Block("the run's snapshot does not show the variable outcome, which has a default value",
			"show a run's variables in its snapshot (docs/seams.md)")
	}
	harvests := o.Log.Phase(dialect.ChainPhaseOutputHarvested).Where(func(e wire.Value) bool {
		return e.At("/payload/workerId").String() == o.Lost
	})
	j.Check(openwop.OWP0037B2, harvests.Each("/payload/phase")).To(check.Len(0), "harvests of %s", o.Lost)
	j.Check(openwop.OWP0037B2, variables.Key("outcome")).To(check.Equal(o.Outcome),
		"the parent's outcome, which %s would have written", o.Lost)
	if o.Log.Status().String() == "failed" { // the second worker, which is the control, never ran
		return
	}
	if control := handoff(o.Log, o.turns()-1, o.Next).Where(IsPhase(dialect.ChainPhaseOutputHarvested)); len(control.Values) == 0 {
		unharvested(j, o.Log, o.Next, "setup failed: the worker that completed was not harvested either")
	}
}
