package prove_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/agenticloop/variation"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove"
)

// Each way in which honest agents differ is accused of nothing, and has no finding but those that it is known for.
func TestEveryHonestVariationOfTheAgent(t *testing.T) {
	many(t)
	t.Parallel()
	plain := slippedAgent(t, prove.Honest(protocols.Named("agentic-loop"))[0])
	for _, v := range variation.List() {
		t.Run(v.ID, func(t *testing.T) {
			t.Parallel()
			got := slippedAgent(t, prove.Host{Name: "agent --vary " + v.ID, Specimen: protocols.Agent{Vary: v.ID}})
			for _, slip := range got {
				requirement, _, _ := strings.Cut(slip, " ")
				if !slices.Contains(v.Slips, requirement) && !slices.Contains(plain, slip) {
					t.Errorf("finding: %s", slip)
				}
			}
			for _, requirement := range v.Slips {
				if !slices.ContainsFunc(got, func(slip string) bool { return strings.HasPrefix(slip, requirement+" ") }) {
					t.Errorf("no finding for %s, of which the variation is known to have one", requirement)
				}
			}
		})
	}
}

// slippedAgent certifies an agent that must not be accused, and returns its findings.
func slippedAgent(t *testing.T, h prove.Host) (slips []string) {
	t.Helper()
	r, err := certifiedOnce(t.Context(), h, scenarios.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range r.Outcomes {
		switch o.Verdict {
		case scenarios.Failed, scenarios.Broken, scenarios.Inconclusive:
			t.Errorf("%s is %s: %s", o.Scenario.ID, o.Verdict, o.Reason)
		case scenarios.Blocked:
			t.Logf("%s is blocked: %s", o.Scenario.ID, o.Reason)
		}
		for _, f := range o.Findings {
			if f.Requirement == "" { // it tells of something that a reading allows
				continue
			}
			slips = append(slips, fmt.Sprintf("%s %s: %s", f.Requirement, o.Scenario.Name(), f.Text))
		}
	}
	return slips
}

// A random history that an agent gets wrong says which sentence that violates, whichever scenario asks about it by itself.
func TestAHistoryNamesWhatItShows(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]scenarios.RequirementID{
		"agent.duplicate-advances":     agenticloop.RFC103V6,
		"agent.second-step-unsent":     agenticloop.RFC103T9,
		"agent.wrong-tool-passed-over": agenticloop.RFC103V7,
		"agent.done-stays-running":     agenticloop.RFC103S8,
		"agent.retry-is-next-step":     agenticloop.RFC103V10,
		"agent.run-found-by-step":      agenticloop.RFC103READ5,
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			hosts, err := prove.Matching(id)
			if err != nil {
				t.Fatal(err)
			}
			faulty := hosts[slices.IndexFunc(hosts, func(h prove.Host) bool { return h.Fault != nil })]
			r, err := lab.Certify(t.Context(), faulty, scenarios.Options{
				Seed: 1, Select: scenarios.Selection{Scenarios: []string{"agenticloop/correlation/histories"}}})
			if err != nil {
				t.Fatal(err)
			}
			o := r.Outcomes[0]
			got := o.BlockedOn
			if o.Failure != nil {
				got = o.Failure.Requirement
			}
			if got != want {
				t.Errorf("%s: %s names %q (%s), want %s", id, o.Verdict, got, o.Reason, want)
			}
		})
	}
}
