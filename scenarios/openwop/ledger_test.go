package openwop_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/ledgertest"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
)

// A requirement is proved by a scenario or says why not, and never both.
func TestEveryRowHasAScenarioOrAReason(t *testing.T) {
	proved := map[scenarios.RequirementID][]string{}
	for _, suite := range openwop.Suites() {
		for _, s := range suite.Scenarios {
			for _, id := range s.Proves {
				proved[id] = append(proved[id], string(s.ID))
			}
		}
	}
	for _, r := range openwop.Protocol.Ledger.Rows {
		by := proved[scenarios.RequirementID(r.ID)]
		switch {
		case len(by) == 0 && r.Reason == "":
			t.Errorf("%s has neither a scenario nor a reason", r.ID)
		case len(by) > 0 && r.Reason != "":
			t.Errorf("%s says it is %s, but %s proves it", r.ID, r.Reason, by[0])
		}
		if r.Claim != "" {
			if _, ok := openwop.Protocol.Claim(r.Claim); !ok {
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
	reach := map[scenarios.RequirementID]scenarios.Evidence{}
	for _, suite := range openwop.Suites() {
		for _, s := range suite.Scenarios {
			for _, id := range s.Proves {
				reach[id] = max(reach[id], s.Reach())
			}
		}
	}
	for id, reached := range reach {
		if r, _ := openwop.Protocol.Ledger.Find(id); r.Demands() > reached {
			t.Errorf("%s is to be %s, and its scenarios reach %s", id, r.Demands(), reached)
		}
	}
}

// The texts contradict one another in 43 places (C1 to C43). What is accepted because of it stands in a row, with its number.
func TestEveryContradictionIsCited(t *testing.T) {
	var all strings.Builder
	for _, r := range openwop.Protocol.Ledger.Rows {
		all.WriteString(r.Accepts + "\n" + r.Why + "\n")
	}
	for n := range 43 {
		if cited := regexp.MustCompile(fmt.Sprintf(`(^|[^-\w])C%d\b`, n+1)); !cited.MatchString(all.String()) {
			t.Errorf("no row cites contradiction C%d", n+1)
		}
	}
}

// Ids are public: a change of one is a change of this list.
func TestIDsAreStable(t *testing.T) {
	var got []string
	for _, r := range openwopv1.Requirements {
		got = append(got, r.ID)
	}
	for _, suite := range openwop.Suites() {
		for _, s := range suite.Scenarios {
			got = append(got, string(s.ID))
		}
	}
	for _, c := range openwop.Protocol.Claims {
		got = append(got, "claim "+c.ID)
	}
	for _, p := range openwop.Protocol.Profiles {
		got = append(got, "profile "+p.ID+" "+p.Digest)
	}
	slices.Sort(got)
	const path = "testdata/ids.txt"
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	known := strings.Split(strings.TrimSpace(string(want)), "\n")
	if slices.Equal(got, known) {
		return
	}
	if os.Getenv("ASSAY_UPDATE") != "" {
		if err := os.WriteFile(path, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Error("public ids changed; where that is meant, run ASSAY_UPDATE=1 go test ./scenarios/openwop and keep the old ones as aliases")
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

// Where the source texts are at hand, every sentence with a normative word is
// cited by a row, and every row cites a sentence that is there.
func TestTheLedgerCoversItsSources(t *testing.T) {
	const sources = "../../../shared/sources"
	if _, err := os.Stat(sources); err != nil {
		t.Log("the source texts are not here: passed over")
		return
	}
	var rows []ledgertest.Row
	for _, r := range openwopv1.Requirements {
		rows = append(rows, ledgertest.Row{ID: r.ID, File: r.File, Line: r.Line, Hash: r.Hash})
	}
	problems, err := ledgertest.Compare(sources, rows, ledgertest.Normative)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
}
