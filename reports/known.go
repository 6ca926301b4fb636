package reports

import (
	"fmt"
	"slices"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports/excerpt"
	"github.com/openassay/assay/scenarios"
)

// ExitCodeOf returns the exit code of an uninterrupted certification, given the known failures and the expectations of
// s: an outdated expectation is as bad as a violation.
func (s Stamp) ExitCodeOf(r *scenarios.Report) int {
	code := r.ExitCodeKnowing(func(id scenarios.ScenarioID) bool { _, is := s.Known[id]; return is },
		func(b scenarios.Breach) bool { _, is := s.Elsewhere[b.Signature()]; return is })
	if code != scenarios.ExitBroken && s.Expectations != nil && len(s.Expectations.Problems) > 0 {
		return scenarios.ExitViolated
	}
	return code
}

// Conclusion describes in a sentence how a certification ended. It mentions expected failures, because exit code 0
// means less with them.
func Conclusion(doc results.Results) string {
	code := int(doc.ExitCode)
	known := excerpt.Known(doc)
	meaning := ExitMeaning(code)
	switch e := doc.Expectations; {
	case code == scenarios.ExitViolated && e != nil && len(e.Problems) > 0 && !unknownFailure(doc):
		meaning = fmt.Sprintf("%s to mend in %s", textsafe.Count(len(e.Problems), "expectation"), textsafe.Line(e.File))
	case known > 0 && code == scenarios.ExitProved:
		meaning = "all else that was asked about is proved"
	}
	if known == 0 {
		return meaning
	}
	return textsafe.Count(known, "known failure") + fileOf(doc) + "; " + meaning
}

func unknownFailure(doc results.Results) bool {
	return slices.ContainsFunc(doc.Scenarios, func(s results.ScenarioResult) bool {
		return s.Verdict == results.VerdictFailed && s.Known == nil
	}) || slices.ContainsFunc(excerpt.Elsewhere(doc), func(v excerpt.Violated) bool { return !v.Known })
}

// fileOf returns the name of the expectations file in brackets.
func fileOf(doc results.Results) string {
	if doc.Expectations == nil {
		return ""
	}
	return " (" + textsafe.Line(doc.Expectations.File) + ")"
}

// known lists the expected failures with their reasons.
func (t *text) known() {
	if excerpt.Known(t.doc) == 0 {
		return
	}
	t.heading(yellow, "KNOWN", "violations that are expected"+fileOf(t.doc)+"; they prove nothing, and do not count for the exit code")
	for _, s := range t.doc.Scenarios {
		known := s.Known
		if known == nil {
			continue
		}
		t.line("  %s", textsafe.Clip(s.ID, mostName))
		for _, c := range s.Checks {
			if c.Signature == nil {
				continue
			}
			t.line("    %s  signature %s", textsafe.Clip(c.Requirement, mostName), textsafe.Line(*c.Signature))
			t.line("      expected  %s", textsafe.Clip(c.Expected, mostReason))
			t.line("      actual    %s", textsafe.Clip(c.Actual, mostReason))
		}
		t.reason(*known)
	}
	for _, v := range excerpt.KnownElsewhere(t.doc) {
		t.line("  %s", textsafe.Clip(excerpt.SeenBy(v), mostName))
		t.line("    %s  signature %s", textsafe.Clip(v.Requirement, mostName), textsafe.Line(*v.Signature))
		if v.Expected != "" {
			t.line("      expected  %s", textsafe.Clip(v.Expected, mostReason))
		}
		t.line("      actual    %s", textsafe.Clip(v.Actual, mostReason))
		t.reason(*v.Known)
	}
}

// reason shows why a failure is known.
func (t *text) reason(known results.Known) {
	t.line("    reason  %s", textsafe.Clip(known.Reason, mostReason))
	until := ""
	if known.Expires != nil {
		until = ", until " + textsafe.Line(*known.Expires)
	}
	t.line("    issue   %s%s", textsafe.Clip(known.Issue, mostReason), until)
}

// knownSkip returns the skip reason of an expected failure, for formats without a word for one.
func knownSkip(k results.Known) string {
	return fmt.Sprintf("known failure: %s (%s)", k.Reason, k.Issue)
}
