package reports

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/results"
)

// A results.json that somebody edited, and that contradicts itself, is refused: a matrix would show what it says.
func TestContradictoryResultsAreRefused(t *testing.T) {
	raw, err := os.ReadFile(filepath.Join("testdata", "results.json"))
	if err != nil {
		t.Fatal(err)
	}
	certified := func(doc *results.Results, id, requirement string) {
		doc.Requirements = append(doc.Requirements, results.RequirementResult{ID: requirement, Verdict: results.RequirementVerdictFailed,
			Evidence: results.EvidenceObserved})
		doc.Profiles = []results.ProfileResult{{ID: id, Status: results.ProfileStatusCertified, Proved: 1, Required: 1}}
	}
	for name, c := range map[string]struct {
		edit func(*results.Results)
		want string
	}{
		"as it is":                 {func(*results.Results) {}, ""},
		"a failure is not counted": {func(doc *results.Results) { doc.Totals.Failed = 0 }, "its totals"},
		"a part with a profile": {func(doc *results.Results) { doc.Partial = &results.Partial{Asked: 1, Of: 9} },
			"it is a part, and judges"},
		"exit 0 beside a failure": {func(doc *results.Results) { doc.ExitCode = 0 }, "and the exit code is 0"},
		"certified and violated": {func(doc *results.Results) { certified(doc, "loop-v5@2", "OWP-0061-B1") },
			"that OWP-0061-B1 is violated"},
		"a profile that nobody froze": {func(doc *results.Results) { certified(doc, "everything@9", "OWP-0061-B1") }, "everything@9"},
		"certified for nothing": {func(doc *results.Results) {
			certified(doc, "goals@2", "X")
			doc.Profiles[0].Required = 0
		}, "of 0 requirements"},
		"more proved than was passed": {func(doc *results.Results) {
			certified(doc, "goals@2", "X")
			doc.Profiles[0].Proved, doc.Profiles[0].Required = 999, 999
		}, "999 of 999"},
		"a failure without violations": {func(doc *results.Results) {
			doc.Violations, doc.Requirements, doc.Profiles = []results.Violation{}, []results.RequirementResult{}, []results.ProfileResult{}
		}, "none of its requirements did"},
		"more passes than are told": {func(doc *results.Results) { doc.Sensitivity.Sensitive++ },
			"2 of 3 passes were shown able to fail, and lists 2"},
		"insensitive by no pass": {func(doc *results.Results) { doc.Sensitivity.Insensitive[1].ByRow = false },
			"DEMO-A3 is insensitive, and no pass of it is"},
		"insensitive, and nothing was challenged": {func(doc *results.Results) { doc.Sensitivity = nil },
			"DEMO-A3 is insensitive, and no pass of it is"},
		"a part that was challenged": {func(doc *results.Results) {
			doc.Partial, doc.Profiles = &results.Partial{Asked: 1, Of: 9}, []results.ProfileResult{}
		}, "it is a part, and says which"},
	} {
		t.Run(name, func(t *testing.T) {
			var doc results.Results
			if err := json.Unmarshal(raw, &doc); err != nil {
				t.Fatal(err)
			}
			c.edit(&doc)
			edited, err := MarshalResults(doc)
			if err != nil {
				t.Fatal(err)
			}
			_, err = consistent(edited)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
