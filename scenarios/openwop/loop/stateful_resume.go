package loop

import (
	"net/http"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// ResumeSuite suspends loops and tests what stands still, what continues, and with
// whose answer.
func ResumeSuite() scenarios.Suite {
	return scenarios.Suite{
		ID: "stateful-resume", Title: "a suspended loop: it stands still, is answered once, and goes on where it stood",
		Scenarios: []scenarios.Scenario{
			resumeAskUser, resumeBelowFloor, resumeTwice, resumeSeam, resumeFork,
			suspendedStandsStill, heartbeatMovesNothing, resolvedOnce, resolvedByOne, resolvedApart,
		},
	}
}

// RFC 0061 D.
var resumeAskUser = scenarios.Scenario{
	ID:     "openwop/stateful-resume/ask-user",
	Title:  "a loop that a question suspended goes on in the same turn once it is answered",
	Proves: scenarios.IDs{openwop.OWP0061D1},
	Claim:  claims.StatefulResume,
	Ask: scenarios.Ask(LoopThatAsks, func(o AskedObservation, j *scenarios.Judge) {
		switch {
		case o.Seam != nil:
			checkSeamResumed(*o.Seam, j, o.Way)
		default:
			o.Held.Given(j)
			o.Held.CheckAnswered(j)
			checkResumed(o.SuspendedLoop, j)
		}
	}),
}

// RFC 0061 D with RFC 0039 A: a decision below the floor suspends as well.
var resumeBelowFloor = scenarios.Scenario{
	ID:     "openwop/stateful-resume/below-floor",
	Title:  "a decision below the confidence floor is held until somebody answers, and the loop goes on in the same turn",
	Proves: scenarios.IDs{openwop.OWP0061D1, openwop.OWPINT5},
	Claim:  claims.StatefulResume,
	Ask: scenarios.Ask(loopBelowTheFloor, func(o FloorObservation, j *scenarios.Judge) {
		o.Held.Log.Exists(j, openwop.OWPCAP19)
		o.Held.Log.Readable(j)
		o.checkHeld(j, o.Held.Log, "when it was suspended or over")
		o.Held.Given(j)
		host.SentinelEnded(j, o.Lull.Sentinel)
		o.Lull.Later.Readable(j)
		o.checkHeld(j, o.Lull.Later, "a while later")
		o.Held.CheckAnswered(j)
		checkResumed(o.SuspendedLoop, j)
		// No text says that any answer short of a refusal makes the host carry out
		// the held decision; carrying it out twice repeats the turn.
		if began := o.Log.Phase(dialect.ChainPhaseDispatchBegan).Each("/payload/workerId"); len(began.Values) == o.Turns-2 {
			j.Find("", "the decision of turn %d was never carried out, although nobody refused it: OWP-R102", o.Held.Turn)
		} else {
			j.Check(openwop.OWP0061D1, began).To(check.Len(o.Turns-1), "handoffs of the whole loop")
		}
	}),
}

// checkHeld expects no handoff without approval.
func (o FloorObservation) checkHeld(j *scenarios.Judge, l host.RunLog, when string) {
	began := l.Phase(dialect.ChainPhaseDispatchBegan).Each("/payload/workerId")
	j.Require(j.Check(openwop.OWPINT5, began).To(host.NoMoreThan(o.Held.Turn-1),
		"handoffs of a loop with confidence %v in turn %d and a floor of %v, %s and without an answer", o.Confidence, o.Held.Turn, o.Floor, when))
}

// RFC 0061 D: two suspensions at the same node.
var resumeTwice = scenarios.Scenario{
	ID:     "openwop/stateful-resume/two-suspends",
	Title:  "a loop that is suspended twice goes on in the same turn each time",
	Proves: scenarios.IDs{openwop.OWP0061D1},
	Claim:  claims.StatefulResume,
	Ask: scenarios.Ask(loopSuspendedTwice, func(o TwiceObservation, j *scenarios.Judge) {
		o.Held.Given(j)
		o.Held.CheckAnswered(j)
		if j.Check(openwop.OWP0061D1, o.Again.Suspended).To(check.Reached(), "again, by the decision of turn %d", o.Again.Turn) {
			o.Again.CheckAnswered(j)
			checkResumed(o.SuspendedLoop, j)
		}
	}),
}

// RFC 0061, conformance: the seam's reply. A suspended loop without a resume has
// no later turn.
var resumeSeam = scenarios.Scenario{
	ID:     "openwop/stateful-resume/seam-suspends",
	Title:  "the seam resumes a loop in the turn that it was suspended in, and takes no later turn without a resume",
	Proves: scenarios.IDs{openwop.OWP0061D1},
	Claim:  claims.StatefulResume,
	Ask: scenarios.Ask(seamSuspends, func(o host.SeamObservation, j *scenarios.Judge) {
		resumed, left := o.Answers[0], o.Answers[1]
		checkSeamResumed(resumed, j, o.Path)
		suspended := checkSuspended(left, j)
		if resumed.NamesARun && (left.NamesARun || !suspended) {
			j.SeenAs(scenarios.Observed)
		}
	}),
}

// checkSeamResumed judges the seam's account of a resumed loop. If it names the
// run, the run's log decides.
func checkSeamResumed(a host.SeamAnswer, j *scenarios.Judge, path string) {
	host.SeamAnswered(j, a.Status, path)
	givenLog(a, j)
	j.Check(openwop.OWP0061D1, a.Resumed).To(check.Equal(a.SuspendsAt),
		"resumedIteration of %d turns, suspended in turn %d and resumed", a.Turns, a.SuspendsAt)
	j.Check(openwop.OWP0061D1, a.Iterations()).To(check.CountFromOne(a.Turns),
		"%s asked for %d turns, suspended in turn %d and resumed", path, a.Turns, a.SuspendsAt)
	if a.NamesARun {
		j.Check(openwop.OWP0061D1, a.Log.Iterations()).To(check.CountFromOne(a.Turns), "iterations in the log of run %s", a.Log.RunID)
	}
}

// givenLog blocks the judge if the named run exists but does not show its log. A
// run that does not exist was made up, and is judged.
func givenLog(a host.SeamAnswer, j *scenarios.Judge) {
	code, _ := a.Log.Read.Int()
	if a.NamesARun && code != http.StatusNotFound {
		a.Log.Readable(j)
	}
}

// checkSuspended judges the seam's account of a loop it left suspended, and
// reports whether it left one. Refusing is honest. The decision that suspends may
// be logged before the answer, or after it (OWP-R9).
func checkSuspended(a host.SeamAnswer, j *scenarios.Judge) bool {
	if code, _ := a.Status.Int(); !j.Check(openwop.OWP0061D1, a.Status).To(check.Status(2, 400, 422),
		"asked for a suspension without a resume") || code/100 != 2 {
		return false
	}
	until := check.OneOf(upTo(a.SuspendsAt), upTo(a.SuspendsAt-1))
	j.Check(openwop.OWP0061D1, a.Iterations()).To(until, "iterations of %d turns, suspended in turn %d and not resumed", a.Turns, a.SuspendsAt)
	j.Check(openwop.OWP0061D1, a.Resumed).To(check.OneOf(nil, false), "resumedIteration without a resume")
	if a.NamesARun {
		j.Part(func() {
			givenLog(a, j)
			j.Check(openwop.OWP0061D1, a.Log.Iterations()).To(until, "iterations in the log of run %s", a.Log.RunID)
		})
	}
	return true
}

// upTo returns the numbers 1 to n.
func upTo(n int) []any {
	out := make([]any, n)
	for i := range out {
		out[i] = i + 1
	}
	return out
}

// RFC 0061, motivation: replay also holds across a suspension.
var resumeFork = scenarios.Scenario{
	ID:     "openwop/stateful-resume/fork-of-resumed",
	Title:  "a replay of a loop that was suspended and resumed carries the turns of its source, and asks nobody again",
	Proves: scenarios.IDs{openwop.OWP0061M1},
	Claim:  claims.StatefulResumeReplay,
	Ask: scenarios.Ask(replayOfResumed, func(o ResumedForkObservation, j *scenarios.Judge) {
		o.Held.Given(j)
		givenProgress(o.SuspendedLoop, j) // a truncated copy would match a truncated source
		o.Replayed.MadeFork(j, openwop.OWP0061M1, "a fork of the resumed loop")
		if !j.Check(openwop.OWP0061M1, o.Replayed.ID).NotTo(check.Equal(o.Log.RunID), "runId of the fork") ||
			!j.Check(openwop.OWP0061M1, o.Replayed.Ended).To(check.Reached()) {
			return
		}
		o.Replayed.Readable(j)
		j.Check(openwop.OWP0061M1, o.Replayed.Iterations()).To(check.SameAs(o.Log.Iterations()), "iterations")
		j.Check(openwop.OWP0061M1,
			o.Replayed.Decided().Each("/payload/decision")).To(check.SameAs(o.Log.Decided().Each("/payload/decision")), "decisions")
		j.Check(openwop.OWP0061M1, o.Replayed.Status()).To(check.SameAs(o.Log.Status()), "status")
	}),
}

// RFC 0061, phase 0: a heartbeat may start its own run.
var heartbeatMovesNothing = scenarios.Scenario{
	ID:     "openwop/stateful-resume/heartbeat-moves-nothing",
	Title:  "a heartbeat that sees a change leaves a suspended loop where it stands",
	Proves: scenarios.IDs{openwop.OWP0061H1},
	Claim:  claims.LoopHeartbeat,
	Ask: scenarios.Ask(loopBesideHeartbeats, func(o HeartbeatObservation, j *scenarios.Judge) {
		o.Held.Given(j)
		for _, tick := range o.Ticks {
			host.SeamAnswered(j, tick, o.Seam)
		}
		o.Lull.CheckWaiting(j, openwop.OWP0061H1, o.Held.Log, "after two heartbeats")
		givenProgress(o.SuspendedLoop, j)
	}),
}
