package host

import (
	"context"
	"errors"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/wire"
)

// Paces finds out how far the log is behind the snapshot that says that a run has ended, the snapshot behind the log, and how
// long a turn takes.
func Paces(ctx context.Context, c *scenarios.Conn) {
	h := Host{c}
	if err := scenarios.Try(func() { h.seeBehind(ctx) }); errors.Is(err, wire.ErrNoAnswer) {
		return // it would not answer the next question either
	}
	_ = scenarios.Try(func() { h.seeTurn(ctx) })
}

func (h Host) seeBehind(ctx context.Context) {
	begun := h.Now()
	if h.SimpleRun(ctx, "run, to see how far the log is behind").Finish(ctx, "log of the run that has ended").Ended.Reached {
		h.Pace.SawRun(h.Now().Sub(begun))
	}

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

// seeTurn goes by the host's own clock, which cannot say that a turn took longer than we waited for it. A loop that is not over
// when we stop waiting has shown its first turns.
func (h Host) seeTurn(ctx context.Context) {
	if !h.Lists(fixture.Loop) && !h.Lists(fixture.Handoff) && !h.Lists(fixture.Dispatch) {
		return
	}
	conn := *h.Conn
	conn.Patience *= thinks
	h.Conn = &conn
	loop := h.LoopOf(2, 3, 0)
	start := h.Now()
	r := h.Create(ctx, "loop, to see how long a turn takes", loop.Request(nil))
	if r.ID == "" {
		return
	}
	var slowest time.Duration
	err := scenarios.Try(func() {
		r.Await(ctx, "the loop has taken its turns", func(ctx context.Context) (wire.Value, bool) {
			l := r.pages(ctx, "log of the loop")
			slowest = max(slowest, min(l.slowest(), h.Now().Sub(start)))
			if l.ended() {
				r.Gone()
			}
			return l.Last(), l.ended() || !Succeeded(l.Read)
		})
	})
	if slowest > atOnce {
		h.Pace.SawTurn(slowest)
	}
	scenarios.End(err)
}

const (
	atOnce = 100 * time.Millisecond // a time that a turn may take without anybody having to be patient
	thinks = 6                      // times the patience after which nobody waits for a turn any more
)
