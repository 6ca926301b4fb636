package clock

import (
	"sync"
	"time"
)

// Shifted is a base clock that can be moved ahead for those who hold it: a clock seam moves one run, never its host. It
// goes on with its base in between. Timers made through it come due by its own time.
type Shifted struct {
	base   Clock
	moving sync.Mutex // one move at a time

	mu     sync.Mutex // guards what follows; not held during callbacks
	ahead  time.Duration
	timers timers
}

var _ Clock = (*Shifted)(nil)

// Shift returns a clock that agrees with base until it is advanced.
func Shift(base Clock) *Shifted { return &Shifted{base: base} }

// Now is the time of the base clock and all that this one was advanced by.
func (s *Shifted) Now() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.now()
}

func (s *Shifted) now() time.Time { return s.base.Now().Add(s.ahead) }

// AfterFunc sets a callback for d from now, whether that passes on the base clock or by Advance.
func (s *Shifted) AfterFunc(d time.Duration, f func()) Timer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.set(s.now().Add(d), f)
}

// At sets a callback for t by the time of this clock.
func (s *Shifted) At(t time.Time, f func()) Timer {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.set(t, f)
}

func (s *Shifted) set(due time.Time, f func()) Timer {
	t := s.timers.add(due, f)
	s.arm(t)
	return &shiftedTimer{clock: s, timer: t}
}

// arm has the base clock call t when it is due. A call that comes late, after Advance has run or armed the timer again, is
// no trouble: time only moves ahead, so it finds the timer due, or gone.
func (s *Shifted) arm(t *timer) {
	t.base = s.base.At(t.due.Add(-s.ahead), func() {
		s.mu.Lock()
		mine := s.timers.remove(t)
		s.mu.Unlock()
		if mine {
			t.call()
		}
	})
}

// Advance moves the clock ahead by d, and runs what comes due thereby as [Manual] does: in order, in the calling
// goroutine, each with the clock standing at the time it was due (or just past it, where the base clock goes on by
// itself). A callback must not advance this clock. A negative d moves nothing.
func (s *Shifted) Advance(d time.Duration) {
	s.moving.Lock()
	defer s.moving.Unlock()
	s.mu.Lock()
	target := s.ahead + max(d, 0)
	s.mu.Unlock()
	for {
		call := s.step(target)
		if call == nil {
			return
		}
		call()
	}
}

// step moves ahead to the next timer that is due before target and returns its callback; where there is none, it moves to
// target and arms what is left anew.
func (s *Shifted) step(target time.Duration) (call func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if next := s.timers.next(s.base.Now().Add(target)); next != nil {
		next.base.Stop()
		s.ahead += max(next.due.Sub(s.now()), 0)
		return next.call
	}
	s.ahead = target
	for _, t := range s.timers.inOrder() { // so that the base keeps the order of those due together
		t.base.Stop()
		s.arm(t)
	}
	return nil
}

// Next is when the first timer is due; ok is false where none is set.
func (s *Shifted) Next() (due time.Time, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.timers.first()
}

type shiftedTimer struct {
	clock *Shifted
	timer *timer
}

func (t *shiftedTimer) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	if !t.clock.timers.remove(t.timer) {
		return false
	}
	t.timer.base.Stop()
	return true
}
