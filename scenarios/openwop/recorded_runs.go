package openwop

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/interrupts"
	"github.com/openassay/assay/scenarios/wire"
)

// recordedRuns returns rules for how runs of any kind wait, are paused and are bounded.
func recordedRuns() []Invariant {
	return []Invariant{
		{"waited", scenarios.IDs{openwop.OWPINT8, openwop.OWPINT9}, false, false, Standing.checkWaited},
		{"approved", scenarios.IDs{openwop.OWPINT11}, false, false, Standing.checkApproved},
		{"paused", scenarios.IDs{openwop.OWPCTL20, openwop.OWPCTL25}, false, false, Standing.checkPaused},
	}
}

// checkWaited checks that a log tells of each wait before it tells that it is over, at which node, and under which key.
func (s Standing) checkWaited(j *scenarios.Judge) {
	waits := 0
	for _, e := range s.Log.Events {
		switch {
		case suspends(e):
			waits++
			if host.IsA(dialect.NodeSuspended)(e) {
				node := e.At("/payload/nodeId")
				if node.String() == "" { // OWP-R41
					node = e.Key("nodeId")
				}
				j.Check(openwop.OWPINT8, node).To(check.Text(), "node of a suspension")
			}
		case host.IsA(dialect.InterruptResolved)(e):
			j.Check(openwop.OWPINT8, e.Key("type")).To(check.That("behind a suspension", func(any) bool { return waits > 0 }), "an answer")
		}
	}
	interrupts.CheckKeys(j, s.Log)
}

// checkApproved checks the course of an approval, if that is all that a run waited for.
func (s Standing) checkApproved(j *scenarios.Judge) {
	waits := s.Log.OfType(dialect.NodeSuspended).Values
	if len(waits) != 1 || waits[0].At("/payload/kind").String() != string(dialect.InterruptKindApproval) || s.turns() > 0 ||
		len(s.Log.OfType(dialect.RunCompleted).Values) != 1 || len(s.Log.OfType(dialect.InterruptRequested).Values) > 1 {
		return
	}
	interrupts.CheckCourse(j, s.Log, host.NodeOf(waits[0]))
}

// checkPaused checks that a paused run begins nothing before it is resumed. A child of it may go on, and what it was at may end.
func (s Standing) checkPaused(j *scenarios.Judge) {
	var paused, resumed wire.Value
	for _, e := range s.Log.Events {
		switch {
		case host.IsA(dialect.RunPaused)(e):
			paused, resumed = e, wire.Value{}
		case host.IsA(dialect.RunResumed, dialect.RunResuming)(e):
			resumed = e
		case host.IsA(dialect.Decided, dialect.NodeStarted)(e) && paused.Present():
			j.Check(openwop.OWPCTL20, e.Key("type")).To(check.That("none before run.resumed", func(any) bool { return resumed.Present() }),
				"a step behind run.paused at %d", host.Sequence(paused))
			paused = wire.Value{}
		}
	}
	if s.ShownPaused && s.Log.Ended.Reached && !s.Log.HasGap() {
		j.Check(openwop.OWPCTL25, s.Log.OfType(dialect.RunPaused).Each("/type")).To(check.Each(check.Text()),
			"pauses on the log of a run that was shown paused")
	}
}

// checkCeiling checks a breach against the bounds that the host advertises for all runs.
func (s Standing) checkCeiling(j *scenarios.Judge, breach wire.Value) {
	ceiling := func(name string, id scenarios.RequirementID) {
		if most, known := claims.Family(s.Advertised, "limits").Key(name).Int(); known && most > 0 {
			j.Check(id, breach.Key("limit")).To(check.Integer(1, most), "limit of a breach, where %s is %d", name, most)
		}
	}
	switch dialect.CapKind(breach.Key("kind").String()) {
	case dialect.CapKindNodeExecutions:
		ceiling("maxNodeExecutions", openwop.OWPBND5)
		started, limit := s.Log.OfType(dialect.NodeStarted), int64(0)
		limit, _ = breach.Key("limit").Int()
		again := s.Log.All().Where(func(e wire.Value) bool { // a host may start a node again that goes on
			return suspends(e) || host.IsA(dialect.RunPaused, dialect.NodeRetried, dialect.RunRestoredFromSnapshot, dialect.WorkflowRestored)(e)
		})
		if len(started.Values) > 0 && len(again.Values) == 0 && limit > 0 {
			j.Check(openwop.OWPBND1, started.Each("/type")).To(host.NoMoreThan(int(limit)), "nodes started with a bound of %d", limit)
		}
	case dialect.CapKindRunDuration:
		ceiling("maxRunDurationMs", openwop.OWPBND10)
	case dialect.CapKindLoopIterations:
		ceiling("maxLoopIterations", openwop.OWP0061E5)
	}
}
