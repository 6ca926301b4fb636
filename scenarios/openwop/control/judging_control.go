package control

import (
	"fmt"
	"net/http"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// anyPresent reports whether there are any values.
func anyPresent(s wire.Seen) (bool, string) {
	list, _ := s.Actual().([]any)
	return len(list) > 0, wire.Compact(list)
}

// given blocks the judge if there was no run to pause.
func (o PausedObservation) given(j *scenarios.Judge) {
	if !host.Succeeded(o.Created.Status) || o.Created.Body.Key("runId").String() == "" {
		j.Block("setup failed: no run of "+o.Way+" is made: HTTP "+o.Created.Status.JSON(), fixture.Load)
	}
	if o.TooLate {
		j.Block("setup failed: every run ended before it was paused, even with the longest wait", "have "+o.Way+" wait for its input delayMs")
	}
}

// checkPaused checks that the pause was accepted and took effect.
func (o PausedObservation) checkPaused(j *scenarios.Judge) {
	if !j.Check(openwop.OWPCTL19, o.Paused.Status).To(check.Status(2), "%s", o.Paused.Asked) {
		j.End()
	}
	if o.Paused.HTTPStatus() != http.StatusAccepted {
		j.Find("", "a pause is taken with HTTP %d, not 202", o.Paused.HTTPStatus())
	}
	j.Require(j.Check(openwop.OWPCTL19, o.Still).To(check.Reached()))
}

// givenPause blocks the judge unless a run was paused, and another shows when its
// wait was over.
func (o PausedObservation) givenPause(j *scenarios.Judge) {
	givenStill(j, o.Paused, o.Still)
	o.Before.Polled(j)
	o.Control.Served(j)
	o.After.Polled(j)
	if len(o.Before.Events) == 0 {
		j.Block("setup failed: the log of the paused run is empty", "have the log of a run show its events at once")
	}
}

// givenStill blocks the judge unless a run was paused. A host may refuse the way of pausing that was asked for, and a
// run whose last node was under way may have ended.
func givenStill(j *scenarios.Judge, paused host.Answered, still wire.Wait) {
	status := still.Last.Key("status")
	switch why := "setup failed: the run is not paused: HTTP " + paused.Status.JSON() + ", status " + status.JSON(); {
	case host.Succeeded(paused.Status) && status.String() != "" && !host.IsTerminal(status.String()):
		j.Need(openwop.OWPCTL19, still)
	case !host.Succeeded(paused.Status) || !still.Reached:
		j.Block(why, "let a run that waits for a time be paused at once")
	}
}

// givenEnd blocks the judge unless the run was resumed and ended.
func (o PausedObservation) givenEnd(j *scenarios.Judge) {
	o.givenPause(j)
	switch why := "setup failed: the run is not resumed: HTTP " + o.Resumed.Status.JSON(); {
	case host.Succeeded(o.Resumed.Status):
	case o.After.Status().String() == "paused":
		j.Violates(openwop.OWPCTL24, o.Resumed.Status, why)
	default:
		j.Block(why, "let a run that is paused be resumed")
	}
	j.Need(openwop.OWPCTL24, o.Log.Ended)
	o.Log.Polled(j)
	o.Later.Polled(j)
}

// checkStill checks that the run took no step between the pause and the barrier.
func (o PausedObservation) checkStill(j *scenarios.Judge) {
	j.Check(openwop.OWPCTL20, host.Steps(o.After).Each("/eventId")).To(check.SameAs(host.Steps(o.Before).Each("/eventId")),
		"steps of the paused run, when another that waited for as long had ended")
	j.Check(openwop.OWPCTL20, stepsAfterPause(o.After)).To(check.Len(0), "steps of the paused run behind its run.paused")
	j.Check(openwop.OWPCTL20, o.After.Status()).To(check.Equal("paused"), "status of the paused run then")
}

// stepsAfterPause returns the steps after the last pause on the log, and none if
// the log has no pause, which another scenario reports.
func stepsAfterPause(l host.RunLog) wire.Found {
	pauses := l.OfType(dialect.RunPaused)
	return host.Steps(l).Where(func(e wire.Value) bool {
		return len(pauses.Values) > 0 && host.Sequence(e) > host.Sequence(pauses.Last())
	})
}

// checkGoesOn compares the run with one that was never paused.
func (o PausedObservation) checkGoesOn(j *scenarios.Judge) {
	const id = openwop.OWPCTL24
	if !j.Check(id, o.Resumed.Status).To(check.Status(2), "%s", o.Resumed.Asked) {
		return
	}
	if o.Resumed.HTTPStatus() != http.StatusAccepted {
		j.Find("", "a resume is taken with HTTP %d, not 202", o.Resumed.HTTPStatus())
	}
	if !j.Check(id, o.Log.Ended).To(check.Reached(), "after the resume") {
		return
	}
	o.Log.Polled(j)
	j.Check(id, o.Log.Status()).To(check.SameAs(o.Control.Status()), "status of the run at its end")
	ended, control := o.Log.OfType(dialect.NodeCompleted), o.Control.OfType(dialect.NodeCompleted)
	o.checkSameResult(j, ended, control)
	if shown := ended.Where(func(e wire.Value) bool { return e.At("/payload/outputs").Present() }); o.Way == fixture.Steps &&
		len(shown.Values) > 0 {
		j.Check(id, shown.Last().At("/payload/outputs")).To(host.Holding(o.Said),
			"outputs of the last node, of a run that was given something to say")
	}
	if n, want := len(o.Log.OfType(dialect.NodeStarted).Values), len(o.Control.OfType(dialect.NodeStarted).Values); n != want {
		j.Find("", "the run starts %d nodes, one that was not paused %d", n, want)
	}
	around := o.Log.OfType(dialect.RunPaused, dialect.RunResumed)
	j.Check(openwop.OWPCTL25, around.Each("/type")).To(dialect.Types(dialect.RunPaused, dialect.RunResumed),
		"pauses and resumptions on the log")
	j.Check(openwop.OWPCTL26, o.Log.OfType(dialect.RunPaused).Last().At("/payload/reason")).To(check.Equal(o.Reason), "reason in run.paused")
}

// checkSameResult compares what the nodes and the run came to with one that was never paused. A workflow of the host's own may come to
// something else each time: of that only the number of nodes is compared, if two other runs had as many.
func (o PausedObservation) checkSameResult(j *scenarios.Judge, ended, control wire.Found) {
	const id = openwop.OWPCTL24
	if o.Own != nil {
		if len(control.Values) != o.Own.Nodes {
			j.Block(fmt.Sprintf("setup failed: runs of %s that nobody touched ended %d nodes, and %d", o.Way, o.Own.Nodes, len(control.Values)),
				"name a workflow with the same nodes each time, with --role short=ID")
		}
		j.Check(id, ended.Each("/type")).To(check.Len(o.Own.Nodes), "nodes that ended, as of a run that was not paused")
		return
	}
	for _, member := range []string{"type", "nodeId", "payload/nodeId", "payload/outputs"} {
		j.Check(id, ended.Each("/"+member)).To(check.SameAs(control.Each("/"+member)),
			"%s of the nodes that ended, as of a run that was not paused", member)
	}
	for _, member := range []string{"outputs", "output"} { // OWP-R41
		result := o.Log.OfType(dialect.RunCompleted).Last().At("/payload/" + member)
		j.Check(id, result).To(check.SameAs(o.Control.OfType(dialect.RunCompleted).Last().At("/payload/"+member)),
			"%s of the run, as of one that was not paused", member)
	}
}

// progress returns the steps of a log except notes of an answer.
func progress(l host.RunLog) wire.Found {
	return host.Steps(l).Where(func(e wire.Value) bool { return !host.IsA(dialect.InterruptResolved)(e) })
}

// given blocks the judge unless the run was live when it was cancelled.
func (o ControlCancelObservation) given(j *scenarios.Judge) {
	if !host.Succeeded(o.Created.Status) || o.Created.Body.Key("runId").String() == "" {
		j.Block("setup failed: no run of "+o.Way+" is made: HTTP "+o.Created.Status.JSON(), fixture.Load)
	}
	if status := o.Live.Key("status").String(); status == "" || host.IsTerminal(status) || o.Log.Status().String() == "completed" ||
		o.TooLate {
		j.Block("setup failed: every run ended before it was cancelled, even with the longest wait",
			"have "+o.Way+" wait for its input delayMs")
	}
}

// givenCancel blocks the judge unless the run was cancelled. It may have failed a moment before, and the reply to the
// cancel says so.
func (o ControlCancelObservation) givenCancel(j *scenarios.Judge) {
	status := o.Log.Status()
	why := "setup failed: the run is not cancelled: HTTP " + o.Cancel.Status.JSON() + ", status " + status.JSON()
	switch said := o.Cancel.Body.Key("status").String(); {
	case status.String() == "cancelled":
	case host.Succeeded(o.Cancel.Status) && !o.Log.Ended.Reached:
		j.Need(openwop.OWPERR23, o.Log.Ended)
	case host.Succeeded(o.Cancel.Status) && (said == "cancelled" || said == "cancelling"):
		j.Violates(openwop.OWPERR23, status, why)
	default:
		j.Block(why, "let a run that waits be cancelled")
	}
}

// ended counts the nodes that had ended before the pause. After an immediate one the run has then nothing left to wait for.
func (o ControlCancelObservation) ended() int {
	paused := o.Log.OfType(dialect.RunPaused).Values
	return len(o.Log.OfType(dialect.NodeCompleted).Where(func(e wire.Value) bool {
		return len(paused) > 0 && host.Sequence(e) < host.Sequence(paused[0])
	}).Values)
}

// givenBarrier blocks the judge unless another run shows when the wait would have
// been over.
func (o ControlCancelObservation) givenBarrier(j *scenarios.Judge) {
	o.Control.Served(j)
	o.Later.Polled(j)
	if len(o.Control.OfType(dialect.NodeCompleted).Values) == 0 {
		j.Block("setup failed: the log of a run of "+o.Way+" has no node.completed, although it ended", "log node.completed for every node")
	}
}
