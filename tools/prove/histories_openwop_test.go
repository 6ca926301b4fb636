package prove_test

import (
	"slices"
	"testing"

	"github.com/openassay/assay/scenarios"
	suites "github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove"
)

// What breaks a rule of a model is found in the histories of its objects, and under the sentence that it breaks.
func TestHistoriesOfOpenWOP(t *testing.T) {
	many(t)
	t.Parallel()
	for fault, want := range map[string]struct {
		histories scenarios.ScenarioID
		breaks    scenarios.RequirementID
	}{
		"file.conflict-tells-next":  {"openwop/histories/files", "OWP-WSP-14"},
		"file.prefix-is-folder":     {"openwop/histories/files", "OWP-WSP-4"},
		"goal.bound-ignored":        {"openwop/histories/goals", "OWP-0097-E4"},
		"goal.closed-twice":         {"openwop/histories/goals", "OWP-0097-D3"},
		"request.bodies-uncompared": {"openwop/histories/keys", "OWP-ERR-19"},
		"request.keys-race":         {"openwop/histories/keys", "OWP-ERR-20"},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			of := suites.HistorySuites()
			of[0].Scenarios = slices.DeleteFunc(of[0].Scenarios, func(s scenarios.Scenario) bool { return s.ID != want.histories })
			host := prove.Host{Name: fault, Specimen: protocols.OpenWOP{
				Options: surface.Options{Version: surface.HighestVersion}, Faults: []string{fault},
			}}
			for seed := range uint64(20) {
				r, err := lab.Ask(t.Context(), host, scenarios.Options{Seed: 1 + seed, Depth: scenarios.Deep}, of...)
				if err != nil {
					t.Fatal(err)
				}
				o := r.Outcomes[0]
				if o.Verdict == scenarios.Passed {
					continue
				}
				if o.Verdict != scenarios.Failed {
					t.Fatalf("%s: %s", o.Verdict, o.Reason)
				}
				if o.Failure.Requirement != want.breaks {
					t.Errorf("%s is violated: %s", o.Failure.Requirement, o.Failure.Expected)
				}
				return
			}
			t.Error("nothing was found")
		})
	}
}
