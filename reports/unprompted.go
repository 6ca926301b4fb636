package reports

import (
	"slices"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports/excerpt"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// unprompted returns what a document has of what a recording says.
func unprompted(r *scenarios.Report) func(scenarios.Unprompted) results.Unprompted {
	return func(u scenarios.Unprompted) results.Unprompted {
		asked := func(id scenarios.RequirementID) (violated, passed bool) {
			violated = slices.ContainsFunc(r.Breaches, func(b scenarios.Breach) bool {
				return b.Requirement == id && b.By != scenarios.ByRecording
			})
			passed = slices.ContainsFunc(r.Outcomes, func(o scenarios.Outcome) bool {
				return o.Verdict == scenarios.Passed && slices.Contains(o.Scenario.Proves, id)
			})
			return violated, passed
		}
		violated, passed := asked(u.Requirement)
		otherwise := violated
		if u.Violations > 0 {
			otherwise = passed && !violated
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
				one.Breach = scenarios.Breach{Requirement: one.Requirement, By: scenarios.ByRecording, Drive: v.Drive,
					Where: wire.Ref{Exchange: int(v.Exchange), Pointer: v.Pointer, Part: v.Part}, Expected: v.Expected, Actual: v.Actual}
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
