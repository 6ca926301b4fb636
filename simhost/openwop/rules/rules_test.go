package rules

import (
	"testing"

	"github.com/openassay/assay/simhost/openwop/engine/event"
)

func TestHonestRules(t *testing.T) {
	const turns = event.LoopIterations
	s := Honest()
	for _, c := range []struct {
		rule string
		ok   bool
	}{
		{"the first turn is 1", s.Loop.Next(0, Past{}) == 1},
		{"turns count up", s.Loop.Next(7, Past{}) == 8},
		{"a resume does not reset", s.Loop.Next(7, Past{Suspended: true}) == 8},
		{"no bound at all", s.Bounds.InForce(Wanted{Requested: 0, Advertised: 0}) == 0},
		{"only requested", s.Bounds.InForce(Wanted{Requested: 3, Advertised: 0}) == 3},
		{"only advertised", s.Bounds.InForce(Wanted{Requested: 0, Advertised: 3}) == 3},
		{"a request below is taken", s.Bounds.InForce(Wanted{Requested: 2, Advertised: 3}) == 2},
		{"a request above is clamped", s.Bounds.InForce(Wanted{Requested: 4, Advertised: 3}) == 3},
		{"turn N runs", !s.Bounds.Crosses(Use{N: 3}, Bound{Limit: 3})},
		{"turn N+1 does not", s.Bounds.Crosses(Use{N: 4}, Bound{Limit: 3})},
		{"unbounded", !s.Bounds.Crosses(Use{N: 1 << 40}, Bound{})},
		{"turns are bounded from version 1 on", s.Bounds.InForce(Wanted{Kind: turns, Requested: 2, Advertised: 3}) == 0 &&
			s.Bounds.InForce(Wanted{Kind: turns, Version: 1, Requested: 2, Advertised: 3}) == 2},
		{"every turn counts once, and inner ones do not", !s.Bounds.Crosses(Use{N: 3, Loops: 2, Revises: true}, Bound{Limit: 3})},
		{"iteration from 5", !s.Loop.Shows(4) && s.Loop.Shows(5) && s.Loop.Shows(6)},
	} {
		if !c.ok {
			t.Errorf("not so: %s", c.rule)
		}
	}
}
