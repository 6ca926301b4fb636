package reports

import (
	"cmp"
	"path"
	"slices"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports/excerpt"
	"github.com/openassay/assay/scenarios"
)

// elsewhere shows the violations that no scenario failed for: those of a step of a setup, and those of a rule for all that
// was read.
func (t *text) elsewhere() {
	seen := map[string][]results.Violation{}
	var order []string
	for _, v := range t.doc.Violations {
		if v.By == results.ViolationByScenario {
			continue
		}
		if seen[v.Requirement] == nil {
			order = append(order, v.Requirement)
		}
		seen[v.Requirement] = append(seen[v.Requirement], v)
	}
	if len(order) == 0 {
		return
	}
	t.heading(red, "VIOLATED", textsafe.Count(len(order), "requirement")+" in what was read besides")
	for _, id := range order {
		t.requirement(scenarios.RequirementID(id))
		for _, v := range seen[id][:min(len(seen[id]), mostPlaces)] {
			if v.Expected != "" {
				t.line("    expected  %s", textsafe.Clip(v.Expected, mostReason))
			}
			t.line("    actual    %s", textsafe.Clip(v.Actual, mostReason))
			at := excerpt.Place(results.Check{Exchange: v.Exchange, Pointer: v.Pointer, Part: v.Part})
			t.line("    at        %s of transcripts/%s", textsafe.Clip(at, mostReason), path.Base(transcriptPath(v.Drive)))
			t.line("    seen by   %s", cmp.Or(v.Scenario, "a rule for every log that is read"))
		}
		if more := len(seen[id]) - mostPlaces; more > 0 {
			t.line("    and in %d places more, see results.json", more)
		}
		i := slices.IndexFunc(t.doc.Scenarios, func(s results.ScenarioResult) bool {
			return s.Verdict == results.VerdictPassed && slices.Contains(s.Requirements, id)
		})
		if i >= 0 {
			t.line("    although  %s passed", t.doc.Scenarios[i].ID)
		}
	}
}

// mostPlaces bounds the places of one requirement that are shown.
const mostPlaces = 3
