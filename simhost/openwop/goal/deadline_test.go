package goal

import (
	"errors"
	"math"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
)

func TestTheDeadlineStrikesByItself(t *testing.T) {
	h := newHost(t)
	id := h.create(openwopv1.GoalBounds{RunTimeoutMs: new(int64(1000))})
	paused := h.create(openwopv1.GoalBounds{RunTimeoutMs: new(int64(1000))})
	must[openwopv1.Goal](t)(h.Pause(h.soon(), paused))
	ahead := h.create(openwopv1.GoalBounds{RunTimeoutMs: new(int64(1000))})
	h.tick(ahead, Tick{ElapsedMs: 600})
	never := h.create(openwopv1.GoalBounds{RunTimeoutMs: new(int64(math.MaxInt64))})

	h.restart() // the timers are set again, and the clock of one goal is still ahead
	h.clock.Advance(401 * time.Millisecond)
	h.expectStory(ahead, "false bound-exceeded")
	h.expectStory(id, "")
	h.clock.Advance(599 * time.Millisecond)
	h.expectStory(id, "")
	h.expectStory(paused, "")
	h.clock.Advance(time.Millisecond)
	h.expectStory(id, "bound-exceeded")
	h.expectStory(paused, "bound-exceeded")
	h.clock.Advance(100 * 365 * 24 * time.Hour)
	h.expectStory(never, "")
	if events := h.events(id); !events[0].Timestamp.Equal(epoch.Add(1001 * time.Millisecond)) {
		t.Errorf("it struck at %s", events[0].Timestamp)
	}
}

func TestADeadlineThatPassedWhileTheHostWasDown(t *testing.T) {
	h := newHost(t)
	id := h.create(openwopv1.GoalBounds{RunTimeoutMs: new(int64(1000))})
	h.end()
	h.clock.Advance(time.Hour)
	h.start()
	h.expectStory(id, "bound-exceeded")
}

func TestADeadlineThatTheLogDidNotTakeStrikesLater(t *testing.T) {
	var told []error
	h := newHost(t, func(h *host) { h.o.OnError = func(err error) { told = append(told, err) } })
	id := h.create(openwopv1.GoalBounds{RunTimeoutMs: new(int64(1000))})
	h.log.kill(0)
	h.clock.Advance(2 * time.Second)
	if len(told) != 1 || !errors.Is(told[0], errKilled) {
		t.Errorf("told: %v", told)
	}
	h.log.kill(-1)
	h.clock.Advance(retry)
	h.expectStory(id, "bound-exceeded")
}
