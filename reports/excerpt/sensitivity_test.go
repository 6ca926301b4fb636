package excerpt_test

import (
	"slices"
	"testing"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports/excerpt"
)

// Passes that leave a requirement unproved come first; one that another pass proves is not said to be.
func TestSensitivity(t *testing.T) {
	doc := results.Results{Schema: results.ResultsSchemaAssayResults2, Totals: results.Totals{Passed: 2},
		Requirements: []results.RequirementResult{
			{ID: "A-1", Verdict: results.RequirementVerdictPassed}, {ID: "A-2", Verdict: results.RequirementVerdictInsensitive},
		}}
	if excerpt.Sensitivity(doc.Sensitivity) != "" || excerpt.Insensitive(doc) != nil || !excerpt.NotChallenged(doc) {
		t.Errorf("without a challenge: %q, %q", excerpt.Sensitivity(doc.Sensitivity), excerpt.Insensitive(doc))
	}
	part := doc
	part.Partial = &results.Partial{Asked: 1, Of: 2}
	if excerpt.NotChallenged(part) {
		t.Error("a part is said to lack what no part has")
	}
	cut, nothing, old := part, doc, doc
	cut.ExitCode, nothing.Totals.Passed, old.Schema = 130, 0, results.ResultsSchemaAssayResults1
	for want, doc := range map[string]results.Results{
		"the passes were not challenged, so none is shown able to fail":                doc,
		"the passes of a part are not challenged, so none is shown able to fail":       part,
		"interrupted before all passes were challenged, so none is shown able to fail": cut,
	} {
		if got := excerpt.Unchallenged(doc); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if excerpt.Unchallenged(nothing)+excerpt.Unchallenged(old) != "" {
		t.Error("what has no passes, or no figure, is said not to be challenged")
	}
	doc.Sensitivity = &results.Sensitivity{Passes: 3, Sensitive: 1, Insensitive: []results.InsensitivePass{
		{Scenario: "a/one", Requirement: "A-1", ByRow: true, Why: "nothing noticed"},
		{Scenario: "a/two", Requirement: "A-2", ByRow: true, Why: "nowhere to change"},
	}}
	want := []string{"A-2 of a/two: nowhere to change: not proved", "A-1 of a/one: nothing noticed"}
	if got := excerpt.Insensitive(doc); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := excerpt.Sensitivity(doc.Sensitivity); got != "1 of 3 passes shown able to fail" || excerpt.Unchallenged(doc) != "" {
		t.Errorf("%q", got)
	}
}
