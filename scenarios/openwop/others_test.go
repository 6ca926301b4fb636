package openwop_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
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
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
)

func certify(t *testing.T, target wire.Target, patience time.Duration) *scenarios.Report {
	t.Helper()
	c, err := scenarios.Certify(t.Context(), target, scenarios.Options{Seed: 11, Patience: patience}, openwop.Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	return c.Finish(context.Background())
}

// An independently written host. Claims it keeps are proved, claims it does not make are inapplicable, and
// scenarios it gives no access to are blocked.
func TestAHostThatReallyLoops(t *testing.T) {
	t.Parallel()
	r := certify(t, wire.Target{URL: startLoophost(t), Key: hosttest.OurKey}, 10*time.Second)
	want := map[string]string{
		// Its advertisement and its refusals.
		"served-to-anybody":           "passed observed",
		"families-at-the-root":        "passed observed",
		"root-well-formed":            "passed observed",
		"limits-well-formed":          "passed observed",
		"rungs-well-formed":           "passed observed",
		"fixtures-unique":             "passed observed",
		"fixture-can-run":             "passed observed",
		"agents-well-formed":          "inapplicable",
		"workspace-well-formed":       "inapplicable",
		"memory-well-formed":          "inapplicable",
		"heartbeat-well-formed":       "inapplicable",
		"supervisor-refused":          "inapplicable",
		"dispatch-refused":            "inapplicable",
		"mapping-refused":             "inapplicable",
		"strangers-refused":           "passed observed",
		"existence-hidden":            "passed observed",
		"every-way-refused":           "passed observed",
		"every-way-unlearned":         "passed observed",
		"every-way-without-effect":    "passed observed",
		"every-misfit-answered":       "passed observed",
		"every-misfit-without-effect": "passed observed",
		"every-end-final":             "passed observed",
		"unknown-not-found":           "passed observed",
		"bodies-refused":              "passed observed",
		"members-answered":            "passed observed",
		"stream-mode-refused":         "passed observed",
		"method-refused":              "passed observed",
		"oversized-refused":           "inapplicable",
		"keyed-once":                  "passed observed",
		"keyed-at-once":               "passed observed",
		// Its runs end before anybody can cancel them.
		"cancel-ends":              "blocked",
		"cancel-of-ended":          "blocked",
		"strangers-change-nothing": "blocked",
		"one-per-scope":            "blocked",

		"model-well-formed":  "passed observed",
		"resume-flag":        "inapplicable", // it does not advertise the flag
		"causation-block":    "passed observed",
		"replay-block":       "passed observed",
		"experimental-dated": "inapplicable",
		// It offers upstream's two-turn fixture, whose runs have public logs.
		"iteration-on-decided":     "passed observed",
		"iteration-absent-below-5": "inapplicable",
		"one-per-turn":             "passed observed",
		"as-planned":               "passed observed",
		// It is fast: its runs rarely overlap, and none can be held.
		"nothing-shared":       "blocked or passed observed",
		"bound-below":          "passed observed",
		"bound-leaves-alone":   "passed observed",
		"fork-keeps":           "inapplicable", // it does not advertise replay
		"limit-honoured":       "blocked",      // no fixture reaches 40 turns
		"seam-random-turns":    "blocked",
		"seam-agrees-with-log": "blocked",
		"seam-out-of-range":    "blocked",
		// Its loops cannot be suspended, and it does not claim resumption.
		"ask-user":                "inapplicable",
		"below-floor":             "inapplicable",
		"two-suspends":            "inapplicable",
		"seam-suspends":           "inapplicable",
		"fork-of-resumed":         "inapplicable",
		"heartbeat-moves-nothing": "inapplicable",
		"stands-still":            "blocked",
		"second-resolve":          "blocked",
		"concurrent-resolvers":    "blocked",
		"two-at-once":             "blocked",
		// Its supervisor hands over, and its runs show no variables.
		"decided-before-worker":    "passed observed",
		"effect-of-its-decision":   "passed observed",
		"one-agent":                "passed observed",
		"chain-of-causes":          "passed observed",
		"child-is-a-run":           "passed observed",
		"harvested-when-mapped":    "passed observed",
		"decided-before-question":  "blocked",
		"turn-waits-for-worker":    "blocked",
		"dispatch-names-its-cause": "blocked",
		"same-agent-after-answer":  "blocked",
		"nothing-after-terminate":  "blocked",
		"fan-out-rejected":         "blocked",
		"dispatch-undecided":       "blocked",
		"second-waits-for-first":   "blocked",
		"failed-worker":            "blocked",
		"cancelled-worker":         "blocked",
		"uncreatable-worker":       "blocked",
		"unmapped-not-harvested":   "blocked",
		"failed-not-harvested":     "blocked",
		"cancelled-not-harvested":  "blocked",
		"results-reach-parent":     "blocked",
		"inputs-reach-child":       "blocked",
		"unset-input-absent":       "blocked",
		"own-mapping":              "blocked",
		"odd-among-many":           "blocked",
		"odd-not-harvested":        "blocked",
		"worker-to-worker":         "blocked",
		"cancel-reaches-all":       "blocked",
		"cancelled-tree-rests":     "blocked",
		// It has no workspace.
		"write-in-turn":        "inapplicable",
		"write-from-outside":   "inapplicable",
		"replay-sees-the-same": "inapplicable",
		"seam-write-turn":      "inapplicable",
		"seam-last-turn":       "inapplicable",
		"unclaimed-not-served": "passed observed", // it advertises none
		// These need no run that waits.
		"absent-without-claim":    "passed observed",
		"floor-well-formed":       "passed observed",
		"not-offered-not-found":   "passed observed",
		"own-causes-name-no-host": "passed observed",
		// None of its runs can be held, bounded or divided between tenants.
		"every-run-apart":       "blocked",
		"every-file-apart":      "inapplicable",
		"every-goal-apart":      "inapplicable",
		"every-token-refused":   "inapplicable",
		"answer-refused":        "blocked",
		"cancel-refused":        "blocked",
		"carried-out-once":      "blocked",
		"doubtful-end-held":     "blocked",
		"floor-passes":          "blocked",
		"held-and-told":         "blocked",
		"inner-turns-apart":     "blocked",
		"keys-apart":            "blocked",
		"kind-as-advertised":    "blocked",
		"no-confidence-passes":  "blocked",
		"nodes-bounded":         "blocked",
		"nodes-leave-alone":     "blocked",
		"offspring-unread":      "blocked",
		"options-kept":          "blocked",
		"nodes-beside-others":   "blocked",
		"options-kept-together": "blocked",
		"turns-beside-others":   "blocked",
		"options-refused":       "passed observed", // by the workflow that it has
		"owner-by-credential":   "blocked",
		"runs-unread":           "blocked",
		// It does not claim these.
		"branch-bounded":       "inapplicable",
		"branch-draws":         "inapplicable",
		"branches-refused":     "inapplicable",
		"child-names-parent":   "inapplicable",
		"drawn-once":           "inapplicable",
		"every-run-judged":     "inapplicable",
		"files-apart":          "inapplicable",
		"fork-has-no-parent":   "inapplicable",
		"fork-refused":         "inapplicable",
		"forks-refused":        "inapplicable",
		"goals-apart":          "inapplicable",
		"heartbeat-fires":      "inapplicable",
		"never-has-none":       "inapplicable",
		"node-breach-replayed": "inapplicable",
		"node-limit-honoured":  "inapplicable",
		"only-the-judge":       "inapplicable",
		"prefix-kept":          "inapplicable",
		"rejected-never":       "inapplicable",
		"root-has-no-parent":   "inapplicable",
		"schedule-fires":       "inapplicable",
		"secret-redacted":      "inapplicable",
		"sure-enough-decides":  "inapplicable",
		"time-bounded":         "inapplicable",
		"time-breach-replayed": "inapplicable",
		"time-leaves-alone":    "inapplicable",
		"turns-without-model":  "inapplicable",
		"unsure-decides-once":  "inapplicable",
		"unsure-held":          "inapplicable",
		"unsure-rejected":      "inapplicable",
		"untold-below-2":       "inapplicable",
		// It is a single host with its own children, and its supervisor calls no model and no tool.
		"cache-keys":             "inapplicable",
		"other-answer-told":      "inapplicable",
		"refusal-diverges":       "inapplicable",
		"tool-kept":              "inapplicable",
		"harvest-attested":       "inapplicable",
		"causes-name-other-host": "inapplicable",
		"parent-on-other-host":   "inapplicable",
		"cancel-crosses-hosts":   "inapplicable",
		"trace-goes-along":       "inapplicable",
		"no-criteria-below-6":    "blocked",
		"unclaimed-unverified":   "passed observed",
		// Its runs complete at once.
		"snapshot-well-formed":      "passed observed",
		"ends-as-it-should":         "passed observed",
		"times-of-a-run":            "passed observed",
		"labels-kept":               "passed observed",
		"failed-has-error":          "blocked",
		"cancelled-never-completes": "blocked",
		"suspended-names-node":      "blocked",
	}
	// Scenarios of these suites are inapplicable unless want lists them.
	keepsNone := []string{"goal-bounds", "goal-completion", "workspace-files", "interrupts", "memory", "heartbeat", "verifier", "run-control"}
	for _, o := range r.Outcomes {
		if _, known := want[o.Scenario.Name()]; !known && slices.Contains(keepsNone, o.Suite) { // unless listed above
			want[o.Scenario.Name()] = "inapplicable"
		}
		if o.Suite == "programs" { // its plans are its own
			want[o.Scenario.Name()] = "blocked"
		}
		if o.Suite == "event-log" {
			want[o.Scenario.Name()] = "passed observed"
		}
	}
	for _, name := range []string{"counted-throughout", "counted-in-doubt", "counted-in-forks", "forked-again"} {
		want[name] = "inapplicable"
	}
	want["poll-while-live"], want["stream-while-live"] = "blocked", "blocked" // none of its runs waits
	hosttest.Compare(t, r, want)
	if got := r.ExitCode(); got != scenarios.ExitUnproved {
		t.Errorf("exit code %d, want %d: the limit is claimed and could not be looked at", got, scenarios.ExitUnproved)
	}
	for _, c := range r.Claims {
		want := map[string]string{"execution-model": "unproved", "execution-model>=5": "unproved", "loop-limit": "unproved",
			"fixtures": "proved", "protocol": "unproved",
			"supervisor": "unproved", "dispatch-mapping": "unproved", "handoff-mapping": "unproved",
			"execution-model>=2": "unproved", "execution-model>=3": "proved", "no-goals": "proved", "no-ancestry": "proved",
			"tenants": "unproved", "tenants-children": "unproved"}[c.ID]
		if c.ID == "execution-model>=5" && hosttest.Verdicts(r)["nothing-shared"] != "blocked" {
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
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", binary, "./testdata/loophost").CombinedOutput(); err != nil {
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

// A host that demands a credential we do not have is accused of nothing.
func TestARefusedCredentialIsNoViolation(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/.well-known/openwop":
			json.NewEncoder(w).Encode(hosttest.DiscoveryOf(hosttest.EveryFixture...))
			return
		case "/v1/openapi.json":
			fmt.Fprint(w, `{"openapi":"3.1.0","paths":{}}`)
			return
		}
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprint(w, `{"error":"unauthenticated","message":"no"}`)
	}))
	defer server.Close()
	r := certify(t, wire.Target{URL: server.URL, Key: hosttest.OurKey}, time.Second)
	if got := r.ExitCode(); got != scenarios.ExitUnproved {
		t.Errorf("exit code %d, want %d", got, scenarios.ExitUnproved)
	}
	for _, o := range r.Outcomes {
		if o.Verdict == scenarios.Failed || o.Verdict == scenarios.Broken || o.Verdict == scenarios.Blocked &&
			!strings.Contains(o.Unblock, "--") {
			t.Errorf("%s is %s: %s (%s)", o.Scenario.Name(), o.Verdict, o.Reason, o.Unblock)
		}
	}
}
