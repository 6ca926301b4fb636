// Package bounds asks whether a run stops at its bounds: nodes, time, loop
// iterations.
package bounds

import (
	"strconv"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// Suite tests where a run stops and what it reports. The bound on turns belongs to
// the loop: see iteration-monotonic.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "execution-bounds", Title: "bounds on nodes and on time: they strike where they are set, not before, and no work follows",
		Scenarios: []scenarios.Scenario{
			timeBounded, timeLeavesAlone, timeReplayed,
			nodesBounded, nodesLeaveAlone, nodesClamped, nodesReplayed,
			innerTurnsApart, turnsWithoutModel, optionsRefused, optionsKept,
		},
	}
}

// RFC 0058 A and C. Limit n: nodes 1 to n run, the breach is at node n+1.
var nodesBounded = scenarios.Scenario{
	ID:     "openwop/execution-bounds/nodes-bounded",
	Title:  "a run that needs more nodes than its bound n starts n, records the breach at n+1 and fails",
	Proves: scenarios.IDs{openwop.OWPBND1, openwop.OWPBND2, openwop.OWPBND3, openwop.OWPBND12, openwop.OWPBND13},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(nodesAroundTheirBound, func(o NodesObservation, j *scenarios.Judge) {
		l, n := o.Below, o.Bound
		l.Exists(j, openwop.OWP0037A6)
		if !j.Check(openwop.OWPBND3, l.Ended).To(check.Reached()) {
			return
		}
		l.Readable(j)
		o.controlled(j)
		j.Check(openwop.OWPBND1, starts(l)).To(check.Len(n), "nodes started with a bound of %d", n)
		l.CheckBreach(j, openwop.OWPBND2, dialect.CapKindNodeExecutions, n, check.Equal(n+1))
		checkFailed(l, j, openwop.OWPBND3, dialect.RecursionLimitExceeded)
		checkCause(l, j, openwop.OWPBND13)
		CheckOver(l, j, openwop.OWPBND12)
		o.Lull.CheckStill(j, openwop.OWPBND12, l, "after it failed")
	}),
}

// controlled blocks the judge if the nodes of a run cannot be counted: a log
// without nodes would show none beyond any bound.
func (o NodesObservation) controlled(j *scenarios.Judge) {
	o.Above.Given(j, openwop.OWP0037A6, openwop.OWPBND4)
	if len(starts(o.Above).Values) != o.Nodes && o.Above.Status().String() == "completed" {
		j.Block("setup failed: the log of six nodes does not show six of them started", "write node.started for every node of a run")
	}
}

// The controls of nodes-bounded: they expose a host that always breaches.
var nodesLeaveAlone = scenarios.Scenario{
	ID:     "openwop/execution-bounds/nodes-leave-alone",
	Title:  "a run that needs as many nodes as its bound, or fewer, ends by itself",
	Proves: scenarios.IDs{openwop.OWPBND4},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(nodesAroundTheirBound, func(o NodesObservation, j *scenarios.Judge) {
		for _, l := range []host.RunLog{o.At, o.Above} {
			l.Given(j, openwop.OWP0037A6, openwop.OWPBND3)
			l.CheckUntouched(j, openwop.OWPBND4)
		}
	}),
}

// RFC 0058 A: the smaller of the requested and the advertised bound.
var nodesClamped = scenarios.Scenario{
	ID:     "openwop/execution-bounds/node-limit-honoured",
	Title:  "the advertised limit on nodes bounds a run that asks for more, or for nothing",
	Proves: scenarios.IDs{openwop.OWPBND5},
	Claim:  claims.NodeLimit,
	Ask: scenarios.Ask(nodesToTheLimit, func(o LimitObservation, j *scenarios.Judge) {
		for _, l := range []host.RunLog{o.Unasked, o.Overdone} {
			l.Exists(j, openwop.OWP0037A6)
			if !j.Check(openwop.OWPBND5, l.Ended).To(check.Reached()) {
				return
			}
			l.Readable(j)
			j.Check(openwop.OWPBND5, starts(l)).To(check.Len(o.Limit), "nodes started on a host that advertises %d", o.Limit)
			l.CheckBreach(j, openwop.OWPBND5, dialect.CapKindNodeExecutions, o.Limit, check.Equal(o.Limit+1))
			checkFailed(l, j, openwop.OWPBND5, dialect.RecursionLimitExceeded)
		}
	}),
}

// RFC 0058 C: a replay reads the recorded observation.
var nodesReplayed = scenarios.Scenario{
	ID:     "openwop/execution-bounds/node-breach-replayed",
	Title:  "a replay of a run that crossed its bound on nodes carries the same breach after the same nodes",
	Proves: scenarios.IDs{openwop.OWPBND15},
	Claim:  claims.BreachReplay,
	Ask: scenarios.Ask(replayedNodes, func(o ReplayedBreachObservation, j *scenarios.Judge) {
		o.check(j, openwop.OWPBND2)
	}),
}

// RFC 0058, resolved questions: each run has a counter of its own.
var innerTurnsApart = scenarios.Scenario{
	ID:     "openwop/execution-bounds/inner-turns-apart",
	Title:  "a loop that dispatches loops is bounded by its own turns alone",
	Proves: scenarios.IDs{openwop.OWPBND16},
	Claim:  claims.ExecutionModel,
	Ask: scenarios.Ask(loopsInALoop, func(o NestedObservation, j *scenarios.Judge) {
		o.controlled(j)
		o.Log.Given(j, openwop.OWP0037A6, openwop.OWP0037A1)
		o.innerLoops(j)
		j.Check(openwop.OWPBND16, o.Log.Breaches()).To(check.Len(0),
			"breaches of a loop of %d turns with a bound of %d, whose workers are loops", o.Turns, o.Turns)
		j.Check(openwop.OWPBND16, o.Log.Decided()).To(check.Len(o.Turns), "turns of the loop itself")
	}),
}

// controlled blocks the judge if a loop without inner loops breaks the bound too.
func (o NestedObservation) controlled(j *scenarios.Judge) {
	o.Plain.Given(j, openwop.OWP0037A6, openwop.OWP0037A1)
	if len(o.Plain.Breaches().Values) > 0 || o.Plain.Status().Actual() != "completed" {
		j.BlockOn(openwop.OWP0061E6, "setup failed: a loop of "+strconv.Itoa(o.Turns)+
			" turns with that bound and without inner loops is "+o.Plain.Status().JSON())
	}
}

// innerLoops blocks the judge if no inner loop took a turn, or one was stopped:
// RFC 0058 leaves open whether a child inherits its parent's bound.
func (o NestedObservation) innerLoops(j *scenarios.Judge) {
	if len(o.Children) == 0 {
		j.BlockOn(openwop.OWP0037A3, "setup failed: no inner loop was dispatched")
	}
	for _, child := range o.Children {
		child.Given(j, openwop.OWP0037A3, openwop.OWP0037A1)
		if len(child.Decided().Values) == 0 || child.Status().String() != "completed" {
			j.BlockOn(openwop.OWP0037A3, "setup failed: the inner loop "+child.RunID+" did not take its turns: it is "+child.Status().JSON())
		}
	}
}

// RFC 0058 A: without an execution model there are no turns to count.
var turnsWithoutModel = scenarios.Scenario{
	ID:     "openwop/execution-bounds/turns-without-model",
	Title:  "a host without an execution model passes over a bound on turns",
	Proves: scenarios.IDs{openwop.OWPBND17},
	Claim:  claims.SupervisorWithoutModel,
	Ask: scenarios.Ask(LoopAroundItsBound, func(o BoundsObservation, j *scenarios.Judge) {
		o.Below.Given(j, openwop.OWP0037A6, openwop.OWP0037A1)
		o.Below.CheckUntouched(j, openwop.OWPBND17)
	}),
}
