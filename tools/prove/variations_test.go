package prove_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/scenarios"
	suites "github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/simhost/openwop/variation"
)

// Several ways to differ at a time, and all at once, are certified as the plain host is:
// the same verdict for every scenario, and no finding but those of the plain host
// and of slips that the variations are known for. With ASSAY_LONG=1 each is alone, as in make prove.
func TestEveryHonestVariation(t *testing.T) {
	many(t)
	t.Parallel()
	plain := certified(t, surface.Options{Version: surface.HighestVersion})
	accepted := append(slices.Collect(maps.Keys(slipped(plain))), stalled)
	for _, names := range append(variationsTogether(), []string{variation.All}) {
		t.Run(strings.Join(names, ","), func(t *testing.T) {
			t.Parallel()
			r := certified(t, surface.Options{Version: surface.HighestVersion, Vary: names})
			nothingWrong(t, r)
			if diff := cmp.Diff(verdicts(plain), verdicts(r)); diff != "" {
				t.Errorf("verdicts (-plain +varied):\n%s", diff)
			}
			if code := r.ExitCode(); code != scenarios.ExitProved {
				t.Errorf("exit code %d", code)
			}
			want, got := slips(names), slipped(r)
			for requirement, text := range got {
				if !slices.Contains(want, requirement) && !slices.Contains(accepted, requirement) &&
					!(requirement == "" && slices.ContainsFunc(want, unnamed)) {
					t.Errorf("finding: %s: %s", requirement, text)
				}
			}
			// Where several vary the same thing, one of them has the last word.
			for _, requirement := range want {
				_, named := got[requirement]
				_, noted := got[""]
				if !named && !(noted && unnamed(requirement)) && names[0] != variation.All {
					t.Errorf("no finding for %s, of which the variation is known to have one", requirement)
				}
			}
		})
	}
}

// variationsTogether returns all variations, several in each group. Neighbours in the list vary the same thing, and stand in
// different groups.
func variationsTogether() [][]string {
	groups := 8
	if testenv.Long() {
		groups = len(variation.Names())
	}
	all := make([][]string, groups)
	for i, name := range variation.Names() {
		all[i%groups] = append(all[i%groups], name)
	}
	return all
}

// unnamed reports whether a finding about a slip may name no requirement: none names a MUST.
func unnamed(slip string) bool {
	row, _ := suites.Protocol.Ledger.Find(scenarios.RequirementID(slip))
	return row.Level == scenarios.Must
}

// stalled is the requirement for which there is a finding where the machine stood
// still for a moment: that looks like a host with a clock of full seconds.
const stalled = "OWP-0097-E6"

// verdicts are the verdicts of a report with their evidence, by scenario.
func verdicts(r *scenarios.Report) map[string]string {
	out := map[string]string{}
	for _, o := range r.Outcomes {
		out[string(o.Scenario.ID)] = string(o.Verdict) + ", " + o.Evidence.String()
	}
	return out
}

// slips are the requirements for which variations are known to have findings.
func slips(names []string) (all []string) {
	for _, v := range variation.List() {
		if slices.Contains(names, v.ID) || slices.Contains(names, variation.All) {
			all = append(all, v.Slips...)
		}
	}
	return all
}

// slipped are the requirements for which a report has findings, with the text of one.
func slipped(r *scenarios.Report) map[string]string {
	out := map[string]string{}
	for _, o := range r.Outcomes {
		for _, f := range o.Findings {
			out[string(f.Requirement)] = o.Scenario.Name() + ": " + f.Text
		}
	}
	return out
}
