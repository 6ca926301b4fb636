package control

import (
	"fmt"
	"math"
	"net/http"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/loop"
	"github.com/openassay/assay/scenarios/wire"
)

// What holds for the first pause, and for a run that ended by itself, holds for the third, and for each end.

var pausedEachTime = scenarios.Scenario{
	ID: "openwop/run-control/paused-each-time",
	Title: "a loop that asks several times is paused and resumed at each question, again and again, takes no step then, waits as before, " +
		"and ends as if it never had been",
	Proves: scenarios.IDs{openwop.OWPCTL25, openwop.OWPCTL28},
	Claim:  claims.RunPauseSuspended,
	Ask: scenarios.Ask(pausedAgain, func(o PausedAgainObservation, j *scenarios.Judge) {
		var reasons []string
		for i, w := range o.Waits {
			w.Given(j)
			for n, p := range w.Pauses {
				if len(reasons) == 0 && p.Paused.HTTPStatus() == http.StatusConflict { // OWP-R110
					j.NotOffered("a pause of a run that waits is answered with HTTP 409")
				}
				p.check(j, w, fmt.Sprintf("question %d, pause %d", i+1, n+1))
				reasons = append(reasons, p.Reason)
			}
			w.CheckAnswered(j)
		}
		if !j.Check(openwop.OWPCTL28, o.Log.Ended).To(check.Reached(), "after %d pauses and %d answers", len(reasons), len(o.Waits)) {
			return
		}
		o.Log.Readable(j)
		j.Check(openwop.OWPCTL28, o.Log.Kinds()).To(loop.KindsOf(o.Kinds), "decisions in order")
		j.Check(openwop.OWPCTL28, o.Log.Status()).To(check.Equal("completed"), "status of the loop at the end")
		j.Check(openwop.OWPCTL25, o.Log.OfType(dialect.RunPaused)).To(check.Len(len(reasons)), "pauses on the log")
		j.Check(openwop.OWPCTL25, pausesWithoutResume(o.Log)).To(check.Len(0), "pauses on the log with no run.resumed before the next or the end")
		for i, e := range o.Log.OfType(dialect.RunPaused).Values {
			if said := e.At("/payload/reason"); i < len(reasons) && said.String() != reasons[i] {
				j.Find("", "the reason of pause %d on the log is %s", i+1, said.JSON())
			}
		}
	}),
}

var endedForGood = scenarios.Scenario{
	ID:     "openwop/run-control/ended-for-good",
	Title:  "a run that has ended, in whatever way, stays as it ended, whatever is asked of it and however often",
	Proves: scenarios.IDs{openwop.OWPCTL3, openwop.OWPERR24},
	Claim:  claims.ExecutionModel,
	Ask: ofEachEnd(func(e EndOf, j *scenarios.Judge) {
		for i, c := range e.Cancels {
			if !j.Check(openwop.OWPERR24, c.Status).To(check.Status(http.StatusOK, http.StatusConflict), "%s, for the %d. time", c.Asked, i+1) {
				continue
			}
			if c.HTTPStatus() == http.StatusOK {
				j.Check(openwop.OWPERR24, c.Body.Key("status")).To(check.Equal(e.Status), "status in the reply to %s", c.Asked)
			}
		}
		const when = "pauses, resumes, cancels and answers of the loop that was "
		e.Later.Readable(j)
		j.Check(openwop.OWPCTL3, e.Later.All()).To(check.SameAs(e.Log.All()), "log after %s%s", when, e.How)
		j.Check(openwop.OWPCTL3, e.Later.Status()).To(check.Equal(e.Status), "status after %s%s", when, e.How)
	}),
}

var endedNotPaused = scenarios.Scenario{
	ID:     "openwop/run-control/ended-is-not-paused",
	Title:  "a pause of a run that has ended, in whatever way, is refused with the status in which it ended, each time",
	Proves: scenarios.IDs{openwop.OWPCTL23},
	Claim:  claims.RunPauseSuspended,
	Ask: ofEachEnd(func(e EndOf, j *scenarios.Judge) {
		for _, p := range e.Pauses {
			if host.NotThere(p.HTTPStatus()) {
				j.NotOffered(p.Asked + " is answered with HTTP " + p.Status.JSON())
			}
			if j.Check(openwop.OWPCTL23, p.Status).To(check.Status(http.StatusConflict), "%s", p.Asked) {
				j.Check(openwop.OWPCTL23, p.Body.At("/details/runStatus")).To(check.Equal(e.Status), "details.runStatus, of %s", p.Asked)
			}
		}
	}),
}

// ofEachEnd asks one question about every run that ended.
func ofEachEnd(judge func(EndOf, *scenarios.Judge)) scenarios.Question {
	return scenarios.Ask(controlledWhenEnded, func(o EndedObservation, j *scenarios.Judge) {
		for _, e := range o.Ends {
			e.Held.Given(j)
			if !e.Log.Ended.Reached || e.Log.Status().String() != e.Status {
				j.Block(fmt.Sprintf("setup failed: the loop that was %s is %s", e.How, e.Log.Status().JSON()),
					"let loops that wait be answered, bounded, paused and cancelled")
			}
			judge(e, j)
		}
	})
}

// check checks one pause of a loop that waits.
func (p PauseOfMany) check(j *scenarios.Judge, w PausedWait, which string) {
	const id = openwop.OWPCTL28
	j.Require(j.Check(id, p.Paused.Status).To(check.Status(2), "%s, at %s", p.Paused.Asked, which))
	paused := p.Still.Last.Key("status")
	if !host.IsWaiting(paused.String()) { // a host may show what it waits for alone
		j.Require(j.Check(id, p.Still).To(check.Reached(), "at %s", which))
		if host.Succeeded(p.Again.Status) {
			reason := "setup failed: a pause of a paused loop is taken, at " + which
			j.Violates(openwop.OWPCTL23, p.Again.Status, reason)
			j.Block(reason, "refuse it with HTTP 409")
		}
	}
	p.During.Readable(j)
	j.Check(id, moves(p.During).Each("/eventId")).To(check.SameAs(moves(w.Log).Each("/eventId")), "steps of the paused loop, at %s", which)
	j.Check(id, p.During.Status()).To(check.Equal(paused.Actual()), "status of the paused loop, at %s", which)
	j.Require(j.Check(id, p.Resumed.Status).To(check.Status(2), "%s, at %s", p.Resumed.Asked, which))
	j.Require(j.Check(id, p.Waits).To(check.Reached(), "after the resume at %s", which))
	j.Check(id, moves(p.After).Each("/eventId")).To(check.SameAs(moves(w.Log).Each("/eventId")), "steps after the resume at %s", which)
}

// moves are the steps of a log that a pause and a resume do not bring about by themselves.
func moves(l host.RunLog) wire.Found {
	return l.OfType(dialect.Decided, dialect.HandedOver, dialect.NodeDispatched, dialect.NodeCompleted, dialect.NodeFailed, dialect.Breached,
		dialect.RunCompleted, dialect.RunFailed, dialect.RunCancelled)
}

// pausesWithoutResume returns the pauses on a log behind which no run.resumed stands before the next pause.
func pausesWithoutResume(l host.RunLog) wire.Found {
	f := l.OfType(dialect.RunPaused)
	all := f.Values
	f.Values = nil
	for i, pause := range all {
		from, to := host.Sequence(pause), int64(math.MaxInt64)
		if i+1 < len(all) {
			to = host.Sequence(all[i+1])
		}
		resumed := l.OfType(dialect.RunResumed).Where(func(e wire.Value) bool { return host.Sequence(e) > from && host.Sequence(e) < to })
		if len(resumed.Values) == 0 {
			f.Values = append(f.Values, pause)
		}
	}
	return f
}
