package openintent_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent"
)

// A requirement is proved by a scenario or says why not, and never both.
func TestEveryRowHasAScenarioOrAReason(t *testing.T) {
	proved := map[scenarios.RequirementID][]string{}
	for _, suite := range openintent.Suites() {
		for _, s := range suite.Scenarios {
			for _, id := range s.Proves {
				proved[id] = append(proved[id], string(s.ID))
			}
		}
	}
	for _, r := range openintent.Protocol.Ledger.Rows {
		by := proved[scenarios.RequirementID(r.ID)]
		switch {
		case len(by) == 0 && r.Reason == "":
			t.Errorf("%s has neither a scenario nor a reason", r.ID)
		case len(by) > 0 && r.Reason != "":
			t.Errorf("%s says it is %s, but %s proves it", r.ID, r.Reason, by[0])
		}
		if r.Claim != "" {
			if _, ok := openintent.Protocol.Claim(r.Claim); !ok {
				t.Errorf("%s hangs on the claim %q, which nobody can make", r.ID, r.Claim)
			}
		}
		delete(proved, scenarios.RequirementID(r.ID))
	}
	for id, by := range proved {
		t.Errorf("%s proves %s, which is in no ledger", by[0], id)
	}
}

// No row asks for a stronger proof than its scenarios can give.
func TestEveryProofIsWithinReach(t *testing.T) {
	for _, suite := range openintent.Suites() {
		for _, s := range suite.Scenarios {
			for _, id := range s.Proves {
				if r, _ := openintent.Protocol.Ledger.Find(id); r.Demands() > s.Reach() {
					t.Errorf("%s is to be %s, and %s reaches %s", id, r.Demands(), s.ID, s.Reach())
				}
			}
		}
	}
}

// Ids are public: a change of one is a change of this list.
func TestIDsAreStable(t *testing.T) {
	var got []string
	for _, r := range openintentv1.Requirements {
		got = append(got, r.ID)
	}
	for _, suite := range openintent.Suites() {
		for _, s := range suite.Scenarios {
			got = append(got, string(s.ID))
		}
	}
	for _, c := range openintent.Protocol.Claims {
		got = append(got, "claim "+c.ID)
	}
	for _, p := range openintent.Protocol.Profiles {
		got = append(got, "profile "+p.ID+" "+p.Digest)
	}
	slices.Sort(got)
	const path = "testdata/ids.txt"
	if os.Getenv("ASSAY_UPDATE") != "" {
		if err := os.WriteFile(path, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	known := strings.Split(strings.TrimSpace(string(want)), "\n")
	if slices.Equal(got, known) {
		return
	}
	t.Error("public ids changed; where that is meant, run ASSAY_UPDATE=1 go test ./scenarios/openintent and keep the old ones as aliases")
	for _, id := range got {
		if !slices.Contains(known, id) {
			t.Error("new:  " + id)
		}
	}
	for _, id := range known {
		if !slices.Contains(got, id) {
			t.Error("gone: " + id)
		}
	}
}
