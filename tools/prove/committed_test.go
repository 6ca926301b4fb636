package prove_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
	suites "github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/simhost/fault"
	"github.com/openassay/assay/tools/prove"
)

// committed is the kill matrix of docs/. That it is the one that is found is tested elsewhere.
func committed(t *testing.T) (m results.KillMatrix) {
	t.Helper()
	raw, err := os.ReadFile("../../docs/" + prove.JSONName)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func TestTheFiguresAreGoodEnough(t *testing.T) {
	n := committed(t).Totals
	if n.Faults < 100 || n.Broken < 80 {
		t.Errorf("%d faults break %d requirements, want 100 and 80", n.Faults, n.Broken)
	}
	if n.Killing*10 < n.Checks*9 {
		t.Errorf("%d of %d checks kill a fault, want 90 in 100", n.Killing, n.Checks)
	}
	if n.Alone*10 < n.Checks*6 {
		t.Errorf("%d of %d checks are the only one to kill some fault, want 60 in 100", n.Alone, n.Checks)
	}
}

// Every MUST that is asked about is broken by a fault that is killed for it, or it is said why none can break it.
func TestEveryMUSTIsBroken(t *testing.T) {
	broken := map[string]bool{}
	for _, f := range committed(t).Faults {
		for _, k := range f.Kills {
			broken[k.Requirement] = true
		}
	}
	asked := map[scenarios.RequirementID]bool{}
	for _, suite := range suites.Suites() {
		for _, s := range suite.Scenarios {
			for _, id := range s.Proves {
				asked[id] = true
			}
		}
	}
	for _, row := range suites.Protocol.Ledger.Rows {
		_, said := prove.Unbroken[row.ID]
		switch must := row.Level == "MUST" && asked[scenarios.RequirementID(row.ID)]; {
		case must && !broken[row.ID] && !said:
			t.Errorf("%s is broken by no fault: %s", row.ID, row.Text)
		case said && (!must || broken[row.ID]):
			t.Errorf("%s need not be among those that no fault breaks", row.ID)
		}
	}
}

// Of faults that break the same and are caught by the same all but one say what they are there for.
func TestNoFaultIsThereTwice(t *testing.T) {
	unsaid := map[string]string{}
	for _, f := range committed(t).Faults {
		if f.Twin != "" {
			continue
		}
		var killers []string
		for _, k := range f.Kills {
			killers = append(killers, k.Scenario)
		}
		slices.Sort(killers)
		id := fmt.Sprint(slices.Sorted(slices.Values(f.Breaks)), slices.Compact(killers))
		if other := unsaid[id]; other != "" {
			t.Errorf("%s breaks what %s breaks, and is caught by the same scenarios: say why it is there, or leave it out", f.ID, other)
		}
		unsaid[id] = f.ID
	}
}

// A row of the ledger by its id, not one that merely looks like it.
func TestFaultsBreakWhatIsInTheLedger(t *testing.T) {
	for _, f := range fault.All() {
		for _, id := range f.Breaks {
			if row, ok := suites.Protocol.Ledger.Find(scenarios.RequirementID(id)); !ok || row.Level == "MAY" {
				t.Errorf("%s breaks %s, which no host can break", f.ID, id)
			}
		}
	}
}

// The figures that people read first are those of the matrix.
func TestTheReadmeHasTheFigures(t *testing.T) {
	raw, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range prove.Figures(committed(t)) {
		if !strings.Contains(string(raw), line) {
			t.Errorf("the README does not say: %s", line)
		}
	}
}
