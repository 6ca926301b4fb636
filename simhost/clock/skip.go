package clock

import (
	"sync"
	"time"
)

// Moved is a clock that can be moved ahead.
type Moved interface {
	Clock
	// Advance moves the clock, and runs what comes due on the way, each callback with the clock at the time it was due.
	Advance(d time.Duration)
}

var _, _, _ Moved = (*Manual)(nil), (*Shifted)(nil), (*Skipping)(nil)

// Skipping is a clock that goes on with its base and jumps ahead to the next timer when everything that goes by it only
// waits: no work is under way, nobody asks for anything, and it has been so for a while. Timers come due in the order of
// their times, however the clock gets there.
type Skipping struct {
	*Shifted
	o     SkipOptions
	works works

	mu      sync.Mutex // guards what follows; not held during callbacks
	working int
	reading int
	jumped  time.Duration // since somebody last changed something
	round   uint64        // of waiting for quiet; a timer of another round is void
	quiet   Timer         // ends the quiet; nil where it is not waited for
	late    bool          // the quiet is over, and only reads hold up the jump
	stopped bool
}

// SkipOptions of a [Skipping]. All but OnCap are required.
type SkipOptions struct {
	Base  Clock         // goes on by itself
	Wire  Clock         // measures the quiet
	Quiet time.Duration // that must have passed without work before a jump
	Most  time.Duration // that jumps may come to together until [Skipping.Stir]
	// OnCap hears how far the next timer is when the cap keeps the clock from jumping there. It must not block.
	OnCap func(ahead time.Duration)
}

// Skip returns a clock that agrees with its base until it first jumps. Stop ends its jumps.
func Skip(o SkipOptions) *Skipping {
	s := &Skipping{Shifted: Shift(o.Base), o: o}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.wait()
	return s
}

// AfterFunc implements [Clock]. The callback counts as work.
func (s *Skipping) AfterFunc(d time.Duration, f func()) Timer {
	return s.minded(s.Shifted.AfterFunc(d, s.counted(f)))
}

// At implements [Clock]. The callback counts as work.
func (s *Skipping) At(t time.Time, f func()) Timer { return s.minded(s.Shifted.At(t, s.counted(f))) }

func (s *Skipping) counted(f func()) func() {
	return func() {
		defer s.Work()()
		f()
	}
}

// minded has the clock look again: a new timer may be the one to jump to.
func (s *Skipping) minded(t Timer) Timer {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.working == 0 && s.quiet == nil {
		s.wait()
	}
	return t
}

// Advance implements [Moved].
func (s *Skipping) Advance(d time.Duration) {
	defer s.Read()() // it does not jump by itself meanwhile
	s.Stir()
	s.Shifted.Advance(d)
}

// Work marks work under way. The quiet begins anew when the last work is done.
func (s *Skipping) Work() (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.working++
	s.works.begin()
	s.disturb()
	return func() {
		defer s.works.end()
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.working--; s.working == 0 {
			s.wait()
		}
	}
}

// Read marks a look at what is there. The clock does not jump meanwhile, but the quiet goes on: who polls does not keep time
// from going on.
func (s *Skipping) Read() (done func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reading++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.reading--; s.reading == 0 && s.late {
			s.disturb()
			s.waitFor(0)
		}
	}
}

// Stir notes that somebody changed something: the cap counts anew from here.
func (s *Skipping) Stir() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jumped = 0
}

// Stop ends the jumps. Time goes on with the base.
func (s *Skipping) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	s.disturb()
}

// disturb ends the wait for quiet. The caller has the lock.
func (s *Skipping) disturb() {
	s.round++
	s.late = false
	if s.quiet != nil {
		s.quiet.Stop()
		s.quiet = nil
	}
}

// wait begins to wait for quiet. The caller has the lock.
func (s *Skipping) wait() { s.waitFor(s.o.Quiet) }

func (s *Skipping) waitFor(d time.Duration) {
	s.disturb()
	if s.stopped {
		return
	}
	round := s.round
	s.quiet = s.o.Wire.AfterFunc(d, func() { s.jump(round) })
}

// jump moves the clock to the next timer.
func (s *Skipping) jump(round uint64) {
	by, ok := s.step(round)
	if !ok {
		return
	}
	s.Shifted.Advance(by)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.working--; s.working == 0 {
		s.wait()
	}
}

// step returns how far to jump, and marks the jump as work; ok is false where none is due.
func (s *Skipping) step(round uint64) (by time.Duration, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.round != round || s.stopped || s.working > 0 {
		return 0, false
	}
	s.quiet = nil
	if s.late = s.reading > 0; s.late {
		return 0, false
	}
	next, ok := s.Next()
	if !ok {
		return 0, false
	}
	if by = max(next.Sub(s.Now()), 0); by > s.o.Most-s.jumped {
		if s.o.OnCap != nil {
			s.o.OnCap(by)
		}
		return 0, false
	}
	s.jumped += by
	s.working++
	return by, true
}
