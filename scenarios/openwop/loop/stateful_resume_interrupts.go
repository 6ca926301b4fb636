package loop

import (
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/interrupts"
	"github.com/openassay/assay/scenarios/wire"
)

// These rules hold for interrupts of every loop, with or without stateful resume.
// Below version 5 there is no counter, so these scenarios count turns.

// The control is in the same drive: the loop moves after its answer.
var suspendedStandsStill = scenarios.Scenario{
	ID:     "openwop/stateful-resume/stands-still",
	Title:  "a suspended loop takes no step while it is looked at, listened to and left alone",
	Proves: scenarios.IDs{openwop.OWPINT1},
	Claim:  claims.ExecutionModel,
	Ask: scenarios.Ask(LoopThatAsks, func(o AskedObservation, j *scenarios.Judge) {
		switch {
		case o.Seam != nil:
			j.Block("only the seam's word is on offer, and it shows no suspended run", fixture.Load)
		default:
			o.Held.Given(j)
			o.Lull.CheckWaiting(j, openwop.OWPINT1, o.Held.Log, "while it was suspended")
			givenProgress(o.SuspendedLoop, j)
		}
	}),
}

var resolvedOnce = scenarios.Scenario{
	ID:     "openwop/stateful-resume/second-resolve",
	Title:  "an interrupt that was resolved cannot be resolved again, and the attempt changes nothing",
	Proves: scenarios.IDs{openwop.OWPINT2},
	Claim:  claims.ExecutionModel,
	Ask: scenarios.Ask(interrupts.LoopResolvedAgain, func(o interrupts.ResolvedAgainObservation, j *scenarios.Judge) {
		o.Held.Given(j)
		givenProgress(o.SuspendedLoop, j)
		j.Check(openwop.OWPINT2, o.Again).To(check.Status(4), "a second answer to the same node")
		if code, _ := o.Again.Int(); code/100 == 4 && !slices.Contains([]int64{404, 409, 410}, code) {
			j.Find("", "the second answer is refused with HTTP %d; 404, 409 and 410 are in use for it", code)
		}
		o.Lull.CheckStill(j, openwop.OWPINT2, o.Log, "after the second answer")
		j.Check(openwop.OWPINT2, o.Lull.Later.Status()).To(check.SameAs(o.Log.Status()), "status after the second answer")
		j.Check(openwop.OWPINT2, resumeValues(o.Lull.Later)).To(check.SameAs(resumeValues(o.Log)),
			"the answer as the run shows it, after the second")
		j.Check(openwop.OWPINT2, tracesOf(o.Lull.Later, o.Marker)).To(check.Len(0), "places in which the run took the second answer")
	}),
}

var resolvedByOne = scenarios.Scenario{
	ID:     "openwop/stateful-resume/concurrent-resolvers",
	Title:  "of four who resolve an interrupt at once one wins, and the loop goes on once, with that answer",
	Proves: scenarios.IDs{openwop.OWPINT3},
	Claim:  claims.ExecutionModel,
	Ask: scenarios.Ask(interrupts.LoopWithRivals, func(o interrupts.RivalsObservation, j *scenarios.Judge) {
		o.Held.Given(j)
		if !slices.ContainsFunc(o.Replies, func(status wire.Value) bool { return !host.RefusesAnswer(status) }) {
			o.Held.Answered = o.Replies[0]
			o.Held.CheckAnswered(j)
			return
		}
		if !j.Check(openwop.OWPINT3, o.Replies).To(host.OneSucceeded(), "replies to four answers at once") {
			return
		}
		for _, status := range o.Replies {
			if code, _ := status.Int(); code/100 > 4 {
				j.Find("", "an answer that came too late got HTTP %d", code)
			}
		}
		l := o.Log
		if !j.Check(openwop.OWPINT3, l.Ended).To(check.Reached(), "after the answer") {
			return
		}
		l.Readable(j)
		// Extra turns are repeated turns. The scenarios of the counter look for
		// missing ones.
		j.Check(openwop.OWPINT3, l.Kinds()).To(host.NoMoreThan(o.Turns), "decisions of %d turns", o.Turns)
		j.Check(openwop.OWPINT3, l.OfType(dialect.InterruptResolved).Each("/nodeId")).To(host.NoMoreThan(1), "interrupts resolved")
		CheckResolvedOnce(l, j)
		j.Check(openwop.OWPINT3, l.OfType(dialect.NodeResumed).Each("/nodeId")).To(host.NoMoreThan(1), "nodes resumed")
		j.Check(openwop.OWPINT3, l.Terminals().Each("/type")).To(host.NoMoreThan(1), "events that end the run")
		winner := o.Winners()[0]
		if shown := resumeValues(l); len(shown.Values) > 0 {
			j.Check(openwop.OWPINT3, shown).To(check.Each(host.Holding(winner)), "the answer as the run shows it")
		} else {
			j.Find("", "neither an event nor a variable of the run shows the answer, so a lost answer would go unnoticed")
		}
		for _, marker := range o.Markers {
			if marker != winner {
				j.Check(openwop.OWPINT3, tracesOf(l, marker)).To(check.Len(0), "places in which the run took the answer %s, which was refused", marker)
			}
		}
		o.Lull.CheckStill(j, openwop.OWPINT3, l, "after its end")
	}),
}

// CheckResolvedOnce expects no interrupt to be resolved twice, as far as the log
// identifies them.
func CheckResolvedOnce(l host.RunLog, j *scenarios.Judge) {
	resolved := l.OfType(dialect.InterruptResolved).Each("/payload/interruptId").Where(func(id wire.Value) bool { return id.Actual() != nil })
	if len(resolved.Values) > 0 {
		j.Check(openwop.OWPINT3, resolved).To(check.Distinct(), "interruptId of the interrupts resolved")
	}
}

var resolvedApart = scenarios.Scenario{
	ID:     "openwop/stateful-resume/two-at-once",
	Title:  "of two loops that wait for the same at the same time each goes on with its own answer, and not with the other's",
	Proves: scenarios.IDs{openwop.OWPINT4},
	Claim:  claims.ExecutionModel,
	Ask: scenarios.Ask(interrupts.TwoLoopsSuspended, func(o interrupts.TwoSuspendedObservation, j *scenarios.Judge) {
		a, b := o.First, o.Second
		a.Held.Given(j)
		b.Held.Given(j)
		if code, _ := b.Held.Answered.Int(); code == 409 || code == 410 { // nobody else answered that run
			j.Check(openwop.OWPINT4, b.Held.Answered).To(check.Status(2), "the first answer to a loop that waited")
			return
		}
		b.Held.CheckAnswered(j)
		if !j.Check(openwop.OWPINT4, b.Log.Ended).To(check.Reached(), "after the second loop was answered") {
			return
		}
		b.Log.Readable(j)
		o.Lull.CheckWaiting(j, openwop.OWPINT4, a.Held.Log, "while only the other was answered, and a node that this one does not have")
		a.Held.CheckAnswered(j)
		if !j.Check(openwop.OWPINT4, a.Log.Ended).To(check.Reached(), "after the first loop was answered") {
			return
		}
		a.Log.Readable(j)
		givenPlannedTurns(a, j)
		givenPlannedTurns(b, j)
		if host.Succeeded(o.Astray) {
			j.Find("", "an answer to a node that the run does not have got HTTP %s and moved nothing", o.Astray.JSON())
		}
		j.Check(openwop.OWPINT4, tracesOf(a.Log, b.Held.Marker)).To(check.Len(0), "places in which the first loop took the second's answer")
		j.Check(openwop.OWPINT4, tracesOf(b.Log, a.Held.Marker)).To(check.Len(0), "places in which the second loop took the first's answer")
	}),
}
