package engine

import (
	"sync/atomic"
	"time"

	"github.com/openassay/assay/simhost/clock"
)

// alarm is the timer of a run. It wakes the run and says no more than that: what is due stands in the log.
type alarm struct {
	due   time.Time
	timer clock.Timer
	rung  atomic.Bool
}

// farOff is a bound, in ms, that no timer need be set for; it is some 139 years.
const farOff = 1 << 42

// nextTime is when something happens by itself to a run that waits, later than a time that came to nothing; zero for never.
func nextTime(s *State, w wait, idle time.Time) (due time.Time) {
	if s.Ended() && w == waitsForTime {
		return s.node(s.timed().ID).due
	}
	if s.stop != nil {
		return due
	}
	sooner := func(t time.Time) {
		if t.After(idle) && (due.IsZero() || t.Before(due)) {
			due = t
		}
	}
	if bound := s.created.Bounds.DurationMs; bound > 0 && bound < farOff {
		sooner(s.startedAt.Add(time.Duration(bound+1) * time.Millisecond))
	}
	if w == waitsForTime || w == waitsForAnswer {
		sooner(s.nodes[s.done].due)
	}
	return due
}

// arm sets the alarm of a run for the next time at which something happens. The caller has the run's lock.
func (e *Engine) arm(r *liveRun, w wait) {
	var idle time.Time
	if a := r.alarm; a != nil && a.rung.Load() && !e.now().Before(a.due) {
		idle = a.due // rung in time without effect, it would have none if it rang again
	}
	due := nextTime(&r.state, w, idle)
	if r.alarm != nil && r.alarm.due.Equal(due) && !r.alarm.rung.Load() {
		return
	}
	if due.IsZero() && !idle.IsZero() {
		return // the alarm stays, to tell which time came to nothing
	}
	r.disarm()
	if due.IsZero() {
		return
	}
	a := &alarm{due: due}
	a.timer = e.o.Clock.At(due, func() {
		a.rung.Store(true)
		e.wake(r)
	})
	r.alarm = a
}

func (r *liveRun) disarm() {
	if r.alarm != nil {
		r.alarm.timer.Stop()
		r.alarm = nil
	}
}
