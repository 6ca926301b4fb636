package bounds

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// given blocks the judge unless the host made the run, ended it and shows its log. No sentence demands all of that: a
// host may refuse a run for want of room, and end it late for the same reason.
func given(l host.RunLog, j *scenarios.Judge) {
	l.Served(j)
	l.Readable(j)
}

// starts returns the node.started events of a run.
func starts(l host.RunLog) wire.Found { return l.OfType(dialect.NodeStarted) }

// checkFailed expects the failure that follows a breach, both in the log and in
// the snapshot.
func checkFailed(l host.RunLog, j *scenarios.Judge, id scenarios.RequirementID, code dialect.Code) {
	failed := l.OfType(dialect.RunFailed)
	j.Check(id, l.Status()).To(check.Equal("failed"), "status of the run")
	j.Check(id, failed.Each("/payload/error/code")).To(dialect.EachCoded(code), "code of the failure")
	j.Check(id, l.Ended.Last.At("/error/code")).To(dialect.Coded(code), "code in the snapshot")
	j.Check(id, host.BreachesAndEnds(l)).To(dialect.Types(dialect.Breached, dialect.RunFailed), "breach and end in order")
}

// CheckTurnBreach expects a loop bounded to n turns to record that once, at the turn behind them.
func CheckTurnBreach(l host.RunLog, j *scenarios.Judge, n int) {
	breach := l.Breaches()
	j.Check(openwop.OWP0061E4, breach).To(check.Len(1), "breaches of a loop bounded to %d turns", n)
	j.Check(openwop.OWP0061E2, breach.Each("/payload/kind")).To(check.Equal([]any{dialect.CapKindLoopIterations}), "kind")
	j.Check(openwop.OWP0061E2, breach.Each("/payload/limit")).To(check.Equal([]any{n}), "limit")
	j.Check(openwop.OWP0061E2, breach.Each("/payload/observed")).To(check.Equal([]any{n + 1}), "observed")
}

// CheckOver expects no work after the failure.
func CheckOver(l host.RunLog, j *scenarios.Judge, id scenarios.RequirementID) {
	j.Check(id, host.OfTheLoop(l).Last().Key("type")).To(dialect.Type(dialect.RunFailed), "last event of the run, but for notes")
}

// CheckCause expects the failure to name the breach as its cause.
func CheckCause(l host.RunLog, j *scenarios.Judge, id scenarios.RequirementID) {
	failed := l.OfType(dialect.RunFailed)
	j.Check(id, failed.Each("/causationId")).To(check.SameAs(l.Breaches().Each("/eventId")), "cause of the failure: the breach")
}

func atLeast(least float64) check.Matcher {
	return check.That(fmt.Sprintf("a number of at least %v", least), func(v any) bool {
		n, ok := host.AsNumber(v)
		return ok && n >= least
	})
}

// early is how early something may be in any case.
const early = 50 * time.Millisecond

// took expects a wait of at least this long by our clock.
func took(least time.Duration) check.Matcher {
	return check.Seeing("not before "+least.String()+" have passed", func(s wire.Seen) (bool, string) {
		w, ok := s.(wire.Wait)
		return ok && w.Took >= least, "after " + w.Took.Round(time.Millisecond).String()
	})
}

// apart expects two timestamps at least this far apart, within the resolution of
// their notation, if that is coarser than what is to spare.
func apart(least time.Duration) check.Matcher {
	return check.That("at least "+least.String()+" apart", func(v any) bool {
		times, ok := v.([]any)
		if !ok || len(times) != 2 {
			return false
		}
		from, grainFrom, okFrom := moment(times[0])
		to, grainTo, okTo := moment(times[1])
		return okFrom && okTo && to.Sub(from) > least-max(grainFrom, grainTo, scenarios.Spare(least, early))
	})
}

// CheckSpan expects a bound of so many ms not to have struck earlier, by the host's own timestamps. They may be rounded to seconds.
func CheckSpan(l host.RunLog, j *scenarios.Judge, bound int64) {
	if span := spanOf(l); span != nil && bound < int64(math.MaxInt64/time.Millisecond) {
		j.Check(openwop.OWPBND6, span).To(apart(time.Duration(bound)*time.Millisecond),
			"run.started and cap.breached by the host’s own timestamps")
	}
}

// moment parses a timestamp. grain is the resolution of its notation.
func moment(v any) (at time.Time, grain time.Duration, ok bool) {
	text, _ := v.(string)
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return at, 0, false
	}
	grain = time.Second
	if _, fraction, found := strings.Cut(text, "."); found {
		for _, c := range fraction {
			if c < '0' || c > '9' {
				break
			}
			grain /= 10
		}
	}
	return at, max(grain, time.Nanosecond), true
}

// givenNodes blocks the judge unless the source exceeded its bound on nodes.
func (o ReplayedBreachObservation) givenNodes(j *scenarios.Judge) {
	given(o.Source, j)
	switch n := len(starts(o.Source).Values); {
	case len(o.Source.Breaches().Values) > 0:
	case n >= o.Nodes:
		j.Violates(openwop.OWPBND2, o.Source.Breaches(), fmt.Sprintf("setup failed: the source started %d nodes with a bound below %d, "+
			"and recorded no breach", n, o.Nodes))
	default:
		j.Block("setup failed: the source crossed no bound", fmt.Sprintf("have a run start each of its %d nodes, and log each", o.Nodes))
	}
}

// givenTime blocks the judge unless the source exceeded its bound on time. A run that never started is over no time.
func (o ReplayedBreachObservation) givenTime(j *scenarios.Judge) {
	if len(o.Source.OfType(dialect.RunStarted).Values) > 0 {
		j.Need(openwop.OWPBND6, o.Source.Ended)
	}
	given(o.Source, j)
	switch {
	case len(o.Source.Breaches().Values) > 0:
	case lasted(o.Source) >= overtimeBound*time.Millisecond:
		j.Violates(openwop.OWPBND7, o.Source.Breaches(), "setup failed: the source lasted "+lasted(o.Source).String()+
			", longer than its bound, and recorded no breach")
	default:
		j.Block("setup failed: the source crossed no bound", "have runs of "+fixture.Overtime+" wait for half a minute")
	}
}

// lasted returns how long a run lasted at least by the host's own timestamps, or 0 if they do not say.
func lasted(l host.RunLog) time.Duration {
	from, grainFrom, okFrom := moment(l.OfType(dialect.RunStarted).Last().Key("timestamp").Actual())
	to, grainTo, okTo := moment(l.Terminals().Last().Key("timestamp").Actual())
	if !okFrom || !okTo {
		return 0
	}
	return to.Sub(from) - max(grainFrom, grainTo)
}

// check compares a replay with its source, which exceeded a bound.
func (o ReplayedBreachObservation) check(j *scenarios.Judge) {
	source, replayed := o.Source, o.Replayed
	replayed.MadeFork(j, openwop.OWPBND15, "a fork of a run that crossed its bound")
	if !j.Check(openwop.OWPBND15, replayed.ID).NotTo(check.Equal(source.RunID), "runId of the fork") || !j.Check(openwop.OWPBND15,
		replayed.Ended).To(check.Reached()) {
		return
	}
	replayed.Readable(j)
	j.Check(openwop.OWPBND15, replayed.Breaches().Each("/payload")).To(check.SameAs(source.Breaches().Each("/payload")), "breach")
	j.Check(openwop.OWPBND15, starts(replayed).Each("/nodeId")).To(check.SameAs(starts(source).Each("/nodeId")), "nodes started")
	j.Check(openwop.OWPBND15, host.BreachesAndEnds(replayed)).To(check.SameAs(host.BreachesAndEnds(source)), "breach and end in order")
	j.Check(openwop.OWPBND15, replayed.Status()).To(check.SameAs(source.Status()), "status")
}
