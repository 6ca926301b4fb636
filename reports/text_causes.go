package reports

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports/excerpt"
	"github.com/openassay/assay/scenarios"
)

// blocked shows a line for each cause, with the number of scenarios that it holds.
func (t *text) blocked() {
	causes, barred := excerpt.Blocked(t.doc)
	if len(causes)+len(barred) == 0 {
		return
	}
	t.heading(yellow, "BLOCKED", textsafe.Count(int(t.doc.Totals.Blocked), "scenario")+" "+excerpt.BlockedBy(causes, barred))
	for _, c := range causes {
		t.line("  %4d  %s", len(c.Scenarios), textsafe.Clip(c.Line(), 2*mostReason))
	}
	for _, b := range barred {
		t.line("  %4d  %s", len(b.Scenarios), textsafe.Clip(b.Line(), mostReason))
	}
}

func (t *text) inconclusive() {
	groups := excerpt.Causes(t.doc.Scenarios, results.VerdictInconclusive, excerpt.Reason)
	if len(groups) == 0 {
		return
	}
	t.heading(yellow, "INCONCLUSIVE", textsafe.Count(int(t.doc.Totals.Inconclusive), "scenario")+" without an answer")
	for _, c := range groups {
		t.cause(c)
	}
}

// attested lists the requirements that passed with weaker evidence than they demand: they leave a claim unproved.
func (t *text) attested() {
	ledger := t.report.Protocol.Ledger
	var weak []string
	for _, s := range t.report.Requirements {
		r, _ := ledger.Find(s.ID)
		if s.Verdict == scenarios.Passed && s.Evidence < r.Demands() && r.Level == scenarios.Must {
			weak = append(weak, fmt.Sprintf("%s was %s, %s is demanded", r.ID, s.Evidence, r.Demands()))
		}
	}
	if len(weak) == 0 {
		return
	}
	t.heading(yellow, "ATTESTED", textsafe.Count(len(weak), "requirement")+" kept as far as a test seam tells")
	for _, w := range weak {
		t.line("  %s", w)
	}
}

// insensitive lists the passes that were not shown able to fail.
func (t *text) insensitive() {
	passes := excerpt.Insensitive(t.doc)
	if len(passes) == 0 {
		return
	}
	t.heading(yellow, "INSENSITIVE", fmt.Sprintf("%d of %d passes that no change to what the target sent turned", len(passes),
		t.doc.Sensitivity.Passes))
	for _, p := range passes[:min(len(passes), mostFindings)] {
		t.line("  %s", textsafe.Clip(p, mostReason))
	}
	if more := len(passes) - mostFindings; more > 0 {
		t.line("  and %d more, see %s", more, ResultsName)
	}
}

func (t *text) inapplicable() {
	groups := excerpt.Causes(t.doc.Scenarios, results.VerdictInapplicable, excerpt.Reason)
	if len(groups) == 0 {
		return
	}
	about := " about what the target does not claim"
	if slices.ContainsFunc(groups, func(c *excerpt.Cause) bool { return strings.HasPrefix(c.Reasons[0], "not there: ") }) {
		about += ", or does not have"
	}
	t.heading(dim, "INAPPLICABLE", textsafe.Count(int(t.doc.Totals.Inapplicable), "scenario")+about)
	for _, c := range groups {
		t.cause(c)
	}
}

func (t *text) cause(c *excerpt.Cause) {
	for _, r := range c.Reasons {
		t.line("  %s", textsafe.Clip(r, mostReason))
	}
	line := "   "
	for i, scenario := range c.Scenarios {
		id := scenario.ID
		if i < len(c.Scenarios)-1 {
			id += ","
		}
		if len(line)+1+len(id) > width && strings.TrimSpace(line) != "" {
			t.line("%s", t.paint(dim, line))
			line = "   "
		}
		line += " " + id
	}
	t.line("%s", t.paint(dim, line))
	for _, r := range c.Remedies {
		t.line("    to unblock: %s", textsafe.Clip(r, mostReason))
	}
}
