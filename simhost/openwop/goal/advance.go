package goal

import (
	"context"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/clock"
)

// Advance moves the clock of a goal ahead of the host's. The runs of its schedule that fall due on the way are fired, each at its
// own time, and the goal closes at its deadline. Nothing else is fired: that is what Tick does. It returns the time that it then
// is there. by is rounded up to milliseconds. Refusals: CodeNotFound, CodeValidation.
func (g *Goals) Advance(ctx context.Context, id string, by time.Duration) (now time.Time, err error) {
	leave, err := g.enter()
	if err != nil {
		return now, err
	}
	defer leave()
	defer clock.Working(g.o.Clock)()
	for left := whole(by); left > 0; {
		on, err := g.next(ctx, id, left)
		if err == nil {
			err = g.pass(ctx, id, on)
		}
		if err != nil {
			return now, err
		}
		left -= on
	}
	err = g.look(ctx, id, func(s *state) { now = g.now(s.ahead) })
	return now, err
}

// whole rounds up to milliseconds, as the log has it.
func whole(d time.Duration) time.Duration {
	return (d + time.Millisecond - 1).Truncate(time.Millisecond)
}

// next is how far it is to the next run of the goal's schedule, most at most.
func (g *Goals) next(ctx context.Context, id string, most time.Duration) (on time.Duration, err error) {
	err = g.look(ctx, id, func(s *state) {
		on = most
		if due, scheduled := s.due(); scheduled {
			if in := whole(due.Sub(g.now(s.ahead))); in > 0 { // what is late already rings by itself
				on = min(on, in)
			}
		}
	})
	return on, err
}

// pass moves the clock and does what is due then. The timer does not do it as well: see answer.
func (g *Goals) pass(ctx context.Context, id string, on time.Duration) error {
	g.count(id, 1)
	err := g.move(ctx, id, on)
	if err == nil {
		err = g.keep(id)
	}
	g.count(id, -1)
	if err != nil {
		return err
	}
	return g.strike(ctx, id) // sets the timer anew
}

func (g *Goals) move(ctx context.Context, id string, on time.Duration) error {
	_, err := g.change(ctx, id, func(s *state) (*record, error) {
		ahead := s.ahead + on
		if ahead > farOff*time.Millisecond {
			return nil, invalid("by", "the clock of a goal moves on by %d ms in all, at most", int64(farOff))
		}
		r := &record{At: g.now(ahead), AheadMs: on.Milliseconds()}
		if s.lapses() && s.late(r.At) {
			r.Closed = openwopv1.GoalStateBoundExceeded
		}
		return r, nil
	})
	return err
}
