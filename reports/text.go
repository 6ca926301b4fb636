package reports

import (
	"bytes"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports/excerpt"
	"github.com/openassay/assay/scenarios"
)

// TextOptions configures [Text].
type TextOptions struct {
	Stamp Stamp
	Color bool   // ANSI colours, for terminals only
	Dir   string // report folder, "" if no reports were written
}

// Text writes what a person sees at the end of a run: a line a suite, each failure in full, blocked scenarios by cause,
// further findings, and a summary last.
func Text(w io.Writer, r *scenarios.Report, o TextOptions) error {
	t := &text{report: r, doc: Results(r, o.Stamp), color: o.Color, dir: o.Dir}
	for _, section := range []func(){
		t.head, t.suites, t.checks, t.failures, t.elsewhere, t.repetitions, t.unprompted, t.known, t.broken, t.inconclusive, t.blocked,
		t.attested, t.insensitive, t.inapplicable, t.findings, t.seen, t.leftovers, t.claims, t.summary,
	} {
		section()
	}
	// A line may begin with a target's own words.
	_, err := io.WriteString(w, textsafe.Log(t.out.String()))
	return err
}

// text collects the output: a report is small, and a reader of a pipe gets all of it or nothing.
type text struct {
	report *scenarios.Report
	doc    results.Results
	color  bool
	dir    string
	out    bytes.Buffer
}

func (t *text) line(format string, args ...any) {
	fmt.Fprintf(&t.out, format, args...)
	t.out.WriteByte('\n')
}

// heading begins a section, after an empty line.
func (t *text) heading(color, word, rest string) {
	t.line("")
	t.line("%s  %s", t.paint(color, word), rest)
}

// ANSI colours of headings and words. A target's own text is never coloured.
const (
	bold   = "1"
	red    = "1;31"
	green  = "32"
	yellow = "33"
	dim    = "2"
)

func (t *text) paint(color, s string) string {
	if !t.color {
		return s
	}
	return "\x1b[" + color + "m" + s + "\x1b[0m"
}

// Limits on displayed texts of a target. The files hold them in full.
const (
	mostName   = 80
	mostReason = 400
	mostBody   = 160
	width      = 100 // for our own prose

	mostFindings = 20 // a foreign document can violate its schema in a hundred ways
)

func (t *text) head() {
	who := ""
	if n := t.doc.Target.Name; n != nil {
		who = ` · "` + textsafe.Clip(*n, mostName) + `"` // a name may read like a verdict
		if v := t.doc.Target.Version; v != nil {
			who += " " + textsafe.Clip(*v, mostName)
		}
	}
	t.line("%s · %s%s", t.paint(bold, textsafe.Line(t.doc.Target.Address)), t.doc.Target.Protocol, who)
	if refused := t.report.RefusedCredential(); refused != "" {
		t.line("%s", t.paint(red, refused))
	}
	t.part()
	if words := excerpt.ExtraHeaders(t.doc.Target.ExtraHeaders); words != "" {
		t.line("%s", words)
	}
	t.line("")
}

// part says of a partial run that it certifies nothing.
func (t *text) part() {
	if p := t.doc.Partial; p != nil {
		t.line("a part: %s, so no profile is judged", excerpt.Part(*p))
	}
}

// suites shows one line for each suite, in columns.
func (t *text) suites() {
	type row struct {
		id      string
		n       map[scenarios.Verdict]int
		slowest float64 // slowest drive in seconds; drives run in parallel
	}
	var rows []*row
	for _, o := range t.report.Outcomes {
		i := slices.IndexFunc(rows, func(r *row) bool { return r.id == o.Suite })
		if i < 0 {
			i = len(rows)
			rows = append(rows, &row{id: o.Suite, n: map[scenarios.Verdict]int{}})
		}
		rows[i].n[o.Verdict]++
		rows[i].slowest = max(rows[i].slowest, o.Seconds)
	}
	wide := 0
	for _, r := range rows {
		wide = max(wide, len(r.id))
	}
	for _, r := range rows {
		slowest := ""
		if r.slowest > 0 {
			slowest = "  " + t.paint(dim, "slowest drive "+round(r.slowest))
		}
		t.line("  %-*s  %s%s", wide, r.id, t.verdicts(r.n), slowest)
	}
}

func (t *text) verdicts(n map[scenarios.Verdict]int) string {
	colors := map[scenarios.Verdict]string{
		scenarios.Passed: green, scenarios.Failed: red, scenarios.Broken: red, scenarios.Blocked: yellow, scenarios.Inconclusive: yellow,
	}
	var words []string
	for _, v := range scenarios.Verdicts {
		if n[v] == 0 {
			continue
		}
		word := fmt.Sprintf("%d %s", n[v], v)
		if c := colors[v]; c != "" {
			word = t.paint(c, word)
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// broken lists the failures of Assay itself.
func (t *text) broken() {
	for _, o := range t.with(scenarios.Broken) {
		t.heading(red, "BROKEN", string(o.Scenario.ID)+": a fault of Assay's own, not of the target")
		t.line("  %s", textsafe.Clip(o.Reason, mostReason))
		if o.Drive != "" && t.dir != "" {
			t.line("  please report it with %s", path.Join(t.dir, transcriptPath(o.Drive)))
		}
	}
}

func (t *text) with(v scenarios.Verdict) []scenarios.Outcome {
	var out []scenarios.Outcome
	for _, o := range t.report.Outcomes {
		if o.Verdict == v {
			out = append(out, o)
		}
	}
	return out
}

func (t *text) findings() {
	found := excerpt.Findings(t.doc)
	if len(found) == 0 {
		return
	}
	t.heading(yellow, "FINDINGS", textsafe.Count(len(found), "deviation")+" that changed no verdict")
	for _, f := range found[:min(len(found), mostFindings)] {
		times := ""
		if f.Times > 1 {
			times = fmt.Sprintf(" (%d times)", f.Times)
		}
		words := textsafe.Clip(f.Text, mostReason)
		if t.isNotMet(f.Requirement) {
			words = string(scenarios.NotMet) + ": " + words
		}
		if f.Requirement != "" {
			words = f.Requirement + ": " + words
		}
		t.line("  %s%s", words, times)
	}
	if more := len(found) - mostFindings; more > 0 {
		t.line("  and %d more, see %s", more, ResultsName)
	}
}

func (t *text) isNotMet(requirement string) bool {
	return slices.ContainsFunc(t.report.Requirements, func(s scenarios.RequirementStatus) bool {
		return string(s.ID) == requirement && s.Verdict == scenarios.NotMet
	})
}

func (t *text) leftovers() {
	if fault := t.report.Fault; fault != "" {
		t.heading(red, "BROKEN", "outside all scenarios")
		t.line("  %s", textsafe.Clip(fault, mostReason))
	}
	if len(t.report.Leftovers) == 0 {
		return
	}
	t.heading(yellow, "LEFT BEHIND", "made on the target and not removed")
	for _, l := range t.report.Leftovers {
		t.line("  %s", textsafe.Clip(l, mostReason))
	}
}

func (t *text) claims() {
	if len(t.doc.Claims) > 0 {
		t.heading(bold, "CLAIMS", "what the target says it supports, as far as it was asked")
		listed := t.provedInBrief()
		wide := 0
		for _, c := range listed {
			wide = max(wide, len(c.ID))
		}
		for _, c := range listed {
			said := c.Pointer + " is " + textsafe.Clip(string(c.Value), mostName)
			if t.report.Found(c.ID) {
				said = "found by asking: the target says nothing of it"
			}
			t.line("  %s  %-*s  %s", t.status(string(c.Status)), wide, c.ID, t.paint(dim, said))
		}
	}
	for _, p := range t.doc.Profiles {
		if p.Status != results.ProfileStatusInapplicable {
			more := ""
			if p.ThroughSeam > 0 {
				more = fmt.Sprintf("; %d of the %d can be shown only through test seams that Assay defines", p.ThroughSeam, p.Required)
			}
			if shallow := excerpt.Shallow(p); shallow != "" {
				more += "; " + shallow
			}
			if left := excerpt.LeftOut(p); left != "" {
				more += "; " + left
			}
			id := p.ID
			if p.Superseded != "" {
				id += " (superseded by " + p.Superseded + ")"
			}
			t.line("  %s  profile %s: %d of %s proved%s%s", t.status(string(p.Status)), id, p.Proved, textsafe.Count(int(p.Required),
				"requirement"), more, t.provisional(p))
		}
	}
}

// provisional counts the scenarios that ran but are not among those frozen with the profile, and so did not count.
func (t *text) provisional(p results.ProfileResult) string {
	if len(p.Provisional) == 0 {
		return ""
	}
	said := fmt.Sprintf("; %s not counted", textsafe.Count(len(p.Provisional), "provisional scenario"))
	failed := 0
	for _, s := range t.doc.Scenarios {
		if s.Verdict == results.VerdictFailed && slices.Contains(p.Provisional, s.ID) {
			failed++
		}
	}
	if failed > 0 {
		said += fmt.Sprintf(", of which %d failed", failed)
	}
	return said
}

// provedInBrief names the proved claims briefly if there are many, and returns the claims still to be listed with their
// pointers. matrix.md has them all.
func (t *text) provedInBrief() (rest []results.Claim) {
	const many, width = 12, 96
	var proved []string
	for _, c := range t.doc.Claims {
		if c.Status == results.ClaimStatusProved {
			proved = append(proved, c.ID)
		} else {
			rest = append(rest, c)
		}
	}
	if len(proved) <= many {
		return t.doc.Claims
	}
	word, line := t.status("proved"), fmt.Sprintf("%d claims:", len(proved))
	for i, id := range proved {
		if i < len(proved)-1 {
			id += ","
		}
		if len(line)+len(id) >= width {
			t.line("  %s  %s", word, line)
			word, line = t.status(""), ""
		}
		line = strings.TrimSpace(line + " " + id)
	}
	t.line("  %s  %s", word, line)
	return rest
}

func (t *text) status(word string) string {
	color := map[string]string{"proved": green, "certified": green, "violated": red, "unproved": yellow, "attested": yellow}[word]
	return t.paint(color, fmt.Sprintf("%-9s", word))
}

func (t *text) summary() {
	t.line("")
	run := t.report.RunID.String()
	if run != "" {
		run = ", run " + run
	}
	t.line("%s: %s in %s, seed %d%s", textsafe.Count(len(t.report.Outcomes), "scenario"), t.verdicts(t.report.Totals()),
		round(t.report.Seconds), t.report.Seed, run)
	t.part()
	if words := excerpt.Repetitions(t.doc); words != "" {
		t.line("asked again %s", words)
	}
	for _, words := range []string{excerpt.Pace(t.doc.Pace), excerpt.Load(t.doc.Load), excerpt.Recognisable(t.doc)} {
		if words != "" {
			t.line("%s", words)
		}
	}
	switch figure := excerpt.Sensitivity(t.doc.Sensitivity); {
	case figure != "":
		t.line("%s", figure)
	case excerpt.Unchallenged(t.doc) != "":
		t.line("%s", excerpt.Unchallenged(t.doc))
	}
	color := red
	if t.doc.ExitCode == scenarios.ExitProved {
		color = green
	}
	t.line("%s (exit %d)", t.paint(color, Conclusion(t.doc)), t.doc.ExitCode)
	if t.dir != "" {
		t.line("reports in %s", t.dir)
	}
}

// ExitMeaning explains an exit code of assay certify in a sentence; "" for a code it never returns.
func ExitMeaning(code int) string {
	switch code {
	case scenarios.ExitProved:
		return "every claim that was asked about is proved"
	case scenarios.ExitViolated:
		return "a requirement is violated"
	case scenarios.ExitUsage:
		return "the command was not understood"
	case scenarios.ExitUnreachable:
		return "the target cannot be reached, or has no discovery document"
	case scenarios.ExitNothing:
		return "nothing was proved: no scenario was selected, or the target claims nothing of what was asked"
	case scenarios.ExitUnproved:
		return "a claim is left unproved"
	case scenarios.ExitBroken:
		return "Assay itself broke: the verdicts are incomplete"
	case scenarios.ExitInterrupted:
		return "interrupted: what had not ended is inconclusive"
	}
	return ""
}

func round(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	if d < time.Second {
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}
