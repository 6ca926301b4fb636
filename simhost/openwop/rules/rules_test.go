package rules

import "testing"

func TestHonestRules(t *testing.T) {
	s := Honest()
	for _, c := range []struct {
		rule string
		ok   bool
	}{
		{"the first turn is 1", s.Loop.Next(0, Past{}) == 1},
		{"turns count up", s.Loop.Next(7, Past{}) == 8},
		{"a resume does not reset", s.Loop.Next(7, Past{Suspended: true}) == 8},
		{"no bound at all", s.Bounds.InForce("", 0, 0) == 0},
		{"only requested", s.Bounds.InForce("", 3, 0) == 3},
		{"only advertised", s.Bounds.InForce("", 0, 3) == 3},
		{"a request below is taken", s.Bounds.InForce("", 2, 3) == 2},
		{"a request above is clamped", s.Bounds.InForce("", 4, 3) == 3},
		{"turn N runs", !s.Bounds.TurnRefused(3, Bound{Limit: 3})},
		{"turn N+1 does not", s.Bounds.TurnRefused(4, Bound{Limit: 3})},
		{"unbounded turns", !s.Bounds.TurnRefused(1<<30, Bound{Limit: 0})},
		{"node N runs", !s.Bounds.NodeRefused(3, Bound{Limit: 3}, false)},
		{"node N+1 does not", s.Bounds.NodeRefused(4, Bound{Limit: 3}, false)},
		{"exactly the bound is in time", !s.Bounds.Overtime(1000, 1000)},
		{"one more is not", s.Bounds.Overtime(1001, 1000)},
		{"unbounded time", !s.Bounds.Overtime(1<<40, 0)},
		{"turns count from 1", !s.Bounds.CountsTurns(0) && s.Bounds.CountsTurns(1)},
		{"every turn counts once, and inner ones do not", s.Bounds.Turns(Turn{Iteration: 3, Loops: 2, Revises: true}, Bound{}) == 3},
		{"iteration from 5", !s.Loop.Shows(4) && s.Loop.Shows(5) && s.Loop.Shows(6)},
	} {
		if !c.ok {
			t.Errorf("not so: %s", c.rule)
		}
	}
}
