package clock

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// journal notes what was called, and where its clock stood then.
type journal struct {
	clock Clock
	calls []string
}

func (j *journal) note(name string) func() {
	return func() { j.calls = append(j.calls, fmt.Sprint(name, " ", j.clock.Now().Sub(start))) }
}

func (j *journal) want(t *testing.T, calls ...string) {
	t.Helper()
	if !slices.Equal(j.calls, calls) {
		t.Errorf("called %q, want %q", j.calls, calls)
	}
	j.calls = nil
}

// moved is what Manual and Shifted have in common.
type moved interface {
	Clock
	Advance(d time.Duration)
}

func eachMoved(t *testing.T, test func(t *testing.T, c moved)) {
	t.Run("manual", func(t *testing.T) { test(t, NewManual(start)) })
	t.Run("shifted", func(t *testing.T) { test(t, Shift(NewManual(start))) })
	t.Run("shifted twice", func(t *testing.T) { test(t, Shift(Shift(NewManual(start)))) })
}

func TestAdvanceCallsWhatIsDueInOrder(t *testing.T) {
	eachMoved(t, func(t *testing.T, c moved) {
		j := &journal{clock: c}
		c.AfterFunc(3*time.Second, j.note("c"))
		c.AfterFunc(time.Second, j.note("a1"))
		c.AfterFunc(2*time.Second, j.note("b"))
		c.AfterFunc(time.Second, j.note("a2"))
		c.Advance(time.Second - 1)
		j.want(t)
		c.Advance(1)
		j.want(t, "a1 1s", "a2 1s")
		c.Advance(time.Hour)
		j.want(t, "b 2s", "c 3s")
		if got := c.Now().Sub(start); got != time.Hour+time.Second {
			t.Errorf("the clock stands at %v", got)
		}
		c.Advance(time.Hour)
		j.want(t)
	})
}

func TestNegativeAdvanceMovesNothing(t *testing.T) {
	eachMoved(t, func(t *testing.T, c moved) {
		c.Advance(-time.Second)
		if !c.Now().Equal(start) {
			t.Errorf("the clock stands at %v", c.Now())
		}
	})
}

func TestStop(t *testing.T) {
	eachMoved(t, func(t *testing.T, c moved) {
		j := &journal{clock: c}
		stopped, fired := c.AfterFunc(time.Second, j.note("stopped")), c.AfterFunc(time.Second, j.note("fired"))
		if !stopped.Stop() || stopped.Stop() {
			t.Error("the first Stop must report true, the second false")
		}
		c.Advance(time.Second)
		j.want(t, "fired 1s")
		if fired.Stop() {
			t.Error("Stop after the callback reports true")
		}
	})
}

func TestCallbackMaySetTimersWithinTheMove(t *testing.T) {
	eachMoved(t, func(t *testing.T, c moved) {
		j := &journal{clock: c}
		var again func()
		again = func() {
			j.note("tick")()
			c.AfterFunc(time.Second, again)
		}
		c.AfterFunc(time.Second, again)
		c.Advance(3500 * time.Millisecond)
		j.want(t, "tick 1s", "tick 2s", "tick 3s")
	})
}

func TestCallbackMayStopATimerOfTheSameMove(t *testing.T) {
	eachMoved(t, func(t *testing.T, c moved) {
		j := &journal{clock: c}
		var later Timer
		c.AfterFunc(time.Second, func() {
			if !later.Stop() {
				t.Error("the later timer was not there to stop")
			}
		})
		later = c.AfterFunc(time.Second, j.note("later"))
		c.Advance(time.Minute)
		j.want(t)
	})
}

func TestDueAtOnceNeedsNobodyToMove(t *testing.T) {
	for name, c := range map[string]Clock{"real": Real(), "manual": NewManual(start), "shifted": Shift(NewManual(start)),
		"shifted real": Shift(Real())} {
		for _, d := range []time.Duration{0, -time.Second} {
			called := make(chan struct{}, 2)
			call := func() { called <- struct{}{} }
			timers := []Timer{c.AfterFunc(d, call), c.At(c.Now().Add(d), call)}
			<-called
			<-called
			for _, timer := range timers {
				if timer.Stop() {
					t.Errorf("%s, %v: Stop after the callback reports true", name, d)
				}
			}
		}
	}
}

func TestReal(t *testing.T) {
	c := Real()
	before := time.Now()
	if now := c.Now(); now.Before(before) || now.After(time.Now()) {
		t.Errorf("the real clock says %v", now)
	}
	if !c.AfterFunc(time.Hour, func() { t.Error("called") }).Stop() {
		t.Error("a timer in an hour is not there to stop")
	}
}

func TestSet(t *testing.T) {
	c := NewManual(start)
	j := &journal{clock: c}
	c.AfterFunc(time.Second, j.note("a"))
	c.Set(start.Add(-time.Hour))
	if !c.Now().Equal(start) {
		t.Errorf("the clock went back to %v", c.Now())
	}
	c.Set(start.Add(time.Minute))
	j.want(t, "a 1s")
	if got := c.Now().Sub(start); got != time.Minute {
		t.Errorf("the clock stands at %v", got)
	}
}

// The seam of one run moves that run: its host and the other runs stay.
func TestShiftLeavesTheBaseAlone(t *testing.T) {
	base := NewManual(start)
	run, other := Shift(base), Shift(base)
	onBase, onRun, onOther := &journal{clock: base}, &journal{clock: run}, &journal{clock: other}
	base.AfterFunc(time.Minute, onBase.note("base"))
	run.AfterFunc(time.Minute, onRun.note("run"))
	run.AfterFunc(3*time.Minute, onRun.note("run later"))
	other.AfterFunc(time.Minute, onOther.note("other"))

	run.Advance(2 * time.Minute)
	onRun.want(t, "run 1m0s")
	onBase.want(t)
	onOther.want(t)
	for clock, want := range map[Clock]time.Duration{base: 0, other: 0, run: 2 * time.Minute} {
		if got := clock.Now().Sub(start); got != want {
			t.Errorf("a clock stands at %v, want %v", got, want)
		}
	}

	// What is left comes due by the shifted time, also when it is the base that moves.
	base.Advance(time.Minute)
	onRun.want(t, "run later 3m0s")
	onBase.want(t, "base 1m0s")
	onOther.want(t, "other 1m0s")
}

func TestShiftKeepsTheOrderOfTimersDueTogether(t *testing.T) {
	base := NewManual(start)
	c := Shift(base)
	j := &journal{clock: c}
	c.AfterFunc(time.Second, j.note("first"))
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		c.AfterFunc(time.Minute, j.note(name))
	}
	c.Advance(time.Second)
	base.Advance(time.Hour)
	j.want(t, "first 1s", "a 1m0s", "b 1m0s", "c 1m0s", "d 1m0s", "e 1m0s")
}

func TestShiftOfTheRealClock(t *testing.T) {
	c := Shift(Real())
	called := make(chan time.Time, 1)
	began := c.Now()
	c.AfterFunc(time.Hour, func() { called <- c.Now() })
	left := c.AfterFunc(3*time.Hour, func() { t.Error("called") })
	c.Advance(2 * time.Hour)
	select {
	case at := <-called:
		if passed := at.Sub(began); passed < time.Hour || passed >= 2*time.Hour {
			t.Errorf("called when %v had passed", passed)
		}
	default:
		t.Error("Advance returned before the callback did")
	}
	if passed := c.Now().Sub(began); passed < 2*time.Hour {
		t.Errorf("%v have passed, want 2h", passed)
	}
	if !left.Stop() {
		t.Error("the timer that is not due yet is gone")
	}
}

// TestShiftAgainstPlainTime compares a shifted clock, whose base moves too, with one that is moved by the same in all.
func TestShiftAgainstPlainTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base, plain := NewManual(start), NewManual(start)
		shifted := Shift(base)
		a, b := &journal{clock: shifted}, &journal{clock: plain}
		var timers [][2]Timer
		step := rapid.Custom(func(t *rapid.T) time.Duration {
			return time.Duration(rapid.IntRange(1, 4).Draw(t, "seconds")) * time.Second
		})
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				d, name := step.Draw(t, "in"), fmt.Sprint(len(timers))
				timers = append(timers, [2]Timer{shifted.AfterFunc(d, a.note(name)), plain.AfterFunc(d, b.note(name))})
			},
			"set for a time": func(t *rapid.T) {
				at, name := shifted.Now().Add(step.Draw(t, "in")), fmt.Sprint(len(timers))
				timers = append(timers, [2]Timer{shifted.At(at, a.note(name)), plain.At(at, b.note(name))})
			},
			"stop": func(t *rapid.T) {
				if len(timers) == 0 {
					t.Skip("no timers")
				}
				pair := timers[rapid.IntRange(0, len(timers)-1).Draw(t, "timer")]
				if x, y := pair[0].Stop(), pair[1].Stop(); x != y {
					t.Fatalf("Stop reports %v, the plain clock %v", x, y)
				}
			},
			"shift": func(t *rapid.T) {
				d := step.Draw(t, "by")
				shifted.Advance(d)
				plain.Advance(d)
			},
			"base": func(t *rapid.T) {
				d := step.Draw(t, "by")
				base.Advance(d)
				plain.Advance(d)
			},
			"": func(t *rapid.T) {
				if !shifted.Now().Equal(plain.Now()) {
					t.Fatalf("stands at %v, the plain clock at %v", shifted.Now(), plain.Now())
				}
				if !slices.Equal(a.calls, b.calls) {
					t.Fatalf("called %q, the plain clock %q", a.calls, b.calls)
				}
			},
		})
	})
}

// Timers that are set, stopped and moved past at once are each called or stopped, never both and never neither.
func TestConcurrentUse(t *testing.T) {
	const workers, timersEach = 4, 200
	base := NewManual(start)
	shifted := Shift(base)
	for name, c := range map[string]Clock{"manual": base, "shifted": shifted} {
		var (
			wg              sync.WaitGroup
			mu              sync.Mutex
			called, stopped int
		)
		count := func(n *int) {
			mu.Lock()
			defer mu.Unlock()
			*n++
		}
		for worker := range workers {
			wg.Go(func() {
				for i := range timersEach {
					timer := c.AfterFunc(time.Duration(1+(i+worker)%5)*time.Second, func() { count(&called) })
					switch i % 4 {
					case 0:
						shifted.Advance(time.Second)
					case 1:
						base.Advance(time.Second)
					case 2:
						if timer.Stop() {
							count(&stopped)
						}
					}
				}
			})
		}
		wg.Wait()
		shifted.Advance(time.Minute)
		base.Advance(time.Minute)
		mu.Lock()
		if called+stopped != workers*timersEach {
			t.Errorf("%s: %d called and %d stopped of %d", name, called, stopped, workers*timersEach)
		}
		mu.Unlock()
	}
}
