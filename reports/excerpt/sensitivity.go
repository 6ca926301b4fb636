package excerpt

import (
	"fmt"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
)

// Sensitivity returns the figure of a certification: how many of its passes were shown able to fail. It returns "" for nil:
// they were not challenged.
func Sensitivity(s *results.Sensitivity) string {
	if s == nil {
		return ""
	}
	return fmt.Sprintf("%d of %d passes shown able to fail", s.Sensitive, s.Passes)
}

// ExtraHeaders says which headers the operator had added to every request; "" for none.
func ExtraHeaders(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("every request to the target carried %s, which whoever ran Assay added: a host can recognise its examiner by that",
		strings.Join(names, ", "))
}

// NotChallenged reports whether a certification left out what shows its passes able to fail. A part has no such figure.
func NotChallenged(doc results.Results) bool {
	return doc.Sensitivity == nil && doc.Partial == nil && doc.Totals.Passed > 0 && doc.Schema == results.ResultsSchemaAssayResults2
}

// Unchallenged returns the sentence for a certification none of whose passes is shown able to fail, "" if some are, or if it
// has no passes.
func Unchallenged(doc results.Results) string {
	switch {
	case NotChallenged(doc):
		return "the passes were not challenged, so none is shown able to fail"
	case doc.Sensitivity != nil, doc.Totals.Passed == 0, doc.Schema != results.ResultsSchemaAssayResults2:
		return ""
	case doc.ExitCode == scenarios.ExitInterrupted:
		return "interrupted before all passes were challenged, so none is shown able to fail"
	}
	return "the passes of a part are not challenged, so none is shown able to fail"
}

// Insensitive returns a sentence for each pass that was not shown able to fail, those first that leave a requirement
// unproved.
func Insensitive(doc results.Results) []string {
	if doc.Sensitivity == nil {
		return nil
	}
	unproved := map[string]bool{}
	for _, r := range doc.Requirements {
		unproved[r.ID] = r.Verdict == results.RequirementVerdictInsensitive
	}
	var first, rest []string
	for _, p := range doc.Sensitivity.Insensitive {
		words := fmt.Sprintf("%s of %s: %s", p.Requirement, p.Scenario, p.Why)
		if unproved[p.Requirement] {
			first = append(first, words+": not proved")
		} else {
			rest = append(rest, words)
		}
	}
	return append(first, rest...)
}
