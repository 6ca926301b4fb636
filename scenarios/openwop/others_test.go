package openwop_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
)

func certify(t *testing.T, url string, patience time.Duration) *scenarios.Report {
	t.Helper()
	c, err := scenarios.Certify(t.Context(), wire.Target{URL: url, Key: "dev-key"}, scenarios.Options{Seed: 11, Patience: patience}, openwop.Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	return c.Finish(context.Background())
}

// verdicts are the outcomes by the scenario's name, with the evidence of what passed.
func verdicts(r *scenarios.Report) map[string]string {
	out := map[string]string{}
	for _, o := range r.Outcomes {
		v := string(o.Verdict)
		if o.Verdict == scenarios.Passed {
			v += " " + o.Evidence.String()
		}
		out[o.Scenario.Name()] = v
	}
	return out
}

func compare(t *testing.T, r *scenarios.Report, want map[string]string) {
	t.Helper()
	got := verdicts(r)
	for _, name := range slices.Sorted(maps.Keys(got)) {
		if !slices.Contains(strings.Split(want[name], " or "), got[name]) {
			i := slices.IndexFunc(r.Outcomes, func(o scenarios.Outcome) bool { return o.Scenario.Name() == name })
			t.Errorf("%s: %s, want %s (%s)", name, got[name], want[name], r.Outcomes[i].Reason)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d scenarios ran, %d are expected", len(got), len(want))
	}
}

// A host that others could have written: what it keeps is proved, what it does
// not claim is inapplicable, what it does not offer to look at is blocked.
func TestAHostThatReallyLoops(t *testing.T) {
	r := certify(t, startLoophost(t), 10*time.Second)
	compare(t, r, map[string]string{
		"model-well-formed":  "passed observed",
		"resume-flag":        "inapplicable", // it does not advertise the flag
		"causation-block":    "passed observed",
		"replay-block":       "passed observed",
		"experimental-dated": "inapplicable",
		// Upstream's two-turn fixture is what it offers; a run of it has a public log.
		"iteration-on-decided":     "passed observed",
		"iteration-absent-below-5": "inapplicable",
		"one-per-turn":             "passed observed",
		"as-planned":               "passed observed",
		// It is fast: its runs hardly ever run at once, and none can be held.
		"nothing-shared":       "blocked or passed observed",
		"bound-below":          "passed observed",
		"bound-leaves-alone":   "passed observed",
		"fork-keeps":           "inapplicable", // it does not advertise replay
		"limit-honoured":       "blocked",      // no fixture reaches 40 turns
		"seam-random-turns":    "blocked",
		"seam-agrees-with-log": "blocked",
		"seam-out-of-range":    "blocked",
	})
	if got := r.ExitCode(); got != scenarios.ExitUnproved {
		t.Errorf("exit code %d, want %d: the limit is claimed and could not be looked at", got, scenarios.ExitUnproved)
	}
	for _, c := range r.Claims {
		want := map[string]string{"execution-model": "proved", "execution-model>=5": "unproved", "loop-limit": "unproved"}[c.ID]
		if c.ID == "execution-model>=5" && verdicts(r)["nothing-shared"] != "blocked" {
			want = "proved"
		}
		if c.Status != want {
			t.Errorf("claim %s is %s, want %s", c.ID, c.Status, want)
		}
	}
}

func startLoophost(t *testing.T) string {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "loophost")
	if out, err := exec.Command("go", "build", "-o", binary, "./testdata/loophost").CombinedOutput(); err != nil {
		t.Fatalf("building the host: %v\n%s", err, out)
	}
	host := exec.Command(binary)
	stdout, err := host.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := host.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { host.Process.Kill(); host.Wait() })
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("the host did not say where it listens: %v", err)
	}
	return strings.TrimSpace(line)
}

// discoveryOf claims version 5 and everything that goes with it.
func discoveryOf(fixtures ...string) map[string]any {
	return map[string]any{
		"protocolVersion": "1.0", "supportedEnvelopes": []string{}, "schemaVersions": map[string]int{},
		"limits":   map[string]int{"clarificationRounds": 1, "schemaRounds": 1, "envelopesPerTurn": 1, "maxLoopIterations": 9},
		"fixtures": fixtures, "replay": map[string]any{"supported": true},
		"multiAgent": map[string]any{"executionModel": map[string]any{"supported": true, "version": 5, "statefulResume": true,
			"crossHostCausation": map[string]any{"supported": true, "hostId": "liar"},
			"replayDeterminism":  map[string]any{"supported": true, "refusalDivergenceEmission": true}}},
	}
}

// liar serves a discovery document and answers the agentloop seam; nothing else exists.
func liar(t *testing.T, seam func(body map[string]any) any) string {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openwop", func(w http.ResponseWriter, _ *http.Request) { json.NewEncoder(w).Encode(discoveryOf()) })
	mux.HandleFunc("POST /v1/host/sample/agentloop/run", func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		json.NewDecoder(r.Body).Decode(&body)
		json.NewEncoder(w).Encode(seam(body))
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func decisions(n int) []any {
	out := []any{}
	for i := range n {
		out = append(out, map[string]any{"agentId": "liar.supervisor", "iteration": i + 1, "decision": map[string]any{"kind": "terminate"}})
	}
	return out
}

// The published suite passes both of these hosts: one answers a constant, one
// computes the right reply with no run behind it.
func TestLiarsAreFoundOut(t *testing.T) {
	constant := func(map[string]any) any {
		return map[string]any{"decisions": decisions(3), "resumedIteration": 2, "workspaceVisible": map[string]bool{"atWriteTurn": false, "atNextTurn": true}}
	}
	formula := func(body map[string]any) any {
		turns, _ := body["turns"].(float64)
		reply := map[string]any{"decisions": decisions(max(0, int(turns)))}
		if at, ok := body["suspendAtTurn"].(float64); ok && at <= turns {
			reply["resumedIteration"] = at
		}
		return reply
	}
	inventsRuns := func(body map[string]any) any {
		reply := formula(body).(map[string]any)
		reply["runId"] = fmt.Sprintf("r-%v", body["turns"])
		return reply
	}
	for _, c := range []struct {
		name   string
		seam   func(map[string]any) any
		exit   int
		by     string // the scenario that says so
		says   scenarios.Verdict
		reason string
	}{
		{"a constant body", constant, scenarios.ExitViolated, "seam-random-turns", scenarios.Failed, "OWP-0061-B2"},
		{"a formula without a run", formula, scenarios.ExitUnproved, "as-planned", scenarios.Blocked, "only the seam's word"},
		{"a formula that invents run ids", inventsRuns, scenarios.ExitViolated, "seam-agrees-with-log", scenarios.Failed, "OWP-0061-B2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := certify(t, liar(t, c.seam), 200*time.Millisecond)
			if got := r.ExitCode(); got != c.exit {
				t.Errorf("exit code %d, want %d", got, c.exit)
			}
			for _, claim := range r.Claims {
				if strings.HasPrefix(claim.ID, "execution-model>=5") && claim.Status == "proved" {
					t.Errorf("%s counts as proved", claim.ID)
				}
			}
			i := slices.IndexFunc(r.Outcomes, func(o scenarios.Outcome) bool { return o.Scenario.Name() == c.by })
			if o := r.Outcomes[i]; o.Verdict != c.says || !strings.Contains(o.Reason, c.reason) {
				t.Errorf("%s: %s (%s), want %s (%s)", c.by, o.Verdict, o.Reason, c.says, c.reason)
			}
			for _, o := range r.Outcomes {
				if o.Verdict == scenarios.Broken {
					t.Errorf("%s is broken: %s", o.Scenario.ID, o.Reason)
				}
			}
		})
	}
}

// canned has no engine: it answers to upstream's fixture with a log that never
// changes, to a bound with another, and to a fork with its source.
func canned(t *testing.T) string {
	t.Helper()
	const ends, breaches = "run-1", "run-3" // the one run there is, and the one there is with a bound
	log := func(id string, types ...any) map[string]any {
		var events []any
		for i, e := range types {
			event, _ := e.(map[string]any)
			event["eventId"], event["runId"], event["sequence"], event["timestamp"] = fmt.Sprint("e", i), id, i, "2026-11-01T00:00:00Z"
			events = append(events, event)
		}
		return map[string]any{"events": events, "isComplete": true}
	}
	turn := func(n int, kind string) map[string]any {
		decision := map[string]any{"kind": kind, "reason": "goal-reached"}
		if kind == "next-worker" {
			decision["nextWorkerIds"] = []string{"conformance-multi-agent-handoff-child"}
		}
		return map[string]any{"type": "runOrchestrator.decided", "payload": map[string]any{"agentId": "canned", "iteration": n, "decision": decision}}
	}
	phase := func(p string) map[string]any {
		return map[string]any{"type": "core.workflowChain.event", "payload": map[string]any{"phase": p, "childRunId": "run-2"}}
	}
	whole := log(ends, turn(1, "next-worker"), phase("dispatch.succeeded"), phase("child.completed"), turn(2, "terminate"), map[string]any{"type": "run.completed"})
	cut := log(breaches, turn(1, "next-worker"), map[string]any{"type": "cap.breached", "payload": map[string]any{"kind": "loop-iterations", "limit": 1, "observed": 2}},
		map[string]any{"type": "run.failed", "payload": map[string]any{"error": map[string]any{"code": "loop_limit_exceeded"}}})
	answer := func(w http.ResponseWriter, body any) { json.NewEncoder(w).Encode(body) }
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openwop", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, discoveryOf("conformance-multi-agent-handoff", "conformance-multi-agent-handoff-child"))
	})
	mux.HandleFunc("POST /v1/runs", func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Configurable struct{ MaxLoopIterations int }
		}
		json.NewDecoder(r.Body).Decode(&body)
		id := ends
		if body.Configurable.MaxLoopIterations == 1 {
			id = breaches
		}
		answer(w, map[string]any{"runId": id, "status": "running"})
	})
	mux.HandleFunc("POST /v1/runs/{fork}", func(w http.ResponseWriter, r *http.Request) {
		source, _, _ := strings.Cut(r.PathValue("fork"), ":")
		answer(w, map[string]any{"runId": source})
	})
	mux.HandleFunc("GET /v1/runs/{id}", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("id") == breaches {
			answer(w, map[string]any{"status": "failed"})
			return
		}
		answer(w, map[string]any{"status": "completed"})
	})
	mux.HandleFunc("GET /v1/runs/{id}/events/poll", func(w http.ResponseWriter, r *http.Request) {
		if r.PathValue("id") == breaches {
			answer(w, cut)
			return
		}
		answer(w, whole)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server.URL
}

func TestCannedAnswersAreFoundOut(t *testing.T) {
	r := certify(t, canned(t), 200*time.Millisecond)
	if got := r.ExitCode(); got != scenarios.ExitViolated {
		t.Errorf("exit code %d, want %d", got, scenarios.ExitViolated)
	}
	for name, want := range map[string]string{"as-planned": "OWP-0037-A3", "fork-keeps": "OWP-0061-M1"} {
		i := slices.IndexFunc(r.Outcomes, func(o scenarios.Outcome) bool { return o.Scenario.Name() == name })
		if o := r.Outcomes[i]; o.Failure == nil || string(o.Failure.Requirement) != want {
			t.Errorf("%s: %s (%s), want a violation of %s", name, o.Verdict, o.Reason, want)
		}
	}
	for _, p := range r.Profiles {
		if p.Status == "certified" {
			t.Errorf("profile %s is certified", p.ID)
		}
	}
}

// A host that asks for a credential we do not have is not accused of anything.
func TestARefusedCredentialIsNoViolation(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/.well-known/openwop" {
			json.NewEncoder(w).Encode(discoveryOf("assay-loop", "assay-loop-ask-user", "conformance-noop"))
			return
		}
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"error":"unauthenticated","message":"no"}`)
	}))
	defer server.Close()
	r := certify(t, server.URL, time.Second)
	if got := r.ExitCode(); got != scenarios.ExitUnproved {
		t.Errorf("exit code %d, want %d", got, scenarios.ExitUnproved)
	}
	for _, o := range r.Outcomes {
		if o.Verdict == scenarios.Failed || o.Verdict == scenarios.Broken || o.Verdict == scenarios.Blocked && !strings.Contains(o.Unblock, "--key") {
			t.Errorf("%s is %s: %s (%s)", o.Scenario.Name(), o.Verdict, o.Reason, o.Unblock)
		}
	}
}
