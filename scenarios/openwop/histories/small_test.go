package histories_test

import (
	"testing"

	"github.com/openassay/assay/scenarios/explore/lockstep"
	"github.com/openassay/assay/scenarios/openwop/histories"
)

// In each state of a small world each step has a rule, and each rule is met in some of them.
func TestSmallWorlds(t *testing.T) {
	t.Parallel()
	const depth = 8
	gaps, counts := lockstep.Gaps(histories.Small(), depth)
	for _, gap := range gaps {
		t.Error(gap)
	}
	for _, line := range counts {
		t.Log(line)
	}
}
