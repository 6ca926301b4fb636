package reports

import (
	"slices"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports/excerpt"
	"github.com/openassay/assay/scenarios"
)

// unprompted returns what a document has of what a recording says.
func unprompted(r *scenarios.Report) func(scenarios.Unprompted) results.Unprompted {
	return func(u scenarios.Unprompted) results.Unprompted {
		otherwise := slices.ContainsFunc(r.Breaches, func(b scenarios.Breach) bool {
			return b.Requirement == u.Requirement && b.By != scenarios.ByRecording
		})
		if u.Violations > 0 {
			otherwise = !otherwise && slices.ContainsFunc(r.Outcomes, func(o scenarios.Outcome) bool {
				return o.Verdict == scenarios.Passed && slices.Contains(o.Scenario.Proves, u.Requirement)
			})
		}
		return results.Unprompted{Requirement: string(u.Requirement), Times: int64(u.Times), Of: int64(u.Of), Violations: int64(u.Violations),
			Otherwise: otherwise}
	}
}

// Unprompted returns what a document has of what a recording says. It has not the recording.
func Unprompted(doc results.Results) (all []scenarios.Unprompted) {
	for _, u := range doc.Unprompted {
		one := scenarios.Unprompted{Requirement: scenarios.RequirementID(u.Requirement), Times: int(u.Times), Of: int(u.Of),
			Violations: int(u.Violations)}
		for _, v := range doc.Violations {
			if v.By == results.ViolationByRecording && v.Requirement == u.Requirement {
				one.Breach = breachOf(v)
			}
		}
		all = append(all, one)
	}
	return all
}

// unprompted shows what a recording says of the target.
func (t *text) unprompted() {
	if len(t.doc.Unprompted) == 0 {
		return
	}
	color := green
	if slices.ContainsFunc(t.doc.Unprompted, func(u results.Unprompted) bool { return u.Violations > 0 || u.Otherwise }) {
		color = red
	}
	t.heading(color, "UNPROMPTED", excerpt.Unprompted(t.doc))
	for _, u := range t.doc.Unprompted {
		if words := excerpt.Otherwise(u); words != "" {
			t.line("  %s: %s", u.Requirement, words)
		}
	}
}
