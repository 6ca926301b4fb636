package loop

import (
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/handoff"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// RFC 0007 D: the script holds more decisions, but they are not taken.
var nothingAfterTerminate = scenarios.Scenario{
	ID:     "openwop/execution-loop/nothing-after-terminate",
	Title:  "a loop whose script goes on behind terminate decides nothing and dispatches nobody after it",
	Proves: scenarios.IDs{openwop.OWPDSP5},
	Claim:  claims.Supervisor,
	Ask: scenarios.Ask(loopBeyondItsEnd, func(o BeyondObservation, j *scenarios.Judge) {
		o.Log.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
		host.SentinelEnded(j, o.Lull.Sentinel)
		o.Lull.Later.Readable(j)
		if o.Beyond == 0 {
			j.Block("nothing stands behind the terminate of upstream's fixture, so nothing could come after it", "offer "+fixture.Loop+" and "+
				fixture.Noop)
		}
		for _, l := range []host.RunLog{o.Log, o.Lull.Later} {
			at := host.Sequence(o.terminated(j, l))
			CheckNoTurnAfter(l, j, at)
			if children := l.Ended.Last.Key("childRuns"); children.Present() {
				workers := dispatchedBefore(l, at)
				j.Check(openwop.OWPDSP5, children).To(host.NoMoreThan(workers), "child runs of a loop that dispatched %d before terminate", workers)
			}
		}
	}),
}

// CheckNoTurnAfter expects no decision and no dispatch after a decision to
// terminate.
func CheckNoTurnAfter(l host.RunLog, j *scenarios.Judge, terminate int64) {
	after := l.All().Where(func(e wire.Value) bool {
		return host.Sequence(e) > terminate && host.IsA(dialect.Decided, dialect.HandedOver, dialect.NodeDispatched)(e)
	})
	j.Check(openwop.OWPDSP5, after.Each("/type")).To(check.Len(0), "decisions and handoffs after terminate")
}

// terminated returns the decision to terminate, and blocks the judge unless the
// loop came to it by its plan.
func (o BeyondObservation) terminated(j *scenarios.Judge, l host.RunLog) wire.Value {
	upTo := l
	for i, e := range l.Events {
		if host.IsA(dialect.Decided)(e) && e.At("/payload/decision/kind").String() == string(dialect.TerminateDecisionKindTerminate) {
			upTo.Events = l.Events[:i+1]
			break
		}
	}
	upTo.KeepsTo(j, len(o.Decisions), func(turn int, decision wire.Value) bool {
		same, _ := check.HasIn(o.Decisions[turn : turn+1]).Match([]any{check.Plain(decision.Actual())})
		return same
	})
	return upTo.Decided().Last()
}

// dispatchedBefore counts the workers dispatched before a place in the log.
func dispatchedBefore(l host.RunLog, at int64) int {
	return len(host.Dispatched(l).Where(func(e wire.Value) bool { return host.Sequence(e) < at }).Values)
}

// RFC 0007 D, fanOutPolicy reject.
var fanOutRejected = scenarios.Scenario{
	ID:     "openwop/execution-loop/fan-out-rejected",
	Title:  "a dispatch node that takes one worker at a time carries out a decision for one, and fails the run at a decision for several",
	Proves: scenarios.IDs{openwop.OWPDSP6},
	Claim:  claims.Supervisor,
	Ask: scenarios.Ask(dispatchOfTooMany, func(o RefusedObservation, j *scenarios.Judge) {
		l := o.Log
		l.Exists(j, openwop.OWPCAP19)
		if !j.Check(openwop.OWPDSP6, l.Ended).To(check.Reached()) {
			return
		}
		l.Readable(j)
		if len(l.Decided().Values) < 2 || len(host.Dispatched(l).Values) == 0 {
			j.Block("setup failed: the loop did not reach the decision for several workers",
				"have a dispatch node whose policy is reject carry out a decision for one worker, and tell of it")
		}
		j.Check(openwop.OWPDSP6, host.Dispatched(l).Each("/type")).To(check.Len(o.Control), "workers that were dispatched")
		j.Check(openwop.OWPDSP6, l.Status()).To(check.Equal("failed"), "status of the run")
		o.tellCode(j, dialect.FanOutUnsupported)
	}),
}

// RFC 0007 C.
var dispatchUndecided = scenarios.Scenario{
	ID:     "openwop/execution-loop/dispatch-undecided",
	Title:  "a dispatch node that no decision came before fails and dispatches nobody",
	Proves: scenarios.IDs{openwop.OWPDSP7},
	Claim:  claims.Supervisor,
	Ask: scenarios.Ask(dispatchOfNothing, func(o RefusedObservation, j *scenarios.Judge) {
		l := o.Log
		if !j.Check(openwop.OWPDSP7, l.Created).To(check.Status(2, 4), "a run of %s", o.Way) {
			return
		}
		if status, _ := l.Created.Int(); status/100 != 2 { // refused beforehand
			return
		}
		l.Exists(j, openwop.OWPCAP19)
		if !j.Check(openwop.OWPDSP7, l.Ended).To(check.Reached()) {
			return
		}
		l.Readable(j)
		j.Check(openwop.OWPDSP7, l.Status()).To(check.Equal("failed"), "status of the run")
		j.Check(openwop.OWPDSP7, host.Dispatched(l).Each("/type")).To(check.Len(0), "workers that were dispatched")
		o.tellCode(j, dialect.NoPendingDecision)
	}),
}

// tellCode notes a failure code other than the one in the text.
func (o RefusedObservation) tellCode(j *scenarios.Judge, code dialect.Code) {
	if got := handoff.Codes(o.Log); !slices.Contains(got, code) {
		j.Find("", "the failure has no code %s, but %s", code, wire.Compact(got))
	}
}
