package agenticloop

import (
	"slices"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
)

// The pace of a plugin is measured first, and patience follows it.
func TestPatienceFollowsATurn(t *testing.T) {
	report := certifyNaive(t, "import time; time.sleep(0.3)", scenarios.Options{Seed: 1, Patience: 2 * time.Second,
		Select: scenarios.Selection{Scenarios: []string{"agenticloop/correlation/start-makes-a-run"}}})
	if o := report.Outcomes[0]; o.Verdict != scenarios.Passed {
		t.Errorf("%s: %s", o.Verdict, o.Reason)
	}
	if p := report.Paced; p.Turn < 300*time.Millisecond || p.Patience < p.Asked+3*p.Turn {
		t.Errorf("%+v", p)
	}
}

// What the newest profile asks of a plugin's model is asked of those that have one, and no SHOULD costs the profile.
func TestTheProfileOfAPluginWithoutModel(t *testing.T) {
	i := slices.IndexFunc(Protocol.Profiles, func(p scenarios.Profile) bool { return p.ID == "agentic-loop@3" })
	if i < 0 {
		t.Fatal("there is no such profile")
	}
	for _, r := range Protocol.Profiles[i].Requires {
		if row, _ := Protocol.Ledger.Find(r.ID); row.Level != scenarios.Must {
			t.Errorf("%s is a %s", r.ID, row.Level)
		}
		if r.ID == "RFC103-WIRE-9" && !slices.Equal(r.Claims, []string{"model"}) {
			t.Errorf("%s is asked where %v is claimed", r.ID, r.Claims)
		}
	}
}
