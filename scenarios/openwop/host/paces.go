package host

import (
	"context"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Paces finds out how far the log is behind the snapshot that says that a run has ended, the snapshot behind the log, and how
// long a turn takes.
func Paces(ctx context.Context, c *scenarios.Conn) {
	h := Host{c}
	_ = scenarios.Try(func() { h.seeBehind(ctx) })
	_ = scenarios.Try(func() { h.seeTurn(ctx) })
}

func (h Host) seeBehind(ctx context.Context) {
	h.SimpleRun(ctx, "run, to see how far the log is behind").Finish(ctx, "log of the run that has ended")

	r := h.SimpleRun(ctx, "run, to see how far the snapshot is behind")
	if r.ID == "" {
		return
	}
	holds := func(what string, enough func(RunLog) bool) wire.Wait {
		return r.Await(ctx, what, func(ctx context.Context) (wire.Value, bool) {
			l := r.pages(ctx, "log, until "+what)
			return l.Last(), enough(l)
		})
	}
	late := min(mostLate, lag(holds("the log has begun", func(l RunLog) bool { return len(l.Events) > 0 })))
	h.Pace.SawBehind(late)
	if holds("the log holds the end of the run", RunLog.ended).Reached {
		h.Pace.SawBehind(late + lag(r.AwaitEnd(ctx)))
	}
}

// mostLate is the longest that a log which begins late is taken to be behind: beyond that the run was queued.
const mostLate = 500 * time.Millisecond

// lag is how late something was shown that did not show at once.
func lag(shown wire.Wait) time.Duration {
	if !shown.Reached || shown.Answers == 1 {
		return 0
	}
	return shown.Took
}

// seeTurn goes by the host's own clock.
func (h Host) seeTurn(ctx context.Context) {
	loop := h.LoopOf(2, 3, 0)
	l := h.Create(ctx, "loop, to see how long a turn takes", loop.Request(nil)).Finish(ctx, "log of the loop")
	if slowest := l.slowest(); slowest > atOnce {
		h.Pace.SawTurn(min(slowest, time.Minute))
	}
}

// atOnce is a time that a turn may take without anybody having to be patient.
const atOnce = 100 * time.Millisecond
