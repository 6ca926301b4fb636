package matrix

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/reports/conformance"
)

// Limits on texts of others.
const (
	mostName   = 80
	mostReason = 400
	mostClaims = 12 // profiles that a bundle claims for its host
)

// Head returns the title of the column.
func (c Column) Head() string { return fmt.Sprintf("target %d", c.Number) }

// comparable describes which columns can be compared with each other; "" if all can. It passes texts of others through
// safe.
func (t Table) comparable(safe func(string) string) string {
	if len(t.Sets) < 2 {
		return ""
	}
	var parts []string
	for _, s := range t.Sets {
		numbers := make([]string, len(s.Columns))
		for i, n := range s.Columns {
			numbers[i] = fmt.Sprint(n)
		}
		what := "targets "
		if len(numbers) == 1 {
			what = "target "
		}
		by := make([]string, len(s.Assays))
		for i, v := range s.Assays {
			by[i] = safe(v)
		}
		part := fmt.Sprintf("%s: %s%s (Assay %s", s.Letter, what, strings.Join(numbers, ", "), strings.Join(by, ", "))
		if s.Part {
			part += ", a selection"
		}
		parts = append(parts, part+")")
	}
	return "Not all of these targets were asked the same questions, and what was asked other questions is not comparable. " +
		"Sets of questions: " +
		strings.Join(parts, "; ") + "."
}

// Mark returns a remark for columns that cannot be compared with the first one.
func (c Column) Mark() string {
	if !c.Other {
		return ""
	}
	return "not comparable with target 1"
}

// Remark follows the version of Assay in the heading of a column: how much was asked there, and what the results cannot show.
func (c Column) Remark() string {
	remark := ""
	if c.Part {
		remark = ", a selection of the questions"
	}
	if c.Reached != "" {
		remark += ", asked to " + c.Reached
	}
	if c.Sensitivity != "" {
		remark += ", " + c.Sensitivity
	}
	if c.First {
		remark += ", format 1: without violations seen outside the scenarios that name them, so it certifies nothing anew"
	}
	return remark
}

// words returns the title of a row: our words, and a name that others chose.
func (r Row) words() (before, name string) {
	switch r.Kind {
	case Profile:
		return "profile ", r.Head
	case Totals:
		return r.Head, ""
	}
	return "", r.Head
}

// legend explains the words in cells.
var legend = []struct{ Word, Text string }{
	{proved, "every requirement of the row was kept, at the evidence it demands."},
	{attested, "kept, but some seen only through a test seam."},
	{violated, "at least one is broken."},
	{unproved, "at least one could not be looked at to the end."},
	{notMet, "the target does otherwise than a SHOULD says, which violates nothing and is not proved."},
	{notClaimed, "the target does not claim what the row rests on."},
	{"certified", "every requirement of the profile is proved."},
}

// notes explains the other signs.
var notes = []string{
	"An empty cell was not asked. Numbers count requirements.",
	"survived, observed, attested: how it was seen, the weakest that the cell rests on. Survived: across a kill and a " +
		"restart. Observed: on a public resource or log. Attested: through a test seam.",
	"d: days since the certification, as of the date above; one of more than 90 days is old.",
	"† so many of them can only be brought about or seen through a test seam that Assay itself defines (docs/seams.md), not " +
		"by the protocol's own means. A target that has not wired it cannot prove them.",
}

// Texts about bundles of other suites.
const (
	toldTitle   = "Reported by another suite"
	toldCaution = ". Each is its writer's own word: Assay saw none of it and cannot judge it again. " +
		"They were asked other questions, and are not comparable with the targets of Assay, nor counted among them."
)

// toldIntro names the writers of the bundles and limits their value.
func toldIntro(told []*conformance.Bundle) string {
	var by []string
	for _, b := range told {
		if !slices.Contains(by, b.By) {
			by = append(by, b.By)
		}
	}
	return "Certification bundles of " + strings.Join(by, ", ") + toldCaution
}

// toldLegend explains the dispositions of their rows.
var toldLegend = []struct {
	Word conformance.Disposition
	Text string
}{
	{conformance.Passed, "it ran, and at least one assertion was counted."},
	{conformance.Failed, "it ran, and failed."},
	{conformance.Uncounted, "said to have passed, but no assertion was counted: no pass."},
	{conformance.Blocked, "claimed, but it could not be looked at."},
	{conformance.Skipped, "left out; in bundles of version 1 also what the host does not claim."},
	{conformance.Inapplicable, "the host does not claim it."},
}

// toldScenarios returns the names of their scenarios in any of the bundles.
func toldScenarios(told []*conformance.Bundle) []string {
	var out []string
	for _, b := range told {
		for _, r := range b.Rows {
			out = append(out, r.Scenario)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// toldCell returns the disposition and the assertion count of one of their scenarios.
func toldCell(b *conformance.Bundle, scenario string) (word, count string) {
	r, found := b.Find(scenario)
	switch {
	case !found:
		return "", ""
	case r.Assertions == 1:
		return string(r.Disposition), "1 assertion"
	case r.Assertions > 0:
		return string(r.Disposition), fmt.Sprintf("%d assertions", r.Assertions)
	}
	return string(r.Disposition), ""
}

// toldClaims returns the first profiles that a bundle claims for its host. It passes texts of others through safe.
func toldClaims(b *conformance.Bundle, safe func(string) string) string {
	var words []string
	for _, p := range b.ClaimedProfiles[:min(len(b.ClaimedProfiles), mostClaims)] {
		words = append(words, safe(p))
	}
	if more := len(b.ClaimedProfiles) - mostClaims; more > 0 {
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(words, ", ")
}

// toldTotals counts the rows of a bundle by disposition.
func toldTotals(b *conformance.Bundle) string {
	var words []string
	for _, l := range toldLegend {
		if n := b.Total(l.Word); n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, l.Word))
		}
	}
	return strings.Join(words, ", ")
}

// contradicts returns a warning about a bundle with wrong totals.
func contradicts(b *conformance.Bundle) string {
	if !b.TotalsContradict {
		return ""
	}
	return "; its totals are not what its rows add up to"
}
