package live

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
)

// delaying is a run that waits an hour.
func delaying() Create {
	return Create{WorkflowID: "conformance-delay", Inputs: map[string]any{"delayMs": 3_600_000.0}}
}

// advance has time pass for one run.
func (h *host) advance(id string, by time.Duration) time.Time {
	h.t.Helper()
	now, err := h.Advance(soon(h.t), id, by)
	if err != nil {
		h.t.Fatal(err)
	}
	return now
}

func TestTimePassesForOneRun(t *testing.T) {
	h := newHost(t)
	id, other := h.begin(delaying()), h.begin(delaying())
	if now := h.advance(id, 40*time.Minute); now.Sub(epoch) != 40*time.Minute {
		t.Errorf("it is %s later there", now.Sub(epoch))
	}
	h.restart() // the clock of the run is on its log
	if s := h.snapshot(id); s.Status != openwopv1.RunStatusRunning {
		t.Errorf("after 40 minutes it is %s", s.Status)
	}
	h.clock.Advance(10 * time.Minute) // what passes for all counts too
	h.advance(id, 10*time.Minute)
	s := h.settled(id)
	if s.Status != openwopv1.RunStatusCompleted || s.CompletedAt.Sub(s.StartedAt) != time.Hour {
		t.Errorf("after an hour it is %s: %s to %s", s.Status, s.StartedAt, s.CompletedAt)
	}
	if s := h.snapshot(other); s.Status != openwopv1.RunStatusRunning {
		t.Errorf("the other one is %s", s.Status)
	}
	if _, err := h.Advance(soon(t), id, time.Minute); code(err) != codes.RunTerminal {
		t.Errorf("a run that has ended: %v", err)
	}
	if _, err := h.Advance(soon(t), "run-none", time.Minute); code(err) != codes.NotFound {
		t.Errorf("no run: %v", err)
	}
	h.clock.Advance(50 * time.Minute)
	if s := h.settled(other); s.Status != openwopv1.RunStatusCompleted {
		t.Errorf("the other one is %s after an hour", s.Status)
	}
}

// Nobody answers in time, by the clock of the run; another run waits on.
func TestABoundOnTimeGoesByTheClockOfTheRun(t *testing.T) {
	h := newHost(t)
	ask := Create{WorkflowID: "assay-loop-ask-user", Configurable: map[string]any{"runTimeoutMs": 60_000.0}}
	s, other := h.create(ask), h.create(ask)
	h.advance(s.RunID, time.Hour)
	if s = h.settled(s.RunID); s.Error == nil || s.Error.Code != codes.Timeout || s.CompletedAt.Sub(s.StartedAt) > 61*time.Second {
		t.Errorf("it is %s: %v", s.Status, s.Error)
	}
	if other = h.snapshot(other.RunID); other.Error != nil {
		t.Errorf("the other one: %v", other.Error)
	}
}

// A run takes along what it dispatched, and what it dispatches later begins by its clock.
func TestTimePassesForTheRunsBelow(t *testing.T) {
	h := newHost(t)
	id := h.begin(Create{WorkflowID: "assay-loop", Inputs: plan(t, `[
		{"kind":"next-worker","nextWorkerIds":["conformance-delay"]}, {"kind":"next-worker","nextWorkerIds":["conformance-delay"]},
		{"kind":"terminate","reason":"done"}]`)})
	h.until(id, func(e event.Event) bool { return e.Type == event.NodeDispatched })
	h.advance(id, time.Hour)
	if s := h.settled(id); s.Status != openwopv1.RunStatusCompleted {
		t.Fatalf("it is %s: %v", s.Status, s.Error)
	}
	events := h.events(id)
	if !slices.IsSortedFunc(events, func(a, b event.Event) int { return a.Timestamp.Compare(b.Timestamp) }) {
		t.Errorf("times go back: %v", events)
	}
	if now := h.clock.Now(); !now.Equal(epoch) {
		t.Errorf("the host is at %s", now)
	}
}

// A fork has a clock of its own, which begins with the host's.
func TestAForkGoesByTheHost(t *testing.T) {
	h := newHost(t)
	id := h.begin(delaying())
	h.advance(id, 2*time.Hour)
	h.settled(id)
	fork, err := h.Fork(soon(t), id, Fork{Mode: "replay", FromSeq: new(int64(0))})
	if err != nil {
		t.Fatal(err)
	}
	if s := fork.Snapshot; !s.StartedAt.Equal(epoch) {
		t.Errorf("it began at %s", s.StartedAt)
	}
}

// It makes no difference in which pieces time passes, nor whether for the run or for the host.
func TestPiecesOfTime(t *testing.T) {
	h := newHost(t)
	rapid.Check(t, func(rt *rapid.T) {
		id := h.begin(delaying())
		began := h.snapshot(id).StartedAt
		for at := time.Duration(0); at < time.Hour; {
			piece := min(time.Duration(rapid.IntRange(1, 3_600_000).Draw(rt, "ms"))*time.Millisecond, time.Hour-at)
			if at += piece; rapid.Bool().Draw(rt, "host") {
				h.clock.Advance(piece)
			} else {
				h.advance(id, piece)
			}
			if rapid.IntRange(0, 4).Draw(rt, "restart") == 0 {
				h.restart()
			}
		}
		if s := h.settled(id); s.Status != openwopv1.RunStatusCompleted || s.CompletedAt.Sub(began) != time.Hour {
			rt.Fatalf("it is %s, from %s to %v", s.Status, began, s.CompletedAt)
		}
	})
}
