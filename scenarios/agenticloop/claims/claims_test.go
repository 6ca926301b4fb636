package claims_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/agenticloop"
	"github.com/openassay/assay/scenarios/agenticloop/claims"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

func TestClaimsAreReadFromTheProfile(t *testing.T) {
	for name, c := range map[string]struct {
		profile string
		want    string // the claims that it makes
	}{
		"nothing more than a revision": {`{"assay_plugin":1,"revision":"2026-02"}`, "model"},
		"no model":                     {`{"revision":"2026-02","asks_model":false}`, ""},
		"a model":                      {`{"revision":"2026-02","asks_model":true}`, "model"},
		"some capabilities": {`{"revision":"2026-02","capabilities":["reframe","workspace"]}`,
			"model reframe workspace"},
		"the later revision":       {`{"revision":"2026-06","capabilities":["retry"]}`, "model retry revision-2026-06"},
		"an unknown capability":    {`{"revision":"2026-02","capabilities":["telepathy"]}`, "model"},
		"no list":                  {`{"revision":"2026-02","capabilities":"retry"}`, "model"},
		"entries that are no text": {`{"revision":206,"capabilities":[null,1,{"retry":true},["retry"]]}`, "model"},
		"no object":                {`["retry"]`, ""},
	} {
		d := scenarios.Discovery{Document: wiretest.Value(t, map[string]any{"profile": json.RawMessage(c.profile)})}
		var made []string
		for _, claim := range claims.All {
			if _, on := claim.Look(d); on && claim.ID != claims.Plugin.ID && claim.ID != claims.Revision202602.ID {
				made = append(made, claim.ID)
			}
		}
		slices.Sort(made)
		if got := strings.Join(made, " "); got != c.want {
			t.Errorf("%s: claims %q, want %q", name, got, c.want)
		}
	}
}

func TestAClaimShowsWhereItStands(t *testing.T) {
	d := scenarios.Discovery{
		Document: wiretest.Value(t, json.RawMessage(`{"profile":{"capabilities":["retry","reframe"]}}`))}
	v, _ := claims.Reframes.Look(d)
	if got := v.Ref().Pointer; got != "/profile/capabilities/1" {
		t.Errorf("reframe stands at %q", got)
	}
	if v, _ := claims.Workspaces.Look(d); v.Ref().Pointer != "/profile/capabilities" {
		t.Errorf("workspace was looked for at %q", v.Ref().Pointer)
	}
}

// What a profile may list, and what can be claimed, are the same.
func TestEveryCapabilityIsAClaim(t *testing.T) {
	for _, c := range []agenticloopv2.Capability{
		agenticloopv2.CapabilityRedelivery, agenticloopv2.CapabilityContextDelivery,
		agenticloopv2.CapabilityContextBudget, agenticloopv2.CapabilityRetry,
		agenticloopv2.CapabilityReframe, agenticloopv2.CapabilityWorkspace, agenticloopv2.CapabilityCompletedSteps,
	} {
		if _, ok := agenticloop.Protocol.Claim(string(c)); !ok {
			t.Errorf("no claim for the capability %s", c)
		}
	}
	for _, c := range claims.All {
		if !slices.Contains([]string{claims.Plugin.ID, claims.Manifested.ID, claims.Revision202602.ID,
			claims.Revision202606.ID, claims.Model.ID}, c.ID) && !agenticloopv2.Capability(c.ID).Valid() {
			t.Errorf("no profile can make the claim %s", c.ID)
		}
	}
}
