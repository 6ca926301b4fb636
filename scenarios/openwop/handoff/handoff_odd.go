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

// Many workers, the odd ones among them.

var oddAmongMany = scenarios.Scenario{
	ID: "openwop/handoff/odd-among-many",
	Title: "of many workers each ends its handoff as its own run ended, whatever became of those before it: completed, failed, asked, or " +
		"never made",
	Proves: scenarios.IDs{openwop.OWP0037B3, openwop.OWPDSP10, openwop.OWPDSP11, openwop.OWPDSP12, openwop.OWPDSP13, openwop.OWPDSP15},
	Claim:  claims.ExecutionModel,
	Ask: scenarios.Ask(oddWorkers, func(o OddWorkersObservation, j *scenarios.Judge) {
		o.given(j)
		for _, w := range o.reached() {
			switch w.Ends {
			case endsMissing:
				steps := checkHandoff(o.Log, j, openwop.OWP0037B3, w.Turn, w.Worker, refusal)
				CheckError(j, steps, w.Worker)
				j.Check(openwop.OWPDSP10, steps.Each("/payload/childRunId")).To(allAbsent(), "childRunId of a worker that does not exist")
			case endsFailed:
				steps := checkHandoff(o.Log, j, openwop.OWP0037B3, w.Turn, w.Worker, failure)
				CheckError(j, steps, w.Worker)
				CheckNamed(j, steps, w.Worker)
				checkChild(j, o.Log, o.Children, steps, w.Worker, "failed")
			default:
				steps := checkHandoff(o.Log, j, openwop.OWP0037B3, w.Turn, w.Worker, completion)
				CheckNamed(j, steps, w.Worker)
				checkChild(j, o.Log, o.Children, steps, w.Worker, "completed")
			}
		}
		j.Check(openwop.OWPDSP15, o.Log.Status()).To(check.Equal("completed"), "status of a loop some of whose workers did not complete")
	}),
}

var oddNotHarvested = scenarios.Scenario{
	ID:     "openwop/handoff/odd-not-harvested",
	Title:  "of many workers those that failed, or never were, are not harvested, and each that completed is",
	Proves: scenarios.IDs{openwop.OWP0037B1, openwop.OWP0037B2},
	Claim:  claims.HandoffMapping,
	Ask: scenarios.Ask(oddWorkers, func(o OddWorkersObservation, j *scenarios.Judge) {
		o.given(j)
		if !o.Mapped {
			j.Block("the offered fixture maps nothing back, so nothing could be harvested", fixture.Load)
		}
		var want []string
		for _, w := range o.reached() {
			if w.Ends == endsWell {
				want = append(want, w.Worker)
			}
		}
		harvested := o.Log.Phase(dialect.ChainPhaseOutputHarvested).Each("/payload/workerId")
		lost := harvested.Where(func(v wire.Value) bool { return v.String() == fixture.Fail || o.missing(v.String()) })
		j.Check(openwop.OWP0037B2, lost).To(check.Len(0), "harvests of workers that did not complete")
		well := harvested.Where(func(v wire.Value) bool { return v.String() == fixture.Echo || v.String() == fixture.EchoAgain })
		if o.stopped() { // the decision that failed may have gone on to its other workers
			well.Values = well.Values[:min(len(well.Values), len(want))]
		}
		j.Check(openwop.OWP0037B1, well).To(check.Equal(want), "workers that were harvested, in order")
		if v := o.Log.Ended.Last.Key("variables"); v.Present() {
			j.Check(openwop.OWP0037B2, v.Key("outcome")).To(check.Equal(o.Outcome),
				"the parent's outcome, which workers that failed would have written")
		}
	}),
}

func (o OddWorkersObservation) missing(worker string) bool {
	return slices.ContainsFunc(o.Workers, func(w Odd) bool { return w.Ends == endsMissing && w.Worker == worker })
}

// CheckError expects the end of a handoff to a worker that was lost to say why.
func CheckError(j *scenarios.Judge, steps wire.Found, worker string) {
	j.Check(openwop.OWPDSP11, steps.Where(IsPhase(dialect.ChainPhaseDispatchFailed, dialect.ChainPhaseChildFailed)).
		Each("/payload/error/code")).To(check.Each(check.Text()), "code of the error that the handoff to %s ended with", worker)
}

// given blocks the judge unless the loop decided on its workers in order, each that asked was answered, and it ended.
func (o OddWorkersObservation) given(j *scenarios.Judge) {
	o.Pause.Given(j, "the loop whose worker asks")
	for _, a := range o.Asked {
		host.ChildServed(j, a.Log.Created, a.Log.RunID)
		a.Given(j)
		a.CheckAnswered(j)
		for _, c := range o.Children {
			if c.ID == a.Log.RunID {
				a.CheckPassed(j, c.Log)
			}
		}
	}
	o.Log.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
	var planned []string
	for _, w := range o.Workers[:o.decided()] {
		planned = append(planned, w.Worker)
	}
	decidedAs(o.Log, j, true, planned...)
}

// decided is on how many workers the loop was to decide: all, or, if it failed, no more than up to the decision for the first that did
// not complete (OWP-R10).
func (o OddWorkersObservation) decided() int {
	if n := len(decidedOn(o.Log)); o.stopped() {
		return n
	}
	return len(o.Workers)
}

// stopped reports whether the loop failed with a worker that did not complete, so that it decided on nobody behind that.
func (o OddWorkersObservation) stopped() bool {
	n, turn := len(decidedOn(o.Log)), o.Workers[o.lost()].Turn
	return o.Log.Status().String() == "failed" && n <= len(o.Workers) && (n == 0 || o.Workers[n-1].Turn <= turn)
}

// lost is the place of the first worker that does not complete; there is one.
func (o OddWorkersObservation) lost() int {
	return slices.IndexFunc(o.Workers, func(w Odd) bool { return w.Ends == endsFailed || w.Ends == endsMissing })
}

// reached are the workers that the loop was to dispatch: all, or those up to the one with which it failed.
func (o OddWorkersObservation) reached() []Odd {
	if n := o.decided(); o.stopped() {
		return o.Workers[:min(n, o.lost()+1)]
	}
	return o.Workers
}
