package claims_test

import (
	"encoding/json"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// A server that lists its features is asked about those alone. One that lists none is asked for what it has, and claims nothing.
func TestAServerIsAskedWithinItsList(t *testing.T) {
	for _, c := range []struct {
		document   string
		claim      scenarios.Claim
		made, open bool
	}{
		{`{}`, claims.Graph, false, true},
		{`{"assay":{"features":["core","graph"]}}`, claims.Graph, true, false},
		{`{"assay":{"features":["core","graph"]}}`, claims.Portfolio, false, false},
		{`{"assay":{"features":[]}}`, claims.Core, false, false},
		{`{"assay":{"features":"graph"}}`, claims.Graph, false, true},
		{`{"assay":{"features":["notifier"]}}`, claims.Notifier, true, false},
		{`{"assay":{"features":["notifier"],"notifier":"external"}}`, claims.Notifier, false, false},
		{`{"assay":{"notifier":"external"}}`, claims.Notifier, false, false},
		{`{"assay":{"features":["webhook"]}}`, claims.Webhook, false, false},
		{`{"assay":{"features":["webhook","notifier"]}}`, claims.Webhook, true, false},
		{`{"assay":{"notifier":"external"}}`, claims.Webhook, false, false},
		{`{}`, claims.Example, false, false},
		{`{"resolver":{}}`, claims.Resolver, false, false},
	} {
		d := scenarios.Discovery{Document: wiretest.Value(t, json.RawMessage(c.document))}
		_, made := c.claim.Look(d)
		open := c.claim.Open != nil && c.claim.Open(d)
		if made != c.made || open != c.open {
			t.Errorf("%s: %s is claimed: %t, and asked for: %t; want %t and %t", c.document, c.claim.ID, made, open, c.made, c.open)
		}
	}
}
