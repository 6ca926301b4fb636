package reports

import (
	"path"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports/excerpt"
	"github.com/openassay/assay/scenarios"
)

// failures shows each violated scenario in full: its question, the expected and actual values, the exchanges behind
// them, and the command that runs it again.
func (t *text) failures() {
	for i, o := range t.report.Outcomes {
		if o.Verdict != scenarios.Failed || t.doc.Scenarios[i].Known != nil {
			continue
		}
		t.heading(red, "FAILED", t.paint(bold, string(o.Scenario.ID)))
		t.prose(o.Scenario.Title)
		violations := excerpt.Violations(t.doc.Scenarios[i], t.report.Protocol.Ledger)
		said := scenarios.RequirementID("")
		for _, c := range violations {
			if id := scenarios.RequirementID(c.Requirement); id != said {
				t.requirement(id)
				said = id
			}
			t.line("    expected  %s", textsafe.Clip(c.Expected, mostReason))
			t.line("    actual    %s", textsafe.Clip(c.Actual, mostReason))
			t.line("    at        %s", textsafe.Clip(excerpt.Place(c), mostReason))
			if c.Signature != nil {
				t.line("    signature %s", textsafe.Line(*c.Signature))
			}
		}
		for _, r := range t.report.Protocol.ReadingsBy(o.Scenario.ID) {
			t.line("")
			t.line("  %s  reading: %s", t.paint(bold, r.ID), r.Title)
			t.prose("Accepts: " + r.Accept + " Refuses: " + r.Refuse)
		}
		t.exchanges(o.Drive, violations)
		t.line("")
		t.line("  again: %s", textsafe.Line(t.doc.Scenarios[i].Failure.Again))
	}
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

func (t *text) exchanges(drive string, violations []results.Check) {
	i := slices.IndexFunc(t.report.Drives, func(d scenarios.DriveRecord) bool { return d.ID == drive })
	if i < 0 || t.report.Drives[i].Transcript == nil {
		return
	}
	transcript := t.report.Drives[i].Transcript
	shown := excerpt.Exchanges(violations, transcript)
	if len(shown) == 0 {
		return
	}
	t.line("")
	where := ""
	if t.dir != "" {
		where = " (all of them: " + path.Join(t.dir, transcriptPath(drive)) + ")"
	}
	t.line("  exchanges%s", where)
	for _, n := range shown {
		if e := transcript.Entry(n); e != nil {
			t.line("    #%d %s", n, Exchange(excerpt.Tell(n, *e, t.report.Address)))
		}
	}
}

// Exchange renders an exchange on one line.
func Exchange(e excerpt.Told) string {
	words := []string{textsafe.Clip(e.Sent, mostBody)}
	add := func(text string, most int) {
		if text != "" {
			words = append(words, textsafe.Clip(text, most))
		}
	}
	add(e.Body, mostBody)
	words = append(words, "->")
	add(e.Came, mostReason)
	add(e.Reply, mostBody)
	for _, n := range e.Notes {
		words = append(words, n.About+": "+textsafe.Clip(n.Text, mostReason))
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
