package matrix_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports/conformance"
	"github.com/openassay/assay/reports/matrix"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
)

var update = flag.Bool("update", false, "write what the matrix says now into testdata")

// evil is what a target may put into any string: an ANSI sequence, Markdown, HTML, XML, commands of GitHub, a line break, a
// C1 control, a bidirectional override, a byte that is not UTF-8.
const evil = "\x1b[31m| `x` [l](javascript:alert(1))</td></script>]]><script>alert(1)</script><img src=x " +
	"onerror=alert(1)>\n::error::owned ##[error]\n\u009b1m\u202e\xff\"' onload=\"alert(1)"

// hostile are strings that each aim at one format; all of them stand everywhere in turn.
var hostile = []string{
	evil,
	"</style><script>alert(1)</script>",
	"\"><svg onload=alert(1)>",
	"{{.}}<!--",
	"javascript:alert(1)",
	"| a | b |\n|---|---|",
	"[x](http://evil.example) ![x](http://evil.example/p.png) <http://evil.example>",
	"``` \n# heading",
	"&lt;script&gt;&#0;",
	"\u202egnp.exe\u2066\u200b\ufeff",
	strings.Repeat("long", 5000),
	"%0A::error::x",
	"",
}

var (
	digestA = strings.Repeat("a", 64)
	digestB = strings.Repeat("b", 64)
	start   = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	now     = time.Date(2026, 11, 22, 13, 0, 0, 0, time.UTC)
)

var ledgers = map[string]*scenarios.Ledger{"openwop/v1": scenarios.NewLedger([]scenarios.Requirement{
	{ID: "DEMO-A1", Level: "MUST", Source: "RFC-0061", Section: "A", Evidence: "observed"},
	{ID: "DEMO-A2", Level: "MUST", Source: "RFC-0061", Section: "A", Evidence: "observed"},
	{ID: "DEMO-A3", Level: "MUST", Source: "RFC-0061", Section: "A", Evidence: "observed"},
	{ID: "DEMO-B1", Level: "MUST", Source: "RFC-0061", Section: "B", Evidence: "attested"},
	{ID: "DEMO-C1", Level: "MUST", Source: "RFC-0037", Section: "C"},
})}

func document(edit func(*results.Results)) results.Results {
	name, version := "Acme", "1.2.0"
	d := results.Results{
		Schema: results.ResultsSchemaAssayResults2, Assay: results.Assay{Version: "v0.4.0", SuiteDigest: digestA},
		Target:    results.Target{Protocol: "openwop/v1", Address: "http://a.example", Name: &name, Version: &version, DiscoveryDigest: digestA},
		StartedAt: start, Claims: []results.Claim{{ID: "model>=5", Status: results.ClaimStatusViolated},
			{ID: "goals", Status: results.ClaimStatusProved}},
		Requirements: []results.RequirementResult{
			{ID: "DEMO-A1", Verdict: results.RequirementVerdictPassed, Evidence: results.EvidenceObserved},
			{ID: "DEMO-A2", Verdict: results.RequirementVerdictFailed, Evidence: results.EvidenceObserved, Stimulus: results.StimulusAssaySeam},
			{ID: "DEMO-B1", Verdict: results.RequirementVerdictBlocked, Stimulus: results.StimulusAssaySeam},
			{ID: "DEMO-C1", Verdict: results.RequirementVerdictInapplicable},
		},
		Scenarios: []results.ScenarioResult{
			{ID: "demo/loop/passes", Verdict: results.VerdictPassed, Evidence: results.EvidenceObserved},
			{ID: "demo/loop/fails", Verdict: results.VerdictFailed, Evidence: results.EvidenceObserved, Reason: "expected [1,2], got [1,1]"},
			{ID: "demo/loop/blocked", Verdict: results.VerdictBlocked, Reason: "no fixture"},
		},
		Totals: results.Totals{Passed: 2, Failed: 1, Blocked: 1},
		Profiles: []results.ProfileResult{{ID: "loop-v5", Status: results.ProfileStatusViolated, Proved: 1, Required: 4,
			ThroughSeam: 2}, {ID: "goals", Status: results.ProfileStatusInapplicable, Required: 3}},
	}
	if edit != nil {
		edit(&d)
	}
	return d
}

// example has a column of every sort, and bundles of both versions.
func example(t testing.TB) *matrix.Matrix {
	t.Helper()
	whole := document(nil)
	seamOnly := document(func(d *results.Results) {
		d.Target.Name, d.Target.Address, d.StartedAt = nil, "http://b.example", start.AddDate(0, -6, 0)
		d.Requirements = []results.RequirementResult{
			{ID: "DEMO-A1", Verdict: results.RequirementVerdictPassed, Evidence: results.EvidenceSurvived},
			{ID: "DEMO-A3", Verdict: results.RequirementVerdictPassed, Evidence: results.EvidenceAttested},
			{ID: "DEMO-B1", Verdict: results.RequirementVerdictPassed, Evidence: results.EvidenceAttested},
			{ID: evil, Verdict: results.RequirementVerdictFailed},
		}
		d.Profiles = []results.ProfileResult{{ID: "new-" + evil, Status: results.ProfileStatusCertified, Proved: 2, Required: 2}}
		d.Totals = results.Totals{Passed: 3, Failed: 1}
	})
	others := document(func(d *results.Results) {
		name := "Other " + evil
		d.Target.Name, d.Assay = &name, results.Assay{Version: "v0.3.0", SuiteDigest: digestB}
		d.Filter = &results.Filter{Suites: []string{"loop"}}
		d.Partial = &results.Partial{Asked: 1, Of: 2}
		d.StartedAt = now.Add(time.Hour)
		d.NotClaimed = []results.Sighting{{What: "a thing called " + evil, ClaimPointer: "/model/" + evil}}
	})
	unknown := document(func(d *results.Results) { d.Target.Protocol = "other/v1" })
	return matrix.New(ledgers, now, []matrix.Certification{
		{Results: whole, Link: "a/report.html"}, {Results: seamOnly}, {Results: others, Link: "c%20d/report.html"}, {Results: unknown},
	}, bundleFrom(t, "v1.json"), bundleFrom(t, "v2.json"))
}

func bundleFrom(t testing.TB, name string) *conformance.Bundle {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "conformance", "testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	b, err := conformance.Parse(raw, openwop.Protocol.OwnSuite)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// golden compares with a file of testdata, byte by byte.
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
		t.Errorf("%s differs (-want +got); if that is meant, run go test ./reports/matrix -update:\n%s", path, diff)
	}
}

// harmless fails on any character with which a target could reach beyond its own text.
func harmless(t *testing.T, text string) {
	t.Helper()
	for i, r := range text {
		if r != '\n' && r != ' ' && !unicode.IsGraphic(r) || r == unicode.ReplacementChar {
			t.Fatalf("%U at byte %d of …%q", r, i, text[max(i-40, 0):i])
		}
	}
}
