package goal

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/openwopv1"
)

// life is what a client makes of a goal, step by step: each looks at the goal and does what is left to do.
func (h *host) live() (string, error) {
	c := offered(within(5))
	c.ID = [16]byte{1}
	goal, err := h.Create(h.soon(), c)
	if err != nil {
		return "", err
	}
	for err == nil && (goal.State == "active" || goal.State == "escalated") {
		if goal, err = h.step(goal); err == nil {
			goal, err = h.Get(h.soon(), goal.ID)
		}
	}
	return goal.ID, err
}

func (h *host) step(goal openwopv1.Goal) (openwopv1.Goal, error) {
	id := goal.ID
	switch n := *goal.Progress.Iterations; {
	case goal.State == "escalated":
		stuck := goal.Progress.ContributingRunIds[len(goal.Progress.ContributingRunIds)-1]
		if suspended(h.run(stuck).Status) {
			if _, err := h.engine.Resolve(h.soon(), stuck, "supervisor", []byte(`{"answers":{"q1":"yes"}}`)); err != nil {
				return goal, err
			}
		}
		return h.ReArm(h.soon(), id)
	case n == 0 && goal.Objective == objective:
		return h.Edit(h.soon(), id, Edit{Objective: "another " + objective})
	case n == 1:
		done, err := h.Tick(h.soon(), id, Tick{Escalate: true})
		return done.Goal, err
	default:
		done, err := h.Tick(h.soon(), id, Tick{Verdict: &openwopv1.ScriptedVerdict{Satisfied: n == 3}, CostUSD: 1, ElapsedMs: 1000})
		return done.Goal, err
	}
}

const wholeLife = "false escalated false false true satisfied"

// A host is killed after each of its appends, once each; whatever host comes next, the goal ends as it would have, after
// the same runs.
func TestKilledBetweenAnyTwoAppends(t *testing.T) {
	whole := newHost(t)
	id, err := whole.live()
	if err != nil {
		t.Fatal(err)
	}
	whole.expectStory(id, wholeLife)
	want, events := whole.get(id), whole.events(id)
	for k := 0; ; k++ {
		h := newHost(t)
		h.log.kill(k)
		h.dies()
		_, err := h.live()
		if err == nil {
			break // it lived through before it could be killed
		}
		h.restart()
		if _, err := h.live(); err != nil {
			t.Fatalf("killed after %d appends: %v", k, err)
		}
		if diff := cmp.Diff(want, h.get(id)); diff != "" {
			t.Fatalf("killed after %d appends (-unharmed +killed)\n%s", k, diff)
		}
		if diff := cmp.Diff(events, h.events(id)); diff != "" {
			t.Fatalf("killed after %d appends: the log (-unharmed +killed)\n%s", k, diff)
		}
		if runs := h.runs(id); len(runs) != 4 {
			t.Fatalf("killed after %d appends: the runs are %v", k, runs)
		}
	}
}

// The log writes a change, and says that it may not have: whoever asks again finds it done.
func TestAnAppendThatWasNotAnswered(t *testing.T) {
	for k := 0; ; k++ {
		h := newHost(t)
		h.log.silent = k
		_, err := h.live()
		if err == nil {
			break // no append was left
		}
		if !errors.Is(err, errSilent) {
			t.Fatal(err)
		}
		if err := h.Resume(h.soon()); err != nil {
			t.Fatal(err)
		}
		h.quiet()
		id, err := h.live()
		if err != nil {
			t.Fatalf("after append %d: %v", k, err)
		}
		h.expectStory(id, wholeLife)
		if runs := h.runs(id); len(runs) != 4 {
			t.Fatalf("after append %d: the runs are %v", k, runs)
		}
	}
}
