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
	want := map[string]string{
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
		// Its loops cannot be suspended, and it does not claim that they could go on.
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
		// It has no workspace.
		"write-in-turn":        "inapplicable",
		"write-from-outside":   "inapplicable",
		"replay-sees-the-same": "inapplicable",
		"seam-write-turn":      "inapplicable",
		"seam-last-turn":       "inapplicable",
	}
	for _, o := range r.Outcomes {
		if o.Suite == "goal-bounds" { // it keeps no goals
			want[o.Scenario.Name()] = "inapplicable"
		}
	}
	compare(t, r, want)
	if got := r.ExitCode(); got != scenarios.ExitUnproved {
		t.Errorf("exit code %d, want %d: the limit is claimed and could not be looked at", got, scenarios.ExitUnproved)
	}
	for _, c := range r.Claims {
		want := map[string]string{"execution-model": "unproved", "execution-model>=5": "unproved", "loop-limit": "unproved"}[c.ID]
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

// found is what a scenario says of an impostor: its verdict, and what stands in the reason; or the evidence of a pass.
type found struct{ scenario, verdict, reason string }

// The published suite passes most of these: one answers the same to everything, one computes the right reply with no run
// behind it, one has written down what each published fixture shows. Each is found out in every suite: something in it
// fails or, where the word of the host is all there is, is no more than attested.
func TestImpostorsAreFoundOut(t *testing.T) {
	const brief, long = 200 * time.Millisecond, time.Second
	upstreams := discovery("conformance-multi-agent-handoff", "conformance-multi-agent-handoff-child")
	for _, c := range []struct {
		name string
		host []routes
		exit int
		kept []string // claims that may be proved: it takes no run to keep them
		says []found
		// patience is brief where the impostor is not to get anywhere, and long where it has to get where it is caught.
		patience time.Duration
	}{
		{
			name: "a constant whose run is over", host: []routes{discovery(everyFixture...), constantHost("completed")}, exit: scenarios.ExitViolated,
			patience: long,
			says: []found{
				{"version5-shape/limit-honoured", "failed", "OWP-0061-E5"},
				{"iteration-monotonic/seam-random-turns", "failed", "OWP-0061-B2"},
				{"iteration-monotonic/as-planned", "failed", "OWP-0037-A6"},
				{"stateful-resume/seam-suspends", "failed", "OWP-0061-D1"},
				{"stateful-resume/ask-user", "blocked", "not within"},
				{"workspace-snapshot/seam-last-turn", "failed", "OWP-0061-C6"},
				{"workspace-snapshot/write-in-turn", "blocked", "GET answers HTTP 200 with content \"constant\""},
				{"goal-bounds/bounds-required", "failed", "OWP-0097-C1"},
				{"goal-bounds/created-as-asked", "failed", "OWP-0097-B1"},
				{"goal-bounds/stops-at-bound", "failed", "OWP-0097-G2"},
			},
		},
		{
			name: "a constant whose run waits", host: []routes{discovery(everyFixture...), constantHost("waiting-input")}, exit: scenarios.ExitViolated,
			patience: long,
			says: []found{
				{"version5-shape/limit-honoured", "blocked", "not within"},
				{"iteration-monotonic/as-planned", "failed", "OWP-0037-A1"},
				{"stateful-resume/ask-user", "failed", "OWP-0061-D1"},
				{"stateful-resume/concurrent-resolvers", "failed", "OWP-INT-3"},
				{"stateful-resume/heartbeat-moves-nothing", "blocked", "not within"}, // nothing moves it at all
				{"workspace-snapshot/seam-last-turn", "failed", "OWP-0061-C6"},
				{"goal-bounds/abandoned-stays-abandoned", "failed", "OWP-0097-C6"},
			},
		},
		{
			name: "a formula for the seam alone", host: []routes{discovery(), agentLoop(formulaLoop)}, exit: scenarios.ExitUnproved, patience: brief,
			says: []found{
				{"version5-shape/iteration-on-decided", "passed attested", ""},
				{"iteration-monotonic/one-per-turn", "passed attested", ""},
				{"stateful-resume/ask-user", "passed attested", ""},
				{"workspace-snapshot/seam-write-turn", "passed attested", ""},
				{"goal-bounds/stops-at-bound", "blocked", "no standing goals at"},
			},
		},
		{
			name: "a formula without a run", exit: scenarios.ExitViolated, kept: []string{"goals-bounded"},
			host:     []routes{discovery(), agentLoop(formulaLoop), keptFiles(), changingHeartbeat, (&inventedGoals{}).routes()},
			patience: long,
			says: []found{
				{"version5-shape/iteration-on-decided", "passed attested", ""},
				{"iteration-monotonic/seam-random-turns", "passed attested", ""},
				{"iteration-monotonic/as-planned", "blocked", "only the seam's word"},
				{"stateful-resume/ask-user", "passed attested", ""},
				{"stateful-resume/stands-still", "blocked", "only the seam's word"},
				{"workspace-snapshot/seam-write-turn", "passed attested", ""},
				{"workspace-snapshot/seam-last-turn", "passed attested", ""},
				{"workspace-snapshot/write-in-turn", "blocked", "no loop that notes what its turns see"},
				{"goal-bounds/runs-of-the-goal", "failed", "OWP-0097-E10"},
			},
		},
		{
			name: "a formula that invents runs", exit: scenarios.ExitViolated, kept: []string{"goals-bounded"},
			host:     []routes{discovery(), agentLoop(inventingLoop), keptFiles(), changingHeartbeat, (&inventedGoals{}).routes(), inventedRuns(isOfAGoal)},
			patience: long,
			says: []found{
				{"version5-shape/iteration-on-decided", "blocked", ""},
				{"iteration-monotonic/seam-agrees-with-log", "failed", "OWP-0061-B2"},
				{"stateful-resume/seam-suspends", "failed", "OWP-0061-D1"},
				{"workspace-snapshot/seam-write-turn", "passed attested", ""},
				{"goal-bounds/runs-of-the-goal", "failed", "OWP-0097-E10"},
			},
		},
		{
			name: "a formula that counts no tick", exit: scenarios.ExitViolated, kept: []string{"goals-bounded"},
			host:     []routes{discovery(), agentLoop(formulaLoop), keptFiles(), changingHeartbeat, (&inventedGoals{idle: true}).routes()},
			patience: brief,
			says: []found{
				{"version5-shape/iteration-on-decided", "passed attested", ""},
				{"iteration-monotonic/one-per-turn", "passed attested", ""},
				{"stateful-resume/ask-user", "passed attested", ""},
				{"workspace-snapshot/seam-write-turn", "passed attested", ""},
				{"goal-bounds/stops-at-bound", "failed", "OWP-0097-G2"},
				{"goal-bounds/pause-halts", "blocked", "not within"}, // a goal that never goes on is paused at any time
			},
		},
		{
			name: "a formula that believes its client", exit: scenarios.ExitViolated, kept: []string{"goals-bounded"},
			host:     []routes{discovery(), agentLoop(formulaLoop), keptFiles(), changingHeartbeat, (&inventedGoals{told: true}).routes(), inventedRuns(isOfAGoal)},
			patience: long,
			says: []found{
				{"version5-shape/iteration-on-decided", "passed attested", ""},
				{"iteration-monotonic/one-per-turn", "passed attested", ""},
				{"stateful-resume/seam-suspends", "passed attested", ""},
				{"workspace-snapshot/seam-last-turn", "passed attested", ""},
				{"goal-bounds/client-cannot-satisfy", "failed", "OWP-0097-E2"},
			},
		},
		{
			name: "canned answers to upstream's fixtures", host: []routes{upstreams, cannedRoutes()}, exit: scenarios.ExitViolated,
			patience: long,
			says: []found{
				{"version5-shape/limit-honoured", "blocked", "no loop fixture of chosen length"},
				{"iteration-monotonic/as-planned", "failed", "OWP-0037-A3"},
				{"iteration-monotonic/fork-keeps", "failed", "OWP-0061-M1"},
				{"stateful-resume/ask-user", "blocked", "no loop that can be suspended"},
				{"workspace-snapshot/write-in-turn", "blocked", "no loop that notes what its turns see"},
				{"goal-bounds/abandoned-stays-abandoned", "failed", "OWP-0097-C6"},
				{"goal-bounds/created-as-asked", "failed", "OWP-0097-B1"},
			},
		},
		{
			// Its runs do stand still until they are answered, and show no handoff that nobody agreed to.
			name: "canned answers to every fixture", exit: scenarios.ExitViolated, kept: []string{"execution-model>=2", "loop-heartbeat"},
			host:     []routes{discovery(everyFixture...), cannedRoutes(), agentLoop(always(constantLoop)), keptFiles(), changingHeartbeat},
			patience: long,
			says: []found{
				{"version5-shape/limit-honoured", "failed", "OWP-0061-E5"},
				{"iteration-monotonic/one-per-turn", "failed", "OWP-0061-B2"},
				{"stateful-resume/ask-user", "failed", "OWP-0061-D1"},
				{"stateful-resume/concurrent-resolvers", "failed", "OWP-INT-3"},
				{"stateful-resume/two-at-once", "failed", "OWP-INT-4"},
				{"workspace-snapshot/write-in-turn", "blocked", "noted nothing of"},
				{"workspace-snapshot/seam-last-turn", "failed", "OWP-0061-C6"},
				{"goal-bounds/created-as-asked", "failed", "OWP-0097-B1"},
				{"goal-bounds/ticked-at-once", "failed", "OWP-0097-E4"},
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := certify(t, serve(t, c.host...), c.patience)
			if got := r.ExitCode(); got != c.exit {
				t.Errorf("exit code %d, want %d", got, c.exit)
			}
			nothingIsProved(t, r, c.kept)
			for _, suite := range openwop.Suites() {
				if !slices.ContainsFunc(c.says, func(f found) bool { return strings.HasPrefix(f.scenario, suite.ID+"/") }) {
					t.Errorf("nothing is said of it in the suite %s", suite.ID)
				}
			}
			for _, f := range c.says {
				f.compare(t, r)
			}
		})
	}
}

// nothingIsProved allows no claim of an impostor to be proved but those that it keeps.
func nothingIsProved(t *testing.T, r *scenarios.Report, kept []string) {
	t.Helper()
	for _, claim := range r.Claims {
		if claim.Status == "proved" && !slices.Contains(kept, claim.ID) {
			t.Errorf("the claim %s counts as proved", claim.ID)
		}
	}
	for _, p := range r.Profiles {
		if p.Status == "certified" {
			t.Errorf("the profile %s is certified", p.ID)
		}
	}
	for _, o := range r.Outcomes {
		if o.Verdict == scenarios.Broken {
			t.Errorf("%s is broken: %s", o.Scenario.ID, o.Reason)
		}
	}
}

func (f found) compare(t *testing.T, r *scenarios.Report) {
	t.Helper()
	i := slices.IndexFunc(r.Outcomes, func(o scenarios.Outcome) bool { return string(o.Scenario.ID) == "openwop/"+f.scenario })
	if i < 0 {
		t.Errorf("there is no scenario %s", f.scenario)
		return
	}
	o := r.Outcomes[i]
	verdict := string(o.Verdict)
	if o.Verdict == scenarios.Passed {
		verdict += " " + o.Evidence.String()
	}
	if verdict != f.verdict || !strings.Contains(o.Reason, f.reason) {
		t.Errorf("%s: %s (%s), want %s (%s)", f.scenario, verdict, o.Reason, f.verdict, f.reason)
	}
}

// A host that asks for a credential we do not have is not accused of anything.
func TestARefusedCredentialIsNoViolation(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/.well-known/openwop" {
			json.NewEncoder(w).Encode(discoveryOf(everyFixture...))
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
