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

func TestReached(t *testing.T) {
	asked := func(n int64, drawn ...results.Drawn) results.RequirementResult {
		return results.RequirementResult{Reach: &results.Reach{Asked: n, Drawn: drawn}}
	}
	for want, doc := range map[string]results.Results{
		"":        {Depth: "deep", Requirements: []results.RequirementResult{{}}},
		"1 check": {Requirements: []results.RequirementResult{asked(1), {}}},
		"depth standard, 9 checks, 4 dimensions drawn (turns up to 24, letters up to 9, forms up to 8), 1 of them narrowed by limits of the target": {
			Depth: "standard", Requirements: []results.RequirementResult{
				asked(4, results.Drawn{Name: "letters", Most: 9}, results.Drawn{Name: "turns", Most: 20}),
				asked(5, results.Drawn{Name: "turns", Most: 24, Narrowed: "a limit"}, results.Drawn{Name: "truth", Most: 1},
					results.Drawn{Name: "forms", Most: 8}),
			}},
	} {
		if got := excerpt.Reached(doc); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := excerpt.Shallow(results.ProfileResult{Shallow: new(int64(3)), Depth: "standard"}); got !=
		"3 passed and not asked as far as it demands (--depth standard)" {
		t.Error(got)
	}
}
