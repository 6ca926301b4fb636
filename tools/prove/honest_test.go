package prove_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/scenarios"
	suites "github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/tools/internal/protocols"
)

// inapplicable is the committed list: what the simulated host does not claim
// unless it is asked to, each with the option that makes the scenario run.
var inapplicable = map[string]struct {
	option string
	with   surface.Options
}{
	"experimental-dated": {"--experimental-until", surface.Options{ExperimentalUntil: time.Now().AddDate(0, 1,
		0).Format(time.DateOnly)}},
	"not-offered-not-found":    {"--without ancestry", surface.Options{Without: []string{"ancestry"}}},
	"absent-without-claim":     {"--without goals", surface.Options{Without: []string{"goals"}}},
	"iteration-absent-below-5": {"--version 4", surface.Options{Version: 4}},
	"reads-as-of-run-start":    {"--version 4", surface.Options{Version: 4}},
	"unclaimed-unverified":     {"--version 5", surface.Options{}},
	"no-criteria-below-6":      {"--version 5", surface.Options{}},
	"told-holds-nothing":       {"--version 6 --without verifierGating", surface.Options{Version: 6, Without: []string{"verifierGating"}}},
	"unclaimed-not-served":     {"--without workspace", surface.Options{Without: []string{"workspace"}}},
	"supervisor-refused":       {"--without orchestrator", surface.Options{Without: []string{"orchestrator"}}},
	"dispatch-refused":         {"--without dispatch", surface.Options{Without: []string{"dispatch"}}},
	"rejected-never":           {"--escalation-interrupt approval", surface.Options{EscalationInterrupt: "approval"}},
	"untold-below-2":           {"--version 1", surface.Options{Version: 1}},
	"turns-without-model":      {"--without executionModel", surface.Options{Without: []string{"executionModel"}}},
	"mapping-refused":          {"--without dispatchMapping", surface.Options{Without: []string{"dispatchMapping"}}},
}

func TestTheHonestHostKeepsEveryPromise(t *testing.T) {
	t.Parallel()
	r := certified(t, surface.Options{Version: surface.HighestVersion})
	nothingWrong(t, r)
	got := byVerdict(r)[scenarios.Inapplicable]
	var want []string
	for name := range inapplicable {
		want = append(want, name)
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("inapplicable (-committed +seen):\n%s", diff)
	}
	for _, o := range r.Outcomes {
		if o.Verdict == scenarios.Passed && o.Evidence != o.Scenario.Reach() {
			t.Errorf("%s is seen as %s, and says that it reaches %s", o.Scenario.ID, o.Evidence, o.Scenario.Reach())
		}
	}
	if code := r.ExitCode(); code != scenarios.ExitProved {
		t.Errorf("exit code %d", code)
	}
	for _, c := range r.Claims {
		if c.Status != "proved" {
			t.Errorf("claim %s is %s", c.ID, c.Status)
		}
	}
	for _, p := range r.Profiles {
		if p.Status != "certified" || p.Proved != p.Required {
			t.Errorf("profile: %+v", p)
		}
	}
}

func TestWhatIsInapplicableRunsUnderItsOption(t *testing.T) {
	many(t)
	t.Parallel()
	for name, c := range inapplicable {
		t.Run(name+" "+c.option, func(t *testing.T) {
			t.Parallel()
			r := certified(t, c.with)
			nothingWrong(t, r)
			if o := outcome(t, r, name); o.Verdict != scenarios.Passed {
				t.Errorf("%s: %s", o.Verdict, o.Reason)
			}
		})
	}
}

// Every rung of the ladder, and each claim left off alone: what hangs on it is
// inapplicable or blocked for want of a way to look, and nothing fails.
func TestEveryHonestHost(t *testing.T) {
	many(t)
	t.Parallel()
	hosts := map[string]surface.Options{}
	for v := 1; v <= 6; v++ {
		hosts[fmt.Sprintf("--version %d", v)] = surface.Options{Version: v}
	}
	hosts["--version 5"] = surface.Options{} // it is the default
	for _, name := range surface.ClaimNames() {
		hosts["--without "+name] = surface.Options{Without: []string{name}}
	}
	for _, name := range []string{"verifier", "verifierGating", "verifySeam", "dispatchMapping", "fixtures"} {
		hosts["--version 6 --without "+name] = surface.Options{Version: 6, Without: []string{name}}
	}
	hosts["--version 6 --max-loop-iterations 2"] = surface.Options{Version: 6, MaxLoopIterations: 2}
	hosts["--escalation-interrupt approval"] = surface.Options{EscalationInterrupt: "approval"}
	hosts["--goal-judge verifier"] = surface.Options{GoalJudge: "verifier"}
	hosts["--max-loop-iterations 2"] = surface.Options{MaxLoopIterations: 2}
	hosts["--max-loop-iterations 5"] = surface.Options{MaxLoopIterations: 5}
	hosts["--max-node-executions 100"] = surface.Options{MaxNodeExecutions: 100}
	// What cannot be looked at any more when a way to look is taken away.
	suspends := []string{"below-floor", "concurrent-resolvers", "fork-of-resumed", "heartbeat-moves-nothing", "second-resolve", "stands-still",
		"two-at-once", "two-suspends"}
	notes := []string{"replay-sees-the-same", "write-from-outside", "write-in-turn", "write-is-logged"}
	weighs := []string{"held-and-told", "kind-as-advertised", "floor-passes", "no-confidence-passes", "doubtful-end-held",
		"carried-out-once", "inner-turns-apart"}
	models := []string{"refusal-diverges", "other-answer-told", "tool-kept"}
	verdicts := []string{"verdict-told", "passed-counts", "failed-not-merged", "failed-end-held", "revised-goes-on", "revised-in-bound",
		"in-any-order"}
	handoffs := []string{"cancelled-not-harvested", "cancelled-worker", "decided-before-question", "failed-not-harvested", "failed-worker",
		"same-agent-after-answer", "second-waits-for-first", "turn-waits-for-worker", "uncreatable-worker", "unmapped-not-harvested"}
	remembers := []string{"as-of-turn", "as-of-turn-after-resume", "child-inherits", "child-brings", "siblings-in-order",
		"held-child-hidden", "lost-child-leaves-nothing",
		"expiry-from-childs-write", "entries-shaped", "writes-told-by-id", "replay-as-of-index", "branch-as-of-index"}
	waiting := []string{"suspended-names-node", "suspended-paused"}
	blocked := map[string][]string{
		"--without agentloopSeam": {"seam-agrees-with-log", "seam-last-turn", "seam-out-of-range", "seam-random-turns", "seam-suspends",
			"seam-write-turn"},
		"--without goalsSeam": {"closed-at-bound", "content-free", "cost-bound", "deadline", "escalation-halts", "evaluated-and-closed",
			"evaluations-attributed",
			"every-run-judged", "exceeded-stays-exceeded", "only-the-judge", "pause-halts", "runs-of-the-goal", "satisfied-disarms",
			"stops-at-bound", "ticked-at-once",
			"goes-on-after-answer", "replay-not-judged", "satisfied-disarms-schedule"},
		"--without workspaceSeam":               {"owners-apart"},
		"--without mockAI":                      models,
		"--without cacheKeySeam":                {"cache-keys"},
		"--version 6 --without verifySeam":      {"seam-verdicts"},
		"--version 6 --without dispatchMapping": append(verdicts, "seam-verdicts"),
		"--without interruptTokens": {"credential-needed", "every-token-refused", "token-answers",
			"token-life", "token-own", "token-shows", "token-spent", "tokens-of-each-round"},
		"--max-node-executions 100": {"limit-honoured"},
		"--max-loop-iterations 2": slices.Concat(suspends, notes, remembers, handoffs, weighs, waiting, []string{"answer-refused",
			"breached", "carried", "counted", "counted-throughout", "decided", "handed-over", "harvested", "spared", "unbreached",
			"waits-where-it-asks", "held-each-time", "counted-in-doubt", "forked-again", "counted-in-forks", "late-answers",
			"ask-user", "bound-below", "bound-leaves-alone", "turns-beside-others", "odd-among-many", "odd-not-harvested",
			"paused-each-time", "ended-for-good", "ended-is-not-paused",
			"seam-agrees-with-log", "seam-random-turns",
			"seam-suspends", "seam-write-turn"}),
		// Published workflows are run although nobody lists them, and so are those with a script of their own.
		"--without fixtures": {"as-of-turn", "as-of-turn-after-resume", "branch-as-of-index", "child-brings", "child-inherits",
			"carried", "entries-shaped", "secrets-kept-out", "harvested", "spared",
			"expiry-from-childs-write", "held-child-hidden", "lost-child-leaves-nothing",
			"replay-as-of-index", "replay-sees-the-same", "siblings-in-order", "tenants-apart",
			"write-from-outside", "write-in-turn", "write-is-logged", "writes-told-by-id",
			"turns-beside-others", "odd-among-many", "odd-not-harvested"},
	}
	blocked["--version 6 --max-loop-iterations 2"] = slices.Concat(blocked["--max-loop-iterations 2"], verdicts)
	blocked["--version 6 --without fixtures"] = slices.Concat(blocked["--without fixtures"], []string{"failed-end-held",
		"failed-not-merged", "in-any-order", "passed-counts", "revised-goes-on", "revised-in-bound", "verdict-told"})
	// Two short loops may or may not overlap.
	perhaps := map[string]string{"--max-loop-iterations 2": "nothing-shared", "--version 6 --max-loop-iterations 2": "nothing-shared",
		"--without fixtures": "nothing-shared", "--version 6 --without fixtures": "nothing-shared"}
	for name, o := range hosts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := certified(t, o)
			verdicts := byVerdict(r)
			for _, bad := range []scenarios.Verdict{scenarios.Failed, scenarios.Broken, scenarios.Inconclusive} {
				for _, s := range verdicts[bad] {
					t.Errorf("%s is %s: %s", s, bad, outcome(t, r, s).Reason)
				}
			}
			got := slices.DeleteFunc(verdicts[scenarios.Blocked], func(s string) bool { return s == perhaps[name] })
			slices.Sort(got)
			want := slices.Clone(blocked[name])
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("blocked (-expected +seen):\n%s", diff)
			}
		})
	}
}

// What the first certification has left on the host is not taken for what the second one made.
func TestAHostIsCertifiedTwiceWithOneSeed(t *testing.T) {
	t.Parallel()
	s := serve(t, surface.Options{}, nil)
	for range 2 {
		for verdict, names := range byVerdict(certify(t, s.URL, scenarios.Options{Seed: 7})) {
			if verdict != scenarios.Passed && verdict != scenarios.Inapplicable {
				t.Errorf("%s: %v", verdict, names)
			}
		}
	}
}

// A host need not tell a stranger's run from one that is not there: 403 for
// either is as honest as 404.
func TestAHostThatForbidsWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	forbids := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			recorded := httptest.NewRecorder()
			next.ServeHTTP(recorded, r)
			if recorded.Code == http.StatusNotFound && r.Method == http.MethodGet {
				recorded.Code = http.StatusForbidden
			}
			maps.Copy(w.Header(), recorded.Header())
			w.WriteHeader(recorded.Code)
			recorded.Body.WriteTo(w)
		})
	}
	r := certify(t, serve(t, surface.Options{}, forbids).URL, scenarios.Options{})
	nothingWrong(t, r)
	if code := r.ExitCode(); code != scenarios.ExitProved {
		t.Errorf("exit code %d", code)
	}
}

// Each verdict and each check is derived again from what was written to disk.
func TestEveryVerdictIsDerivedAgainFromTheTranscripts(t *testing.T) {
	many(t)
	t.Parallel()
	for name, o := range map[string]protocols.OpenWOP{
		"honest": {}, "faulty": {Faults: []string{"loop.iteration-resets-on-resume"}}, "below 5": {Options: surface.Options{Version: 2}},
		"without fixtures":  {Options: surface.Options{Without: []string{"fixtures"}}},
		"without our seams": {Options: surface.Options{Without: []string{"agentloopSeam", "goalsSeam"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := certify(t, serve(t, o.Options, nil, o.Faults...).URL, scenarios.Options{Seed: 5})
			again, err := scenarios.Rejudge(os.DirFS(writeTranscripts(t, r)), r.Depth, scenarios.Selection{}, suites.Suites()...)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(essence(r.Outcomes), essence(again)); diff != "" {
				t.Errorf("(-on the wire +from disk)\n%s", diff)
			}
		})
	}
}

func writeTranscripts(t *testing.T, r *scenarios.Report) string {
	t.Helper()
	dir := t.TempDir()
	for _, d := range r.Drives {
		raw, err := scenarios.MarshalTranscript(d)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, scenarios.TranscriptName(d.ID)), raw, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func essence(outcomes []scenarios.Outcome) []string {
	var out []string
	for _, o := range outcomes {
		out = append(out, fmt.Sprintf("%s %s %s %q %q %+v %v", o.Scenario.ID, o.Verdict, o.Evidence, o.Reason, o.Unblock, o.Checks, o.Findings))
	}
	return out
}
