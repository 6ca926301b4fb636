package ledgertest

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios"
)

// Ledger configures the tests of a protocol's ledger.
type Ledger struct {
	Protocol *scenarios.Protocol
	Suites   []scenarios.Suite
	// IDs matches the ids of its rows in a text.
	IDs *regexp.Regexp
	// Strict demands that every row has a claim, that a scenario with that claim proves it, and that each of its scenarios
	// reaches the evidence that the row demands.
	Strict bool
	// Sources is the folder of the texts. Asks reports whether a sentence there states a requirement.
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

// proving returns the scenarios that prove each requirement.
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

// proved tests that each requirement either has a scenario or a reason why not, and belongs to a known claim.
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

// withinReach tests that no row demands stronger evidence than its scenarios can reach.
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

// named tests that rows name only rows that exist.
func (l Ledger) named(t *testing.T) {
	for _, r := range l.Protocol.Ledger.Rows {
		for _, id := range l.IDs.FindAllString(r.Text+" "+r.Why, -1) {
			if _, ok := l.Protocol.Ledger.Find(scenarios.RequirementID(id)); !ok {
				t.Errorf("%s names %s, which is in no ledger", r.ID, id)
			}
		}
	}
}

// readings tests that readings name only scenarios that exist.
func (l Ledger) readings(t *testing.T) {
	if len(l.Protocol.Readings) == 0 {
		t.Error("no readings: do the texts leave nothing open?")
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

// stable compares ids, which are public, with a committed list.
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
			t.Errorf("new: %s; if that is intended, run this test with ASSAY_UPDATE=1", id)
		}
	}
	for _, id := range known {
		if !slices.Contains(got, id) {
			t.Errorf("gone: %s; if that is intended, keep it as an alias and run this test with ASSAY_UPDATE=1", id)
		}
	}
}

// covers tests, if the texts are available, that a row cites every sentence that states a requirement, and that every
// cited sentence exists.
func (l Ledger) covers(t *testing.T) {
	if _, err := os.Stat(l.Sources); err != nil {
		t.Log("skipped: the source texts are not available")
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
