package reports

import (
	"slices"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports/excerpt"
	"github.com/openassay/assay/scenarios"
)

// mostPlaces bounds the places of one requirement that are shown.
const mostPlaces = 3

// elsewhere shows the violations that no scenario failed for.
func (t *text) elsewhere() {
	seen := slices.DeleteFunc(excerpt.Elsewhere(t.doc), func(v excerpt.Violated) bool { return v.Known })
	if len(seen) == 0 {
		return
	}
	t.heading(red, "VIOLATED", textsafe.Count(len(seen), "requirement")+" in what was read besides")
	for _, v := range seen {
		t.requirement(scenarios.RequirementID(v.Requirement))
		for _, p := range v.Places[:min(len(v.Places), mostPlaces)] {
			if p.Expected != "" {
				t.line("    expected  %s", textsafe.Clip(p.Expected, mostReason))
			}
			t.line("    actual    %s", textsafe.Clip(p.Actual, mostReason))
			t.line("    at        %s in %s", textsafe.Clip(excerpt.PlaceOf(p), mostReason), textsafe.Line(transcriptPath(p.Drive)))
			t.line("    seen by   %s", excerpt.SeenBy(p))
			if p.Signature != nil {
				t.line("    signature %s", textsafe.Line(*p.Signature))
			}
		}
		if more := len(v.Places) - mostPlaces; more > 0 {
			t.line("    and in %s more, see results.json", textsafe.Count(more, "place"))
		}
		if n := excerpt.Barring(t.doc, v.Requirement); n > 0 {
			t.line("    blocks    %s", textsafe.Count(n, "scenario"))
		}
		if v.Passed != "" {
			t.line("    although  %s passed", v.Passed)
		}
	}
}
