package github_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/markdowntest"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports/github"
)

var update = flag.Bool("update", false, "write what GitHub is told now into testdata")

// document has failures and a broken scenario, with s wherever a target's words can stand.
func document(s string) results.Results {
	failed := func(id string) results.ScenarioResult {
		return results.ScenarioResult{ID: id, Title: "a loop counts from 1", Verdict: results.VerdictFailed, Reason: s,
			Failure: &results.Failure{Requirement: "DEMO-A2", Expected: "[1,2], from 1", Actual: s, Again: "assay certify x --scenario " + id}}
	}
	return results.Results{
		Schema: results.ResultsSchemaAssayResults1, Assay: results.Assay{Version: "v0.4.0"},
		Sensitivity: &results.Sensitivity{Passes: 9, Sensitive: 8, Insensitive: []results.InsensitivePass{
			{Scenario: "demo/loop/passes", Requirement: "DEMO-A1", Why: "no check noticed " + s}}},
		Target: results.Target{Protocol: "openwop/v1", Address: "http://a.example" + s, Name: &s, Version: &s}, Seed: 7, ExitCode: 1,
		Scenarios: []results.ScenarioResult{
			{ID: "demo/loop/broken", Title: "a loop breaks", Verdict: results.VerdictBroken, Reason: "the judge panicked: " + s},
			failed("demo/loop/fails"),
			{ID: "demo/loop/passes", Title: "a loop passes", Verdict: results.VerdictPassed},
			failed("demo/loop/fails-too"),
		},
		Totals:   results.Totals{Passed: 1, Failed: 2, Broken: 1},
		Profiles: []results.ProfileResult{{ID: "loop-v5", Status: results.ProfileStatusViolated, Proved: 1, Required: 4}},
	}
}

var hostile = []string{
	"plain", "", "\n::error::owned\r\n::add-mask::x", "%0A::error::owned", "a,title=b::c:d", "##[error]x", "::stop-commands::x",
	"\x1b[31m| `x` [l](javascript:alert(1))</td><script>alert(1)</script>\n\u009b1m\u202e\xff", "| a | b |\n|---|---|\n# head\n- item\n```",
	"http://evil.example www.evil.example <http://evil.example> ![x](http://evil.example/p.png) @everyone #1", "``````", "`", " ",
	strings.Repeat("long ", 5000),
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); if that is meant, run go test ./reports/github -update:\n%s", path, diff)
	}
}

func summary(t *testing.T, doc results.Results) string {
	t.Helper()
	var out strings.Builder
	if err := github.Summary(&out, doc, "a requirement is violated", "out"); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func annotations(t *testing.T, doc results.Results) string {
	t.Helper()
	var out strings.Builder
	if err := github.Annotations(&out, doc); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestGolden(t *testing.T) {
	doc := document("\x1b[31m::error::x, 100%: `y`\n")
	golden(t, "summary.md", summary(t, doc))
	golden(t, "annotations.txt", annotations(t, doc))
}

// Whatever a target says, the summary has the same tables, headings and no link.
func TestSummaryOfHostileTargets(t *testing.T) {
	want := markdowntest.Read(t, summary(t, document("plain")))
	if len(want.Tables) != 2 || len(want.Heads) != 2 || len(want.Code) == 0 {
		t.Fatalf("the plain summary is %+v", want)
	}
	for _, s := range hostile {
		got := summary(t, document(s))
		for i, r := range got {
			if r != '\n' && r != ' ' && !unicode.IsGraphic(r) {
				t.Errorf("%q leaves %U at byte %d", s, r, i)
			}
		}
		read := markdowntest.Read(t, got)
		if len(read.Links)+len(read.Images)+read.HTML != 0 || !cmp.Equal(read.Tables, want.Tables) || len(read.Heads) != 2 ||
			len(read.Code) != len(want.Code) {
			t.Errorf("%q is read back as %+v", s, read)
		}
		if s != "" && !slices.ContainsFunc(read.Code, func(c string) bool { return strings.Contains(c, strings.TrimSpace(shown(s))) }) {
			t.Errorf("%q is not told: %q", s, read.Code)
		}
	}
}

// shown is how a text of a target stands in a code span.
func shown(s string) string {
	return strings.ReplaceAll(strings.TrimSuffix(textsafe.Clip(s, 60), "…"), "|", `\x7c`)
}

// command is what a runner of GitHub Actions makes of a line: blanks before it do not matter, and an old form may stand
// anywhere in it.
func command(t *testing.T, line string) (name, title, message string) {
	t.Helper()
	if strings.Contains(line, "##[") {
		t.Errorf("a command of the old form in %q", line)
	}
	rest, is := strings.CutPrefix(strings.TrimSpace(line), "::")
	if !is {
		return "", "", ""
	}
	head, message, _ := strings.Cut(rest, "::")
	name, properties, _ := strings.Cut(head, " ")
	for p := range strings.SplitSeq(properties, ",") {
		key, value, _ := strings.Cut(p, "=")
		if key != "title" {
			t.Errorf("a property %q in %q", key, line)
		}
		title = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",").Replace(value)
		title = strings.ReplaceAll(title, "%25", "%")
	}
	message = strings.NewReplacer("%0D", "\r", "%0A", "\n").Replace(message)
	return name, title, strings.ReplaceAll(message, "%25", "%")
}

// Whatever a target says, there are as many commands as failures, each an error, and they are read back as they were meant.
func TestAnnotationsOfHostileTargets(t *testing.T) {
	for _, s := range hostile {
		var got [][2]string
		for line := range strings.Lines(annotations(t, document(s))) {
			name, title, message := command(t, line)
			if name != "error" {
				t.Errorf("%q commands %q: %s", s, name, line)
			}
			got = append(got, [2]string{title, message})
		}
		failed := [2]string{"Assay: DEMO-A2 is violated", textsafe.Clip("a loop counts from 1: expected [1,2], from 1, got "+s, 800)}
		want := [][2]string{failed, failed, {"Assay: demo/loop/broken broke", textsafe.Clip("the judge panicked: "+s, 800)}}
		for i := range want { // a runner cuts blanks at the end
			want[i][1] = strings.TrimSpace(want[i][1])
			got[i][1] = strings.TrimSpace(got[i][1])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got)\n%s", s, diff)
		}
	}
}

// GitHub shows ten; the last says how many there are besides, and a summary ends somewhere.
func TestMany(t *testing.T) {
	doc := document("x")
	one := doc.Scenarios[1]
	doc.Scenarios = nil
	for i := range 200 {
		one.ID = fmt.Sprintf("demo/loop/fails-%d", i)
		doc.Scenarios = append(doc.Scenarios, one)
	}
	lines := strings.Split(strings.TrimSpace(annotations(t, doc)), "\n")
	if len(lines) != 10 || !strings.Contains(lines[9], "191 more failures") {
		t.Errorf("%d lines, the last %q", len(lines), lines[len(lines)-1])
	}
	doc.Target.Address = strings.Repeat("x", 1<<20)
	if text := summary(t, doc); !strings.Contains(text, "\nand 150 more, see results.json\n") || len(text) > 200<<10 {
		t.Errorf("a summary of %d bytes", len(text))
	}
}

// A failure that the operator expects is counted, and annotates nothing.
func TestKnownFailures(t *testing.T) {
	doc := document("x")
	doc.Scenarios[1].Known = &results.Known{}
	if got := annotations(t, doc); strings.Count(got, "\n") != 2 {
		t.Errorf("annotations %q", got)
	}
	text := summary(t, doc)
	if !strings.Contains(text, "expects, beside these: 1.") || strings.Contains(text, "`demo/loop/fails`") || !strings.Contains(text,
		"`demo/loop/fails-too`") {
		t.Error(text)
	}
}

// What is to be mended in the list of known failures is shown at its line of the file.
func TestExpectationsThatDoNotHold(t *testing.T) {
	doc := document("x")
	before := annotations(t, doc)
	doc.Expectations = &results.Expectations{File: "ci/a,b.yaml", Problems: []results.ExpectationProblem{{Line: 7,
		Text: "it passes now:\n100% of it"}}}
	want := "::error file=ci/a%2Cb.yaml,line=7,title=Assay%3A an expectation does not hold::it passes now:\\n100%25 of it\n"
	if got := annotations(t, doc); got != before+want {
		t.Errorf("%s", got)
	}
}

func TestNothingFailed(t *testing.T) {
	doc := document("x")
	doc.Scenarios = doc.Scenarios[2:3]
	if got := annotations(t, doc); got != "" {
		t.Errorf("annotations %q", got)
	}
	if strings.Contains(summary(t, doc), "Violated") {
		t.Error("the summary tells of violations")
	}
}

// Who reads the summary learns that the host could tell its examiner by a header.
func TestExtraHeadersAreTold(t *testing.T) {
	doc := document("plain")
	for _, names := range [][]string{nil, {"X-Team", "X-Trace"}} {
		doc.Target.ExtraHeaders = names
		var b strings.Builder
		if err := github.Summary(&b, doc, "meaning", ""); err != nil {
			t.Fatal(err)
		}
		if told := strings.Contains(b.String(), "X-Team, X-Trace"); told != (names != nil) {
			t.Errorf("with %v it tells of headers: %t\n%s", names, told, b.String())
		}
	}
}
