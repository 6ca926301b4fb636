package openwop_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
)

// loaded is a host that has loaded these fixtures of ours, and whose engine reads none of their ports: it runs each as its own loop of
// two turns. It knows a worker of nothing, by the name of the one that it has.
func loaded(t *testing.T, host string, ours ...string) string {
	return renamed(t, host, func(listed []any) []any {
		listed = append(listed, "conformance-noop")
		for _, id := range ours {
			listed = append(listed, id)
		}
		return listed
	}, func(id string) string {
		switch {
		case id == "conformance-noop":
			return "conformance-multi-agent-handoff-child"
		case slices.Contains(ours, id):
			return "conformance-multi-agent-handoff"
		}
		return id
	})
}

// unread are fixtures of ours of which such an engine understands nothing.
func unread() (ids []string) {
	for _, id := range hosttest.EveryFixture {
		if strings.HasPrefix(id, "assay-loop") || strings.HasPrefix(id, "assay-scripted") || id == "assay-random" || id == "assay-steps" {
			ids = append(ids, id)
		}
	}
	return ids
}

// renamed is a host behind a proxy that lists other workflows, and runs others than it is asked for.
func renamed(t *testing.T, host string, list func([]any) []any, runs func(id string) string) string {
	t.Helper()
	base, err := url.Parse(host)
	if err != nil {
		t.Fatal(err)
	}
	// rewrite changes a JSON object.
	rewrite := func(body io.ReadCloser, change func(map[string]any)) (io.ReadCloser, int) {
		raw, err := io.ReadAll(body)
		if err != nil {
			t.Error(err)
		}
		var doc map[string]any
		if json.Unmarshal(raw, &doc) == nil && doc != nil {
			change(doc)
			if raw, err = json.Marshal(doc); err != nil {
				t.Error(err)
			}
		}
		return io.NopCloser(bytes.NewReader(raw)), len(raw)
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(base)
			r.Out.Header.Del("Accept-Encoding")
			if r.In.Method == http.MethodPost && r.In.URL.Path == "/v1/runs" {
				var n int
				r.Out.Body, n = rewrite(r.In.Body, func(doc map[string]any) {
					if id, ok := doc["workflowId"].(string); ok {
						doc["workflowId"] = runs(id)
					}
				})
				r.Out.ContentLength = int64(n)
			}
		},
		ModifyResponse: func(r *http.Response) error {
			if r.Request.URL.Path != "/.well-known/openwop" || r.StatusCode != http.StatusOK {
				return nil
			}
			var n int
			r.Body, n = rewrite(r.Body, func(doc map[string]any) {
				doc["fixtures"] = list(doc["fixtures"].([]any))
			})
			r.ContentLength = int64(n)
			r.Header.Set("Content-Length", strconv.Itoa(n))
			return nil
		},
	}
	server := httptest.NewServer(proxy)
	t.Cleanup(server.Close)
	return server.URL
}

// Who loads our fixtures into an engine that does not understand them loses no passed scenario, and is accused of nothing new.
func TestOurFixturesCostNobodyAnything(t *testing.T) {
	t.Parallel()
	host := startLoophost(t)
	before := certify(t, wire.Target{URL: loaded(t, host), Key: hosttest.OurKey}, 5*time.Second)
	after := certify(t, wire.Target{URL: loaded(t, host, unread()...), Key: hosttest.OurKey}, 5*time.Second)
	was := map[scenarios.ScenarioID]scenarios.Outcome{}
	passed := 0
	for _, o := range before.Outcomes {
		was[o.Scenario.ID] = o
		if o.Verdict == scenarios.Passed {
			passed++
		}
	}
	if passed < 30 {
		t.Fatalf("the host passes %d scenarios", passed)
	}
	for _, o := range after.Outcomes {
		w := was[o.Scenario.ID]
		if o.Scenario.Name() == "nothing-shared" { // its loops may or may not overlap
			continue
		}
		if w.Verdict == scenarios.Passed && o.Verdict != scenarios.Passed || o.Verdict == scenarios.Failed && w.Verdict != scenarios.Failed {
			t.Errorf("%s: %s (%s) with our fixtures, was %s (%s)", o.Scenario.ID, o.Verdict, o.Reason, w.Verdict, w.Reason)
		}
	}
}

// A host without any known workflow is asked with its own, where no plan is needed.
func TestAHostsOwnWorkflowsPlayRoles(t *testing.T) {
	t.Parallel()
	own := renamed(t, startLoophost(t), func([]any) []any { return []any{} }, func(id string) string {
		if id == "my-flow" {
			return "conformance-multi-agent-handoff"
		}
		return "not-" + id
	})
	for role, want := range map[string]scenarios.Verdict{"": scenarios.Blocked, "loop": scenarios.Passed} {
		o := scenarios.Options{Seed: 3, Patience: 5 * time.Second, Roles: map[string]string{role: "my-flow"},
			Select: scenarios.Selection{Scenarios: []string{"event-log/numbered-without-gap", "errors/keyed-once"}}}
		c, err := scenarios.Certify(t.Context(), wire.Target{URL: own, Key: hosttest.OurKey}, o, openwop.Suites()...)
		if err != nil {
			t.Fatal(err)
		}
		for _, out := range c.Finish(t.Context()).Outcomes {
			if out.Verdict != want {
				t.Errorf("role %q: %s is %s (%s), want %s", role, out.Scenario.ID, out.Verdict, out.Reason, want)
			}
		}
	}
}

// A published workflow that is not listed is used if the host runs it, and not if it runs something else under that id.
func TestPublishedWorkflowsThatAreNotListed(t *testing.T) {
	t.Parallel()
	host := startLoophost(t)
	child := func([]any) []any { return []any{"conformance-multi-agent-handoff-child"} }
	as := func(id string) func(string) string {
		return func(asked string) string {
			if id == "" {
				return asked
			}
			return id
		}
	}
	for name, c := range map[string]struct {
		runs func(string) string
		want scenarios.Verdict
	}{
		"runs them":         {as(""), scenarios.Passed},
		"runs another one":  {as("conformance-multi-agent-handoff-child"), scenarios.Blocked},
		"does not know any": {as("no-such-workflow"), scenarios.Blocked},
	} {
		t.Run(name, func(t *testing.T) {
			o := scenarios.Options{Seed: 3, Patience: 5 * time.Second,
				Select: scenarios.Selection{Scenarios: []string{"iteration-monotonic/as-planned"}}}
			c2, err := scenarios.Certify(t.Context(), wire.Target{URL: renamed(t, host, child, c.runs), Key: hosttest.OurKey}, o,
				openwop.Suites()...)
			if err != nil {
				t.Fatal(err)
			}
			for _, out := range c2.Finish(t.Context()).Outcomes {
				if out.Verdict != c.want {
					t.Errorf("%s is %s (%s), want %s", out.Scenario.ID, out.Verdict, out.Reason, c.want)
				}
			}
		})
	}
}

// Seams may live below a prefix that a member of the host's own names.
func TestSeamsAreFoundByTheirMember(t *testing.T) {
	for member, want := range map[string]scenarios.Verdict{"testSeams": scenarios.Passed, "paths": scenarios.Blocked} {
		d := hosttest.DiscoveryOf()
		d["x-acme"] = map[string]any{member: map[string]any{"prefix": "/odd/place/"}}
		url := hosttest.Serve(t, hosttest.Routes{"GET /.well-known/openwop": hosttest.Always(d), "POST /odd/place/agentloop/run": formulaLoop})
		o := scenarios.Options{Seed: 3, Patience: time.Second,
			Select: scenarios.Selection{Scenarios: []string{"version5-shape/iteration-on-decided"}}}
		c, err := scenarios.Certify(t.Context(), wire.Target{URL: url, Key: hosttest.OurKey}, o, openwop.Suites()...)
		if err != nil {
			t.Fatal(err)
		}
		if out := c.Finish(t.Context()).Outcomes[0]; out.Verdict != want {
			t.Errorf("with the member %s: %s (%s), want %s", member, out.Verdict, out.Reason, want)
		}
	}
}
