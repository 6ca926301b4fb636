package prove_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	suites "github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/simhost/openwop/fault"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove"
)

// Two scenarios that are there, and what they cite.
var (
	counts = scenarios.Scenario{ID: "openwop/iteration-monotonic/one-per-turn"}
	asks   = scenarios.Scenario{ID: "openwop/stateful-resume/ask-user"}
)

func failed(s scenarios.Scenario, cites ...string) scenarios.Outcome {
	o := scenarios.Outcome{Scenario: s, Verdict: scenarios.Failed, Reason: "not so"}
	for _, id := range cites {
		o.Checks = append(o.Checks, check.Result{Requirement: id})
	}
	return o
}

func found(s scenarios.Scenario, id scenarios.RequirementID) scenarios.Outcome {
	return scenarios.Outcome{Scenario: s, Verdict: scenarios.Passed, Findings: []scenarios.Finding{{Requirement: id, Text: "odd"}}}
}

// proved is the matrix of hosts whose outcomes are given.
func proved(t *testing.T, hosts []prove.Host, came map[string][]scenarios.Outcome) results.KillMatrix {
	t.Helper()
	m, err := lab.Prove(t.Context(), prove.Options{Hosts: hosts, Certify: func(_ context.Context, h prove.Host,
		_ scenarios.Options) (*scenarios.Report, error) {
		return &scenarios.Report{Outcomes: came[h.Name]}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func hostWith(id string, breaks ...string) prove.Host {
	return prove.Faulty(protocols.HostFault(fault.Fault{ID: id, Title: "does " + id, Looks: "shows " + id, Breaks: breaks}))
}

// should is a row of the ledger that is no MUST.
func should(t *testing.T) scenarios.RequirementID {
	t.Helper()
	for _, row := range suites.Protocol.Ledger.Rows {
		if row.Level == "SHOULD" {
			return scenarios.RequirementID(row.ID)
		}
	}
	t.Fatal("the ledger has no SHOULD")
	return ""
}

func TestVerdictsOnFaults(t *testing.T) {
	advice := should(t)
	for _, c := range []struct {
		name   string
		breaks []string
		came   []scenarios.Outcome
		want   results.FaultResultVerdict
		kills  []results.Kill
		wrong  int
	}{
		{"nothing fails", []string{"OWP-0061-B1"}, []scenarios.Outcome{{Scenario: counts, Verdict: scenarios.Passed}}, "survived", nil, 0},
		{"what it breaks is cited", []string{"OWP-0061-B1"}, []scenarios.Outcome{failed(counts, "OWP-0061-B1")}, "caught",
			[]results.Kill{{Scenario: string(counts.ID), Requirement: "OWP-0061-B1"}}, 0},
		{"beside something else", []string{"OWP-0061-B1"}, []scenarios.Outcome{failed(counts, "OWP-0061-B1", "OWP-0061-B2")}, "caught",
			[]results.Kill{{Scenario: string(counts.ID), Requirement: "OWP-0061-B1"}}, 0},
		{"only something else is cited", []string{"OWP-0061-B1"}, []scenarios.Outcome{failed(counts, "OWP-0061-B2")}, "wrong-reason", nil, 1},
		{"another scenario fails as well", []string{"OWP-0061-B1"}, []scenarios.Outcome{failed(counts, "OWP-0061-B1"),
			failed(asks, "OWP-0061-D1")}, "wrong-reason", []results.Kill{{Scenario: string(counts.ID), Requirement: "OWP-0061-B1"}}, 1},
		{"a blocked scenario accuses nobody", []string{"OWP-0061-B1"},
			[]scenarios.Outcome{{Scenario: asks, Verdict: scenarios.Blocked}}, "survived", nil, 0},
		{"Assay broke", []string{"OWP-0061-B1"}, []scenarios.Outcome{failed(counts, "OWP-0061-B1"),
			{Scenario: asks, Verdict: scenarios.Broken}}, "wrong-reason", []results.Kill{{Scenario: string(counts.ID),
			Requirement: "OWP-0061-B1"}}, 1},
		{"a SHOULD is found", []string{string(advice)}, []scenarios.Outcome{found(counts, advice)}, "caught",
			[]results.Kill{{Scenario: string(counts.ID), Requirement: string(advice)}}, 0},
		{"a finding on a MUST is no kill", []string{"OWP-0061-B1"}, []scenarios.Outcome{found(counts, "OWP-0061-B1")}, "survived", nil, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := proved(t, []prove.Host{hostWith("x.y", c.breaks...)}, map[string][]scenarios.Outcome{"x.y": c.came})
			got := m.Protocols[0].Faults[0]
			if got.Verdict != c.want || len(got.Wrong) != c.wrong {
				t.Errorf("verdict %s with %d wrong, want %s with %d", got.Verdict, len(got.Wrong), c.want, c.wrong)
			}
			if diff := cmp.Diff(append([]results.Kill{}, c.kills...), got.Kills); diff != "" {
				t.Errorf("kills (-want +got):\n%s", diff)
			}
			if clean := prove.Clean(m); clean != (c.want == "caught") {
				t.Errorf("clean is %v", clean)
			}
		})
	}
}

// What a step of a setup or an invariant accuses a faulty host of is held to what the fault breaks, as failures are. What a judge
// found violated is among the outcomes, and is held there.
func TestViolationsBesideWhatAFaultBreaks(t *testing.T) {
	breach := func(by scenarios.BreachBy, id scenarios.RequirementID) scenarios.Breach {
		b := scenarios.Breach{Requirement: id, By: by, Drive: "d", Actual: "seen"}
		if by == scenarios.BySetup {
			b.Scenario = asks.ID
		}
		return b
	}
	for _, c := range []struct {
		name     string
		breaches []scenarios.Breach
		want     results.FaultResultVerdict
		wrong    []string
	}{
		{"none", nil, "caught", nil},
		{"what it breaks", []scenarios.Breach{breach(scenarios.ByInvariant, "OWP-0061-B1"), breach(scenarios.BySetup, "OWP-0061-B1")},
			"caught", nil},
		{"an invariant sees more, twice", []scenarios.Breach{breach(scenarios.ByInvariant, "OWP-EVT-1"),
			breach(scenarios.ByInvariant, "OWP-EVT-1")}, "wrong-reason", []string{"invariant"}},
		{"a setup sees more", []scenarios.Breach{breach(scenarios.BySetup, "OWP-EVT-1")}, "wrong-reason", []string{string(asks.ID)}},
		{"an invariant sees what it breaks by chance", []scenarios.Breach{breach(scenarios.ByInvariant, "OWP-EVT-9")}, "caught", nil},
		{"a judge sees more", []scenarios.Breach{breach(scenarios.ByJudge, "OWP-EVT-1")}, "caught", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := hostWith("x.y", "OWP-0061-B1")
			h.Fault.ByChance = []string{"OWP-EVT-9"}
			m, err := lab.Prove(t.Context(), prove.Options{Hosts: []prove.Host{h},
				Certify: func(context.Context, prove.Host, scenarios.Options) (*scenarios.Report, error) {
					return &scenarios.Report{Outcomes: []scenarios.Outcome{failed(counts, "OWP-0061-B1")}, Breaches: c.breaches}, nil
				}})
			if err != nil {
				t.Fatal(err)
			}
			got := m.Protocols[0].Faults[0]
			var wrong []string
			for _, a := range got.Wrong {
				wrong = append(wrong, a.Scenario)
			}
			if diff := cmp.Diff(c.wrong, wrong); diff != "" || got.Verdict != c.want {
				t.Errorf("verdict %s, want %s (-want +got):\n%s", got.Verdict, c.want, diff)
			}
		})
	}
}

func TestAnAccusedHonestHostIsNotClean(t *testing.T) {
	hosts := []prove.Host{{Name: "honest", Specimen: protocols.OpenWOP{}}}
	for verdict, clean := range map[scenarios.Verdict]bool{
		scenarios.Passed: true, scenarios.Inapplicable: true, scenarios.Blocked: true,
		scenarios.Failed: false, scenarios.Inconclusive: false, scenarios.Broken: false,
	} {
		m := proved(t, hosts, map[string][]scenarios.Outcome{"honest": {{Scenario: counts, Verdict: verdict}}})
		if prove.Clean(m) != clean {
			t.Errorf("%s: clean is %v", verdict, !clean)
		}
	}
}

// Two faults that a check kills, and one that it alone kills.
func TestWhatAChecksKillsAreWorth(t *testing.T) {
	m := proved(t, []prove.Host{hostWith("a.both", "OWP-0061-B1", "OWP-0061-D1"), hostWith("a.one", "OWP-0061-B1")},
		map[string][]scenarios.Outcome{
			"a.both": {failed(counts, "OWP-0061-B1"), failed(asks, "OWP-0061-D1")},
			"a.one":  {failed(counts, "OWP-0061-B1")},
		})
	got := map[string]results.ProvedCheck{}
	for _, s := range m.Protocols[0].Scenarios {
		for _, c := range s.Checks {
			got[s.ID+" "+c.Requirement] = c
			if (len(c.Kills) == 0) != (c.For != "") {
				t.Errorf("%s %s: kills %v, and is for %q", s.ID, c.Requirement, c.Kills, c.For)
			}
		}
	}
	want := results.ProvedCheck{Requirement: "OWP-0061-B1", Kills: []string{"a.both", "a.one"}, Alone: []string{"a.one"}}
	if diff := cmp.Diff(want, got[string(counts.ID)+" OWP-0061-B1"]); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if n := m.Protocols[0].Totals; n.Faults != 2 || n.Caught != 2 || n.Killing != 2 || n.Alone != 1 || n.Broken != 2 {
		t.Errorf("totals %+v", n)
	}
}

func TestAHostThatCannotBeCertifiedEndsIt(t *testing.T) {
	cause := errors.New("no socket left")
	hosts := prove.Honest(protocols.Named("openwop"))
	_, err := lab.Prove(t.Context(), prove.Options{Hosts: hosts, Certify: func(
		context.Context, prove.Host, scenarios.Options,
	) (*scenarios.Report, error) {
		return nil, cause
	}})
	if !errors.Is(err, cause) {
		t.Errorf("error is %v", err)
	}
}

func TestMatchingFaults(t *testing.T) {
	hosts, err := prove.Matching("loop.*", "loop.iteration-resets-on-resume")
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]int{}
	for _, h := range hosts {
		names[h.Name]++
	}
	if hosts[0].Fault != nil || names["loop.iteration-resets-on-resume"] != 1 {
		t.Errorf("hosts: %v", names)
	}
	var none *prove.NoFaultError
	if _, err := prove.Matching("loop.iteration-reset"); !errors.As(err, &none) || none.Near != "loop.iteration-resets-on-resume" {
		t.Errorf("error is %v", err)
	}
}

func TestAStaleMatrixIsTold(t *testing.T) {
	dir := t.TempDir()
	m := proved(t, []prove.Host{hostWith("a.one", "OWP-0061-B1")}, map[string][]scenarios.Outcome{"a.one": {failed(counts, "OWP-0061-B1")}})
	if err := prove.Check(dir, m); !errors.Is(err, prove.ErrStale) {
		t.Errorf("without any: %v", err)
	}
	if err := prove.Write(dir, m); err != nil {
		t.Fatal(err)
	}
	if err := prove.Check(dir, m); err != nil {
		t.Errorf("just written: %v", err)
	}
	path := filepath.Join(dir, prove.JSONName(scenarios.Quick))
	was, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(was), `"caught": 1`, `"caught": 2`, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := prove.Check(dir, m); !errors.Is(err, prove.ErrStale) || !strings.Contains(err.Error(),
		`"caught": 2, and must say "caught": 1,`) {
		t.Errorf("changed: %v", err)
	}
}
