// Package bounds asks whether a run stops at its bounds: nodes, time, loop
// iterations.
package bounds

import (
	"fmt"
	"strconv"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
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
			nodesTogether, turnsTogether, optionsTogether,
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
		l.Exists(j, openwop.OWPCAP19)
		if !j.Check(openwop.OWPBND3, l.Ended).To(check.Reached()) {
			return
		}
		l.Readable(j)
		o.controlled(j)
		j.Check(openwop.OWPBND1, starts(l)).To(check.Len(n), "nodes started with a bound of %d", n)
		l.CheckBreach(j, openwop.OWPBND2, dialect.CapKindNodeExecutions, n, check.Equal(n+1))
		checkFailed(l, j, openwop.OWPBND3, dialect.RecursionLimitExceeded)
		CheckCause(l, j, openwop.OWPBND13)
		CheckOver(l, j, openwop.OWPBND12)
		o.Lull.CheckStill(j, openwop.OWPBND12, l, "after it failed")
		o.checkLoops(j)
	}),
}

// checkLoops expects loops to be bounded like any run, be the node that is refused a supervisor or a dispatch. Whether the nodes of their
// workers count is left open, so that fewer may have started.
func (o NodesObservation) checkLoops(j *scenarios.Judge) {
	if o.Free.Status().String() != "completed" {
		return
	}
	for _, l := range o.Loops {
		given(l.Log, j)
		j.Check(openwop.OWPBND1, starts(l.Log)).To(host.NoMoreThan(l.Bound), "nodes that a loop started with a bound of %d", l.Bound)
		l.Log.CheckBreach(j, openwop.OWPBND2, dialect.CapKindNodeExecutions, l.Bound, check.Equal(l.Bound+1))
		checkFailed(l.Log, j, openwop.OWPBND3, dialect.RecursionLimitExceeded)
	}
}

// controlled blocks the judge if the nodes of a run cannot be counted: a log
// without nodes would show none beyond any bound.
func (o NodesObservation) controlled(j *scenarios.Judge) {
	given(o.Above, j)
	if n := len(starts(o.Above).Values); n != o.Nodes && o.Above.Status().String() == "completed" {
		j.Block(fmt.Sprintf("setup failed: the log of a run of %d nodes does not show them started, but %d", o.Nodes, n),
			"write node.started for every node of a run")
	}
}

// The controls of nodes-bounded: they expose a host that always breaches.
var nodesLeaveAlone = scenarios.Scenario{
	ID:     "openwop/execution-bounds/nodes-leave-alone",
	Title:  "a run that needs as many nodes as its bound, or fewer, ends by itself",
	Proves: scenarios.IDs{openwop.OWPBND4},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(nodesAroundTheirBound, func(o NodesObservation, j *scenarios.Judge) {
		if o.Way != "" && o.Way != fixture.SixNodes { // the number of its nodes was only counted, and may differ from run to run
			o.controlled(j)
		}
		for _, l := range []host.RunLog{o.At, o.Above} {
			given(l, j)
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
		for _, l := range o.Runs() {
			l.Exists(j, openwop.OWPCAP19)
			if !j.Check(openwop.OWPBND5, l.Ended).To(check.Reached()) {
				return
			}
			l.Readable(j)
			j.Check(openwop.OWPBND5, starts(l)).To(check.Len(o.Limit), "nodes started on a host that advertises %d", o.Limit)
			l.CheckBreach(j, openwop.OWPBND5, dialect.CapKindNodeExecutions, o.Limit, check.Equal(o.Limit+1))
			checkFailed(l, j, openwop.OWPBND5, dialect.RecursionLimitExceeded)
		}
		if o.Branched.Ended.Reached {
			j.Check(openwop.OWPBND5, starts(o.Branched)).To(host.NoMoreThan(o.Limit), "nodes of a branch that asks for more")
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
		o.givenNodes(j)
		o.check(j)
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
		o.Log.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
		o.innerLoops(j)
		j.Check(openwop.OWPBND16, o.Log.Breaches()).To(check.Len(0),
			"breaches of a loop of %d turns with a bound of %d, whose workers are loops", o.Turns, o.Turns)
		j.Check(openwop.OWPBND16, o.Log.Decided()).To(check.Len(o.Turns), "turns of the loop itself")
	}),
}

// controlled blocks the judge if a loop without inner loops breaks the bound too.
func (o NestedObservation) controlled(j *scenarios.Judge) {
	o.Plain.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
	why := "setup failed: a loop of " + strconv.Itoa(o.Turns) + " turns with that bound and without inner loops is " + o.Plain.Status().JSON()
	switch {
	case o.stoppedEarly():
		j.Violates(openwop.OWP0061E6, o.Plain.Breaches(), why)
	case len(o.Plain.Breaches().Values) > 0 || o.Plain.Status().Actual() != "completed":
		j.Block(why, "let a loop of "+strconv.Itoa(o.Turns)+" turns complete under a bound of as many")
	}
}

// stoppedEarly reports whether the bound on turns stopped the plain loop although it needs no more of them: before
// its last turn, or after it has decided to terminate. Any other breach may be of a bound that the host has itself.
func (o NestedObservation) stoppedEarly() bool {
	ofTurns := func(e wire.Value) bool {
		return e.At("/payload/kind").String() == string(dialect.CapKindLoopIterations)
	}
	decided := o.Plain.Decided()
	terminated := decided.Last().At("/payload/decision/kind").String() == string(dialect.TerminateDecisionKindTerminate)
	return len(o.Plain.Breaches().Where(ofTurns).Values) > 0 && (len(decided.Values) < o.Turns || len(decided.Values) == o.Turns && terminated)
}

// innerLoops blocks the judge if no inner loop took a turn, or one was stopped:
// RFC 0058 leaves open whether a child inherits its parent's bound.
func (o NestedObservation) innerLoops(j *scenarios.Judge) {
	if len(o.Children) == 0 {
		j.Block("setup failed: no inner loop was dispatched", "let a loop dispatch loops, and log each dispatch.succeeded")
	}
	for _, child := range o.Children {
		given(child, j)
		if len(child.Decided().Values) == 0 || child.Status().String() != "completed" {
			j.Block("setup failed: the inner loop "+child.RunID+" did not take its turns: it is "+child.Status().JSON(),
				"let a dispatched loop take its turns under a bound of its own")
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
		given(o.Below, j)
		o.Below.CheckUntouched(j, openwop.OWPBND17)
	}),
}
