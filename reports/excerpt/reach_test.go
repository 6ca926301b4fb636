package excerpt_test

import (
	"testing"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports/excerpt"
)

func TestReach(t *testing.T) {
	drawn := []results.Drawn{{Name: "turns of a loop", Least: 3, Most: 9, Times: 4, Narrowed: "limits.maxLoopIterations is 9"},
		{Name: "workers of a decision", Least: 1, Most: 3, Times: 12}}
	for want, r := range map[string]*results.Reach{
		"":        nil,
		"1 check": {Asked: 1},
		"12 checks of what 4 runs or turns showed; drawn: turns of a loop 3 to 9 (no more, since limits.maxLoopIterations is 9), " +
			"workers of a decision 1 to 3": {Asked: 12, Made: 4, Drawn: drawn},
	} {
		if got := excerpt.Reach(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
