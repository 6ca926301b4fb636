package rules

import (
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
)

func TestHonestGoals(t *testing.T) {
	const (
		active, escalated = openwopv1.GoalStateActive, openwopv1.GoalStateEscalated
		exceeded          = openwopv1.GoalStateBoundExceeded
	)
	g := Honest().Goals
	runs := openwopv1.GoalBounds{MaxLoopIterations: new(int64(2))}
	cost := openwopv1.GoalBounds{MaxCostUSD: new(0.3)}
	for _, c := range []struct {
		rule string
		ok   bool
	}{
		{"what is offered is taken", g.Takes("completion.check", true) && !g.Takes("completion.check", false)},
		{"only active goals are edited", g.Edits(active, true) && g.Edits(active, false) && !g.Edits(exceeded, true) &&
			!g.Edits(escalated, false)},
		{"what has ended does not resume", g.Resumes(active) && g.Resumes(escalated) && !g.Resumes(exceeded) &&
			!g.Resumes(openwopv1.GoalStateAbandoned)},
		{"only active goals fire", g.Fires(Firing{State: active}) && !g.Fires(Firing{State: escalated}) && !g.Fires(Firing{State: exceeded})},
		{"pauses hold", !g.Fires(Firing{State: active, Paused: true})},
		{"goals go on by themselves", g.Fires(Firing{State: active, ByItself: true, Runs: 99})},
		{"the verdict counts, not the confidence", g.Satisfies(true, nil) && !g.Satisfies(false, new(1.0))},
		{"one run is left", !g.Exceeds(Spent{Runs: 1, Bounds: runs})},
		{"no run is left", g.Exceeds(Spent{Runs: 2, Bounds: runs}) && g.Exceeds(Spent{Runs: 3, Bounds: runs})},
		{"a cost of the bound is not over it", !g.Exceeds(Spent{CostUSD: 0.1 + 0.1 + 0.1, Bounds: cost})},
		{"a cost above the bound is", g.Exceeds(Spent{CostUSD: 0.301, Bounds: cost})},
		{"late is late", g.Exceeds(Spent{Late: true})},
		{"forks are not judged", !g.Adopts(openwopv1.ForkModeReplay) && !g.Adopts(openwopv1.ForkModeBranch)},
	} {
		if !c.ok {
			t.Errorf("not so: %s", c.rule)
		}
	}
}

func TestHonestHeartbeatsAndRequests(t *testing.T) {
	s := Honest()
	if s.Heartbeat.Changed("a", "a") || !s.Heartbeat.Changed("a", "b") {
		t.Error("another state is a change, and nothing else is")
	}
	if !s.Requests.Minds("createGoal", "/bounds") {
		t.Error("what the contract does not allow is refused")
	}
}
