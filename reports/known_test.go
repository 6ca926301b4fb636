package reports_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
)

// knownStamp is that of a run whose failure was expected, by somebody who wrote strange things.
func knownStamp(code int, problems ...results.ExpectationProblem) reports.Stamp {
	until := "2027-01-31"
	return reports.Stamp{
		Version: "v0.0.1", ExitCode: code,
		Known: map[scenarios.ScenarioID]results.Known{"demo/loop/fails": {Reason: "it is slow " + evil,
			Issue: "https://acme.test/7" + evil, Expires: &until}},
		Expectations: &results.Expectations{File: "assay" + evil + ".yaml", Problems: append([]results.ExpectationProblem{}, problems...)},
	}
}

// A known failure is told with its reason and not among the failures; the document that says so is what its schema says.
func TestKnownFailures(t *testing.T) {
	r := loopReport(t)
	r.Outcomes = r.Outcomes[:2]
	var text, junit bytes.Buffer
	if err := reports.Text(&text, r, reports.TextOptions{Stamp: knownStamp(0)}); err != nil {
		t.Fatal(err)
	}
	harmless(t, text.Bytes())
	golden(t, "text_known.txt", text.Bytes())
	if strings.Contains(text.String(), "FAILED") || strings.Contains(text.String(), "every claim") {
		t.Error("it is told as a failure, or as if everything were proved")
	}
	doc := reports.Results(r, knownStamp(0))
	if err := reports.JUnit(&junit, doc); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(junit.String(), `failures="0"`) || !strings.Contains(junit.String(),
		`<skipped message="known failure: it is slow `) || !strings.Contains(junit.String(), `type="known"`) {
		t.Errorf("JUnit does not tell it as known:\n%s", &junit)
	}
	var page bytes.Buffer
	if err := reports.HTML(&page, r.Protocol, doc, r.Drives); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"A known failure, which the exit code does not count: <bdi>it is slow ",
		"<code><bdi>DEMO-A2 02c4f5b5ad15</bdi></code>", "1 known failure (assay"} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("report.html has no %q", want)
		}
	}
	raw, err := reports.MarshalResults(doc)
	if err != nil {
		t.Fatal(err)
	}
	again, err := reports.ParseResults(raw)
	if err != nil {
		t.Fatal(err)
	}
	if s := again.Scenarios[1]; s.Known == nil || s.Verdict != results.VerdictFailed || s.Failure.Signature == nil ||
		again.Expectations == nil {
		t.Errorf("the document does not tell it: %+v, %v", s, again.Expectations)
	}
	if again.Profiles[0].Status != results.ProfileStatusViolated {
		t.Errorf("the profile is %s", again.Profiles[0].Status)
	}
}

// Only what failed can be known to fail.
func TestAPassIsNotKnown(t *testing.T) {
	stamp := knownStamp(0)
	stamp.Known["demo/loop/passes"] = results.Known{Reason: "r", Issue: "https://acme.test/8"}
	if s := reports.Results(loopReport(t), stamp).Scenarios[0]; s.Known != nil {
		t.Errorf("%s is known to fail", s.ID)
	}
}

func TestConclusion(t *testing.T) {
	r := loopReport(t)
	r.Outcomes, r.Breaches = r.Outcomes[:2], nil
	wrong := results.ExpectationProblem{Line: 7, Text: "it passes now"}
	plain := knownStamp(1, wrong, wrong)
	plain.Known = nil
	file := knownStamp(0)
	file.Expectations.File = "a.yaml"
	for want, stamp := range map[string]reports.Stamp{
		"every claim that was asked about is proved":                        {},
		"a requirement is violated":                                         {ExitCode: 1},
		"1 known failure (a.yaml); all else that was asked about is proved": file,
		`2 expectations to mend in assay`:                                   plain,
		`.yaml); a claim is left unproved`:                                  knownStamp(5),
		`.yaml); 1 expectation to mend in assay`:                            knownStamp(1, wrong),
		`.yaml); Assay itself broke: the verdicts are incomplete`:           knownStamp(6, wrong),
	} {
		if len(stamp.Known) == 0 && stamp.ExitCode == 1 && stamp.Expectations != nil {
			r := *r
			r.Outcomes = r.Outcomes[:1]
			if got := reports.Conclusion(reports.Results(&r, stamp)); !strings.Contains(got, want) {
				t.Errorf("%s, want %s", got, want)
			}
			continue
		}
		if got := reports.Conclusion(reports.Results(r, stamp)); !strings.Contains(got, want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
