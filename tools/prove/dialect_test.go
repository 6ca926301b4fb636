package prove_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/scenarios"
	suites "github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/dialect/dialecttest"
	speech "github.com/openassay/assay/simhost/openwop/dialect"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove"
)

// spoken is the dialect that the suites have as dialecttest.Other, as hosts know it. The two tables share no line: what one of
// them calls otherwise fails the test below.
var spoken = &speech.Dialect{
	Operations: map[string]string{
		"GET /.well-known/openwop": "GET /.well-known/openwop",
		"GET /v1/openapi.json":     "GET /api/contract",

		"GET /v1/workflows/{id}": "GET /api/plans/{id}",

		"POST /v1/runs":                 "PUT /api/executions",
		"GET /v1/runs":                  "GET /api/executions",
		"GET /v1/runs/{id}":             "GET /api/execution/{id}",
		"POST /v1/runs/{id}/cancel":     "DELETE /api/execution/{id}",
		"POST /v1/runs:bulk-cancel":     "POST /api/executions/stop",
		"POST /v1/runs/{id}:pause":      "POST /api/execution/{id}/hold",
		"POST /v1/runs/{id}:resume":     "POST /api/execution/{id}/unhold",
		"POST /v1/runs/{id}:fork":       "PUT /api/execution/{id}/copies",
		"GET /v1/runs/{id}:diff":        "GET /api/execution/{id}/difference",
		"GET /v1/runs/{id}/ancestry":    "GET /api/lineage/{id}",
		"GET /v1/runs/{id}/events/poll": "GET /api/execution/{id}/log",
		"PUT /v1/runs/{id}/events/poll": "PUT /api/execution/{id}/log",
		"GET /v1/runs/{id}/events":      "GET /api/execution/{id}/live",

		"POST /v1/runs/{id}/interrupts/{node}": "PATCH /api/questions/{id}/{node}",
		"GET /v1/interrupts/{token}":           "GET /api/tickets/{token}",
		"POST /v1/interrupts/{token}":          "PATCH /api/tickets/{token}",

		"GET /v1/host/workspace/files":           "GET /api/files",
		"GET /v1/host/workspace/files/{path}":    "GET /api/files/{path}",
		"PUT /v1/host/workspace/files/{path}":    "POST /api/files/{path}",
		"DELETE /v1/host/workspace/files/{path}": "DELETE /api/files/{path}",

		"POST /v1/host/sample/{seam...}":           "PUT /api/tests/seams/{seam...}",
		"POST /conformance/seams/sample/{seam...}": "PUT /api/more/seams/{seam...}",
		"GET /v1/host/sample/goals":                "GET /api/tests/aims",
		"POST /v1/host/sample/goals":               "PUT /api/tests/aims",
		"GET /v1/host/sample/goals/{id}":           "GET /api/tests/aims/{id}",
		"PATCH /v1/host/sample/goals/{id}":         "PUT /api/tests/aims/{id}",
		"POST /v1/host/sample/goals/{id}":          "POST /api/tests/aims/{id}",
		"POST /v1/host/sample/goals/{id}/tick":     "POST /api/tests/aims/{id}/advance",
		"POST /v1/host/sample/goals/{id}/pause":    "POST /api/tests/aims/{id}/hold",
		"POST /v1/host/sample/goals/{id}/resume":   "POST /api/tests/aims/{id}/unhold",
		"POST /v1/host/sample/goals/{id}/abandon":  "DELETE /api/tests/aims/{id}",
		"POST /v1/host/sample/goals/{id}/complete": "POST /api/tests/aims/{id}/done",
		"GET /v1/host/sample/goals/{id}/events":    "GET /api/tests/aims/{id}/log",
	},
	ID:       func(id string) string { return strings.TrimPrefix(id, "id=") },
	Verbatim: []string{"/.well-known/openwop", "/api/contract"},
	Query:    map[string]string{"behind": "lastSequence"},
	Headers:  map[string]string{"Idempotency-Key": "Once-Key", "openwop-Idempotent-Replay": "Once-Repeated"},
	Events:   otherEvents(),
	Codes:    otherCodes(),
	Statuses: map[string]int{"idempotency_key_mismatch": http.StatusPreconditionFailed},
	Options: map[string]string{
		"configurable/maxLoopIterations": "run/limits/turns", "configurable/recursionLimit": "run/limits/nodes",
		"configurable/runTimeoutMs": "run/limits/time/ms", "configurable/escalationThreshold": "run/askBelow",
		"configurable/temperature": "run/warmth",
	},
}

// A host that speaks another dialect is judged as it is in that of v1: the suites check the same, as often, with the same
// verdicts.
func TestAnotherDialectIsJudgedTheSame(t *testing.T) {
	many(t)
	t.Parallel()
	hosts := prove.Honest(protocols.Named("openwop"))[:1]
	was, err := readChecks(filepath.Join("testdata", "checks", "openwop.txt"), hosts)
	if err != nil {
		t.Fatal(err)
	}
	options := hosts[0].Specimen.(protocols.OpenWOP).Options
	options.Dialect = spoken
	served := serve(t, options, nil)
	target := lab.Target(suites.Protocol)
	target.URL = served.URL
	if target.SecondURL != "" {
		target.SecondURL = speaking(t, target.SecondURL)
	}
	leave, err := lab.Enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer leave()
	o := scenarios.Options{Seed: 1, RunID: recordedRun, Patience: testenv.Patience(10 * time.Second)}
	c, err := scenarios.Certify(t.Context(), target, o, suites.SuitesOf(suites.Speaking(dialecttest.Other))...)
	if err != nil {
		t.Fatal(err)
	}
	r := c.Finish(t.Context())
	for i := range r.Outcomes { // a path that is named in a check is the only word of the dialect that the tables keep
		for k := range r.Outcomes[i].Checks {
			words := &r.Outcomes[i].Checks[k].Expected
			*words = strings.ReplaceAll(*words, dialecttest.Other.Path(dialect.UseSeam, dialecttest.Other.Seams[0], ""),
				dialect.V1.Path(dialect.UseSeam, dialect.V1.Seams[0], ""))
		}
	}
	for _, odd := range oddities(was[hosts[0].Name], checksOf(r), racyOf(was)) {
		t.Error(odd)
	}
	for _, o := range r.Outcomes {
		if t.Failed() && o.Verdict != scenarios.Passed {
			t.Logf("%s is %s: %s", o.Scenario.ID, o.Verdict, o.Reason)
		}
	}
	speaksNoV1(t, r.Drives)
	for _, left := range r.Leftovers {
		t.Errorf("left behind: %s", left)
	}
}

// speaksNoV1 fails the test where something of v1 went over the wire.
func speaksNoV1(t *testing.T, drives []scenarios.DriveRecord) {
	t.Helper()
	seen := 0
	for _, d := range drives {
		for n := 1; n <= d.Transcript.Len(); n++ {
			e := d.Transcript.Entry(n)
			if e.Request == nil || e.Response == nil {
				continue
			}
			seen++
			if at, err := url.Parse(e.Request.URL); err != nil || strings.HasPrefix(at.Path, dialect.V1.Root+"/") {
				t.Errorf("%s sends %s %s", d.ID, e.Request.Method, e.Request.URL)
			}
			for _, word := range []dialect.Event{dialect.RunStarted, dialect.NodeCompleted, dialect.Decided} {
				if strings.Contains(e.Response.Body, `"type":"`+string(word)) {
					t.Errorf("%s is answered %q by %s %s", d.ID, word, e.Request.Method, e.Request.URL)
				}
			}
		}
	}
	if seen < 1000 {
		t.Errorf("only %d requests were answered", seen)
	}
}

// speaking has the host at an address speak the other dialect.
func speaking(t *testing.T, address string) string {
	t.Helper()
	to, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	before := httputil.NewSingleHostReverseProxy(to)
	before.FlushInterval = -1
	s := httptest.NewServer(spoken.Front(before))
	t.Cleanup(s.Close)
	return s.URL
}

// A fault shows in another dialect, too: words of this dialect are judged, not only let through.
func TestFaultsShowInAnotherDialect(t *testing.T) {
	t.Parallel()
	for fault, scenario := range map[string]string{
		"loop.last-turn-uncounted": "openwop/iteration-monotonic/one-per-turn",
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			served := serve(t, surface.Options{Version: surface.HighestVersion, Dialect: spoken}, nil, fault)
			o := scenarios.Options{Select: scenarios.Selection{Scenarios: []string{scenario}}, Patience: testenv.Patience(10 * time.Second)}
			target := lab.Target(suites.Protocol)
			target.URL = served.URL
			c, err := scenarios.Certify(t.Context(), target, o, suites.SuitesOf(suites.Speaking(dialecttest.Other))...)
			if err != nil {
				t.Fatal(err)
			}
			for _, o := range c.Finish(t.Context()).Outcomes {
				if o.Verdict != scenarios.Failed {
					t.Errorf("%s is %s: %s", o.Scenario.ID, o.Verdict, o.Reason)
				}
			}
		})
	}
}

// otherEvents are all types of events in capitals, with slashes.
func otherEvents() map[event.Type]string {
	words := map[event.Type]string{}
	for t := range openwopv1.Events {
		words[event.Type(t)] = strings.ToUpper(strings.ReplaceAll(string(t), ".", "/"))
	}
	return words
}

// otherCodes are the codes of refusals and failures that suites ask for, in capitals.
func otherCodes() map[string]string {
	words := map[string]string{}
	for _, code := range strings.Fields(`unauthenticated key_expired key_revoked forbidden run_forbidden not_found interrupt_not_found
		validation_error idempotency_key_mismatch unsupported_stream_mode workspace_conflict invalid_from_seq replay_diverged_at_refusal
		replay_memory_snapshot_unavailable recursion_limit_exceeded loop_limit_exceeded run_timeout fan_out_unsupported
		no_pending_decision`) {
		words[code] = strings.ToUpper(code)
	}
	return words
}
