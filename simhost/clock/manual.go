package clock

import (
	"sync"
	"time"
)

// Manual is a clock that stands still until it is moved. Moving it runs the callbacks that come due, in order and in the
// goroutine that moves it, each with the clock standing at the time it was due; so when Advance returns, they have
// returned. What a callback sets for a time that is still within the move is run in the same move. A callback must not
// move the clock itself.
type Manual struct {
	moving sync.Mutex // one move at a time
	works  works

	mu     sync.Mutex // guards what follows; not held during callbacks
	now    time.Time
	timers timers
}

var _ Clock = (*Manual)(nil)

// NewManual returns a clock that stands at start.
func NewManual(start time.Time) *Manual { return &Manual{now: start} }

// Now is where the clock stands.
func (m *Manual) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

// AfterFunc sets a callback for when the clock has been moved by d. One that is due at once (d <= 0) runs in a goroutine
// of its own, as with the real clock, since nobody may ever move this one again.
func (m *Manual) AfterFunc(d time.Duration, f func()) Timer {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.set(m.now.Add(d), f)
}

// At sets a callback for when the clock stands at t, as AfterFunc does.
func (m *Manual) At(t time.Time, f func()) Timer {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.set(t, f)
}

func (m *Manual) set(due time.Time, f func()) Timer {
	if !due.After(m.now) {
		return time.AfterFunc(0, f)
	}
	return &manualTimer{clock: m, timer: m.timers.add(due, f)}
}

// Advance moves the clock by d; d must not be negative, a clock that runs backwards would lose the order of its timers.
func (m *Manual) Advance(d time.Duration) {
	m.moving.Lock()
	defer m.moving.Unlock()
	m.moveTo(m.Now().Add(max(d, 0)))
}

// Set moves the clock to t; not at all if it already stands there or later.
func (m *Manual) Set(t time.Time) {
	m.moving.Lock()
	defer m.moving.Unlock()
	m.moveTo(t)
}

func (m *Manual) moveTo(target time.Time) {
	for {
		call := m.step(target)
		if call == nil {
			return
		}
		call()
	}
}

// step moves to the next timer that is due by target and returns its callback; where there is none, it moves to target.
func (m *Manual) step(target time.Time) (call func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if next := m.timers.next(target); next != nil {
		if next.due.After(m.now) {
			m.now = next.due
		}
		return next.call
	}
	if target.After(m.now) {
		m.now = target
	}
	return nil
}

// Next is when the first timer is due; ok is false where none is set.
func (m *Manual) Next() (due time.Time, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.timers.first()
}

type manualTimer struct {
	clock *Manual
	timer *timer
}

func (t *manualTimer) Stop() bool {
	t.clock.mu.Lock()
	defer t.clock.mu.Unlock()
	return t.clock.timers.remove(t.timer)
}
