package expectations_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/tools/assay/internal/expectations"
)

var (
	toy = &scenarios.Protocol{ID: "toy/v1", Ledger: scenarios.NewLedger([]scenarios.Requirement{
		{ID: "TOY-1", Level: scenarios.Must, Aliases: []string{"TOY-OLD"}}, {ID: "TOY-2", Level: scenarios.Must},
		{ID: "TOY-3", Level: scenarios.Should},
	})}
	other = &scenarios.Protocol{ID: "other/v1", Ledger: scenarios.NewLedger([]scenarios.Requirement{{ID: "OTH-1", Level: scenarios.Must}})}
	every = []scenarios.Suite{
		{ID: "counting", Protocol: toy, Scenarios: []scenarios.Scenario{scenario("toy/counting/a"), scenario("toy/counting/b"),
			scenario("toy/counting/c")}},
		{ID: "flying", Protocol: other, Scenarios: []scenarios.Scenario{{ID: "other/flying/a", Proves: []scenarios.RequirementID{"OTH-1"}}}},
	}
	today = time.Date(2026, 11, 22, 23, 0, 0, 0, time.UTC)
)

func scenario(id scenarios.ScenarioID) scenarios.Scenario {
	return scenarios.Scenario{ID: id, Title: string(id), Proves: []scenarios.RequirementID{"TOY-1", "TOY-2", "TOY-3"}}
}

// fails is an outcome that violates requirements, each with what came.
func fails(name string, violated ...string) scenarios.Outcome {
	o := scenarios.Outcome{Scenario: scenario(scenarios.ScenarioID("toy/counting/" + name)), Verdict: scenarios.Failed,
		Evidence: scenarios.Observed}
	for _, v := range violated {
		id, actual, _ := strings.Cut(v, "=")
		o.Checks = append(o.Checks, check.Result{Requirement: id, Expected: "3", Actual: actual})
	}
	o.Failure = &scenarios.Failure{Requirement: scenarios.RequirementID(o.Checks[0].Requirement), Expected: "3", Actual: o.Checks[0].Actual}
	return o
}

func ends(name string, v scenarios.Verdict) scenarios.Outcome {
	return scenarios.Outcome{Scenario: scenario(scenarios.ScenarioID("toy/counting/" + name)), Verdict: v, Evidence: scenarios.Observed}
}

func reported(outcomes ...scenarios.Outcome) *scenarios.Report {
	return &scenarios.Report{Protocol: toy, Outcomes: outcomes}
}

func signature(name, violated string) string {
	o := fails(name, violated)
	return scenarios.Signature(o.Scenario.ID, o.Checks[0])
}

// list writes expectations as YAML, the lines of each separated by semicolons.
func list(t *testing.T, entries ...string) (*expectations.List, []byte) {
	t.Helper()
	var b strings.Builder
	b.WriteString("expectations:\n")
	for _, e := range entries {
		lines := strings.Split(e, "; ")
		if !strings.Contains(e, "reason:") {
			lines = append(lines, "reason: it is slow", "issue: https://acme.test/7")
		}
		b.WriteString("  - " + strings.Join(lines, "\n    ") + "\n")
	}
	l, err := expectations.Read("assay.yaml", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	return l, []byte(b.String())
}

// Each rule by which an expectation is met, or is wrong. Where nothing is known, the failure counts.
func TestJudge(t *testing.T) {
	sig := "scenario: toy/counting/a; signature: " + signature("a", "TOY-1=4")
	words := `scenario: counting/*; requirement: TOY-1; actual: "4*"`
	for name, c := range map[string]struct {
		list     []string
		outcomes []scenarios.Outcome
		known    []string
		problem  string // its beginning; "" for none
	}{
		"met by its signature": {list: []string{sig}, outcomes: []scenarios.Outcome{fails("a", "TOY-1=4")}, known: []string{"a"}},
		"met by its words": {list: []string{words}, outcomes: []scenarios.Outcome{fails("a", "TOY-1=4"),
			fails("b", "TOY-1=44")}, known: []string{"a", "b"}},
		"one of a pattern passes": {list: []string{words}, outcomes: []scenarios.Outcome{fails("a", "TOY-1=4"),
			ends("b", scenarios.Passed), ends("c", scenarios.Passed)}, known: []string{"a"}},
		"a former id of the requirement": {list: []string{`scenario: toy/counting/a; requirement: TOY-OLD; actual: "4"`},
			outcomes: []scenarios.Outcome{fails("a", "TOY-1=4")}, known: []string{"a"}},
		"a SHOULD beside it": {list: []string{sig}, outcomes: []scenarios.Outcome{fails("a", "TOY-1=4", "TOY-3=9")},
			known: []string{"a"}},
		"another requirement beside it": {list: []string{sig}, outcomes: []scenarios.Outcome{fails("a", "TOY-1=4", "TOY-2=9")}},
		"both requirements are expected": {list: []string{sig, "scenario: toy/counting/a; signature: " + signature("a", "TOY-2=9")},
			outcomes: []scenarios.Outcome{fails("a", "TOY-1=4", "TOY-2=9")}, known: []string{"a"}},
		"another failure": {list: []string{sig}, outcomes: []scenarios.Outcome{fails("a", "TOY-1=5")},
			problem: "toy/counting/a fails otherwise now, with the signature " + signature("a", "TOY-1=5") + " of TOY-1: remove it"},
		"another requirement": {list: []string{words}, outcomes: []scenarios.Outcome{fails("a", "TOY-2=4"),
			ends("b", scenarios.Passed), ends("c", scenarios.Passed)}, problem: "counting/* fails otherwise now"},
		"it passes": {list: []string{sig}, outcomes: []scenarios.Outcome{ends("a", scenarios.Passed)},
			problem: "toy/counting/a passes now: remove it, or let --update-expectations do so"},
		"all of a pattern pass": {list: []string{words}, outcomes: []scenarios.Outcome{ends("a", scenarios.Passed),
			ends("b", scenarios.Passed), ends("c", scenarios.Inapplicable)}, problem: "none of the 2 scenarios of counting/* fails so any more"},
		"not all of a pattern were asked": {list: []string{words}, outcomes: []scenarios.Outcome{ends("a", scenarios.Passed),
			ends("b", scenarios.Passed)}},
		"it was not asked": {list: []string{sig}, outcomes: []scenarios.Outcome{ends("b", scenarios.Passed)}},
		"of another protocol": {list: []string{"scenario: other/flying/a; actual: x"},
			outcomes: []scenarios.Outcome{ends("a", scenarios.Passed)}},
		"it is blocked":      {list: []string{sig}, outcomes: []scenarios.Outcome{ends("a", scenarios.Blocked)}},
		"it was interrupted": {list: []string{sig}, outcomes: []scenarios.Outcome{ends("a", scenarios.Inconclusive)}},
		"it is not claimed":  {list: []string{sig}, outcomes: []scenarios.Outcome{ends("a", scenarios.Inapplicable)}},
		"its last day": {list: []string{sig + "; expires: 2026-11-22"},
			outcomes: []scenarios.Outcome{fails("a", "TOY-1=4")}, known: []string{"a"}},
		"it is over": {list: []string{sig + "; expires: 2026-11-21"},
			outcomes: []scenarios.Outcome{fails("a", "TOY-1=4")},
			problem:  "toy/counting/a is expected until 2026-11-21, and still fails: mend the target, or give another day"},
		"it is over, and passes": {list: []string{sig + "; expires: 2026-11-21"},
			outcomes: []scenarios.Outcome{ends("a", scenarios.Passed)}, problem: "toy/counting/a passes now"},
		"it is over, and another one is not": {list: []string{sig + "; expires: 2026-11-21", sig + `; actual: "4"`},
			outcomes: []scenarios.Outcome{fails("a", "TOY-1=4")}, known: []string{"a"}, problem: "toy/counting/a is expected until 2026-11-21"},
		"nobody said why": {list: []string{sig + "; reason: TODO; issue: https://acme.test/7"},
			outcomes: []scenarios.Outcome{fails("a", "TOY-1=4")}, known: []string{"a"},
			problem: "nobody has said why toy/counting/a is known to fail"},
		"nobody linked the issue": {list: []string{sig + "; reason: slow; issue: TODO"},
			outcomes: []scenarios.Outcome{fails("a", "TOY-1=4")}, known: []string{"a"}, problem: "nobody has said why"},
		"no such scenario": {list: []string{"scenario: toy/counting/aa; actual: x"},
			problem: "no scenario is called toy/counting/aa: did you mean toy/counting/a?"},
		"a pattern of nothing": {list: []string{"scenario: nobody*; actual: x"}, problem: "no scenario is called nobody*"},
		"not about the requirement": {list: []string{"scenario: counting/a; requirement: TOY-11; actual: x"},
			problem: "counting/a is not about TOY-11: did you mean TOY-1?"},
		"two that are met by one": {list: []string{sig, words}, outcomes: []scenarios.Outcome{fails("a", "TOY-1=4")},
			known: []string{"a"}},
		"nothing is expected": {outcomes: []scenarios.Outcome{fails("a", "TOY-1=4")}},
	} {
		t.Run(name, func(t *testing.T) {
			l, _ := list(t, c.list...)
			j := l.Judge(reported(c.outcomes...), every, today)
			var known []string
			for _, n := range []string{"a", "b", "c"} {
				if _, is := j.Known[scenarios.ScenarioID("toy/counting/"+n)]; is {
					known = append(known, n)
				}
			}
			if diff := cmp.Diff(c.known, known); diff != "" || len(j.Known) != len(known) {
				t.Errorf("known (-want +got):\n%s", diff)
			}
			if c.problem == "" && len(j.Problems) > 0 {
				t.Errorf("problems: %v", j.Problems)
			}
			if c.problem != "" && (len(j.Problems) != 1 || !strings.HasPrefix(j.Problems[0].Text, c.problem) || j.Problems[0].Line != 2) {
				t.Errorf("problems %v, want at line 2: %s", j.Problems, c.problem)
			}
		})
	}
}

// What is told of a failure is all that its expectations say; the day on which the first of them is over counts.
func TestWhatIsToldOfAKnownFailure(t *testing.T) {
	l, _ := list(t,
		`scenario: toy/counting/a; requirement: TOY-1; actual: "4*"; reason: slow; issue: https://acme.test/7; expires: 2027-02-01`,
		`scenario: toy/counting/a; requirement: TOY-2; actual: "*9"; reason: late; issue: https://acme.test/7; expires: 2027-01-01`)
	until := "2027-01-01"
	want := map[scenarios.ScenarioID]results.Known{"toy/counting/a": {Reason: "slow; late", Issue: "https://acme.test/7", Expires: &until}}
	if diff := cmp.Diff(want, l.Judge(reported(fails("a", "TOY-1=4", "TOY-2=9")), every, today).Known); diff != "" {
		t.Error(diff)
	}
}

func TestMistakesInAList(t *testing.T) {
	whole := "scenario: toy/counting/a\n    actual: x\n    reason: r\n    issue: https://acme.test/7"
	for text, want := range map[string]string{
		"expectations: 7":                                 `line 1: expectations is no list: write - scenario: ID for each known failure`,
		"expectations:\n  - toy/counting/a":               `line 2: it is no expectation: write - scenario: ID, and what is known of its failure below`,
		"expectations:\n  - scenari: x":                   `line 2: unknown key "scenari": did you mean "scenario"?`,
		"expectations:\n  - zzzzzzzzzzzz: x":              `line 2: unknown key "zzzzzzzzzzzz": an expectation has scenario, requirement, set-up, invariant, signature,`,
		"expectations:\n  - scenario: x\n    scenario: y": `line 3: scenario is given twice`,
		"expectations:\n  - scenario: [x]":                `line 2: scenario: write a text, or leave it out`,
		"expectations:\n  - scenario: x\n    actual:":     `line 3: actual: write a text, or leave it out`,
		"expectations:\n  - actual: x":                    `line 2: the expectation has no scenario: name the scenario that fails`,
		"expectations:\n  - scenario: x\n    issue: y":    `line 2: the expectation has no reason: say why it is known to fail`,
		"expectations:\n  - scenario: x\n    reason: y":   `line 2: the expectation has no issue: link the issue about it`,
		"expectations:\n  - scenario: x\n    reason: y\n    issue: " +
			"https://a.test/1": `line 2: any failure would do: give the signature that the report tells,`,
		"expectations:\n  - scenario: x\n    reason: y\n    issue: https://a.test/1\n    " +
			"actual: '*'": `line 5: stars alone match any failure: give the signature that the report tells, or words of the failure`,
		"expectations:\n  - scenario: x*\n    requirement: TOY-1\n    reason: y\n    issue: https://a.test/1\n    " +
			"actual: '* *'\n    expected: '**'": `line 6: stars alone match any failure`,
		"expectations:\n  - scenario: x\n    reason: y\n    issue: https://a.test/1\n    " +
			"expected: '*'": `line 5: stars alone match any failure`,
		"expectations:\n  - scenario: x\n    reason: y\n    issue: https://a.test/1\n    " +
			"signature: 12": `line 5: "12" is no signature: it has 12 digits from 0 to f`,
		"expectations:\n  - scenario: x*\n    reason: y\n    issue: https://a.test/1\n    " +
			"signature: 0123456789ab": `line 2: a signature is that of one scenario: name it in full`,
		"expectations:\n  - scenario: x\n    reason: y\n    issue: " +
			"12\n    actual: z": `line 4: "12" is no link: write a URL, like https://`,
		"expectations:\n  - " + whole +
			"\n    expires: soon": `line 6: "soon" is no day: write it like 2027-01-31`,
		"expectations:\n  - " + whole +
			"\n    expires: 2027-02-30": `line 6: "2027-02-30" is no day`,
		"expectations:\n  - " + whole + "\n  - " +
			whole: `line 6: it expects the same failure as line 2: keep one of the two`,
	} {
		if _, err := expectations.Read("assay.yaml", []byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s\n%v, want %s", text, err, want)
		}
	}
	for _, text := range []string{"", "# nothing\n", "seed: 7\n", "expectations:\n", "expectations: []\n", "[]"} {
		if l, err := expectations.Read("assay.yaml", []byte(text)); err != nil || len(l.Entries) != 0 {
			t.Errorf("%q: %v, %v", text, l, err)
		}
	}
}

// A star stands for any text, and all else for itself.
func TestPatterns(t *testing.T) {
	for pattern, c := range map[string]struct {
		text string
		want bool
	}{
		"4": {"4", true}, "44": {"4", false}, "4*": {"44", true}, "*4": {"14", true}, "1*4": {"14", true}, "1*1": {"1", false},
		"a*b*c": {"a-b-b-c", true}, "a*b*b*c": {"a-b-c", false}, "[a": {"[a", true}, "a?c": {"abc", false},
		"**x": {"x", true},
	} {
		l, _ := list(t, fmt.Sprintf("scenario: toy/counting/a; actual: %q", pattern))
		_, got := l.Judge(reported(fails("a", "TOY-1="+c.text)), every, today).Known["toy/counting/a"]
		if got != c.want {
			t.Errorf("%q and %q: %v", pattern, c.text, got)
		}
	}
}

// A violation that no scenario failed for is known where an entry names its place and its kind, and nowhere else.
func TestJudgeElsewhere(t *testing.T) {
	failed := fails("a", "TOY-1=4")
	rule := scenarios.Breach{Requirement: "TOY-1", By: scenarios.ByInvariant, Drive: "d", Expected: "3", Actual: "4"}
	again, other := rule, rule
	again.Drive, other.Actual = "e", "none"
	setup := scenarios.Breach{Requirement: "TOY-1", By: scenarios.BySetup, Scenario: "toy/counting/b", Drive: "d", Actual: "no start"}
	scenario, invariant := `scenario: toy/counting/a; requirement: TOY-1; actual: "4"`, "invariant: TOY-OLD; signature: "+rule.Signature()
	inSetup := "scenario: counting/b; set-up: TOY-1; actual: no *"
	for name, c := range map[string]struct {
		list     []string
		breaches []scenarios.Breach
		narrowed bool
		known    []scenarios.Breach
		problem  string
		added    int
	}{
		"the scenario alone is known": {list: []string{scenario}, breaches: []scenarios.Breach{rule, setup}, added: 2},
		"another drive": {list: []string{scenario, invariant}, breaches: []scenarios.Breach{rule, again},
			known: []scenarios.Breach{rule}},
		"another kind": {list: []string{scenario, invariant}, breaches: []scenarios.Breach{rule, other},
			known: []scenarios.Breach{rule}, added: 1},
		"the same words of a scenario": {list: []string{`scenario: "*"; actual: "*4*"`},
			breaches: []scenarios.Breach{rule}, added: 1},
		"a step of the set-up": {list: []string{scenario, inSetup}, breaches: []scenarios.Breach{setup},
			known: []scenarios.Breach{setup}},
		"a rule in place of a set-up": {list: []string{scenario, "invariant: TOY-1; actual: no *"},
			breaches: []scenarios.Breach{setup}, added: 1, problem: "the invariant of TOY-1 shows no such"},
		"it is gone": {list: []string{scenario, invariant},
			problem: "the invariant of TOY-OLD shows no such violation any more: remove it"},
		"it is gone from a part": {list: []string{scenario, invariant}, narrowed: true},
		"the set-up works": {list: []string{scenario, inSetup},
			problem: "the set-up of counting/b shows no such violation any more"},
		"it is over": {list: []string{scenario, invariant + "; expires: 2026-11-21"},
			breaches: []scenarios.Breach{rule}, problem: "the invariant of TOY-OLD is expected until 2026-11-21"},
		"no such requirement": {list: []string{scenario, "invariant: TOY-9; actual: x"},
			problem: "no requirement is called TOY-9"},
		"no such requirement of a set-up": {list: []string{scenario, "scenario: counting/b; set-up: TOY-9; actual: x"},
			problem: "no requirement is called TOY-9"},
		"of another protocol": {list: []string{scenario, "invariant: OTH-1; actual: x"}},
	} {
		t.Run(name, func(t *testing.T) {
			r := reported(failed, ends("b", scenarios.Passed), ends("c", scenarios.Passed))
			r.Breaches = c.breaches
			if c.narrowed {
				r.Select.Suites = []string{"counting"}
			}
			l, content := list(t, c.list...)
			j := l.Judge(r, every, today)
			for _, b := range c.known {
				if _, is := j.Elsewhere[b.Signature()]; !is {
					t.Errorf("%+v is not known", b)
				}
			}
			if len(j.Elsewhere) != len(c.known) {
				t.Errorf("known are %v", j.Elsewhere)
			}
			if len(j.Problems) == 0 != (c.problem == "") || c.problem != "" && !strings.HasPrefix(j.Problems[0].Text, c.problem) {
				t.Errorf("problems %v, want %q", j.Problems, c.problem)
			}
			edited, updated, change, err := l.Update(content, j)
			if err != nil || change.Added != c.added {
				t.Fatalf("%v, %v", change, err)
			}
			updated.Draft = true
			if left := updated.Judge(r, every, today); len(left.Elsewhere) < len(c.known)+c.added {
				t.Errorf("the list that was written does not know them:\n%s", edited)
			}
		})
	}
}
