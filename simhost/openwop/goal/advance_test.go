package goal

import (
	"errors"
	"testing"
	"time"

	"github.com/openassay/assay/simhost/refusal"
)

// Time that passes for one goal fires what its schedule comes to, moment by moment, and nothing of another goal.
func TestTimePassesForOneGoal(t *testing.T) {
	h := newHost(t)
	id, other := h.going(every("1h"), within(9)), h.going(every("1h"), within(9))
	now, err := h.Advance(h.soon(), id, 150*time.Minute)
	if err != nil || now.Sub(epoch) != 150*time.Minute {
		t.Fatalf("it is %s later there: %v", now.Sub(epoch), err)
	}
	h.expectStory(id, "false false")
	h.restart() // what has passed is on the log
	h.advances(30 * time.Minute)
	h.expectStory(id, "false false false")
	h.expectStory(other, "")
	h.advances(30 * time.Minute)
	h.expectStory(other, "false")
	if _, err := h.Advance(h.soon(), "none", time.Hour); refusal.In(err) == nil {
		t.Errorf("no goal: %v", err)
	}
	if _, err := h.Advance(h.soon(), id, 200*365*24*time.Hour); refusal.In(err) == nil {
		t.Errorf("longer than any goal lives: %v", err)
	}
}

// A goal closes at its deadline by its own clock, and time passes for a goal that has ended, too.
func TestADeadlineOfOneGoal(t *testing.T) {
	h := newHost(t)
	bounds := within(9)
	bounds.RunTimeoutMs = new(int64(90 * 60_000))
	id := h.going(every("1h"), bounds)
	if _, err := h.Advance(h.soon(), id, 3*time.Hour); err != nil {
		t.Fatal(err)
	}
	h.expectStory(id, "false bound-exceeded")
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Advance(h.soon(), id, time.Hour); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}
