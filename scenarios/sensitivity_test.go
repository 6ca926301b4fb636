package scenarios_test

import (
	"slices"
	"testing"

	"github.com/openassay/assay/scenarios"
)

// A requirement that rests alone on passes that changes named by its row did not turn is not proved, in all that is derived.
func TestChallenged(t *testing.T) {
	ask := scenarios.Ask(countDrive("d"), is(3, "TOY-1", "TOY-2"))
	asked := []scenarios.Scenario{
		one("a", counts, scenarios.Ask(countDrive("d"), is(3, "TOY-1")), "TOY-1"),
		one("b", counts, scenarios.Ask(countDrive("d"), is(3, "TOY-1")), "TOY-1"),
		one("c", counts, ask, "TOY-2", "TOY-1"),
		one("should", counts, scenarios.Ask(countDrive("d"), is(3, "TOY-3")), "TOY-3"),
	}
	violated := one("violated", counts, scenarios.Ask(countDrive("d"), is(4, "TOY-1")), "TOY-1")
	blind := func(byRow bool, id scenarios.RequirementID, names ...string) (out []scenarios.InsensitivePass) {
		for _, name := range names {
			out = append(out, scenarios.InsensitivePass{Scenario: scenarios.ScenarioID("toy/counting/" + name), Requirement: id, ByRow: byRow,
				Cause: "blind", Why: "no check noticed anything"})
		}
		return out
	}
	for _, c := range []struct {
		name        string
		also        []scenarios.Scenario
		insensitive []scenarios.InsensitivePass
		on          scenarios.RequirementID
		verdict     scenarios.Verdict
		claim       string
		profile     string
		exit        int
	}{
		{"every pass is sensitive", nil, nil, "TOY-1", scenarios.Passed, "proved", "certified", scenarios.ExitProved},
		{"the only pass is not", nil, blind(true, "TOY-2", "c"), "TOY-2", scenarios.Insensitive, "unproved", "unproved", scenarios.ExitUnproved},
		{"nor is any of three", nil, blind(true, "TOY-1", "a", "b", "c"), "TOY-1", scenarios.Insensitive, "unproved", "unproved",
			scenarios.ExitUnproved},
		{"one of three is", nil, blind(true, "TOY-1", "a", "c"), "TOY-1", scenarios.Passed, "proved", "certified", scenarios.ExitProved},
		{"one that does not count for the profile is", nil, blind(true, "TOY-1", "a", "b"), "TOY-1", scenarios.Passed, "proved", "unproved",
			scenarios.ExitProved},
		{"another requirement of the scenario is not", nil, blind(true, "TOY-2", "c"), "TOY-1", scenarios.Passed, "unproved", "unproved",
			scenarios.ExitUnproved},
		{"the changes were guessed", nil, blind(false, "TOY-2", "c"), "TOY-2", scenarios.Passed, "proved", "certified", scenarios.ExitProved},
		{"a SHOULD", nil, blind(true, "TOY-3", "should"), "TOY-3", scenarios.Insensitive, "proved", "certified", scenarios.ExitProved},
		{"a violation outweighs it", []scenarios.Scenario{violated}, blind(true, "TOY-1", "a", "b", "c"), "TOY-1", scenarios.Failed, "violated",
			"violated", scenarios.ExitViolated},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := certify(t, scenarios.Options{}, append(slices.Clone(asked), c.also...)...)
			r.Challenged(&scenarios.Sensitivity{Passes: 5, Sensitive: 5 - len(c.insensitive), Insensitive: c.insensitive})
			i := slices.IndexFunc(r.Requirements, func(s scenarios.RequirementStatus) bool { return s.ID == c.on })
			if got := r.Requirements[i]; got.Verdict != c.verdict || got.Contradicted != (c.verdict == scenarios.Failed) {
				t.Errorf("the requirement is %+v, want %s", got, c.verdict)
			}
			if got := r.Claims[0].Status; got != c.claim {
				t.Errorf("the claim is %s, want %s", got, c.claim)
			}
			if got := r.Profiles[0].Status; got != c.profile {
				t.Errorf("the profile is %s, want %s", got, c.profile)
			}
			if got := r.ExitCode(); got != c.exit {
				t.Errorf("exit code %d, want %d", got, c.exit)
			}
			if totals := r.Totals(); totals[scenarios.Passed] != len(asked) || totals[scenarios.Insensitive] != 0 {
				t.Errorf("a scenario is told by another verdict: %v", totals)
			}
			known := func(scenarios.ScenarioID) bool { return true }
			if got := r.ExitCodeKnowing(known, func(scenarios.Breach) bool { return true }); len(c.also) > 0 && got != scenarios.ExitUnproved {
				t.Errorf("without the known failure the exit code is %d, want %d", got, scenarios.ExitUnproved)
			}
			r.Challenged(&scenarios.Sensitivity{Passes: 5, Sensitive: 5})
			if got := r.ExitCode(); len(c.also) == 0 && got != scenarios.ExitProved {
				t.Errorf("challenged once more the exit code is %d", got)
			}
		})
	}
}
