package main

import (
	"slices"
	"testing"

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
		if !slices.Contains(frozen, id) {
			t.Errorf("there is no profile %s", id)
		}
	}
}

func provable(t *testing.T, p scenarios.Profile, r scenarios.Required, l *scenarios.Ledger,
	byID map[scenarios.ScenarioID]scenarios.Scenario) {
	row, known := l.Find(r.ID)
	if !known || row.Level != scenarios.Must {
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
