package run

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

// nextTime is when something happens by itself to a run that waits; zero for never.
func (s *State) nextTime(w wait) (due time.Time) {
	if s.stop != nil {
		return due
	}
	if bound := s.created.Bounds.DurationMs; bound > 0 && bound < farOff {
		due = s.startedAt.Add(time.Duration(bound+1) * time.Millisecond)
	}
	if w == waitsForTime {
		if node := s.nodes[s.done]; due.IsZero() || node.due.Before(due) {
			due = node.due
		}
	}
	return due
}

// arm sets the alarm of a run for the next time at which something happens. The caller has the run's lock.
func (e *Engine) arm(r *liveRun, w wait) {
	due, now := r.state.nextTime(w), e.now()
	// An alarm that rang in time without effect would have none if it rang again.
	if r.alarm != nil && r.alarm.due.Equal(due) && (!r.alarm.rung.Load() || !now.Before(due)) {
		return
	}
	r.disarm()
	if due.IsZero() {
		return
	}
	a := &alarm{due: due}
	a.timer = e.o.Clock.AfterFunc(due.Sub(now), func() {
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
