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
		if got[name] != want[name] {
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
		// It is fast: two runs never run at once, and none can be held.
		"nothing-shared":       "blocked",
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
