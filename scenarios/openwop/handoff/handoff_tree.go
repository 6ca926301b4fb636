package handoff

import (
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// A tree of runs, cancelled at the top.

var cancelReachesAll = scenarios.Scenario{
	ID:     "openwop/handoff/cancel-reaches-all",
	Title:  "whoever cancels a run cancels its child and its grandchild, one of them paused, and their logs say why",
	Proves: scenarios.IDs{openwop.OWPDSP21, openwop.OWPDSP22, openwop.OWPDSP28},
	Claim:  claims.Supervisor,
	Ask: scenarios.Ask(cancelledTree, func(o TreeObservation, j *scenarios.Judge) {
		o.checkReached(j)
		if o.Bulk != nil {
			o.Bulk.checkReached(j)
		}
	}),
}

// checkReached expects a cancel of the top to have reached all three.
func (o TreeObservation) checkReached(j *scenarios.Judge) {
	o.given(j)
	if !j.Check(openwop.OWPDSP21, o.Cancelled).To(check.Status(2), "cancelling a run whose grandchild is at work") {
		return
	}
	for i, m := range o.Members {
		if !j.Check(openwop.OWPDSP21, m.Log.Ended).To(check.Reached(), "%s after the cancel", m.Name) {
			return
		}
		m.Log.Readable(j)
		j.Check(openwop.OWPDSP21, m.Log.Status()).To(check.Equal("cancelled"), "status of %s", m.Name)
		j.Check(openwop.OWPDSP21, m.Log.Terminals().Each("/type")).To(dialect.Types(dialect.RunCancelled), "the end in the log of %s", m.Name)
		if i == 0 {
			checkOfItself(j, m.Log, "the run that was cancelled")
			continue
		}
		end := m.Log.OfType(dialect.RunCancelled).Last()
		j.Check(openwop.OWPDSP22, end.At("/payload/reason")).To(check.Equal("parent-cancelled"), "reason in the log of %s", m.Name)
		j.Check(openwop.OWPDSP22, end.At("/payload/parentRunId")).To(check.Equal(o.Members[i-1].Log.RunID),
			"parentRunId in the log of %s", m.Name)
	}
}

// checkOfItself expects the log of a run that was itself cancelled to name no parent as the reason.
func checkOfItself(j *scenarios.Judge, l host.RunLog, what string) {
	j.Check(openwop.OWPDSP28, l.OfType(dialect.RunCancelled).Last().At("/payload/parentRunId")).To(
		check.That("none", func(v any) bool { return v == nil }), "parentRunId of the end of %s", what)
}

// The control is their work before: each run dispatched the one below it.
var cancelledTreeRests = scenarios.Scenario{
	ID:     "openwop/handoff/cancelled-tree-rests",
	Title:  "a cancelled run, its child and its grandchild take no step after that",
	Proves: scenarios.IDs{openwop.OWPDSP23},
	Claim:  claims.Supervisor,
	Ask: scenarios.Ask(cancelledTree, func(o TreeObservation, j *scenarios.Judge) {
		o.given(j)
		if !host.Succeeded(o.Cancelled) {
			j.Block("setup failed: the run cannot be cancelled: HTTP "+o.Cancelled.JSON(), "serve {cancel run}")
		}
		j.Need(openwop.OWPERR23, o.Members[0].Log.Ended)
		for _, m := range o.Members[1:] {
			j.Need(openwop.OWPDSP21, m.Log.Ended)
		}
		host.SentinelEnded(j, o.Sentinel)
		for i, m := range o.Members {
			m.Log.Readable(j)
			m.Later.Readable(j)
			ends := m.Log.Terminals().Values
			if len(ends) == 0 {
				reason := "setup failed: the log of " + m.Name + " has no end"
				if later := m.Later.Terminals(); len(later.Values) == 0 {
					j.Violates(openwop.OWPEVT9, later, reason+", and has none later")
				}
				j.Block(reason, "log the end of a run before its snapshot shows it")
			}
			at := host.Sequence(ends[0])
			j.Check(openwop.OWPDSP23,
				Work(m.Later).Where(func(e wire.Value) bool { return host.Sequence(e) > at }).Each("/type")).To(check.Len(0),
				"steps in the log of %s after its end", m.Name)
			j.Check(openwop.OWPDSP23, Work(m.Later).Each("/eventId")).To(check.SameAs(Work(m.Log).Each("/eventId")),
				"steps of %s after another run had ended and %s had gone by", m.Name, o.Window)
			if i < 2 {
				j.Check(openwop.OWPDSP23, m.Later.Decided()).To(host.NoMoreThan(1),
					"turns of %s, whose worker was at work when it was cancelled", m.Name)
			}
			j.Check(openwop.OWPDSP23, m.Later.Status()).To(check.SameAs(m.Log.Status()), "status of %s a while later", m.Name)
		}
	}),
}

// Work returns the events by which a run does something. A host may still write
// other events when it cleans up a cancelled run.
func Work(l host.RunLog) wire.Found {
	return l.All().Where(func(e wire.Value) bool {
		return IsPhase(dialect.ChainPhaseDispatchBegan, dialect.ChainPhaseDispatchSucceeded, dialect.ChainPhaseOutputHarvested)(e) ||
			host.IsA(dialect.Decided, dialect.NodeStarted, dialect.NodeCompleted, dialect.NodeDispatched,
				dialect.VariableChanged, dialect.RunCompleted, dialect.RunFailed)(e)
	})
}

// given blocks the judge unless all three runs were at work.
func (o TreeObservation) given(j *scenarios.Judge) {
	if len(o.Members) == 0 {
		j.End()
	}
	o.Members[0].Log.Exists(j, openwop.OWPCAP19)
	if !o.Running.Reached || len(o.Members) < 3 {
		j.Block("setup failed: no grandchild was seen at work: "+o.Running.What+", last seen: "+o.Running.Last.JSON(),
			"tell of a child run when it is made, with dispatch.succeeded or node.dispatched, and serve it under its id")
	}
	for _, m := range o.Members {
		if o.endedBefore(m) {
			j.Block("setup failed: "+m.Name+" ended by itself before the run was cancelled", "give the host the workflow "+fixture.LoopWaits)
		}
	}
}

// endedBefore reports whether a member may have ended by itself before the cancel reached it. The last worker of our own workflows waits
// half a minute; another workflow may finish first.
func (o TreeObservation) endedBefore(m TreeMember) bool {
	ends := m.Log.Terminals().Values
	if o.Way == fixture.Loop || len(ends) == 0 || host.IsA(dialect.RunCancelled)(ends[0]) {
		return false
	}
	cancelled := o.Members[0].Log.OfType(dialect.RunCancelled).Values
	if len(cancelled) == 0 { // the top has ended in another way, or still runs
		return len(o.Members[0].Log.Terminals().Values) > 0
	}
	end, said := host.TimeOf(ends[0])
	cut, saidToo := host.TimeOf(cancelled[0])
	return !said || !saidToo || !end.After(cut.Add(onItsWay))
}

// onItsWay is the time allowed for a cancel to reach the last run of a tree.
const onItsWay = time.Second / 2
