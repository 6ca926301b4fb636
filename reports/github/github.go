// Package github reports a certification to GitHub Actions: a step summary in Markdown, and runner commands that become
// annotations. It reads only the results document.
package github

import (
	"fmt"
	"io"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports/excerpt"
)

// Limits. GitHub accepts a summary of 1 MiB a step, and shows ten annotations of a kind.
const (
	mostAnnotations = 10
	mostFailures    = 50
	mostProfiles    = 50
	mostText        = 400
	mostName        = 100
)

// SummaryVariable is the environment variable that names the runner's step summary file.
const SummaryVariable = "GITHUB_STEP_SUMMARY"

// Summary writes a short overview for people. meaning explains the exit code in a sentence; dir is the report folder,
// or "" if no reports were written.
func Summary(w io.Writer, doc results.Results, meaning, dir string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "## Assay: %s\n\n", code(doc.Target.Address))
	fmt.Fprintf(&b, "**%s** (exit code %d)\n\n", meaning, doc.ExitCode)
	fmt.Fprintf(&b, "%s · %s", code(doc.Target.Protocol), who(doc.Target))
	if doc.Partial != nil {
		fmt.Fprintf(&b, " · a part: %s, so no profile is judged", excerpt.Part(*doc.Partial))
	}
	fmt.Fprintf(&b, " · seed %d · Assay %s\n\n", doc.Seed, code(doc.Assay.Version))
	if words := excerpt.ExtraHeaders(doc.Target.ExtraHeaders); words != "" {
		fmt.Fprintf(&b, "Note: %s.\n\n", code(words))
	}
	b.WriteString("| passed | failed | inapplicable | blocked | inconclusive | broken |\n|---|---|---|---|---|---|\n")
	t := doc.Totals
	fmt.Fprintf(&b, "| %d | %d | %d | %d | %d | %d |\n", t.Passed, t.Failed, t.Inapplicable, t.Blocked, t.Inconclusive, t.Broken)
	profiles(&b, doc.Profiles)
	insensitive(&b, doc)
	scenarios(&b, doc)
	blocked(&b, doc)
	if n := excerpt.Known(doc); n > 0 {
		fmt.Fprintf(&b, "\nFailures that the operator expects, beside these: %d. They stay violations: report.html tells them.\n", n)
	}
	if dir != "" {
		fmt.Fprintf(&b, "\nThe reports, with the evidence, are in %s: keep them with actions/upload-artifact.\n", code(dir))
	}
	b.WriteByte('\n') // separates the next step's summary
	_, err := io.WriteString(w, b.String())
	return err
}

func who(t results.Target) string {
	var words []string
	for _, s := range []*string{t.Name, t.Version} {
		if s != nil {
			words = append(words, code(*s))
		}
	}
	if len(words) == 0 {
		return "a target without a name"
	}
	return strings.Join(words, " ")
}

func profiles(b *strings.Builder, all []results.ProfileResult) {
	if len(all) == 0 {
		return
	}
	b.WriteString("\n| profile | | requirements proved |\n|---|---|---|\n")
	for _, p := range all[:min(len(all), mostProfiles)] {
		left := ""
		if said := excerpt.LeftOut(p); said != "" {
			left = "; " + long(said)
		}
		fmt.Fprintf(b, "| %s | %s | %d of %d%s |\n", code(p.ID), code(string(p.Status)), p.Proved, p.Required, left)
	}
	more(b, len(all)-mostProfiles)
}

// insensitive tells how many passes were shown able to fail, and which were not.
func insensitive(b *strings.Builder, doc results.Results) {
	if doc.Sensitivity == nil {
		return
	}
	fmt.Fprintf(b, "\n%s\n", excerpt.Sensitivity(doc.Sensitivity))
	passes := excerpt.Insensitive(doc)
	for i, p := range passes[:min(len(passes), mostFailures)] {
		if i == 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(b, "- %s\n", long(p))
	}
	more(b, len(passes)-mostFailures)
}

// scenarios lists violated and broken scenarios.
func scenarios(b *strings.Builder, doc results.Results) {
	bad, elsewhere := failures(doc), excerpt.Elsewhere(doc)
	if len(bad)+len(elsewhere) == 0 {
		return
	}
	b.WriteString("\n### Violated\n\n")
	for _, v := range elsewhere[:min(len(elsewhere), mostFailures)] {
		fmt.Fprintf(b, "- requirement %s: %s\n  - seen by %s\n", code(v.Requirement), long(v.Places[0].Actual), long(excerpt.SeenBy(v.Places[0])))
		if n := excerpt.Barring(doc, v.Requirement); n > 0 {
			fmt.Fprintf(b, "  - blocks %s\n", textsafe.Count(n, "scenario"))
		}
		if v.Passed != "" {
			fmt.Fprintf(b, "  - although %s passed\n", code(v.Passed))
		}
	}
	more(b, len(elsewhere)-mostFailures)
	for _, s := range bad[:min(len(bad), mostFailures)] {
		fmt.Fprintf(b, "- %s: %s\n", code(s.ID), long(s.Title))
		if f := s.Failure; f != nil {
			fmt.Fprintf(b, "  - requirement %s\n  - expected %s\n  - actual %s\n  - again: %s\n", code(f.Requirement), long(f.Expected),
				long(f.Actual), long(f.Again))
			continue
		}
		fmt.Fprintf(b, "  - Assay's own fault: %s\n", long(s.Reason))
	}
	more(b, len(bad)-mostFailures)
}

// blocked has a line for each cause, with the number of scenarios that it holds.
func blocked(b *strings.Builder, doc results.Results) {
	causes, barred := excerpt.Blocked(doc)
	if len(causes)+len(barred) == 0 {
		return
	}
	fmt.Fprintf(b, "\n### Blocked, %s\n\n", excerpt.BlockedBy(causes, barred))
	for _, c := range causes[:min(len(causes), mostFailures)] {
		fmt.Fprintf(b, "- %d: %s\n", len(c.Scenarios), textsafe.Markdown(textsafe.Clip(c.Line(), 2*mostText)))
	}
	more(b, len(causes)-mostFailures)
	for _, v := range barred[:min(len(barred), mostFailures)] {
		fmt.Fprintf(b, "- %d: %s\n", len(v.Scenarios), long(v.Line()))
	}
	more(b, len(barred)-mostFailures)
}

func more(b *strings.Builder, n int) {
	if n > 0 {
		fmt.Fprintf(b, "\nand %d more, see results.json\n", n)
	}
}

// failures returns the scenarios that failed unexpectedly, then the ones that Assay itself broke.
func failures(doc results.Results) (out []results.ScenarioResult) {
	for _, v := range []results.Verdict{results.VerdictFailed, results.VerdictBroken} {
		for _, s := range doc.Scenarios {
			if s.Verdict == v && s.Known == nil {
				out = append(out, s)
			}
		}
	}
	return out
}

func code(s string) string { return textsafe.Markdown(textsafe.Clip(s, mostName)) }
func long(s string) string { return textsafe.Markdown(textsafe.Clip(s, mostText)) }

// Annotations writes one runner command a line: one for each failure, and one for each expectation that does not hold.
// If GitHub would not show all failures, the last of their lines counts the rest.
func Annotations(w io.Writer, doc results.Results) error {
	var bad [][2]string // titles and messages
	for _, s := range failures(doc) {
		title, message := "Assay: "+s.ID+" broke", s.Reason
		if f := s.Failure; f != nil {
			title = "Assay: " + f.Requirement + " is violated"
			message = fmt.Sprintf("%s: expected %s, got %s", s.Title, f.Expected, f.Actual)
		}
		bad = append(bad, [2]string{title, message})
	}
	for _, v := range excerpt.Elsewhere(doc) {
		if !v.Known {
			bad = append(bad, [2]string{"Assay: " + v.Requirement + " is violated", excerpt.SeenBy(v.Places[0]) + ": " + v.Places[0].Actual})
		}
	}
	shown := bad
	if len(bad) > mostAnnotations {
		shown = bad[:mostAnnotations-1]
	}
	var b strings.Builder
	for _, e := range shown {
		fmt.Fprintf(&b, "::error title=%s::%s\n", property(e[0]), data(e[1]))
	}
	if n := len(bad) - len(shown); n > 0 {
		fmt.Fprintf(&b, "::error title=%s::%s\n", property("Assay: more failures"),
			data(fmt.Sprintf("%d more failures: the summary of the step and report.html have them all", n)))
	}
	if e := doc.Expectations; e != nil {
		for _, p := range e.Problems[:min(len(e.Problems), mostAnnotations)] {
			fmt.Fprintf(&b, "::error file=%s,line=%d,title=%s::%s\n", property(e.File), p.Line,
				property("Assay: an expectation does not hold"), data(p.Text))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Escapes for the runner's commands. The percent sign comes first, or it would escape the other escapes.
var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func property(s string) string { return propertyEscapes.Replace(textsafe.Clip(s, mostName)) }

func data(s string) string { return dataEscapes.Replace(textsafe.Clip(s, 2*mostText)) }
