package reports_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
)

// ctrf is what CTRF 1.0.0 demands of a report.
type ctrf struct {
	Format  string `json:"reportFormat"`
	Version string `json:"specVersion"`
	Results struct {
		Tool    struct{ Name string }
		Summary map[string]int
		Tests   []struct {
			Name, Status, Message, RawStatus string
			Duration                         *int
			Suite                            []string
		}
		Extra map[string]any
	}
}

// parsed decodes what one of the writers makes, and checks that it is harmless.
func parsed(t *testing.T, raw []byte, into any) {
	t.Helper()
	harmless(t, bytes.ReplaceAll(raw, []byte("�"), nil))
	if err := json.Unmarshal(raw, into); err != nil {
		t.Fatal(err)
	}
}

func TestCTRF(t *testing.T) {
	var out bytes.Buffer
	doc := reports.Results(loopReport(t), stamp)
	if err := reports.CTRF(&out, doc); err != nil {
		t.Fatal(err)
	}
	golden(t, "ctrf.json", out.Bytes())
	var back ctrf
	parsed(t, out.Bytes(), &back)
	if back.Format != "CTRF" || back.Version != "1.0.0" || back.Results.Tool.Name != "assay" {
		t.Errorf("the head is %+v", back)
	}
	counts := map[string]int{}
	for _, test := range back.Results.Tests {
		counts[test.Status]++
		if test.Name == "" || test.Duration == nil || len(test.Suite) == 0 || test.Status != "passed" && test.Message == "" {
			t.Errorf("a test lacks something: %+v", test)
		}
		want := map[string]string{"passed": "passed", "failed": "failed", "inapplicable": "skipped", "blocked": "pending",
			"inconclusive": "pending", "broken": "other"}[test.RawStatus]
		if test.Status != want {
			t.Errorf("%s, which ended %s, is %s", test.Name, test.RawStatus, test.Status)
		}
	}
	s := back.Results.Summary
	if s["tests"] != 10 || s["tests"] != len(back.Results.Tests) {
		t.Errorf("%d tests of %d", s["tests"], len(back.Results.Tests))
	}
	for _, status := range []string{"passed", "failed", "skipped", "pending", "other"} {
		if n, is := s[status]; !is || n != counts[status] {
			t.Errorf("the summary counts %d that are %s, and there are %d", n, status, counts[status])
		}
	}
	if s["stop"] < s["start"] || s["start"] < 1e12 {
		t.Errorf("from %d to %d ms", s["start"], s["stop"])
	}
}

// sarif is what SARIF 2.1.0 and its readers demand of a log.
type sarif struct {
	Version string `json:"version"`
	Runs    []struct {
		Tool struct {
			Driver struct {
				Name  string
				Rules []struct{ ID string }
			}
		}
		Invocations []struct{ ExecutionSuccessful *bool }
		Results     []struct {
			RuleID, Kind, Level string
			RuleIndex           int
			Message             struct{ Text string }
			Locations           []struct {
				PhysicalLocation struct {
					ArtifactLocation struct{ URI string }
				}
			}
			Suppressions []struct{ Kind string }
		}
	}
}

func TestSARIF(t *testing.T) {
	var out bytes.Buffer
	doc := reports.Results(loopReport(t), stamp)
	if err := reports.SARIF(&out, doc); err != nil {
		t.Fatal(err)
	}
	golden(t, "results.sarif", out.Bytes())
	var back sarif
	parsed(t, out.Bytes(), &back)
	if back.Version != "2.1.0" || len(back.Runs) != 1 || back.Runs[0].Tool.Driver.Name != "assay" ||
		back.Runs[0].Invocations[0].ExecutionSuccessful == nil {
		t.Fatalf("the head is %+v", back)
	}
	run := back.Runs[0]
	errors := map[string]bool{}
	open := 0
	for _, r := range run.Results {
		if r.RuleIndex >= len(run.Tool.Driver.Rules) || run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("%s has the rule %d", r.RuleID, r.RuleIndex)
		}
		if r.Kind != "fail" && r.Level != "none" || r.Message.Text == "" || len(r.Locations) != 1 ||
			!strings.HasPrefix(r.Locations[0].PhysicalLocation.ArtifactLocation.URI, "transcripts/") {
			t.Errorf("a result is %+v", r)
		}
		switch {
		case r.Kind == "open":
			open++
		case r.Level == "error":
			errors[r.RuleID] = true
		}
	}
	for _, v := range doc.Violations {
		if !errors[v.Requirement] {
			t.Errorf("the violation of %s is left out", v.Requirement)
		}
	}
	for _, s := range doc.Scenarios {
		if s.Failure != nil && !errors[s.Failure.Requirement] {
			t.Errorf("the failure of %s is left out", s.ID)
		}
	}
	if len(errors) == 0 || open == 0 {
		t.Errorf("%d errors, %d open", len(errors), open)
	}
}

// A part says so, and certifies nothing, whoever reads it.
func TestViewersOfAPart(t *testing.T) {
	r := loopReport(t)
	r.Select, r.Scenarios, r.Profiles = scenarios.Selection{Suites: []string{"loop"}}, 40, nil
	doc := reports.Results(r, stamp)
	var ctrf, sarif bytes.Buffer
	if err := reports.CTRF(&ctrf, doc); err != nil {
		t.Fatal(err)
	}
	if err := reports.SARIF(&sarif, doc); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"CTRF": ctrf.String(), "SARIF": sarif.String()} {
		if strings.Contains(text, "certified") || !strings.Contains(text, `"partial": "9 of 40 scenarios were asked"`) {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// A known failure is no error of a viewer, and is still told.
func TestViewersOfKnown(t *testing.T) {
	var out bytes.Buffer
	if err := reports.SARIF(&out, reports.Results(loopReport(t), knownStamp(0))); err != nil {
		t.Fatal(err)
	}
	var back sarif
	parsed(t, out.Bytes(), &back)
	suppressed := 0
	for _, r := range back.Runs[0].Results {
		suppressed += len(r.Suppressions)
	}
	if suppressed == 0 {
		t.Errorf("nothing is suppressed: %s", &out)
	}
}
