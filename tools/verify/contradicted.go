package verify

import (
	"slices"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
)

// contradicted tells of drives that were told different things of what cannot change, unless results.json says so: their
// transcripts are of no one certification, or one was edited.
func (v *run) contradicted(r *scenarios.Report) {
	for _, c := range r.Contradictions {
		violated := slices.ContainsFunc(v.given.Violations, func(x results.Violation) bool {
			return x.Drive == c.Other.Drive && x.Requirement == string(c.Requirement) && x.Exchange == int64(c.Other.Where.Exchange)
		})
		found := slices.ContainsFunc(v.given.Findings, func(f results.Finding) bool { return f.Text == c.String() })
		if !violated && !found {
			v.problem(Problem{Kind: "transcript", Drive: c.Other.Drive, Exchange: int64(c.Other.Where.Exchange),
				Text: c.String() + "; results.json does not say so"})
		}
	}
}
