package live

import (
	"sync/atomic"
	"time"

	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/step"
)

// alarm is the timer of a run. It wakes the run and says no more than that: what is due stands in the log.
type alarm struct {
	due   time.Time     // by the clock of the run
	ahead time.Duration // of the run's clock, for which the timer is set
	timer clock.Timer
	rung  atomic.Bool
}

// farOff is a bound, in ms, that no timer need be set for; it is some 139 years.
const farOff = 1 << 42

// nextTime is when something happens by itself to a run that waits, later than a time that came to nothing; zero for never.
// decides is when its supervisor has made up its mind.
func nextTime(s *state.State, w step.Wait, idle, decides time.Time) (due time.Time) {
	if s.Ended() && w == step.WaitsForTime {
		return s.Node(s.Timed().ID).Due
	}
	if s.Stop != nil {
		return due
	}
	sooner := func(t time.Time) {
		if t.After(idle) && (due.IsZero() || t.Before(due)) {
			due = t
		}
	}
	if bound := s.Created.Bounds.DurationMs; bound > 0 && bound < farOff {
		sooner(s.StartedAt.Add(time.Duration(bound+1) * time.Millisecond))
	}
	switch w {
	case step.WaitsForTime, step.WaitsForAnswer:
		sooner(s.Nodes[s.Done].Due)
	case step.WaitsForThought:
		sooner(decides)
	}
	return due
}

// arm sets the alarm of a run for the next time at which something happens. The caller has the run's lock.
func (e *Engine) arm(r *liveRun, w step.Wait) {
	var idle time.Time
	if a := r.alarm; a != nil && a.rung.Load() && !r.now(e).Before(a.due) {
		idle = a.due // rung in time without effect, it would have none if it rang again
	}
	due := nextTime(&r.state, w, idle, r.thought.until)
	if r.alarm != nil && r.alarm.due.Equal(due) && r.alarm.ahead == r.state.Ahead && !r.alarm.rung.Load() {
		return
	}
	if due.IsZero() && !idle.IsZero() {
		return // the alarm stays, to tell which time came to nothing
	}
	r.disarm()
	if due.IsZero() {
		return
	}
	a := &alarm{due: due, ahead: r.state.Ahead}
	a.timer = e.o.Clock.At(due.Add(-a.ahead), func() {
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
