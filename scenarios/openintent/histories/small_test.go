package histories_test

import (
	"testing"

	"github.com/openassay/assay/scenarios/explore/lockstep"
	"github.com/openassay/assay/scenarios/openintent/histories"
)

// depth is how many steps lead to the states that are looked at.
const depth = 8

// In each state of a small world each step has a rule, and each rule is met in some of them.
func TestSmallWorlds(t *testing.T) {
	t.Parallel()
	met, all := map[lockstep.Way]bool{}, map[lockstep.Way]bool{}
	for _, w := range histories.Small() {
		c := w.Count(depth)
		t.Logf("%s: %d states, %d steps", w.Called(), c.States, c.Steps)
		for i, path := range c.Ruleless {
			if i < 3 {
				t.Errorf("%s: there is no rule for the last step of: %s", w.Called(), path)
			}
		}
		for way := range c.Ways {
			met[way] = true
		}
		for _, way := range w.All() {
			all[way] = true
		}
	}
	for way := range all {
		if !met[way] {
			t.Errorf("no small world meets the rule of %s", way)
		}
	}
}
