package goal

import (
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
)

func every(interval string) openwopv1.GoalContinuation {
	return openwopv1.GoalContinuation{Mode: openwopv1.GoalContinuationModeSchedule, ArmRef: new(everyPrefix + interval)}
}

func by(heartbeat string) openwopv1.GoalContinuation {
	return openwopv1.GoalContinuation{Mode: openwopv1.GoalContinuationModeHeartbeat, ArmRef: &heartbeat}
}

// going makes a goal that goes on in that way.
func (h *host) going(next openwopv1.GoalContinuation, bounds openwopv1.GoalBounds) string {
	h.t.Helper()
	c := offered(bounds)
	c.Continuation = next
	return must[openwopv1.Goal](h.t)(h.Create(h.soon(), c)).ID
}

// advances moves the clock, and waits for what came due.
func (h *host) advances(d time.Duration) {
	h.t.Helper()
	h.clock.Advance(d)
	h.quiet()
}

func TestAScheduleFiresByItself(t *testing.T) {
	h := newHost(t)
	id := h.going(every("1s"), within(4))
	h.advances(999 * time.Millisecond)
	h.expectStory(id, "")
	h.advances(time.Millisecond)
	h.expectStory(id, "false")
	h.advances(1500 * time.Millisecond)
	h.expectStory(id, "false false")
	h.tick(id, Tick{Verdict: sure(0.5)}) // between two moments, which it leaves where they are
	h.advances(499 * time.Millisecond)
	h.expectStory(id, "false false false")
	h.advances(time.Millisecond)
	h.expectStory(id, "false false false false bound-exceeded")
	h.advances(time.Hour)
	h.expectStory(id, "false false false false bound-exceeded")
	if runs := h.runs(id); len(runs) != 4 {
		t.Errorf("it fired %v", runs)
	}
}

// What has come due waits for the turn of its goal, and the timer does not ring for it over and over meanwhile.
func TestWhatIsDueWaitsForItsTurn(t *testing.T) {
	h := newHost(t)
	id := h.going(every("1s"), within(2))
	release := must[func()](t)(h.take(h.soon(), id))
	var moved sync.WaitGroup
	moved.Go(func() { h.clock.Advance(time.Second) })
	for deadline := time.Now().Add(patience); !h.ringing(id); runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatal("the timer does not ring")
		}
	}
	if err := h.strike(h.soon(), id); err != nil {
		t.Fatal(err)
	}
	h.mu.Lock()
	if h.alarms[id] != nil {
		t.Error("the timer is set for what is waited with")
	}
	h.mu.Unlock()
	release()
	moved.Wait()
	h.quiet()
	h.expectStory(id, "false")
	h.advances(time.Second)
	h.expectStory(id, "false false bound-exceeded")
}

// Whatever ends a goal, or holds it up, holds up its schedule.
func TestAScheduleIsDisarmed(t *testing.T) {
	h := newHost(t)
	for name, end := range map[string]func(id string){
		"true satisfied":       func(id string) { h.tick(id, Tick{Verdict: yes}) },
		"abandoned":            func(id string) { must[openwopv1.Goal](t)(h.Abandon(h.soon(), id)) },
		"escalated":            func(id string) { h.tick(id, Tick{Escalate: true}) },
		"false bound-exceeded": func(id string) { h.tick(id, Tick{CostUSD: 2}) },
		"":                     func(id string) { must[openwopv1.Goal](t)(h.Pause(h.soon(), id)) },
	} {
		bounds := within(9)
		bounds.MaxCostUSD = new(1.0)
		id := h.going(every("1s"), bounds)
		end(id)
		h.advances(time.Minute)
		h.expectStory(id, name)
		h.restart()
		h.advances(time.Minute)
		h.expectStory(id, name)
		must[openwopv1.Goal](t)(h.Abandon(h.soon(), h.going(every("1s"), bounds)))
	}
}

func TestAPausedScheduleBeginsAnew(t *testing.T) {
	h := newHost(t)
	id := h.going(every("1s"), within(9))
	h.advances(900 * time.Millisecond)
	must[openwopv1.Goal](t)(h.Pause(h.soon(), id))
	h.advances(10 * time.Second)
	must[openwopv1.Goal](t)(h.ReArm(h.soon(), id))
	h.advances(999 * time.Millisecond)
	h.expectStory(id, "")
	h.advances(time.Millisecond)
	h.expectStory(id, "false")
}

func TestAScheduleOutlivesTheHost(t *testing.T) {
	h := newHost(t)
	id := h.going(every("1s"), within(9))
	h.advances(1200 * time.Millisecond)
	h.restart()
	h.advances(799 * time.Millisecond)
	h.expectStory(id, "false")
	h.advances(time.Millisecond)
	h.expectStory(id, "false false")
	h.end()
	h.clock.Advance(3500 * time.Millisecond) // three moments pass, and fire one run
	h.start()
	h.quiet()
	h.expectStory(id, "false false false")
	h.advances(499 * time.Millisecond)
	h.expectStory(id, "false false false")
	h.advances(time.Millisecond)
	h.expectStory(id, "false false false false")
}

func TestAScheduleThatTheLogDidNotTakeGoesOnLater(t *testing.T) {
	var told []error
	h := newHost(t, func(h *host) { h.o.OnError = func(err error) { told = append(told, err) } })
	id := h.going(every("1s"), within(2))
	h.log.kill(0)
	h.clock.Advance(time.Second)
	if len(told) != 1 || !errors.Is(told[0], errKilled) {
		t.Errorf("told: %v", told)
	}
	h.log.kill(-1)
	h.advances(retry)
	h.expectStory(id, "false")
}

func TestAGoalIsEditedToASchedule(t *testing.T) {
	h := newHost(t)
	id := h.create(within(9))
	must[openwopv1.Goal](t)(h.Edit(h.soon(), id, Edit{Continuation: new(every("1s"))}))
	h.advances(time.Second)
	h.expectStory(id, "false")
	must[openwopv1.Goal](t)(h.Edit(h.soon(), id, Edit{Continuation: new(offered(within(1)).Continuation)}))
	h.advances(time.Minute)
	h.expectStory(id, "false")
	dear := h.create(openwopv1.GoalBounds{MaxCostUSD: new(1.0)})
	if _, err := h.Edit(h.soon(), dear, Edit{Continuation: new(every("1s"))}); code(err) != CodeValidation {
		t.Errorf("a schedule without an end: %v", err)
	}
}

func TestContinuationsThatAreRefused(t *testing.T) {
	h := newHost(t)
	for name, next := range map[string]openwopv1.GoalContinuation{
		"no schedule":    {Mode: openwopv1.GoalContinuationModeSchedule},
		"another form":   {Mode: openwopv1.GoalContinuationModeSchedule, ArmRef: new("1s")},
		"no duration":    every("soon"),
		"too fast":       every("49ms"),
		"backwards":      every("-1s"),
		"too slow":       every("9000h"),
		"a commitment":   {Mode: openwopv1.GoalContinuationModeCommitment, ArmRef: new("c")},
		"no heartbeats":  by("h"),
		"without a mode": {},
	} {
		c := offered(within(1))
		c.Continuation = next
		if _, err := h.Create(h.soon(), c); code(err) != CodeValidation {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := offered(openwopv1.GoalBounds{MaxCostUSD: new(1.0)})
	c.Continuation = every("1s")
	if _, err := h.Create(h.soon(), c); code(err) != CodeValidation {
		t.Errorf("a schedule without an end: %v", err)
	}
}

func TestAHeartbeatFiresOncePerChange(t *testing.T) {
	h := newHost(t, func(h *host) { h.o.Heartbeats = true })
	id, other, paused := h.going(by("a"), within(2)), h.going(by("b"), within(9)), h.going(by("a"), within(9))
	must[openwopv1.Goal](t)(h.Pause(h.soon(), paused))
	beat := func(change string) {
		if err := h.Beat(h.soon(), "a", change); err != nil {
			t.Fatal(err)
		}
	}
	beat("1")
	h.restart()
	beat("1") // the same one, told again
	h.expectStory(id, "false")
	beat("2")
	beat("3")
	h.expectStory(id, "false false bound-exceeded")
	h.expectStory(other, "")
	h.expectStory(paused, "")
	if diff := cmp.Diff(2, len(h.runs(id))); diff != "" {
		t.Error(diff)
	}
}
