package ledgertest

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios"
)

// Ledger is what the tests of a protocol's ledger go by.
type Ledger struct {
	Protocol *scenarios.Protocol
	Suites   []scenarios.Suite
	// IDs is what the ids of its rows look like, wherever they stand in a text.
	IDs *regexp.Regexp
	// Strict: there is no row without a claim, one scenario at least that proves a row hangs on the claim of the row, and each
	// scenario by itself reaches the proof that its rows ask for.
	Strict bool
	// Sources is the folder of the texts, Asks whether a sentence there asks for something.
	Sources string
	Asks    func(Sentence) bool
}

// Test runs all tests of a ledger. IDs are compared with testdata/ids.txt, which ASSAY_UPDATE=1 writes.
func (l Ledger) Test(t *testing.T) {
	t.Run("every row has a scenario or a reason", l.proved)
	t.Run("every proof is within reach", l.withinReach)
	t.Run("rows that are named exist", l.named)
	t.Run("readings are about what exists", l.readings)
	t.Run("ids are stable", l.stable)
	t.Run("it covers its sources", l.covers)
}

// proving are the scenarios that prove each requirement.
func (l Ledger) proving() map[scenarios.RequirementID][]scenarios.Scenario {
	by := map[scenarios.RequirementID][]scenarios.Scenario{}
	for _, suite := range l.Suites {
		for _, s := range suite.Scenarios {
			for _, id := range s.Proves {
				by[id] = append(by[id], s)
			}
		}
	}
	return by
}

// proved: a requirement is proved by a scenario or says why not, and never both; and hangs on a claim that can be made.
func (l Ledger) proved(t *testing.T) {
	proving := l.proving()
	for _, r := range l.Protocol.Ledger.Rows {
		by := proving[scenarios.RequirementID(r.ID)]
		switch {
		case len(by) == 0 && r.Reason == "":
			t.Errorf("%s has neither a scenario nor a reason", r.ID)
		case len(by) > 0 && r.Reason != "":
			t.Errorf("%s says it is %s, but %s proves it", r.ID, r.Reason, by[0].ID)
		}
		if _, ok := l.Protocol.Claim(r.Claim); !ok && (r.Claim != "" || l.Strict && r.Reason == "") {
			t.Errorf("%s hangs on the claim %q, which nobody can make", r.ID, r.Claim)
		}
		sameClaim := func(s scenarios.Scenario) bool { return s.Claim.ID == r.Claim }
		if l.Strict && len(by) > 0 && !slices.ContainsFunc(by, sameClaim) {
			t.Errorf("%s hangs on the claim %s, and %s, which proves it, on %s", r.ID, r.Claim, by[0].ID, by[0].Claim.ID)
		}
		if l.IDs.FindString(r.ID) != r.ID {
			t.Errorf("%s is not called as the rows of this protocol are", r.ID)
		}
		delete(proving, scenarios.RequirementID(r.ID))
	}
	for id, by := range proving {
		t.Errorf("%s proves %s, which is in no ledger", by[0].ID, id)
	}
}

// withinReach: no row asks for a stronger proof than its scenarios can give.
func (l Ledger) withinReach(t *testing.T) {
	for id, by := range l.proving() {
		reached := by[0].Reach()
		for _, s := range by {
			if l.Strict {
				reached = min(reached, s.Reach())
			} else {
				reached = max(reached, s.Reach())
			}
		}
		if r, _ := l.Protocol.Ledger.Find(id); r.Demands() > reached {
			t.Errorf("%s is to be %s, and its scenarios reach %s", id, r.Demands(), reached)
		}
	}
}

// named: a row that says it leaves something to another row names one that exists.
func (l Ledger) named(t *testing.T) {
	for _, r := range l.Protocol.Ledger.Rows {
		for _, id := range l.IDs.FindAllString(r.Text+" "+r.Why, -1) {
			if _, ok := l.Protocol.Ledger.Find(scenarios.RequirementID(id)); !ok {
				t.Errorf("%s names %s, which is in no ledger", r.ID, id)
			}
		}
	}
}

// readings: the scenarios that go by a reading exist.
func (l Ledger) readings(t *testing.T) {
	if len(l.Protocol.Readings) == 0 {
		t.Error("there are no readings: do the texts leave nothing open?")
	}
	asked := map[string]bool{}
	for _, suite := range l.Suites {
		for _, s := range suite.Scenarios {
			asked[string(s.ID)] = true
		}
	}
	for _, r := range l.Protocol.Readings {
		for _, id := range r.Scenarios {
			if !asked[id] {
				t.Errorf("%s names the scenario %s, which does not exist", r.ID, id)
			}
		}
	}
}

// stable: ids are public, and a change of one is a change of a list.
func (l Ledger) stable(t *testing.T) {
	var got []string
	for _, r := range l.Protocol.Ledger.Rows {
		got = append(got, r.ID)
	}
	for _, suite := range l.Suites {
		for _, s := range suite.Scenarios {
			got = append(got, string(s.ID))
		}
	}
	for _, c := range l.Protocol.Claims {
		got = append(got, "claim "+c.ID)
	}
	for _, p := range l.Protocol.Profiles {
		got = append(got, "profile "+p.ID+" "+p.Digest)
	}
	slices.Sort(got)
	const path = "testdata/ids.txt"
	if os.Getenv("ASSAY_UPDATE") != "" {
		if err := os.WriteFile(path, []byte(strings.Join(got, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	known := strings.Split(strings.TrimSpace(string(list)), "\n")
	for _, id := range got {
		if !slices.Contains(known, id) {
			t.Errorf("new: %s; where that is meant, run this test with ASSAY_UPDATE=1", id)
		}
	}
	for _, id := range known {
		if !slices.Contains(got, id) {
			t.Errorf("gone: %s; where that is meant, keep it as an alias and run this test with ASSAY_UPDATE=1", id)
		}
	}
}

// covers: where the texts are at hand, every sentence that asks for something is cited by a row, and every row cites a sentence
// that is there.
func (l Ledger) covers(t *testing.T) {
	if _, err := os.Stat(l.Sources); err != nil {
		t.Log("the source texts are not here: passed over")
		return
	}
	var rows []Row
	for _, r := range l.Protocol.Ledger.Rows {
		rows = append(rows, Row{ID: r.ID, File: r.File, Line: r.Line, Hash: r.Hash})
	}
	problems, err := Compare(l.Sources, rows, l.Asks)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
}
