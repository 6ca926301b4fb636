// Package control asks whether runs can be read, cancelled, paused, resumed and
// compared.
package control

import (
	"net/http"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/loop"
)

// Suite tests what a host reports of a run, and how it cancels, pauses, resumes
// and compares runs.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "run-control", Title: "how a run stands, and that it is cancelled, paused, resumed and compared as asked",
		Scenarios: []scenarios.Scenario{
			snapshotWellFormed, endsAsItShould, failedHasError, timesOfARun, labelsKept, suspendedNamesNode,
			cancelledNeverCompletes, bulkCancelsEach, bulkLeavesEnded, bulkRefuses,
			pausedStandsStill, drainedStandsStill, pausedIsRefused, resumedGoesOn, pausedCancelled, suspendedPaused,
			pausedEachTime, endedForGood, endedNotPaused,
			diffOfItself, diffTellsAll, diffOfStates, diffOfUnknown, foreignUncontrolled,
		},
	}
}

// The barrier is another run of the same kind that began its wait later: when it
// has ended, the paused run's wait is over.
var pausedStandsStill = scenarios.Scenario{
	ID:     "openwop/run-control/paused-stands-still",
	Title:  "a run that is paused while it waits for a time takes no step when that time has come",
	Proves: scenarios.IDs{openwop.OWPCTL19, openwop.OWPCTL20, openwop.OWPCTL22},
	Claim:  claims.RunPause,
	Ask: scenarios.Ask(pausedAtOnce, func(o PausedObservation, j *scenarios.Judge) {
		if o.Drains {
			j.NotOffered("/runs/pauseResume/drainPolicies is without \"immediate\"")
		}
		o.given(j)
		o.checkPaused(j)
		o.givenPause(j)
		j.Check(openwop.OWPCTL22, o.Before.OfType(dialect.NodeCompleted).Each("/type")).To(check.Len(0),
			"nodes that ended before the run stood still")
		o.checkStill(j)
	}),
}

var drainedStandsStill = scenarios.Scenario{
	ID:     "openwop/run-control/drained-stands-still",
	Title:  "a run that is paused, without saying how, while a node is under way ends that node, begins no other and stands still",
	Proves: scenarios.IDs{openwop.OWPCTL19, openwop.OWPCTL20, openwop.OWPCTL21},
	Claim:  claims.RunPause,
	Ask: scenarios.Ask(pausedByDrain, func(o PausedObservation, j *scenarios.Judge) {
		o.given(j)
		o.checkPaused(j)
		o.givenPause(j)
		started, completed := o.Before.OfType(dialect.NodeStarted), o.Before.OfType(dialect.NodeCompleted)
		if len(started.Values) == 0 { // a run that is paused before it begins has nothing to end
			j.Block("setup failed: no node had begun when the run stood still", "have a run begin its first node soon, and log node.started")
		}
		if j.Check(openwop.OWPCTL21, completed.Each("/type")).To(check.Seeing("one or more", anyPresent),
			"nodes that ended before the run stood still") {
			j.Check(openwop.OWPCTL21, started.Each("/type")).To(check.Len(len(completed.Values)),
				"nodes that began before it stood still, where %d ended", len(completed.Values))
		}
		o.checkStill(j)
	}),
}

var pausedIsRefused = scenarios.Scenario{
	ID:     "openwop/run-control/paused-is-refused",
	Title:  "a pause of a run that is paused, or has ended, is refused with the status of the run, and changes nothing",
	Proves: scenarios.IDs{openwop.OWPCTL23, openwop.OWPERR4},
	Claim:  claims.RunPause,
	Ask: scenarios.Ask(pausedAtOnce, func(o PausedObservation, j *scenarios.Judge) {
		o.given(j)
		o.givenEnd(j)
		for _, p := range []struct {
			host.Answered
			status any
		}{{o.Again, "paused"}, {o.Late, o.Log.Status().Actual()}} {
			if p.Refused(j, openwop.OWPCTL23, http.StatusConflict) {
				j.Check(openwop.OWPCTL23, p.Body.At("/details/runStatus")).To(check.Equal(p.status), "details.runStatus, of %s", p.Asked)
			}
		}
		host.CheckSame(j, openwop.OWPCTL23, o.Log, o.Later, "the run that had ended")
	}),
}

var resumedGoesOn = scenarios.Scenario{
	ID:     "openwop/run-control/resumed-goes-on",
	Title:  "a run that is resumed goes on where it stood and comes to the result of one that was never paused, each node having ended once",
	Proves: scenarios.IDs{openwop.OWPCTL24, openwop.OWPCTL25, openwop.OWPCTL26},
	Claim:  claims.RunPause,
	Ask: scenarios.Ask(pausedAtOnce, func(o PausedObservation, j *scenarios.Judge) {
		o.given(j)
		o.givenPause(j)
		o.checkGoesOn(j)
	}),
}

// No text says what happens to an answer to a paused run: hosts refuse it, or keep
// it until the run continues.
var suspendedPaused = scenarios.Scenario{
	ID:     "openwop/run-control/suspended-paused",
	Title:  "a loop that asks is paused, takes no step when it is answered, and goes on by an answer when it was resumed",
	Proves: scenarios.IDs{openwop.OWPCTL28},
	Claim:  claims.RunPauseSuspended,
	Ask: scenarios.Ask(pausedAsking, func(o PausedAskingObservation, j *scenarios.Judge) {
		o.Held.Given(j)
		if o.Paused.HTTPStatus() == http.StatusConflict { // OWP-R110
			j.NotOffered("a pause of a run that waits is answered with HTTP 409")
		}
		if !j.Check(openwop.OWPCTL28, o.Paused.Status).To(check.Status(2), "%s", o.Paused.Asked) {
			return
		}
		// A host may show that the run is paused and not what it waits for, or what it waits for alone.
		if !host.IsWaiting(o.Still.Last.Key("status").String()) && !j.Check(openwop.OWPCTL28, o.Still).To(check.Reached()) {
			return
		}
		j.Reach(o.Sentinel, "have the runs of the fixtures that are listed under /fixtures end by themselves")
		o.During.Readable(j)
		j.Check(openwop.OWPCTL28, o.Answered.Status).To(check.Status(2, 4), "%s", o.Answered.Asked)
		j.Check(openwop.OWPCTL28, progress(o.During).Each("/eventId")).To(check.SameAs(progress(o.Held.Log).Each("/eventId")),
			"steps of the paused loop, when it was answered and another run had ended")
		j.Check(openwop.OWPCTL28, o.During.Status()).To(check.Equal(o.Still.Last.Key("status").Actual()), "status of the paused loop then")
		if !j.Check(openwop.OWPCTL28, o.Resumed.Status).To(check.Status(2), "%s", o.Resumed.Asked) {
			return
		}
		o.Held.CheckAnswered(j)
		if j.Check(openwop.OWPCTL28, o.Log.Ended).To(check.Reached(), "after the answer") {
			o.Log.Readable(j)
			j.Check(openwop.OWPCTL28, o.Log.Kinds()).To(loop.KindsOf(o.Kinds), "decisions in order")
			j.Check(openwop.OWPCTL28, o.Log.Status()).To(check.Equal("completed"), "status of the loop at the end")
		}
	}),
}

var pausedCancelled = scenarios.Scenario{
	ID:     "openwop/run-control/paused-cancelled",
	Title:  "a paused run is cancelled, and what it waited for does not happen when its time has come",
	Proves: scenarios.IDs{openwop.OWPCTL27},
	Claim:  claims.RunPause,
	Ask: scenarios.Ask(cancelledPaused, func(o ControlCancelObservation, j *scenarios.Judge) {
		o.given(j)
		givenStill(j, *o.Paused, o.Still)
		if !o.Drains && o.ended() > 0 {
			j.Block("setup failed: the node that waited had ended before the run was paused", "let an immediate pause not wait for a node")
		}
		if !j.Check(openwop.OWPCTL27, o.Cancel.Status).To(check.Status(2), "%s", o.Cancel.Asked) || !j.Check(openwop.OWPCTL27,
			o.Log.Ended).To(check.Reached()) {
			return
		}
		j.Check(openwop.OWPCTL27, o.Log.Status()).To(check.Equal("cancelled"), "status of the run")
		o.givenBarrier(j)
		j.Check(openwop.OWPCTL27, o.Later.OfType(dialect.NodeCompleted).Each("/type")).To(check.Len(o.ended()),
			"nodes that ended, when the time of the run would have come")
	}),
}

var cancelledNeverCompletes = scenarios.Scenario{
	ID:     "openwop/run-control/cancelled-never-completes",
	Title:  "what a run waited for when it was cancelled does not happen when its time would have come, and the log says why it was cancelled",
	Proves: scenarios.IDs{openwop.OWPCTL11, openwop.OWPCTL12},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(cancelledWaiting, func(o ControlCancelObservation, j *scenarios.Judge) {
		o.given(j)
		o.givenCancel(j)
		o.givenBarrier(j)
		j.Check(openwop.OWPCTL11, o.Later.OfType(dialect.NodeCompleted).Each("/type")).To(check.Len(0),
			"nodes that ended, when the time of the run would have come")
		j.Check(openwop.OWPCTL11, o.Later.Status()).To(check.Equal("cancelled"), "status of the run then")
		ended := o.Log.OfType(dialect.RunCancelled).Last()
		j.Check(openwop.OWPCTL12, ended.At("/payload/reason")).To(check.Equal(o.Reason), "reason in run.cancelled")
	}),
}
