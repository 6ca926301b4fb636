package goal

import (
	"context"
	"fmt"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// farOff is a time, in ms, that no goal lives to see; it is some 139 years. A clock cannot be moved on further.
const farOff = 1 << 42

// retry is how long to wait with what was due and could not be done.
const retry = time.Minute

// now is the time of a goal whose clock is ahead of the host's. A microsecond is fine enough, and what is read back equals
// what was written.
func (g *Goals) now(ahead time.Duration) time.Time {
	return g.o.Clock.Now().Add(ahead).UTC().Truncate(time.Microsecond)
}

// deadline is when the goal ends at the latest, by its own clock; false where there is none.
func (s *state) deadline() (time.Time, bool) {
	ms := s.Bounds.RunTimeoutMs
	if ms == nil || *ms >= farOff {
		return time.Time{}, false
	}
	return s.createdAt.Add(time.Duration(*ms) * time.Millisecond), true
}

// late tells whether the deadline has passed.
func (s *state) late(at time.Time) bool {
	deadline, ok := s.deadline()
	return ok && at.After(deadline)
}

// lapses tells whether the goal ends when its deadline has passed.
func (s *state) lapses() bool {
	return s.active() && s.rules.Exceeds(rules.Spent{Mode: s.Continuation.Mode, Bounds: s.Bounds, Late: true, Paused: s.paused})
}

// arm sets the timer of a goal for what comes first, its deadline or the next run of its schedule, in place of the one that
// is set. It is called with the board locked, so that the last word is that of the last change.
func (g *Goals) arm(s *state) {
	at, set := s.deadline()
	at, set = at.Add(time.Millisecond), set && s.lapses()
	if due, scheduled := s.due(); scheduled {
		if again := g.now(s.ahead).Add(retry); s.begun != nil && due.Before(again) {
			due = again // the end of that tick sets the timer again; unless an error keeps it from its end
		}
		answered := g.ringing(s.id) && !due.After(g.now(s.ahead)) // by whoever is at it, who sets the timer again
		if (!set || due.Before(at)) && !answered {
			at, set = due, true
		}
	}
	g.setAlarm(s.id, at.Add(-s.ahead), set)
}

// setAlarm has a goal looked at when the host's clock stands at a time; never where it is not to be set.
func (g *Goals) setAlarm(id string, at time.Time, set bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if alarm := g.alarms[id]; alarm != nil {
		alarm.Stop()
		delete(g.alarms, id)
	}
	if set {
		g.alarms[id] = g.o.Clock.At(at, func() { g.ring(id) })
	}
}

// ring is the callback of the timer.
func (g *Goals) ring(id string) {
	leave, err := g.enter()
	if err != nil {
		return
	}
	defer leave()
	err = g.answer(id)
	if err == nil {
		err = g.strike(context.Background(), id) // sets the timer also for what has come due meanwhile
	}
	if err != nil && g.ctx.Err() == nil {
		g.o.OnError(fmt.Errorf("what was due of goal %s: %w", id, err))
		g.setAlarm(id, g.o.Clock.Now().Add(retry), true)
	}
}

// answer does what is due. Until it has, the timer is not set for that again: it would ring at once, over and over.
func (g *Goals) answer(id string) error {
	g.count(id, 1)
	defer g.count(id, -1)
	if err := g.strike(context.Background(), id); err != nil {
		return err
	}
	return g.keep(id)
}

func (g *Goals) count(id string, more int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.rings[id] += more; g.rings[id] == 0 {
		delete(g.rings, id)
	}
}

func (g *Goals) ringing(id string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.rings[id] > 0
}

// strike closes an active goal whose deadline has passed, and sets the timer of one whose deadline is still to come.
func (g *Goals) strike(ctx context.Context, id string) error {
	_, err := g.change(ctx, id, func(s *state) (*record, error) {
		at := g.now(s.ahead)
		if !s.lapses() || !s.late(at) {
			return nil, nil
		}
		return &record{At: at, Closed: openwopv1.GoalStateBoundExceeded}, nil
	})
	return err
}

// armed is a goal that was just created, with its timer set.
func (g *Goals) armed(ctx context.Context, id string) (openwopv1.Goal, error) {
	o, err := g.change(ctx, id, func(*state) (*record, error) { return nil, nil })
	return o.goal, err
}
