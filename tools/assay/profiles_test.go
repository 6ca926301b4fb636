package main

import (
	std "cmp"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop"
	"github.com/openassay/assay/scenarios/openintent"
	"github.com/openassay/assay/scenarios/openwop"
)

// What is frozen exists: the requirements, the claims, and scenarios that prove them at the evidence that is demanded.
func TestFrozenProfilesCanBeProved(t *testing.T) {
	var frozen []string
	for _, suites := range [][]scenarios.Suite{openwop.Suites(), agenticloop.Suites(), openintent.Suites()} {
		protocol := suites[0].Protocol
		byID := map[scenarios.ScenarioID]scenarios.Scenario{}
		for _, suite := range suites {
			for _, s := range suite.Scenarios {
				byID[s.ID] = s
			}
		}
		for _, p := range protocol.Profiles {
			frozen = append(frozen, p.ID)
			for _, id := range p.Claims {
				if _, known := protocol.Claim(id); !known {
					t.Errorf("%s: nobody can make the claim %s", p.ID, id)
				}
			}
			for _, r := range p.Requires {
				provable(t, p, r, protocol.Ledger, byID)
				optional(t, p, r, byID)
			}
			for _, s := range p.Scope {
				inLedger(t, p, s, protocol.Ledger)
			}
		}
	}
	for _, p := range results.Profiles {
		if !slices.Contains(frozen, p.ID) {
			t.Errorf("%s is a profile of %s, which is no protocol", p.ID, p.Protocol)
		}
	}
	for _, id := range []string{"loop-v5", "handoff", "goals", "execution-bounds", "human-in-the-loop", "replay", "suspension",
		"human-retry", "agentic-loop"} {
		for _, id := range []string{id, id + "@2"} {
			if !slices.Contains(frozen, id) {
				t.Errorf("there is no profile %s", id)
			}
		}
	}
}

// optional tests that what is demanded under claims only is asked under these claims.
func optional(t *testing.T, p scenarios.Profile, r scenarios.Required, byID map[scenarios.ScenarioID]scenarios.Scenario) {
	for _, claim := range r.Claims {
		if !slices.ContainsFunc(r.Scenarios, func(id scenarios.ScenarioID) bool { return byID[id].Claim.ID == claim }) {
			t.Errorf("%s demands %s of targets that claim %s, and no scenario of it asks these", p.ID, r.ID, claim)
		}
		if slices.Contains(p.Claims, claim) {
			t.Errorf("%s demands %s under the claim %s, which it rests on itself", p.ID, r.ID, claim)
		}
	}
}

// inLedger tests that rows of the ledger stand in every section that a profile is about.
func inLedger(t *testing.T, p scenarios.Profile, s scenarios.Section, l *scenarios.Ledger) {
	of := func(section string) bool {
		return slices.ContainsFunc(l.Rows, func(r scenarios.Requirement) bool {
			return r.Source == s.Source && (section == "" || r.Section == section)
		})
	}
	for _, section := range append([]string{""}, s.Sections...) {
		if !of(section) {
			t.Errorf("%s is about %s %s, where the ledger has no row", p.ID, s.Source, section)
		}
	}
}

// The page of profiles says of the newest revisions how much of their scope they demand, and what not.
func TestThePageSaysWhatProfilesDoNotCover(t *testing.T) {
	const page = "../../docs/profiles.md"
	const head = "| profile | requirements | of these by claim | MUSTs of its scope | of these provable | not covered |\n" +
		"|---|---:|---:|---:|---:|---|\n"
	var table strings.Builder
	table.WriteString(head)
	for _, suites := range [][]scenarios.Suite{openwop.Suites(), openintent.Suites(), agenticloop.Suites()} {
		for _, p := range suites[0].Protocol.Profiles {
			if p.Superseded == "" {
				table.WriteString(coverageOf(p, suites[0].Protocol.Ledger))
			}
		}
	}
	raw, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(raw), head)
	if !found {
		t.Fatalf("%s has no table with the head\n%s", page, head)
	}
	was, after, _ := strings.Cut(rest, "\n\n")
	if os.Getenv("ASSAY_UPDATE") != "" {
		if err := os.WriteFile(page, []byte(before+table.String()+"\n"+after), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(table.String(), head+was+"\n"); diff != "" {
		t.Errorf("%s is not of the profiles of today: run this test with ASSAY_UPDATE=1 (-want +got):\n%s", page, diff)
	}
}

// coverageOf returns the row of a profile.
func coverageOf(p scenarios.Profile, l *scenarios.Ledger) string {
	byClaim, musts, provable := 0, 0, 0
	for _, r := range p.Requires {
		if r.Claims != nil {
			byClaim++
		}
	}
	without := scenarios.Profile{Scope: p.Scope}
	for _, row := range without.Uncovered(l) { // all MUSTs of its scope
		musts++
		if row.Reason == "" {
			provable++
		}
	}
	var missing []string
	for _, row := range p.Uncovered(l) {
		missing = append(missing, row.ID+" ("+std.Or(row.Reason, "**later**")+")")
	}
	return fmt.Sprintf("| `%s` | %d | %d | %d | %d | %s |\n", p.ID, len(p.Requires), byClaim, musts, provable,
		std.Or(strings.Join(missing, ", "), "nothing"))
}

func provable(t *testing.T, p scenarios.Profile, r scenarios.Required, l *scenarios.Ledger,
	byID map[scenarios.ScenarioID]scenarios.Scenario) {
	row, known := l.Find(r.ID)
	if !known || row.Level != scenarios.Must && p.Superseded == "" { // an older revision keeps what was read as a MUST when it was frozen
		t.Errorf("%s requires %s, which is no MUST of the ledger", p.ID, r.ID)
	}
	reach := scenarios.Unseen
	for _, id := range r.Scenarios {
		s, there := byID[id]
		if !there || !slices.Contains(s.Proves, scenarios.RequirementID(row.ID)) {
			t.Errorf("%s: %s is proved by %s, which is gone or does not name it any more: a frozen scenario stays", p.ID, r.ID, id)
			continue
		}
		reach = max(reach, s.Reach())
	}
	if r.Evidence > reach {
		t.Errorf("%s: %s is to be %s, and its scenarios reach %s", p.ID, r.ID, r.Evidence, reach)
	}
}
