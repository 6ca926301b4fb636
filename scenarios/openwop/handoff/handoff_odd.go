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
	Proves: scenarios.IDs{openwop.OWP0037B3, openwop.OWPDSP10, openwop.OWPDSP12, openwop.OWPDSP13, openwop.OWPDSP15},
	Claim:  claims.ExecutionModel,
	Ask: scenarios.Ask(oddWorkers, func(o OddWorkersObservation, j *scenarios.Judge) {
		o.given(j)
		for i, w := range o.reached() {
			switch w.Ends {
			case endsMissing:
				steps := checkHandoff(o.Log, j, openwop.OWP0037B3, i, w.Worker, refusal)
				j.Check(openwop.OWPDSP10, steps.Each("/payload/childRunId")).To(allAbsent(), "childRunId of a worker that does not exist")
			case endsFailed:
				steps := checkHandoff(o.Log, j, openwop.OWP0037B3, i, w.Worker, failure)
				checkNamed(j, steps, w.Worker)
				checkChild(j, o.Log, o.Children, steps, w.Worker, "failed")
			default:
				steps := checkHandoff(o.Log, j, openwop.OWP0037B3, i, w.Worker, completion)
				checkNamed(j, steps, w.Worker)
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
		lost := harvested.Where(func(v wire.Value) bool { return !slices.Contains(want, v.String()) && v.String() != fixture.Approval })
		j.Check(openwop.OWP0037B2, lost).To(check.Len(0), "harvests of workers that did not complete")
		j.Check(openwop.OWP0037B1, harvested.Where(func(v wire.Value) bool { return slices.Contains(want, v.String()) })).
			To(check.Equal(want), "workers that were harvested, in order")
		if v := o.Log.Ended.Last.Key("variables"); v.Present() {
			j.Check(openwop.OWP0037B2, v.Key("outcome")).To(check.Equal(o.Outcome),
				"the parent's outcome, which workers that failed would have written")
		}
	}),
}

// given blocks the judge unless the loop decided on its workers in order, each that asked was answered, and it ended.
func (o OddWorkersObservation) given(j *scenarios.Judge) {
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
	for _, w := range o.reached() {
		planned = append(planned, w.Worker)
	}
	decidedAs(o.Log, j, true, planned...)
}

// reached are the workers on which the loop decided: all, or, of one that failed, those up to the first that did not complete (OWP-R10).
func (o OddWorkersObservation) reached() []Odd {
	if o.Log.Status().String() != "failed" {
		return o.Workers
	}
	n := min(len(decidedOn(o.Log)), len(o.Workers))
	lost := slices.IndexFunc(o.Workers, func(w Odd) bool { return w.Ends == endsFailed || w.Ends == endsMissing })
	if lost >= 0 && n > lost+1 {
		return o.Workers
	}
	return o.Workers[:n]
}
