package agenticloop

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/internal/ledgertest"
	"github.com/openassay/assay/scenarios"
)

// A requirement is proved by a scenario or says why not, and never both; and hangs on a claim that can be made.
func TestEveryRowHasAScenarioOrAReason(t *testing.T) {
	proved := map[scenarios.RequirementID][]string{}
	for _, suite := range Suites() {
		for _, s := range suite.Scenarios {
			for _, id := range s.Proves {
				proved[id] = append(proved[id], string(s.ID))
			}
		}
	}
	for _, r := range Protocol.Ledger.Rows {
		by := proved[scenarios.RequirementID(r.ID)]
		switch {
		case len(by) == 0 && r.Reason == "":
			t.Errorf("%s has neither a scenario nor a reason", r.ID)
		case len(by) > 0 && r.Reason != "":
			t.Errorf("%s says it is %s, but %s proves it", r.ID, r.Reason, by[0])
		}
		if _, ok := Protocol.Claim(r.Claim); r.Claim != "" && !ok {
			t.Errorf("%s hangs on the claim %q, which nobody can make", r.ID, r.Claim)
		}
		if !strings.HasPrefix(r.ID, "RFC103-") {
			t.Errorf("%s is not called after the text", r.ID)
		}
		delete(proved, scenarios.RequirementID(r.ID))
	}
	for id, by := range proved {
		t.Errorf("%s proves %s, which is in no ledger", by[0], id)
	}
}

// A row that says it leaves something to another row names one that exists.
func TestRowsThatAreNamedExist(t *testing.T) {
	named := regexp.MustCompile(`RFC103-[A-Z0-9]+(-[0-9]+)?`)
	for _, r := range Protocol.Ledger.Rows {
		for _, id := range named.FindAllString(r.Text+" "+r.Why+" "+r.Accepts, -1) {
			if !slices.ContainsFunc(Protocol.Ledger.Rows, func(o scenarios.Requirement) bool { return o.ID == id }) {
				t.Errorf("%s names %s, which is in no ledger", r.ID, id)
			}
		}
	}
}

// The text contradicts itself or leaves something open in 25 places (C1 to C25). What is accepted because of it stands in a row, with its number.
func TestEveryContradictionIsCited(t *testing.T) {
	var all strings.Builder
	for _, r := range Protocol.Ledger.Rows {
		all.WriteString(r.Accepts + "\n" + r.Why + "\n")
	}
	for n := range 25 {
		if cited := regexp.MustCompile(fmt.Sprintf(`(^|[^-\w])C%d\b`, n+1)); !cited.MatchString(all.String()) {
			t.Errorf("no row cites contradiction C%d", n+1)
		}
	}
}

// Ids are public: a change of one is a change of this list.
func TestIDsAreStable(t *testing.T) {
	var got []string
	for _, r := range agenticloopv2.Requirements {
		got = append(got, r.ID)
	}
	for _, suite := range Suites() {
		for _, s := range suite.Scenarios {
			got = append(got, string(s.ID))
		}
	}
	for _, c := range Protocol.Claims {
		got = append(got, "claim "+c.ID)
	}
	for _, p := range Protocol.Profiles {
		got = append(got, "profile "+p.ID+" "+p.Digest)
	}
	slices.Sort(got)
	const path = "testdata/ids.txt"
	if os.Getenv("ASSAY_UPDATE") != "" {
		if err := os.WriteFile(path, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	known := strings.Split(strings.TrimSpace(string(want)), "\n")
	for _, id := range got {
		if !slices.Contains(known, id) {
			t.Errorf("new: %s; where that is meant, run ASSAY_UPDATE=1 go test ./scenarios/agenticloop", id)
		}
	}
	for _, id := range known {
		if !slices.Contains(got, id) {
			t.Errorf("gone: %s; where that is meant, keep it as an alias and run ASSAY_UPDATE=1 go test ./scenarios/agenticloop", id)
		}
	}
}

// binding are the sections of RFC-103 in which every item of a list asks for something, with or without a normative word.
var binding = []string{
	"Non-Goals", "Core Invariants", "Runtime Model (Single Turn)", "Agent Plugin State Schema", "Workspace Contract", "Protocol Behavior (No Ambiguity)",
	"Resume Validation Logic", "Idempotency and Dedupe", "Error Handling", "Security and Scope", "Test Cases (Must Pass)", "Success Criteria",
}

var item = regexp.MustCompile(`^\s*(- |\d+\. )`)

// asks says whether a sentence of RFC-103 asks for something. Titles do not, nor do items that only lead in a list, and the
// condition that a check names is cited with what follows from it.
func asks(s ledgertest.Sentence) bool {
	if strings.HasPrefix(s.Line, "#") {
		return false
	}
	if ledgertest.Normative(s) {
		return true
	}
	number := regexp.MustCompile(`^\d+$`).MatchString(s.Text)
	leads := strings.HasSuffix(s.Text, ":")
	condition := s.Section == "Resume Validation Logic" && strings.Contains(s.Line, ". If ") && !strings.HasPrefix(s.Text, "If ")
	return slices.Contains(binding, s.Section) && item.MatchString(s.Line) && !number && !leads && !condition
}

func TestTheLedgerCoversItsSource(t *testing.T) {
	const sources = "../../../shared/sources"
	if _, err := os.Stat(sources); err != nil {
		t.Log("the source texts are not here: passed over")
		return
	}
	var rows []ledgertest.Row
	for _, r := range Protocol.Ledger.Rows {
		rows = append(rows, ledgertest.Row{ID: r.ID, File: r.File, Line: r.Line, Hash: r.Hash})
	}
	problems, err := ledgertest.Compare(sources, rows, asks)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
}
