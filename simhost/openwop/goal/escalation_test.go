package goal

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
)

func TestEscalation(t *testing.T) {
	h := newHost(t)
	id := h.create(within(3))
	h.tick(id, Tick{})
	done := h.tick(id, Tick{Escalate: true})
	if done.Goal.State != "escalated" || story(done.Events) != "escalated" || *done.Goal.Progress.Iterations != 1 {
		t.Fatalf("the tick comes to %+v", done)
	}
	if !suspended(h.run(done.RunID).Status) || done.Goal.Progress.ContributingRunIds[1] != done.RunID {
		t.Errorf("the run that is stuck is %s, of %v", h.run(done.RunID).Status, done.Goal.Progress)
	}
	h.restart()
	before := h.get(id)
	for _, ask := range []func() error{
		func() error { _, err := h.ReArm(h.soon(), id); return err },
		func() error { _, err := h.Tick(h.soon(), id, Tick{}); return err },
	} {
		if err := ask(); code(err) != CodeClosed || !strings.Contains(err.Error(), done.RunID) {
			t.Errorf("before somebody has answered: %v", err)
		}
	}
	if diff := cmp.Diff(before, h.get(id)); diff != "" {
		t.Errorf("the goal (-before +after)\n%s", diff)
	}
	h.answer(done.RunID)
	armed := must[openwopv1.Goal](t)(h.ReArm(h.soon(), id))
	if armed.State != "active" || *armed.Progress.Iterations != 2 || len(armed.Progress.ContributingRunIds) != 2 ||
		*armed.Completion.LastVerdict.RunID != done.RunID {
		t.Errorf("resumed, the goal is %+v", armed)
	}
	h.tick(id, Tick{Verdict: yes})
	h.expectStory(id, "false escalated false true satisfied")
}

func TestAStuckRunCountsTowardsTheBounds(t *testing.T) {
	h := newHost(t)
	for _, bounds := range []openwopv1.GoalBounds{within(1), {RunTimeoutMs: new(int64(1000))}} {
		id := h.create(bounds)
		stuck := h.tick(id, Tick{Escalate: true}).RunID
		h.clock.Advance(time.Minute)
		h.expectStory(id, "escalated")
		if bounds.RunTimeoutMs != nil { // not answered, but given up
			must[openwopv1.RunSnapshot](t)(h.engine.Cancel(h.soon(), stuck, "enough"))
		} else {
			h.answer(stuck)
		}
		if got := must[openwopv1.Goal](t)(h.ReArm(h.soon(), id)); got.State != "bound-exceeded" {
			t.Errorf("resumed, the goal is %s", got.State)
		}
		h.expectStory(id, "escalated false bound-exceeded")
	}
}

func TestAnEscalatedGoalCanBeGivenUp(t *testing.T) {
	h := newHost(t)
	id := h.create(within(3))
	stuck := h.tick(id, Tick{Escalate: true}).RunID
	must[openwopv1.Goal](t)(h.Abandon(h.soon(), id))
	h.answer(stuck)
	if _, err := h.ReArm(h.soon(), id); code(err) != CodeClosed {
		t.Errorf("resumed with %v", err)
	}
	h.expectStory(id, "escalated abandoned")
}

func TestPausedBeforeItGotStuckAGoalIsResumedOnce(t *testing.T) {
	g := newGate()
	h := newHost(t, g.install)
	id := h.create(within(3))
	done := g.tick(h, id, Tick{Escalate: true})
	must[openwopv1.Goal](t)(h.Pause(h.soon(), id))
	g.open()
	stuck := <-done
	h.answer(stuck.RunID)
	must[openwopv1.Goal](t)(h.ReArm(h.soon(), id))
	if h.tick(id, Tick{}).RunID == "" {
		t.Error("resumed, it is still paused")
	}
}
