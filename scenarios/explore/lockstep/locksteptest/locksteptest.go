// Package locksteptest holds small worlds against what every model has to have.
package locksteptest

import (
	"testing"

	"github.com/openassay/assay/scenarios/explore/lockstep"
)

// Depth is how many steps lead to the states of a small world.
const Depth = 8

// Complete checks that in each state of the worlds each step has a rule, and that each rule is met in some of them.
func Complete(t *testing.T, worlds []lockstep.Small) {
	t.Helper()
	gaps, counts := lockstep.Gaps(worlds, Depth)
	for _, gap := range gaps {
		t.Error(gap)
	}
	for _, line := range counts {
		t.Log(line)
	}
}
