package bounds

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

// RFC 0058 A. Two clocks show whether the bound strikes too early: ours, started
// before the run, and the host's own timestamps.
var timeBounded = scenarios.Scenario{
	ID:    "openwop/execution-bounds/time-bounded",
	Title: "a run that is not over in time is stopped when its time has passed, not before, says so and fails",
	Proves: scenarios.IDs{openwop.OWPBND6, openwop.OWPBND7, openwop.OWPBND8, openwop.OWPBND11, openwop.OWPBND12, openwop.OWPBND13,
		openwop.OWPBND14},
	Claim: claims.DurationLimit,
	Ask: scenarios.Ask(runOverItsTime, func(o OvertimeObservation, j *scenarios.Judge) {
		l, bound := o.Over, o.bound()
		l.Exists(j, openwop.OWPCAP19)
		if !j.Check(openwop.OWPBND6, l.Ended).To(check.Reached(), "with a runTimeoutMs of %d", o.Bound) {
			return
		}
		l.Readable(j)
		if o.Way != "" && o.Way != fixture.Overtime && l.Status().String() == "completed" && lasted(l) < bound { // it once took longer
			j.Block("setup failed: a run of "+o.Way+" ended before its bound on time", "name a workflow that lasts with --role long=ID")
		}
		j.Check(openwop.OWPBND6, l.Ended).To(took(bound-min(max(grain(l), scenarios.Spare(bound, early)), bound/2)),
			"end of the run, by our clock, from before it was asked for")
		if span := spanOf(l); span != nil {
			j.Check(openwop.OWPBND6, span).To(apart(bound), "run.started and cap.breached by the host’s own timestamps")
		} else {
			j.Find("", "the host’s own timestamps cannot be compared: run.started or cap.breached has none")
		}
		l.CheckBreach(j, openwop.OWPBND7, dialect.CapKindRunDuration, o.Bound, atLeast(float64(o.Bound)))
		if n, ok := l.Breaches().Last().At("/payload/observed").Int(); ok && n == int64(o.Bound) { // OWP-R13
			j.Find("", "the breach observes %d, which is the limit itself and not above it (OWP-R13)", n)
		}
		checkFailed(l, j, openwop.OWPBND8, dialect.RunTimeout)
		CheckCause(l, j, openwop.OWPBND13)
		j.Check(openwop.OWPBND14, wire.Found{Values: wire.Values{l.Breaches().Last().Key("nodeId"),
			l.Breaches().Last().At("/payload/nodeId")}, In: l.Breaches().In}).
			To(check.Absent(), "node of a breach of the whole run")
		j.Check(openwop.OWPBND11,
			l.OfType(dialect.RunFailed).Each("/payload/error/details/elapsedMs")).To(check.Each(atLeast(float64(o.Bound))),
			"details.elapsedMs of the failure")
		CheckOver(l, j, openwop.OWPBND12)
		o.Lull.CheckStill(j, openwop.OWPBND12, l, "after it failed")
		o.checkAsking(j)
		o.checkPaused(j)
		o.checkParent(j)
		o.checkAnswered(j)
	}),
}

func (o OvertimeObservation) bound() time.Duration { return time.Duration(o.Bound) * time.Millisecond }

// checkAsking expects a run that waits for an answer to be over in time like any other: the clock on the wall goes on.
func (o OvertimeObservation) checkAsking(j *scenarios.Judge) {
	l, bound := o.Asking.Log, o.bound()
	if !o.Asking.Suspended.Reached {
		return
	}
	if !j.Check(openwop.OWPBND6, l.Ended).To(check.Reached(), "with a runTimeoutMs of %d, while it waits for an answer", o.Bound) {
		return
	}
	l.Readable(j)
	if l.Status().String() != "failed" && lasted(l) < bound { // the host answered it itself, in time
		return
	}
	o.checkStopped(j, l, "a run that waits for an answer")
}

// checkParent expects a loop whose worker is at work to be over in time like any other.
func (o OvertimeObservation) checkParent(j *scenarios.Judge) {
	l, bound := o.Parent, o.bound()
	if l.RunID == "" || len(l.Phase(dialect.ChainPhaseDispatchBegan).Values) == 0 {
		return
	}
	if !j.Check(openwop.OWPBND6, l.Ended).To(check.Reached(), "with a runTimeoutMs of %d, while its worker waits", o.Bound) {
		return
	}
	l.Readable(j)
	if l.Status().String() != "failed" && lasted(l) < bound { // its worker did not wait as long
		return
	}
	o.checkStopped(j, l, "a loop whose worker waits")
}

// checkAnswered expects an answer to leave a run no more time than it has.
func (o OvertimeObservation) checkAnswered(j *scenarios.Judge) {
	l := o.Answered.Log
	if !l.Ended.Reached {
		return
	}
	l.Readable(j)
	if len(l.Breaches().Values) == 0 && lasted(l) < o.bound() { // it did not wait for an answer
		return
	}
	const what = "a run that was answered, and whose time passed while it asked again"
	j.Check(openwop.OWPBND6, l.Status()).To(check.Equal("failed"), "status of "+what)
	o.checkStopped(j, l, what)
}

// checkStopped expects the bound to have ended a run, and not before its time.
func (o OvertimeObservation) checkStopped(j *scenarios.Judge, l host.RunLog, what string) {
	l.CheckBreach(j, openwop.OWPBND7, dialect.CapKindRunDuration, o.Bound, atLeast(float64(o.Bound)))
	checkFailed(l, j, openwop.OWPBND8, dialect.RunTimeout)
	if span := spanOf(l); span != nil {
		j.Check(openwop.OWPBND6, span).To(apart(o.bound()), "run.started and cap.breached of "+what)
	}
}

// checkPaused expects a paused run to be over in time as well; it may show that when it goes on (OWP-R200).
func (o OvertimeObservation) checkPaused(j *scenarios.Judge) {
	p, l, bound := o.Paused, o.Paused.Log, o.bound()
	if !p.Still.Reached || p.GoOn.Status.Present() && !host.Succeeded(p.GoOn.Status) && !l.Ended.Reached {
		return
	}
	if !j.Check(openwop.OWPBND6, l.Ended).To(check.Reached(), "with a runTimeoutMs of %d, that passed while it was paused", o.Bound) {
		return
	}
	l.Readable(j)
	if l.Status().String() != "failed" && lasted(l) < bound { // it ended, or somebody ended it, in time
		return
	}
	j.Check(openwop.OWPBND6, l.Status()).To(check.Equal("failed"), "status of a run whose time passed while it was paused")
	l.CheckBreach(j, openwop.OWPBND7, dialect.CapKindRunDuration, o.Bound, atLeast(max(float64(o.Bound), stoodFor(l))))
	checkFailed(l, j, openwop.OWPBND8, dialect.RunTimeout)
}

// stoodFor returns the ms from the start of a run until it went on from its last pause, by the host's own timestamps and less what they
// may be wrong by; 0 if it never did, or they do not say.
func stoodFor(l host.RunLog) float64 {
	from, grainFrom, okFrom := moment(l.OfType(dialect.RunStarted).Last().Key("timestamp").Actual())
	to, grainTo, okTo := moment(l.OfType(dialect.RunResumed).Last().Key("timestamp").Actual())
	if !okFrom || !okTo {
		return 0
	}
	return float64((to.Sub(from) - max(grainFrom, grainTo, early)).Milliseconds())
}

// spanOf returns the timestamps of the run's start and breach, or nil if the host
// gives none.
func spanOf(l host.RunLog) wire.Seen {
	from, to := l.OfType(dialect.RunStarted), l.Breaches()
	if len(from.Values) == 0 || len(to.Values) == 0 {
		return nil
	}
	span := wire.Values{from.Values[0].Key("timestamp"), to.Values[0].Key("timestamp")}
	for _, at := range span {
		if _, _, ok := moment(at.Actual()); !ok {
			return nil
		}
	}
	return span
}

// grain returns the finest resolution of the host's timestamps, or 0 if it has
// none. A host that counts whole seconds may appear up to one early.
func grain(l host.RunLog) time.Duration {
	finest := time.Duration(0)
	for _, e := range l.Events {
		if _, grain, ok := moment(e.Key("timestamp").Actual()); ok && (finest == 0 || grain < finest) {
			finest = grain
		}
	}
	return finest
}

// The control of time-bounded: it exposes a host that always fails.
var timeLeavesAlone = scenarios.Scenario{
	ID:     "openwop/execution-bounds/time-leaves-alone",
	Title:  "a run that ends within its bound on time ends by itself",
	Proves: scenarios.IDs{openwop.OWPBND9},
	Claim:  claims.DurationLimit,
	Ask: scenarios.Ask(runOverItsTime, func(o OvertimeObservation, j *scenarios.Judge) {
		given(o.InTime, j)
		o.InTime.CheckUntouched(j, openwop.OWPBND9)
	}),
}

// A replay that measures again shows another time: it ends at once, or later.
var timeReplayed = scenarios.Scenario{
	ID:     "openwop/execution-bounds/time-breach-replayed",
	Title:  "a replay of a run that was over its time carries the time that was observed then",
	Proves: scenarios.IDs{openwop.OWPBND15},
	Claim:  claims.BreachReplayInTime,
	Ask: scenarios.Ask(runOverItsTime, func(o OvertimeObservation, j *scenarios.Judge) {
		r := ReplayedBreachObservation{Source: o.Over, Replayed: o.Replayed}
		r.givenTime(j)
		r.check(j)
	}),
}
