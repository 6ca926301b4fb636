package matrix_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/markdowntest"
	"github.com/openassay/assay/reports/matrix"
)

func TestMarkdown(t *testing.T) {
	var out strings.Builder
	if err := example(t).Markdown(&out); err != nil {
		t.Fatal(err)
	}
	harmless(t, out.String())
	golden(t, "matrix.md", out.String())
	width := 0
	for line := range strings.Lines(out.String()) {
		n := strings.Count(line, "|")
		switch {
		case n == 0:
			width = 0
		case width == 0:
			width = n
		case n != width:
			t.Errorf("a row of %d cells in a table of %d: %s", n-1, width-1, line)
		}
	}
}

// Two targets with the same verdicts that were asked differently far are told apart.
func TestReachTellsTargetsApart(t *testing.T) {
	certified := func(depth results.Depth, most int64) matrix.Certification {
		return matrix.Certification{Results: results.Results{Depth: depth, StartedAt: now, Requirements: []results.RequirementResult{
			{ID: "OWP-0061-B1", Verdict: results.RequirementVerdictPassed,
				Reach: &results.Reach{Asked: 2, Made: 1, Drawn: []results.Drawn{{Name: "turns of a loop", Least: 4, Most: most, Times: 2}}}}}}}
	}
	m := matrix.New(ledgers, now, []matrix.Certification{certified("quick", 6), certified("standard", 24)})
	var out strings.Builder
	if err := m.Markdown(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"asked to depth quick, 2 checks, 1 dimension drawn (turns of a loop up to 6)",
		"asked to depth standard, 2 checks, 1 dimension drawn (turns of a loop up to 24)"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the matrix does not say %q:\n%s", want, out.String())
		}
	}
}

// Whatever a target says, a reader of the Markdown finds the same tables, and no link but those to reports.
func TestMarkdownOfHostileTargets(t *testing.T) {
	read := func(m *matrix.Matrix) markdowntest.Document {
		var out strings.Builder
		if err := m.Markdown(&out); err != nil {
			t.Fatal(err)
		}
		harmless(t, out.String())
		return markdowntest.Read(t, out.String())
	}
	want := read(hostileMatrix("plain"))
	if len(want.Tables) != 4 || len(want.Heads) != 3 {
		t.Fatalf("the plain one is %+v", want)
	}
	for _, s := range hostile {
		got := read(hostileMatrix(s))
		if len(got.Links)+len(got.Images)+got.HTML != 0 || len(got.Heads) != 3 {
			t.Errorf("%.60q leaves links %q, images %q, %d pieces of HTML, headings %q", s, got.Links, got.Images, got.HTML, got.Heads)
		}
		if !cmp.Equal(want.Tables, got.Tables) {
			t.Errorf("%.60q changes the tables from %v to %v", s, want.Tables, got.Tables)
		}
	}
	links := read(example(t)).Links
	for _, l := range links {
		if l != "a/report.html" && l != "c%20d/report.html" {
			t.Errorf("a link to %s", l)
		}
	}
	if len(links) < 10 {
		t.Errorf("only %d links to reports", len(links))
	}
}

// A certification is marked as old after 90 days, and as not comparable where it was asked other questions.
func TestColumns(t *testing.T) {
	at := func(age time.Duration) matrix.Certification {
		return matrix.Certification{Results: document(func(d *results.Results) { d.StartedAt = now.Add(-age) })}
	}
	const day = 24 * time.Hour
	for _, c := range []struct {
		age  time.Duration
		want string
	}{
		{0, "today"}, {day - time.Second, "today"}, {day, "1 d"}, {90 * day, "90 d"}, {90*day + time.Second, "90 d, old"},
		{400 * day, "400 d, old"},
		{-time.Minute, "today"}, {-time.Hour, "dated in the future"},
	} {
		if got := matrix.New(ledgers, now, []matrix.Certification{at(c.age)}).Tables[0].Columns[0].Age.String(); got != c.want {
			t.Errorf("a certification of %s ago is %q, want %q", c.age, got, c.want)
		}
	}

	other := at(0)
	other.Results.Assay.SuiteDigest = digestB
	columns := matrix.New(ledgers, now, []matrix.Certification{at(0), other, at(0), other}).Tables[0].Columns
	for i, want := range []string{"A", "B", "A", "B"} {
		if c := columns[i]; c.Set != want || c.Other != (want == "B") {
			t.Errorf("column %d: set %s, other %t, want set %s", i+1, c.Set, c.Other, want)
		}
	}
	var out strings.Builder
	if err := matrix.New(ledgers, now, []matrix.Certification{at(0), at(0)}).Markdown(&out); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "comparable") {
		t.Errorf("two targets with the same questions are said not to be comparable:\n%s", out.String())
	}
}

// The weakest evidence stands in the cell, and only of what the word rests on.
func TestCells(t *testing.T) {
	cell := func(r ...results.RequirementResult) matrix.Cell {
		doc := document(func(d *results.Results) { d.Requirements = r })
		return matrix.New(ledgers, now, []matrix.Certification{{Results: doc}}).Tables[0].Rows[3].Cells[0] // after two profiles and the totals
	}
	kept := func(id string, e results.Evidence) results.RequirementResult {
		return results.RequirementResult{ID: id, Verdict: results.RequirementVerdictPassed, Evidence: e}
	}
	with := func(id string, v results.RequirementVerdict) results.RequirementResult {
		return results.RequirementResult{ID: id, Verdict: v, Evidence: results.EvidenceObserved}
	}
	for _, c := range []struct {
		name string
		got  matrix.Cell
		want matrix.Cell
	}{
		{"proved", cell(kept("DEMO-A1", results.EvidenceSurvived), kept("DEMO-A2", results.EvidenceObserved)),
			matrix.Cell{Word: "proved", Count: "2", Evidence: "observed"}},
		{"attested", cell(kept("DEMO-A1", results.EvidenceSurvived), kept("DEMO-A2", results.EvidenceAttested)),
			matrix.Cell{Word: "attested", Count: "1 of 2", Evidence: "attested"}},
		{"violated", cell(kept("DEMO-A1", results.EvidenceAttested), with("DEMO-A2", results.RequirementVerdictFailed)),
			matrix.Cell{Word: "violated", Count: "1 of 2", Evidence: "observed"}},
		{"unproved", cell(kept("DEMO-A1", results.EvidenceObserved), with("DEMO-A2", results.RequirementVerdictInconclusive)),
			matrix.Cell{Word: "unproved", Count: "1 of 2"}},
		{"insensitive", cell(kept("DEMO-A1", results.EvidenceObserved), with("DEMO-A2", results.RequirementVerdictInsensitive)),
			matrix.Cell{Word: "unproved", Count: "1 of 2"}},
		{"not claimed", cell(results.RequirementResult{ID: "DEMO-A1", Verdict: results.RequirementVerdictInapplicable}),
			matrix.Cell{Word: "not claimed"}},
		{"attested is enough where the row says so", cell(kept("DEMO-B1", results.EvidenceAttested)), matrix.Cell{Word: "proved",
			Count: "1", Evidence: "attested"}},
	} {
		if c.got.Word != c.want.Word || c.got.Count != c.want.Count || c.got.Evidence != c.want.Evidence {
			t.Errorf("%s: %+v, want %+v", c.name, c.got, c.want)
		}
	}
}

// A link leads from the folder of the matrix to the report, and only to one that is there.
func TestBeside(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a b", "javascript:x", "q?#%", "(p)[q]|<r>", "none", "folder"} {
		if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
			t.Fatal(err)
		}
		switch name {
		case "none":
		case "folder":
			if err := os.Mkdir(filepath.Join(dir, name, "report.html"), 0o755); err != nil {
				t.Fatal(err)
			}
		default:
			if err := os.WriteFile(filepath.Join(dir, name, "report.html"), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct{ results, from, want string }{
		{"a b/results.json", ".", "a%20b/report.html"},
		{"a b/results.json", "a b", "report.html"},
		{"a b/results.json", "none", "../a%20b/report.html"},
		{"a b/results.json", "not/there/yet", "../../../a%20b/report.html"},
		{"javascript:x/results.json", ".", "./javascript:x/report.html"},
		{"q?#%/results.json", ".", "q%3F%23%25/report.html"},
		{"(p)[q]|<r>/results.json", ".", "%28p%29%5Bq%5D%7C%3Cr%3E/report.html"},
		{"none/results.json", ".", ""},
		{"folder/results.json", ".", ""},
	} {
		if got := matrix.Beside(filepath.Join(dir, c.results), filepath.Join(dir, c.from)); got != c.want {
			t.Errorf("from %s to %s: %q, want %q", c.from, c.results, got, c.want)
		}
	}
}
