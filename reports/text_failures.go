package reports

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// failures shows each violated scenario whole: what is asked, what was expected and what came, the exchanges that
// show it, and the command that runs it again.
func (t *text) failures() {
	for i, o := range t.report.Outcomes {
		if o.Verdict != scenarios.Failed {
			continue
		}
		t.heading(red, "FAILED", t.paint(bold, string(o.Scenario.ID)))
		t.prose(o.Scenario.Title)
		violations := t.violations(o)
		said := scenarios.RequirementID("")
		for _, c := range violations {
			if id := scenarios.RequirementID(c.Requirement); id != said {
				t.requirement(id)
				said = id
			}
			t.line("    expected  %s", textsafe.Clip(c.Expected, mostReason))
			t.line("    actual    %s", textsafe.Clip(c.Actual, mostReason))
			t.line("    at        %s", textsafe.Clip(place(checked(c)), mostReason))
		}
		t.exchanges(o, violations)
		t.line("")
		t.line("  again: %s", textsafe.Line(t.doc.Scenarios[i].Failure.Again))
	}
}

// violations are the checks that made the scenario fail; a SHOULD that was not met is among the findings.
func (t *text) violations(o scenarios.Outcome) []check.Result {
	return slices.DeleteFunc(o.Violations(), func(c check.Result) bool {
		r, known := t.report.Protocol.Ledger.Find(scenarios.RequirementID(c.Requirement))
		return known && r.Level != scenarios.Must
	})
}

func (t *text) requirement(id scenarios.RequirementID) {
	t.line("")
	r, known := t.report.Protocol.Ledger.Find(id)
	if !known {
		t.line("  %s", t.paint(bold, string(id)))
		return
	}
	seam := ""
	if r.ThroughSeam() {
		seam = ", shown through a test seam that Assay defines"
	}
	t.line("  %s  %s, %s %s%s", t.paint(bold, r.ID), r.Level, r.Source, r.Section, seam)
	t.prose(r.Text)
}

// mostExchanges is how many exchanges a failure shows. One says what came; two or three how it came to that.
const mostExchanges = 3

func (t *text) exchanges(o scenarios.Outcome, violations []check.Result) {
	i := slices.IndexFunc(t.report.Drives, func(d scenarios.DriveRecord) bool { return d.ID == o.Drive })
	if i < 0 || t.report.Drives[i].Transcript == nil {
		return
	}
	transcript := t.report.Drives[i].Transcript
	shown := exchangesOf(violations)
	if len(shown) == 0 {
		return
	}
	t.line("")
	where := ""
	if t.dir != "" {
		where = " (all of them: " + path.Join(t.dir, transcriptPath(o.Drive)) + ")"
	}
	t.line("  exchanges%s", where)
	for _, n := range shown {
		if e := transcript.Entry(n); e != nil {
			t.line("    #%d %s", n, t.exchange(*e))
		}
	}
}

// exchangesOf are the first few exchanges that the checks name, in the order in which they happened.
func exchangesOf(checks []check.Result) []int {
	var out []int
	for _, c := range checks {
		if n := c.Where.Exchange; n > 0 && !slices.Contains(out, n) && len(out) < mostExchanges {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// exchange is one exchange on one line.
func (t *text) exchange(e wire.Entry) string {
	if e.Process != nil {
		return turn(e)
	}
	var words []string
	if e.Files != nil {
		return textsafe.Clip(e.Files.Of+": "+e.Files.Content, mostBody)
	}
	if e.Request != nil {
		words = append(words, e.Request.Method, textsafe.Clip(strings.TrimPrefix(e.Request.URL, t.report.Address), mostBody))
	}
	if e.Request != nil && e.Request.Body != "" {
		words = append(words, textsafe.Clip(e.Request.Body, mostBody))
	}
	words = append(words, "->")
	if e.Response != nil {
		words = append(words, fmt.Sprint(e.Response.Status))
		if e.Response.Body != "" {
			words = append(words, textsafe.Clip(e.Response.Body, mostBody))
		}
	}
	if len(e.Chunks) > 0 {
		words = append(words, plural(len(e.Chunks), "chunk")+" beginning", textsafe.Clip(e.Chunks[0].Text, mostBody))
	}
	if e.Error != "" {
		words = append(words, textsafe.Clip(e.Error, mostReason))
	}
	return strings.Join(words, " ")
}

// turn is one process on one line: what it was for, what it was handed, how it ended and what it printed.
func turn(e wire.Entry) string {
	p := e.Process
	ended := p.Ended
	if p.Exit != nil {
		ended = fmt.Sprintf("exit %d", *p.Exit)
	}
	words := []string{textsafe.Clip(e.Label+":", mostReason), textsafe.Clip(p.Input, mostBody), "->", textsafe.Clip(ended, mostReason)}
	if p.Output != "" {
		words = append(words, textsafe.Clip(p.Output, mostBody))
	}
	for _, more := range []struct{ what, text string }{{"stderr", p.Errors}, {"left behind", strings.Join(p.Survivors, ", ")}, {"failed", e.Error}} {
		if more.text != "" {
			words = append(words, more.what+": "+textsafe.Clip(more.text, mostReason))
		}
	}
	return strings.Join(words, " ")
}

// prose writes our own words, wrapped and indented by two.
func (t *text) prose(words string) {
	line := " "
	for w := range strings.FieldsSeq(words) {
		if len(line)+1+len(w) > width && line != " " {
			t.line("%s", line)
			line = " "
		}
		line += " " + w
	}
	t.line("%s", line)
}
