package reason_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/assay/internal/reason"
)

var (
	protocol = &scenarios.Protocol{
		ID: "demo/v1", DiscoveryPath: "/.well-known/demo",
		Ledger: scenarios.NewLedger([]scenarios.Requirement{
			{ID: "D-1", Level: scenarios.Must, Text: "Turns are counted.", Claim: "loops"},
			{ID: "D-2", Level: scenarios.Must, Text: "Turns rest.", Reason: "planned", Why: "later"},
			{ID: "D-3", Level: scenarios.Must, Text: "Turns are told.", Claim: "loops"},
		}),
		Claims: []scenarios.Claim{
			{ID: "loops", Title: "loops", Pointer: "/loops == true"}, {ID: "told", Title: "told", Pointer: "/told == true"},
			{ID: "fixed", Title: "fixtures", Pointer: "/fixtures has demo"},
		},
		Profiles: []scenarios.Profile{{ID: "loop", Title: "loops",
			Requires: []scenarios.Required{{ID: "D-1", Scenarios: []scenarios.ScenarioID{"demo/a/one", "demo/a/two"}}}}},
	}
	suites = []scenarios.Suite{{ID: "a", Protocol: protocol, Scenarios: []scenarios.Scenario{
		{ID: "demo/a/one", Title: "one", Proves: []scenarios.RequirementID{"D-1"}, Claim: scenarios.Claim{ID: "loops"}},
		{ID: "demo/a/two", Title: "two", Proves: []scenarios.RequirementID{"D-1", "D-3"}, Claim: scenarios.Claim{ID: "loops"}},
		{ID: "demo/a/told", Title: "told", Proves: []scenarios.RequirementID{"D-3"}, Claim: scenarios.Claim{ID: "told"}},
		{ID: "demo/a/fixed", Title: "fixed", Proves: []scenarios.RequirementID{"D-3"}, Claim: scenarios.Claim{ID: "fixed"}},
	}}}
)

func ended(id string, v results.Verdict, because, unblock string) results.ScenarioResult {
	claim := map[string]string{"demo/a/told": "told", "demo/a/fixed": "fixed"}[id]
	if claim == "" {
		claim = "loops"
	}
	return results.ScenarioResult{ID: id, Verdict: v, Reason: because, Unblock: unblock, Claim: claim, Requirements: []string{"D-1"}}
}

func TestAnswers(t *testing.T) {
	failed := ended("demo/a/two", results.VerdictFailed, "", "")
	failed.Checks = []results.Check{{Requirement: "D-3", Expected: "3", Actual: "2", Exchange: 4, Pointer: "/turns"},
		{Requirement: "D-1", Ok: true}}
	for _, c := range []struct {
		name, id string
		came     []results.ScenarioResult
		rows     []results.RequirementResult
		verdict  string
		because  string
		do, flag string
	}{
		{"blocked", "demo/a/one", []results.ScenarioResult{ended("demo/a/one", "blocked", "no loop is on offer", "load the fixtures")}, nil,
			"blocked", "no loop is on offer", "load the fixtures", ""},
		{"by the end of its id", "a/one", []results.ScenarioResult{ended("demo/a/one", "inconclusive", "it hung up", "")}, nil,
			"inconclusive", "it hung up", "see that the target answers: assay doctor", ""},
		{"inapplicable", "told", []results.ScenarioResult{ended("demo/a/told", "inapplicable", "not claimed: /told == true is absent", "")}, nil,
			"inapplicable", "not claimed: /told == true is absent",
			"have the target make the claim told, where it keeps it: /told == true in /.well-known/demo", "--expect-claim 'told'"},
		{"inapplicable for what the claim rests on", "told", []results.ScenarioResult{ended("demo/a/told", "inapplicable",
			"not claimed: /told == true, since /version is 1", "")}, nil,
			"inapplicable", "not claimed: /told == true, since /version is 1",
			"have the target say something else there: /version is 1, on which the claim told rests", "--expect-claim 'told'"},
		{"inapplicable without fixture", "fixed", []results.ScenarioResult{ended("demo/a/fixed", "inapplicable",
			"not claimed: /fixtures has demo is absent", "")}, nil,
			"inapplicable", "not claimed: /fixtures has demo is absent",
			"load the fixtures into the host (assay fixtures export DIR writes them) and list them: /fixtures has demo", "--expect-claim 'fixed'"},
		{"what was found not to be there", "told", []results.ScenarioResult{ended("demo/a/told", "inapplicable", "not there: 404", "")}, nil,
			"inapplicable", "not there: 404", "have the target offer it: there is no word to claim it by", ""},
		{"failed", "two", []results.ScenarioResult{failed}, nil, "failed", "D-3: expected 3, got 2, at exchange 4 /turns",
			"have the target keep D-3", ""},
		{"broken", "one", []results.ScenarioResult{ended("demo/a/one", "broken", "panic", "")}, nil, "broken", "panic",
			"report it: it is a fault of Assay's own", ""},
		{"not asked", "one", nil, nil, "not asked", "the run left it out: it was narrowed to --suite b",
			"ask it: select it, or nothing", "--scenario demo/a/one"},
		{"a requirement that no scenario asks", "D-2", nil, nil, "not asked", "no scenario asks it, planned: later", "", ""},
		{"a requirement seen too weakly", "D-3", []results.ScenarioResult{ended("demo/a/two", "passed", "", ""),
			ended("demo/a/told", "passed", "", ""), ended("demo/a/fixed", "passed", "", "")},
			[]results.RequirementResult{{ID: "D-3", Verdict: "passed", Evidence: "attested"}},
			"passed", "it was attested, and observed is demanded: a seam's word is not enough, so have the target show it on a " +
				"public resource", "", ""},
		{"a requirement passed by what could not fail", "D-3", []results.ScenarioResult{ended("demo/a/two", "passed", "", ""),
			ended("demo/a/told", "passed", "", ""), ended("demo/a/fixed", "passed", "", "")},
			[]results.RequirementResult{{ID: "D-3", Verdict: "insensitive", Evidence: "observed"}},
			"insensitive", "the pass of demo/a/two on D-3 was not shown able to fail: no check noticed swapped", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := reason.Report{Protocol: protocol, Suites: suites, Results: results.Results{Scenarios: c.came, Requirements: c.rows,
				Filter: &results.Filter{Suites: []string{"b"}}, Sensitivity: &results.Sensitivity{Passes: 1,
					Insensitive: []results.InsensitivePass{{Scenario: "demo/a/two", Requirement: "D-3", ByRow: true, Cause: "blind",
						Why: "no check noticed swapped"}}}}}
			answers := r.Answers(c.id)
			if len(answers) == 0 {
				t.Fatal("no answer")
			}
			a := answers[0]
			if a.Verdict != c.verdict || !slices.Contains(a.Because, c.because) {
				t.Errorf("%s because %q", a.Verdict, a.Because)
			}
			switch {
			case c.do == "" && len(a.Changes) > 0:
				t.Errorf("changes %v", a.Changes)
			case c.do != "" && (len(a.Changes) == 0 || a.Changes[0].Do != c.do || a.Changes[0].Flag != c.flag):
				t.Errorf("changes %v", a.Changes)
			}
		})
	}
}

// The change that helps the most comes first.
func TestTheShortestChange(t *testing.T) {
	r := reason.Report{Protocol: protocol, Suites: suites, Results: results.Results{
		Scenarios: []results.ScenarioResult{
			ended("demo/a/told", "blocked", "no seam", "wire the seam"), ended("demo/a/one", "blocked", "no loop", "load the fixtures"),
			ended("demo/a/two", "blocked", "no worker", "load the fixtures"), ended("demo/a/fixed", "passed", "", ""),
		},
		Profiles: []results.ProfileResult{{ID: "loop", Status: "unproved"}},
		Claims:   []results.Claim{{ID: "loops", Status: "unproved"}},
	}}
	for id, kind := range map[string]string{"loop": "profile", "loops": "claim", "D-1": "requirement"} {
		answers := r.Answers(id)
		if len(answers) != 1 || answers[0].Kind != kind {
			t.Fatalf("%s: %v", id, answers)
		}
		a := answers[0]
		if len(a.Changes) == 0 || a.Changes[0].Do != "load the fixtures" || strings.Join(a.Changes[0].Helps, " ") != "demo/a/one demo/a/two" {
			t.Errorf("%s: %v", id, a.Changes)
		}
		if kind != "requirement" && a.Verdict != "unproved" {
			t.Errorf("%s is %s", id, a.Verdict)
		}
	}
	if answers := r.Answers("nothing"); len(answers) > 0 {
		t.Errorf("%v", answers)
	}
	if !slices.Contains(r.IDs(), "D-2") || !slices.Contains(r.IDs(), "demo/a/fixed") {
		t.Errorf("%v", r.IDs())
	}
}
