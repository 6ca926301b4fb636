package goal

import (
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
)

// An account has what the protocol does not tell: the pause, the cost, and when time fires the next run.
func TestAccountsOfGoals(t *testing.T) {
	h := newHost(t)
	made, err := h.Create(h.soon(), Create{
		Objective: "o", Completion: openwopv1.GoalCompletionRequest{Check: openwopv1.GoalCheckHost},
		Continuation: openwopv1.GoalContinuation{Mode: openwopv1.GoalContinuationModeSchedule, ArmRef: new("every:10m")},
		Bounds:       openwopv1.GoalBounds{MaxLoopIterations: new(int64(9))},
	})
	if err != nil {
		t.Fatal(err)
	}
	h.tick(made.ID, Tick{CostUSD: 0.5, ElapsedMs: 60000})
	account := func() Account {
		t.Helper()
		all, err := h.Accounts(h.soon())
		if err != nil || len(all) != 1 {
			t.Fatalf("%d accounts, %v", len(all), err)
		}
		return all[0]
	}
	// The goal's own clock is a minute ahead, so by the host's the next run comes a minute sooner.
	want := made.CreatedAt.Add(9 * time.Minute)
	for range 2 {
		a := account()
		if a.Goal.ID != made.ID || a.CostUSD != 0.5 || a.Ahead != time.Minute || a.Paused || !a.Next.Equal(want) || len(a.Events) != 1 {
			t.Errorf("the account: %+v, want the next run at %s", a, want)
		}
		h.restart()
	}
	if _, err := h.Pause(h.soon(), made.ID); err != nil {
		t.Fatal(err)
	}
	if a := account(); !a.Paused || !a.Next.IsZero() {
		t.Errorf("paused, the account is %+v", a)
	}
}
