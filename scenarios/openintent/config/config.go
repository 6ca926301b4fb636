// Package config asks whether clients can read the configuration of a server.
package config

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Suite returns the suite config.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "config", Title: "the configuration of the server, for clients to read",
		Scenarios: []scenarios.Scenario{configRead, configReadOnly},
	}
}

// ConfigObservation is the configuration as it was read, and the replies to writes of it.
type ConfigObservation struct {
	Keyless host.Reply   `json:"keyless"`
	Keyed   host.Reply   `json:"keyed"`
	Writes  []host.Reply `json:"writes"`
	After   host.Reply   `json:"after"`
}

var configured = &scenarios.Drive[ConfigObservation]{
	ID: "openintent/config", Title: "reads the configuration of the server, and tries to write it",
	Sends: []string{"GET /server/config, with and without a key", "PUT, POST and PATCH /server/config"}, Excludes: scenarios.Everything,
	Nameless: "it writes back what it read, so that a server that takes it stays as it was",
	Run: func(ctx context.Context, c *scenarios.Conn, o *ConfigObservation) {
		s := host.Open(ctx, c)
		const path = "/server/config"
		o.Keyed = s.Get(ctx, "the configuration", path)
		if host.MissingRoute(o.Keyed) {
			scenarios.End(scenarios.NotThere(o.Keyed.Status, "a configuration that clients can read (GET "+s.Prefix+path+")"))
		}
		keyless := s.Call("the configuration, without a key", http.MethodGet, path, nil)
		keyless.Anonymous = true
		o.Keyless = s.Send(ctx, keyless)
		for _, method := range []string{http.MethodPut, http.MethodPost, http.MethodPatch} {
			// The body is the configuration itself, so that a server that takes it stays as it was.
			reply := s.Ask(wire.Misfit(ctx, openintent.OIP0026D5), method+" of the configuration", method, path, o.Keyed.Body.Actual())
			o.Writes = append(o.Writes, reply)
		}
		o.After = s.Get(ctx, "the configuration after that", path)
	},
}

const defaultPolicy = "/suspension/default_retry_policy"

// configRead asks with and without a key, which a server may want (OIP-R125).
var configRead = scenarios.Scenario{
	ID:     "openintent/config/readable",
	Title:  "the configuration can be read, and has a default retry policy or says that there is none",
	Proves: scenarios.IDs{openintent.OIP0026D4},
	Claim:  claims.Config,
	Ask: scenarios.Ask(configured, func(o ConfigObservation, j *scenarios.Judge) {
		readable(j, o.Keyed)
		if code := o.Keyless.Code(); code == http.StatusUnauthorized || code == http.StatusForbidden {
			j.Find("", "%s is refused with HTTP %d: only callers with a key can read it (OIP-R125)", o.Keyless.Asked, code)
		} else {
			readable(j, o.Keyless)
		}
		if s := o.Keyed.Body.At(defaultPolicy).Key("strategy").String(); s != "" && s != string(openintentv1.RetryStrategyFixed) {
			j.Find("", "suspension.default_retry_policy has the strategy %q, and RFC-0026 4.1 only fixed (OIP-R11)", s)
		}
	}),
}

func readable(j *scenarios.Judge, r host.Reply) {
	j.Check(openintent.OIP0026D4, r.Status).To(check.Status(200), "%s", r.Asked)
	j.Check(openintent.OIP0026D4, r.Body.At(defaultPolicy)).To(policyOrNull(), "suspension.default_retry_policy of %s", r.Asked)
}

// policyOrNull expects null or a policy, of any strategy (OIP-R11). An absent member does not do: a client could not tell it
// from an older server.
func policyOrNull() check.Matcher {
	return check.Seeing("null, or a retry policy", func(s wire.Seen) (bool, string) {
		v, _ := s.(wire.Value)
		if !v.Present() || v.Actual() == nil {
			return v.Present(), v.JSON()
		}
		set, err := host.Contract()
		if err != nil {
			return false, err.Error()
		}
		schema, err := set.Component("HumanRetryPolicy")
		if err != nil {
			return false, err.Error()
		}
		policy := v.Actual()
		if members, is := policy.(map[string]any); is && v.Key("strategy").String() != "" {
			fixed := maps.Clone(members)
			fixed["strategy"] = openintentv1.RetryStrategyFixed
			policy = fixed
		}
		raw, err := json.Marshal(policy)
		if err != nil {
			return false, err.Error()
		}
		problems := schema.Validate(raw)
		if len(problems) == 0 {
			return true, v.JSON()
		}
		return false, v.JSON() + " (" + problems[0].String() + ")"
	})
}

// configReadOnly accepts any 4xx (OIP-R107).
var configReadOnly = scenarios.Scenario{
	ID:     "openintent/config/read-only",
	Title:  "the configuration is not written: PUT, POST and PATCH are refused and change nothing",
	Proves: scenarios.IDs{openintent.OIP0026D5},
	Claim:  claims.Config,
	Ask: scenarios.Ask(configured, func(o ConfigObservation, j *scenarios.Judge) {
		o.Keyed.Readable(j)
		if policy := o.Keyed.Body.At(defaultPolicy); !policy.Present() {
			j.Violates(openintent.OIP0026D4, policy, "setup failed: the configuration has no suspension.default_retry_policy")
		}
		for _, w := range o.Writes {
			j.Check(openintent.OIP0026D5, w.Status).To(check.Status(4), "%s", w.Asked)
		}
		j.Check(openintent.OIP0026D5, o.After.Body).To(check.SameAs(o.Keyed.Body), "%s", o.After.Asked)
	}),
}
