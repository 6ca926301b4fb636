package control_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	requirement "github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
)

// slow is a host whose runs finish their wait by the second read or, for the first
// few, at the cancel.
type slow struct {
	late   int
	drains []string // how it pauses a run, and says so

	mu   sync.Mutex
	runs []*slowRun
}

type slowRun struct {
	id, status string
	looks      int
	events     []map[string]any
}

func (r *slowRun) add(kind string, payload map[string]any) {
	n := len(r.events)
	r.events = append(r.events, map[string]any{"eventId": fmt.Sprint(r.id, "-", n), "runId": r.id, "type": kind, "sequence": n,
		"payload":   payload,
		"timestamp": time.Date(2026, 11, 1, 0, 0, 0, n*int(time.Millisecond), time.UTC).Format(time.RFC3339Nano)})
}

func (r *slowRun) ends() { r.add("node.completed", map[string]any{"nodeId": "wait"}) }

func (s *slow) serve(t *testing.T) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openwop", func(w http.ResponseWriter, _ *http.Request) {
		discovery := map[string]any{"protocolVersion": "1.0", "supportedEnvelopes": []string{},
			"schemaVersions": map[string]int{}, "fixtures": []string{"conformance-delay"},
			"limits": map[string]int{"clarificationRounds": 0, "schemaRounds": 0, "envelopesPerTurn": 0}}
		if s.drains != nil {
			discovery["runs"] = map[string]any{"pauseResume": map[string]any{"supported": true, "drainPolicies": s.drains}}
		}
		hosttest.TellJSON(w, 200, discovery)
	})
	mux.HandleFunc("POST /v1/runs/{pause}", func(w http.ResponseWriter, _ *http.Request) { // {id}:pause
		hosttest.TellJSON(w, 422, map[string]any{"error": "validation_error", "message": "no such drainPolicy"})
	})
	mux.HandleFunc("POST /v1/runs", func(w http.ResponseWriter, q *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(q.Body).Decode(&body); err != nil {
			panic(err)
		}
		if body["workflowId"] != "conformance-delay" {
			hosttest.TellJSON(w, 404, map[string]any{"error": "not_found", "message": "no such workflow"})
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		r := &slowRun{id: fmt.Sprint("run-", len(s.runs)), status: "running"}
		s.runs = append(s.runs, r)
		r.add("run.started", map[string]any{})
		r.add("node.started", map[string]any{"nodeId": "wait"})
		hosttest.TellJSON(w, 201, map[string]any{"runId": r.id, "status": r.status})
	})
	mux.HandleFunc("GET /v1/runs/{id}", s.of(func(w http.ResponseWriter, _ *http.Request, _ int, r *slowRun) {
		if r.looks++; r.looks > 1 && r.status == "running" {
			r.ends()
			r.add("run.completed", map[string]any{})
			r.status = "completed"
		}
		hosttest.TellJSON(w, 200, map[string]any{"runId": r.id, "status": r.status})
	}))
	mux.HandleFunc("GET /v1/runs/{id}/events/poll", s.of(func(w http.ResponseWriter, _ *http.Request, _ int, r *slowRun) {
		hosttest.TellJSON(w, 200, map[string]any{"events": r.events, "isComplete": r.status != "running"})
	}))
	mux.HandleFunc("POST /v1/runs/{id}/cancel", s.of(func(w http.ResponseWriter, q *http.Request, i int, r *slowRun) {
		var body map[string]any
		if err := json.NewDecoder(q.Body).Decode(&body); err != nil {
			panic(err)
		}
		if i < s.late {
			r.ends()
		}
		r.add("run.cancelled", map[string]any{"reason": body["reason"]})
		r.status = "cancelled"
		hosttest.TellJSON(w, 200, map[string]any{"runId": r.id, "status": r.status})
	}))
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

// of wraps a handler for an existing run.
func (s *slow) of(f func(w http.ResponseWriter, q *http.Request, i int, r *slowRun)) http.HandlerFunc {
	return func(w http.ResponseWriter, q *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		i := slices.IndexFunc(s.runs, func(r *slowRun) bool { return r.id == q.PathValue("id") })
		if i < 0 {
			hosttest.TellJSON(w, 404, map[string]any{"error": "run_not_found", "message": "no such run"})
			return
		}
		f(w, q, i, s.runs[i])
	}
}

// A cancel may arrive after the run's wait is over. A host that is late every time
// is not just slow.
func TestACancelThatComesTooLateIsSentAgain(t *testing.T) {
	for late, want := range map[int]string{0: "passed", 1: "passed", 2: "passed", 3: requirement.OWPCTL11} {
		t.Run(fmt.Sprint(late), func(t *testing.T) {
			o := scenarios.Options{Seed: 7, Patience: time.Second,
				Select: scenarios.Selection{Scenarios: []string{"openwop/run-control/cancelled-never-completes"}}}
			c, err := scenarios.Certify(t.Context(), wire.Target{URL: (&slow{late: late}).serve(t)}, o, openwop.Suites()...)
			if err != nil {
				t.Fatal(err)
			}
			for _, out := range c.Finish(context.Background()).Outcomes {
				got := string(out.Verdict)
				if out.Failure != nil {
					got = string(out.Failure.Requirement)
				}
				if out.Scenario.ID == "openwop/run-control/cancelled-never-completes" && got != want {
					t.Errorf("%s: %s, want %s", got, out.Reason, want)
				}
			}
		})
	}
}

// A host is asked for a pause by the policies that it lists. One that lists none is asked for any.
func TestAPauseIsAskedForAsAdvertised(t *testing.T) {
	for _, c := range []struct {
		drains []string
		want   scenarios.Verdict
	}{
		{nil, scenarios.Failed}, {[]string{"immediate", "drain-current-node"}, scenarios.Failed},
		{[]string{"drain-current-node"}, scenarios.Inapplicable}, {[]string{}, scenarios.Inapplicable}, {[]string{"nap"}, scenarios.Inapplicable},
	} {
		o := scenarios.Options{Seed: 7, Patience: time.Second,
			Select: scenarios.Selection{Scenarios: []string{"openwop/run-control/paused-stands-still"}}}
		certified, err := scenarios.Certify(t.Context(), wire.Target{URL: (&slow{drains: c.drains}).serve(t)}, o, openwop.Suites()...)
		if err != nil {
			t.Fatal(err)
		}
		for _, out := range certified.Finish(context.Background()).Outcomes {
			if out.Scenario.ID == "openwop/run-control/paused-stands-still" && out.Verdict != c.want {
				t.Errorf("%q: %s (%s), want %s", c.drains, out.Verdict, out.Reason, c.want)
			}
		}
	}
}
