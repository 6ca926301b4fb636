package clock

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

const (
	quiet = time.Second
	most  = time.Hour
)

// skipping is a clock over a base that stands still, whose quiet the test measures.
func skipping() (s *Skipping, wire *Manual, capped *[]time.Duration) {
	wire, capped = NewManual(start), new([]time.Duration)
	return Skip(SkipOptions{Base: NewManual(start), Wire: wire, Quiet: quiet, Most: most,
		OnCap: func(ahead time.Duration) { *capped = append(*capped, ahead) }}), wire, capped
}

func TestSkippingJumpsWhenEverythingWaits(t *testing.T) {
	s, wire, _ := skipping()
	j := &journal{clock: s}
	s.AfterFunc(20*time.Minute, j.note("late"))
	s.AfterFunc(10*time.Minute, j.note("early"))
	wire.Advance(quiet - 1)
	j.want(t)
	wire.Advance(1)
	j.want(t, "early 10m0s")
	wire.Advance(quiet)
	j.want(t, "late 20m0s")
	wire.Advance(time.Hour) // nothing is set any more
	if got := s.Now().Sub(start); got != 20*time.Minute {
		t.Errorf("the clock is at %s", got)
	}
	s.AfterFunc(time.Minute, j.note("more"))
	wire.Advance(quiet)
	j.want(t, "more 21m0s")
}

func TestSkippingWaitsForWork(t *testing.T) {
	s, wire, _ := skipping()
	j := &journal{clock: s}
	s.AfterFunc(time.Minute, j.note("due"))
	one, other := s.Work(), Working(s)
	wire.Advance(time.Hour)
	one()
	wire.Advance(time.Hour)
	j.want(t)
	other()
	wire.Advance(quiet - 1)
	j.want(t)
	wire.Advance(1)
	j.want(t, "due 1m0s")
}

func TestReadsHoldUpAJumpAndNotTheQuiet(t *testing.T) {
	s, wire, _ := skipping()
	fired := make(chan time.Time, 1)
	s.AfterFunc(time.Minute, func() { fired <- s.Now() })
	for range 10 { // somebody polls, more often than the quiet lasts
		done := s.Read()
		wire.Advance(quiet / 10)
		if len(fired) > 0 {
			t.Fatal("the clock jumped under a read")
		}
		done()
	}
	if got := (<-fired).Sub(start); got != time.Minute { // what was late comes at once
		t.Errorf("the clock is at %s", got)
	}
}

func TestSkippingHasACap(t *testing.T) {
	s, wire, capped := skipping()
	j := &journal{clock: s}
	var again func()
	again = func() {
		j.note("tick")()
		s.AfterFunc(20*time.Minute, again)
	}
	s.AfterFunc(20*time.Minute, again)
	wire.Advance(time.Hour)
	j.want(t, "tick 20m0s", "tick 40m0s", "tick 1h0m0s")
	if want := []time.Duration{20 * time.Minute}; !slices.Equal(*capped, want) {
		t.Errorf("the cap told %v, want %v", *capped, want)
	}
	s.Stir()
	s.Work()()
	wire.Advance(quiet)
	j.want(t, "tick 1h20m0s")
	s.Advance(20 * time.Minute)
	j.want(t, "tick 1h40m0s")
	s.Stop()
	wire.Advance(time.Hour)
	j.want(t)
}

// Timers of a skipping clock fire in the order of their times, each once, at its time, never while work is under way, and never
// further than the cap; it is the order in which a clock that is moved by hand fires them.
func TestSkippingKeepsTheOrderOfTimers(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, wire, _ := skipping()
		hand := NewManual(start)
		skipped, moved := &journal{clock: s}, &journal{clock: hand}
		var done func()
		names := 0
		minutes := func(label string) time.Duration {
			return time.Duration(rapid.IntRange(0, 9).Draw(rt, label)) * time.Minute
		}
		working := func() bool { return done != nil }
		set := func(rt *rapid.T, in, then time.Duration) {
			names++
			name := fmt.Sprint(names)
			for c, j := range map[Moved]*journal{s: skipped, hand: moved} {
				c.AfterFunc(in, func() {
					if c == Moved(s) && working() {
						rt.Errorf("timer %s fired under work", name)
					}
					j.note(name)()
					if then > 0 {
						c.AfterFunc(then, j.note(name+" then"))
					}
				})
			}
		}
		rt.Repeat(map[string]func(*rapid.T){
			"timer": func(rt *rapid.T) { set(rt, minutes("in")+1, minutes("then")) },
			"work": func(rt *rapid.T) {
				if !working() {
					done = s.Work()
				}
			},
			"done": func(rt *rapid.T) {
				if working() {
					d := done
					done = nil
					d()
				}
			},
			"quiet": func(rt *rapid.T) { wire.Advance(time.Duration(rapid.IntRange(0, 3).Draw(rt, "seconds")) * time.Second) },
			"stir":  func(*rapid.T) { s.Stir() },
			"": func(rt *rapid.T) {
				hand.Set(s.Now()) // a callback of both may be at the same time
				if !slices.Equal(skipped.calls, moved.calls) {
					rt.Fatalf("skipped %q, moved by hand %q", skipped.calls, moved.calls)
				}
				if s.jumped > most {
					rt.Fatalf("jumped %s, the cap is %s", s.jumped, most)
				}
			},
		})
	})
}

// Pass waits for the work that a timer sets going, so that what this waits for in turn is due on time.
func TestPassWaitsForWork(t *testing.T) {
	hand := NewManual(start)
	skips, _, _ := skipping()
	for name, c := range map[string]Moved{"manual": hand, "skipping": skips} {
		var fired []time.Duration
		var tick func()
		tick = func() {
			done := Working(c)
			go func() { // as an engine does that is woken
				defer done()
				if fired = append(fired, c.Now().Sub(start)); len(fired) < 3 {
					c.AfterFunc(20*time.Minute, tick)
				}
			}()
		}
		c.AfterFunc(20*time.Minute, tick)
		Pass(c, 90*time.Minute)
		if want := []time.Duration{20 * time.Minute, 40 * time.Minute, time.Hour}; !slices.Equal(fired, want) {
			t.Errorf("%s: fired at %v, want %v", name, fired, want)
		}
		if got := c.Now().Sub(start); got != 90*time.Minute {
			t.Errorf("%s: the clock is at %s", name, got)
		}
	}
	shifted := Shift(hand)
	Pass(shifted, time.Minute)
	if got := shifted.Now().Sub(hand.Now()); got != time.Minute {
		t.Errorf("another clock is %s ahead", got)
	}
}

func TestSkippingUnderLoad(t *testing.T) {
	s := Skip(SkipOptions{Base: Real(), Wire: Real(), Quiet: time.Microsecond, Most: 1 << 60})
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 50 {
				fired := make(chan struct{})
				due := s.Now().Add(time.Duration(i) * time.Minute)
				s.At(due, func() {
					if s.Now().Before(due) {
						t.Errorf("a timer fired %s early", due.Sub(s.Now()))
					}
					close(fired)
				})
				s.Read()()
				<-fired
				s.Work()()
			}
		})
	}
	all.Wait()
	s.Stop()
}
