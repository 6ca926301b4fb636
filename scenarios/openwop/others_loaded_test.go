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
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
)

// loaded is a host that has loaded all our fixtures, and whose engine reads none of their ports: it runs each as its own loop of two
// turns.
func loaded(t *testing.T, host string) string {
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
					if id, _ := doc["workflowId"].(string); strings.HasPrefix(id, "assay-") && slices.Contains(hosttest.EveryFixture, id) {
						doc["workflowId"] = "conformance-multi-agent-handoff"
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
				listed := doc["fixtures"].([]any)
				for _, id := range hosttest.EveryFixture {
					if strings.HasPrefix(id, "assay-loop") || strings.HasPrefix(id, "assay-scripted") || id == "assay-random" || id == "assay-steps" {
						listed = append(listed, id)
					}
				}
				doc["fixtures"] = listed
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
	before := certify(t, wire.Target{URL: host, Key: hosttest.OurKey}, 5*time.Second)
	after := certify(t, wire.Target{URL: loaded(t, host), Key: hosttest.OurKey}, 5*time.Second)
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
