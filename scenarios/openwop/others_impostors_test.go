package openwop_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/openwop/hosttest"
	"github.com/openassay/assay/scenarios/wire"
)

// found is what a scenario reports about an impostor: its verdict and a part of the reason, or the evidence of a
// pass.
type found struct{ scenario, verdict, reason string }

// The published suite passes most of these impostors. One answers the same to everything, one computes the right
// reply without a run behind it, one replays a recording of each published fixture. Every suite exposes each of
// them: something in it fails, is blocked, or passes as attested only.
func TestImpostorsAreFoundOut(t *testing.T) {
	const brief, long = 200 * time.Millisecond, time.Second
	upstreams := hosttest.DiscoveryWith("conformance-multi-agent-handoff", "conformance-multi-agent-handoff-child")
	for _, c := range []struct {
		name string
		host []hosttest.Routes
		exit int
		kept []string // claims that may be proved: keeping them takes no run
		says []found
		// patience is short for an impostor that must get nowhere, long for one that must first reach the point
		// where it is caught.
		patience time.Duration
	}{
		{
			name: "a constant whose run is over", host: []hosttest.Routes{hosttest.DiscoveryWith(hosttest.EveryFixture...),
				constantHost("completed")}, exit: scenarios.ExitViolated,
			patience: long,
			says: []found{
				{"execution-loop/dispatch-undecided", "failed", "OWP-DSP-7"},
				{"handoff/chain-of-causes", "blocked", "was to hand over to"},
				{"discovery/fixture-can-run", "blocked", "also makes a run"},
				{"errors/keyed-once", "failed", "OWP-ERR-18"},
				{"execution-bounds/time-bounded", "failed", "OWP-BND-"}, // 6; 7 if this machine is too slow to see the early end
				{"confidence/unsure-held", "blocked", "not the unsure one"},
				{"version5-shape/limit-honoured", "blocked", "does not read the port mockDispatchPlan"},
				{"iteration-monotonic/seam-random-turns", "failed", "OWP-0061-B2"},
				{"iteration-monotonic/as-planned", "failed", "OWP-0037-A2"},
				{"stateful-resume/seam-suspends", "failed", "OWP-0061-D1"},
				{"stateful-resume/ask-user", "failed", "OWP-0061-D1"},
				{"workspace-snapshot/seam-last-turn", "failed", "OWP-0061-C6"},
				{"workspace-snapshot/write-in-turn", "blocked", "does not read the port mockDispatchPlan"},
				{"workspace-files/if-match", "failed", "OWP-WSP-12"},
				{"workspace-files/owners-apart", "failed", "OWP-WSP-31"},
				{"goal-bounds/bounds-required", "failed", "OWP-0097-C1"},
				{"goal-bounds/created-as-asked", "failed", "OWP-0097-B1"},
				{"goal-bounds/stops-at-bound", "failed", "OWP-0097-G2"},
				{"event-log/logs-apart", "failed", "OWP-EVT-4"},
				{"goal-completion/only-the-judge", "failed", "OWP-0097-E1"},
				{"replay/prefix-kept", "failed", "OWP-RPL-1"},
				{"replay/drawn-once", "blocked", "does not show three values"},
				{"isolation/keys-apart", "failed", "OWP-ISO-5"},
				{"ancestry/never-has-none", "failed", "OWP-CAU-7"},
				{"interrupts/waits", "failed", "OWP-INT-6"},
				{"memory/as-of-turn", "blocked", ""},
				{"run-control/snapshot-well-formed", "failed", "OWP-CTL-1"},
				{"heartbeat/same-state-fires-nothing", "failed", "OWP-HBT-2"},
				{"verifier/verdict-told", "blocked", "does not read the port mockDispatchPlan"},
			},
		},
		{
			name: "a constant whose run waits", host: []hosttest.Routes{hosttest.DiscoveryWith(hosttest.EveryFixture...),
				constantHost("waiting-input")}, exit: scenarios.ExitViolated,
			patience: brief,
			says: []found{
				{"execution-loop/decided-before-question", "blocked", "only the seam's word"},
				{"handoff/chain-of-causes", "blocked", "not within"},
				{"discovery/fixture-can-run", "blocked", "also makes a run"},
				{"errors/cancel-ends", "failed", "OWP-ERR-23"},
				{"execution-bounds/time-bounded", "failed", "OWP-BND-"}, // 6; 7 if this machine is too slow to see the early end
				{"confidence/unsure-held", "blocked", "not the unsure one"},
				{"version5-shape/limit-honoured", "blocked", "does not read the port mockDispatchPlan"},
				{"iteration-monotonic/as-planned", "failed", "OWP-0037-A1"},
				{"stateful-resume/ask-user", "failed", "OWP-0061-D1"},
				{"stateful-resume/concurrent-resolvers", "blocked", "does not read the port mockDispatchPlan"},
				{"stateful-resume/heartbeat-moves-nothing", "blocked", "does not read the port mockDispatchPlan"},
				{"workspace-snapshot/seam-last-turn", "failed", "OWP-0061-C6"},
				{"workspace-files/one-writer-wins", "failed", "OWP-WSP-16"},
				{"goal-bounds/abandoned-stays-abandoned", "failed", "OWP-0097-C6"},
				{"event-log/numbered-without-gap", "blocked", "not within"},
				{"goal-completion/only-the-judge", "failed", "OWP-0097-E1"},
				{"replay/prefix-kept", "blocked", "not within"},
				{"isolation/runs-unread", "failed", "OWP-ISO-1"},
				{"isolation/answer-refused", "blocked", "does not read the port mockDispatchPlan"},
				{"ancestry/child-names-parent", "blocked", "not within"},
				{"interrupts/accepted", "failed", "OWP-INT-16"},
				{"interrupts/unknown-node", "failed", "OWP-INT-14"},
				{"run-control/paused-stands-still", "failed", "OWP-CTL-19"},
			},
		},
		{
			// It claims files and serves none.
			name: "a formula for the seam alone", host: []hosttest.Routes{hosttest.DiscoveryWith(), agentLoop(formulaLoop)},
			exit: scenarios.ExitViolated, patience: brief,
			says: []found{
				{"execution-loop/decided-before-question", "blocked", "only the seam's word"},
				{"handoff/chain-of-causes", "blocked", "no loop fixture"},
				{"discovery/fixture-can-run", "blocked", "none of the listed"},
				{"errors/keyed-once", "blocked", "no workflow is on offer"},
				{"execution-bounds/nodes-bounded", "blocked", "no workflow of several nodes"},
				{"confidence/held-and-told", "blocked", "no loop that can be suspended"},
				{"version5-shape/iteration-on-decided", "passed attested", ""},
				{"iteration-monotonic/one-per-turn", "passed attested", ""},
				{"stateful-resume/ask-user", "passed attested", ""},
				{"workspace-snapshot/seam-write-turn", "passed attested", ""},
				{"workspace-files/served-as-put", "failed", "HTTP 2xx, got 404"},
				{"goal-bounds/stops-at-bound", "blocked", "no standing goals at"},
				{"event-log/numbered-without-gap", "blocked", "no workflow is on offer that ends by itself"},
				{"goal-completion/only-the-judge", "blocked", "no standing goals at"},
				{"replay/drawn-once", "blocked", "whose nodes draw values"},
				{"isolation/runs-unread", "blocked", "no workflow is on offer"},
				{"ancestry/child-names-parent", "blocked", "no loop fixture"},
			},
		},
		{
			name: "a formula without a run", exit: scenarios.ExitViolated, kept: []string{"goals-bounded"},
			host: []hosttest.Routes{hosttest.DiscoveryWith(), agentLoop(formulaLoop), keptFiles(), changingHeartbeat,
				(&hosttest.InventedGoals{}).Routes()},
			patience: long,
			says: []found{
				{"execution-loop/decided-before-question", "blocked", "only the seam's word"},
				{"handoff/chain-of-causes", "blocked", "no loop fixture"},
				{"discovery/fixture-can-run", "blocked", "none of the listed"},
				{"errors/strangers-refused", "blocked", "no workflow is on offer"},
				{"execution-bounds/nodes-bounded", "blocked", "no workflow of several nodes"},
				{"confidence/held-and-told", "blocked", "no loop that can be suspended"},
				{"version5-shape/iteration-on-decided", "passed attested", ""},
				{"iteration-monotonic/seam-random-turns", "passed attested", ""},
				{"iteration-monotonic/as-planned", "blocked", "only the seam's word"},
				{"stateful-resume/ask-user", "passed attested", ""},
				{"stateful-resume/stands-still", "blocked", "only the seam's word"},
				{"workspace-snapshot/seam-write-turn", "passed attested", ""},
				{"workspace-snapshot/seam-last-turn", "passed attested", ""},
				{"workspace-snapshot/write-in-turn", "blocked", "no loop that notes what its turns see"},
				{"workspace-files/if-match-absent", "failed", "OWP-WSP-15"},
				{"goal-bounds/runs-of-the-goal", "failed", "OWP-0097-E10"},
				{"event-log/numbered-without-gap", "blocked", "no workflow is on offer that ends by itself"},
				{"goal-completion/schedule-fires", "blocked", "is refused with HTTP 400"},
				{"replay/branch-draws", "blocked", "whose nodes draw values"},
				{"isolation/cancel-refused", "blocked", "no workflow is on offer"},
				{"ancestry/root-has-no-parent", "blocked", "no loop fixture"},
				{"heartbeat/same-state-fires-nothing", "failed", "OWP-HBT-2"},
			},
		},
		{
			name: "a formula that invents runs", exit: scenarios.ExitViolated, kept: []string{"goals-bounded"},
			host: []hosttest.Routes{hosttest.DiscoveryWith(), agentLoop(inventingLoop), keptFiles(), changingHeartbeat,
				(&hosttest.InventedGoals{}).Routes(), inventedRuns(isOfAGoal)},
			patience: long,
			says: []found{
				{"execution-loop/decided-before-worker", "blocked", "no loop fixture"},
				{"handoff/chain-of-causes", "blocked", "no loop fixture"},
				{"discovery/fixture-can-run", "blocked", "none of the listed"},
				{"errors/keyed-at-once", "blocked", "no workflow is on offer"},
				{"execution-bounds/nodes-bounded", "blocked", "no workflow of several nodes"},
				{"confidence/held-and-told", "blocked", "no loop that can be suspended"},
				{"version5-shape/iteration-on-decided", "blocked", ""},
				{"iteration-monotonic/seam-agrees-with-log", "failed", "OWP-0061-B2"},
				{"stateful-resume/seam-suspends", "failed", "OWP-0061-D1"},
				{"workspace-snapshot/seam-write-turn", "passed attested", ""},
				{"workspace-files/climbs-refused", "failed", "OWP-WSP-21"},
				{"goal-bounds/runs-of-the-goal", "failed", "OWP-0097-E10"},
				{"event-log/numbered-without-gap", "blocked", "no workflow is on offer that ends by itself"},
				{"goal-completion/heartbeat-fires", "blocked", "is refused with HTTP 400"},
				{"replay/prefix-kept", "blocked", "no workflow is on offer"},
				{"isolation/fork-refused", "blocked", "no workflow is on offer"},
				{"ancestry/never-has-none", "blocked", "no loop fixture"},
			},
		},
		{
			name: "a formula that counts no tick", exit: scenarios.ExitViolated, kept: []string{"goals-bounded"},
			host: []hosttest.Routes{hosttest.DiscoveryWith(), agentLoop(formulaLoop), keptFiles(), changingHeartbeat,
				(&hosttest.InventedGoals{Idle: true}).Routes()},
			patience: brief,
			says: []found{
				{"execution-loop/decided-before-worker", "blocked", "no loop fixture"},
				{"handoff/results-reach-parent", "blocked", "no loop with mappings"},
				{"discovery/fixture-can-run", "blocked", "none of the listed"},
				{"errors/cancel-ends", "blocked", "no run is on offer"},
				{"execution-bounds/nodes-bounded", "blocked", "no workflow of several nodes"},
				{"confidence/held-and-told", "blocked", "no loop that can be suspended"},
				{"version5-shape/iteration-on-decided", "passed attested", ""},
				{"iteration-monotonic/one-per-turn", "passed attested", ""},
				{"stateful-resume/ask-user", "passed attested", ""},
				{"workspace-snapshot/seam-write-turn", "passed attested", ""},
				{"workspace-files/served-as-put", "failed", "OWP-WSP-1"},
				{"goal-bounds/stops-at-bound", "failed", "OWP-0097-G2"},
				{"goal-bounds/pause-halts", "blocked", "not within"}, // a goal that never moves looks paused at any time
				{"event-log/numbered-without-gap", "blocked", "no workflow is on offer that ends by itself"},
				{"goal-completion/only-the-judge", "failed", "OWP-0097-E1"},
				{"replay/branch-bounded", "blocked", "no loop fixture"},
				{"isolation/offspring-unread", "blocked", "no workflow is on offer"},
				{"ancestry/own-causes-name-no-host", "blocked", "no loop fixture"},
			},
		},
		{
			name: "a formula that believes its client", exit: scenarios.ExitViolated, kept: []string{"goals-bounded"},
			host: []hosttest.Routes{hosttest.DiscoveryWith(), agentLoop(formulaLoop), keptFiles(), changingHeartbeat,
				(&hosttest.InventedGoals{Told: true}).Routes(), inventedRuns(isOfAGoal)},
			patience: long,
			says: []found{
				{"execution-loop/decided-before-worker", "blocked", "no loop fixture"},
				{"handoff/results-reach-parent", "blocked", "no loop with mappings"},
				{"discovery/fixture-can-run", "blocked", "none of the listed"},
				{"errors/existence-hidden", "blocked", "no workflow is on offer"},
				{"execution-bounds/nodes-bounded", "blocked", "no workflow of several nodes"},
				{"confidence/held-and-told", "blocked", "no loop that can be suspended"},
				{"version5-shape/iteration-on-decided", "passed attested", ""},
				{"iteration-monotonic/one-per-turn", "passed attested", ""},
				{"stateful-resume/seam-suspends", "passed attested", ""},
				{"workspace-snapshot/seam-last-turn", "passed attested", ""},
				{"workspace-files/content-required", "failed", "OWP-WSP-3"},
				{"goal-bounds/client-cannot-satisfy", "failed", "OWP-0097-E2"},
				{"event-log/numbered-without-gap", "blocked", "no workflow is on offer that ends by itself"},
				{"goal-completion/schedule-fires", "blocked", "is refused with HTTP 400"},
				{"replay/forks-refused", "blocked", "no workflow is on offer"},
				{"isolation/goals-apart", "blocked", "no workflow is on offer"},
				{"ancestry/fork-has-no-parent", "blocked", "no loop fixture"},
			},
		},
		{
			name: "canned answers to upstream's fixtures", host: []hosttest.Routes{upstreams, cannedRoutes()}, exit: scenarios.ExitViolated,
			patience: long,
			says: []found{
				{"execution-loop/decided-before-worker", "blocked", "tells of no worker"},
				{"handoff/chain-of-causes", "failed", "OWP-0037-B3"},
				{"handoff/child-is-a-run", "failed", "OWP-DSP-12"},
				{"handoff/harvested-when-mapped", "failed", "OWP-0037-B1"},
				{"discovery/fixture-can-run", "blocked", "also makes a run"},
				{"errors/strangers-refused", "failed", "OWP-ERR-1"},
				{"execution-bounds/nodes-bounded", "blocked", "no workflow of several nodes"},
				{"confidence/held-and-told", "blocked", "no loop that can be suspended"},
				{"version5-shape/limit-honoured", "blocked", "no loop fixture of chosen length"},
				{"iteration-monotonic/as-planned", "failed", "OWP-0037-A3"},
				{"iteration-monotonic/fork-keeps", "failed", "OWP-0061-M1"},
				{"stateful-resume/ask-user", "blocked", "no loop that can be suspended"},
				{"workspace-snapshot/write-in-turn", "blocked", "no loop that notes what its turns see"},
				{"workspace-files/served-as-put", "failed", "HTTP 2xx, got 404"},
				{"goal-bounds/abandoned-stays-abandoned", "failed", "OWP-0097-C6"},
				{"goal-bounds/created-as-asked", "failed", "OWP-0097-B1"},
				{"event-log/poll-cursor", "failed", "OWP-EVT-15"},
				{"goal-completion/only-the-judge", "failed", "OWP-0097-E1"},
				{"replay/branch-bounded", "failed", "OWP-RPL-12"},
				{"isolation/offspring-unread", "failed", "OWP-ISO-7"},
				{"ancestry/child-names-parent", "failed", "OWP-CAU-1"},
			},
		},
		{
			// Its runs do wait for an answer, and show no handoff that nobody decided on.
			name: "canned answers to every fixture", exit: scenarios.ExitViolated, kept: []string{"execution-model>=2", "loop-heartbeat"},
			host: []hosttest.Routes{hosttest.DiscoveryWith(hosttest.EveryFixture...), cannedRoutes(),
				agentLoop(hosttest.Always(constantLoop)), keptFiles(), changingHeartbeat},
			patience: long,
			says: []found{
				{"execution-loop/dispatch-undecided", "failed", "OWP-DSP-7"},
				{"execution-loop/nothing-after-terminate", "blocked", "nothing stands behind"},
				{"handoff/results-reach-parent", "blocked", "was to hand over to"},
				{"discovery/fixture-can-run", "blocked", "also makes a run"},
				{"errors/unknown-not-found", "failed", "OWP-ERR-8"},
				{"execution-bounds/time-bounded", "failed", "OWP-BND-"}, // 6; 7 if this machine is too slow to see the early end
				{"confidence/held-and-told", "blocked", "does not read the port mockDispatchPlan"},
				{"version5-shape/limit-honoured", "blocked", "does not read the port mockDispatchPlan"},
				{"iteration-monotonic/one-per-turn", "passed observed", ""},
				{"stateful-resume/ask-user", "failed", "OWP-0061-D1"},
				{"stateful-resume/concurrent-resolvers", "blocked", "does not read the port mockDispatchPlan"},
				{"stateful-resume/two-at-once", "blocked", "does not read the port mockDispatchPlan"},
				{"workspace-snapshot/write-in-turn", "blocked", "plans of 3 turns and of 5 both gave 3"},
				{"workspace-snapshot/seam-last-turn", "failed", "OWP-0061-C6"},
				{"workspace-files/write-is-logged", "blocked", "plans of 3 turns and of 5 both gave 3"},
				{"goal-bounds/created-as-asked", "failed", "OWP-0097-B1"},
				{"goal-bounds/ticked-at-once", "failed", "OWP-0097-E4"},
				{"event-log/numbered-without-gap", "failed", "OWP-EVT-1"},
				{"goal-completion/only-the-judge", "failed", "OWP-0097-E1"},
				{"replay/prefix-kept", "failed", "OWP-RPL-1"},
				{"isolation/answer-refused", "blocked", "does not read the port mockDispatchPlan"},
				{"ancestry/root-has-no-parent", "failed", "OWP-CAU-1"},
				{"interrupts/waits", "failed", "OWP-INT-6"},
				{"run-control/ends-as-it-should", "failed", "OWP-CTL-3"},
				{"verifier/criteria-kept", "blocked", "does not read the port mockDispatchPlan"},
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := certify(t, wire.Target{URL: hosttest.Serve(t, c.host...), Key: hosttest.OurKey, OtherKey: hosttest.OtherKey}, c.patience)
			if got := r.ExitCode(); got != c.exit {
				t.Errorf("exit code %d, want %d", got, c.exit)
			}
			nothingIsProved(t, r, c.kept)
			foundOut(t, r)
			for _, f := range c.says {
				f.compare(t, r)
			}
		})
	}
}

// foundOut checks that every applicable suite has a failed, blocked or attested outcome.
func foundOut(t *testing.T, r *scenarios.Report) {
	t.Helper()
	for _, suite := range openwop.Suites() {
		asked := slices.DeleteFunc(slices.Clone(r.Outcomes),
			func(o scenarios.Outcome) bool { return o.Suite != suite.ID || o.Verdict == scenarios.Inapplicable })
		if len(asked) > 0 && !slices.ContainsFunc(asked, func(o scenarios.Outcome) bool {
			return o.Verdict == scenarios.Failed || o.Verdict == scenarios.Blocked || o.Evidence == scenarios.Attested
		}) {
			t.Errorf("nothing is said of it in the suite %s", suite.ID)
		}
	}
}

// Claims that an impostor does not make are not tested.
func TestImpostorsClaimAllThatCanBeClaimed(t *testing.T) {
	c, err := scenarios.Certify(t.Context(), wire.Target{URL: hosttest.Serve(t, hosttest.DiscoveryWith(hosttest.EveryFixture...)),
		Key: hosttest.OurKey},
		scenarios.Options{Select: scenarios.Selection{Scenarios: []string{"discovery/root-well-formed"}}}, openwop.Suites()...)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Finish(context.Background())
	// than what is claimed
	others := []string{"approval-escalation", "execution-model-experimental", "supervisor-without-model", "verifier-told"}
	for _, suite := range openwop.Suites() {
		for _, s := range suite.Scenarios {
			_, claimed := s.Claim.Look(c.Discovery)
			if id := s.Claim.ID; !claimed && !strings.HasPrefix(id, "no-") && !strings.Contains(id, "<") && !slices.Contains(others, id) {
				t.Errorf("nobody claims %s, so nobody is asked %s", id, s.ID)
			}
		}
	}
}

// takeNoRun lists claims that an idle host keeps: to name no other host as a cause, and to serve no ancestry.
var takeNoRun = []string{"execution-model>=3", "no-ancestry"}

// nothingIsProved checks that no claim of an impostor is proved except those it keeps.
func nothingIsProved(t *testing.T, r *scenarios.Report, kept []string) {
	t.Helper()
	for _, claim := range r.Claims {
		if claim.Status == "proved" && !slices.Contains(kept, claim.ID) && !slices.Contains(takeNoRun, claim.ID) {
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
