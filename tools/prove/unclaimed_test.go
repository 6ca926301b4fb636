package prove_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/openwop/surface"
)

// What a host stops claiming turns exactly the scenarios about it inapplicable, and no other; all others pass.
func TestWhatIsNotClaimedIsInapplicableAndNothingElse(t *testing.T) {
	many(t)
	t.Parallel()
	always := []string{"experimental-dated", "rejected-never", "turns-without-model", "supervisor-refused", "dispatch-refused",
		"mapping-refused"}
	from2 := []string{"floor-well-formed", "held-and-told", "kind-as-advertised", "floor-passes", "no-confidence-passes",
		"doubtful-end-held", "carried-out-once", "held-each-time"}
	from5 := []string{"counted", "counted-throughout",
		"iteration-on-decided", "one-per-turn", "nothing-shared", "fork-keeps", "seam-random-turns",
		"seam-agrees-with-log", "seam-out-of-range", "counted-in-doubt", "counted-in-forks", "forked-again"}
	from6 := []string{"verdict-told", "passed-counts", "failed-not-merged", "failed-end-held", "revised-goes-on", "revised-in-bound",
		"told-holds-nothing", "criteria-kept", "seam-verdicts", "in-any-order"}
	models := []string{"refusal-diverges", "other-answer-told", "tool-kept", "cache-keys"}
	resume := []string{"resume-flag", "ask-user", "below-floor", "two-suspends", "seam-suspends", "fork-of-resumed", "heartbeat-moves-nothing"}
	workspace := []string{"write-in-turn", "write-from-outside", "replay-sees-the-same", "seam-write-turn", "seam-last-turn"}
	files := []string{"absence-enveloped",
		"served-as-put", "content-required", "listed-by-prefix", "deleted-is-gone", "versions-count", "etags-change",
		"if-match", "if-match-absent", "one-writer-wins",
		"numbering-continues", "older-versions", "no-such-version", "version-horizon", "climbs-refused", "bad-paths-refused",
		"too-large-refused", "largest-taken",
		"full-takes-no-more", "files-apart", "every-file-apart", "write-is-logged", "reads-as-of-run-start", "owners-apart"}
	goals := []string{"block-well-formed", "bounds-required", "created-as-asked", "client-cannot-satisfy",
		"abandoned-stays-abandoned", "stops-at-bound",
		"closed-at-bound", "exceeded-stays-exceeded", "ticked-at-once", "cost-bound", "deadline", "satisfied-disarms", "evaluated-and-closed",
		"evaluations-attributed", "runs-of-the-goal", "content-free", "goals-apart", "every-goal-apart", "pause-halts", "escalation-halts",
		"only-the-judge", "every-run-judged", "schedule-fires", "heartbeat-fires", "commitment-fires", "secret-redacted",
		"misfits-not-kept", "goes-on-after-answer", "replay-not-judged", "abandoned-disarms", "satisfied-disarms-schedule"}
	mappings := []string{"harvested-when-mapped", "harvest-attested", "failed-not-harvested", "cancelled-not-harvested",
		"results-reach-parent", "inputs-reach-child",
		"unset-input-absent", "own-mapping", "worker-to-worker", "carried", "harvested", "spared", "odd-not-harvested"}
	handedOn := []string{"as-of-turn", "child-inherits", "child-brings", "siblings-in-order", "held-child-hidden",
		"lost-child-leaves-nothing", "expiry-from-childs-write",
		"entries-shaped", "secrets-kept-out", "writes-told-by-id"}
	remembers := slices.Concat(handedOn, []string{"as-of-turn-after-resume", "replay-as-of-index", "branch-as-of-index", "tenants-apart"})
	between := []string{"causes-name-other-host", "parent-on-other-host", "trace-goes-along", "cancel-crosses-hosts"}
	for name, c := range map[string]struct {
		host surface.Options
		want []string
	}{
		"--version 4": {surface.Options{Version: 4}, slices.Concat(always, from5, resume, workspace, []string{"as-of-turn",
			"as-of-turn-after-resume", "not-offered-not-found", "untold-below-2", "unclaimed-not-served"})},
		"--version 1": {surface.Options{Version: 1},
			slices.Concat(always, from5, resume, workspace, from2, remembers, between, models, []string{"root-has-no-parent",
				"child-names-parent", "fork-has-no-parent", "never-has-none", "own-causes-name-no-host", "causation-block", "replay-block",
				"escalation-halts", "goes-on-after-answer", "unclaimed-not-served"})},
		"--without goals": {surface.Options{Without: []string{"goals"}}, slices.Concat(always, goals, []string{"not-offered-not-found",
			"untold-below-2", "iteration-absent-below-5", "reads-as-of-run-start", "unclaimed-not-served"})},
		"--without dispatchMapping": {surface.Options{Without: []string{"dispatchMapping"}}, slices.Concat(mappings, handedOn, between,
			[]string{"not-offered-not-found", "experimental-dated", "rejected-never",
				"turns-without-model", "supervisor-refused", "dispatch-refused", "untold-below-2", "iteration-absent-below-5",
				"reads-as-of-run-start", "unclaimed-not-served"})},
		// Nothing claims these three: that they are answered 501 is what tells.
		"--without pause, diff and bulkCancel": {surface.Options{Without: []string{"pause", "diff", "bulkCancel"}},
			slices.Concat(always, []string{"not-offered-not-found", "untold-below-2",
				"iteration-absent-below-5", "reads-as-of-run-start", "unclaimed-not-served", "bulk-cancels-each", "bulk-leaves-ended",
				"bulk-refuses", "paused-stands-still", "drained-stands-still",
				"paused-is-refused", "resumed-goes-on", "paused-cancelled", "suspended-paused", "paused-each-time",
				"ended-is-not-paused", "diff-of-itself", "diff-tells-all",
				"diff-of-states", "diff-of-unknown", "foreign-uncontrolled"})},
		"--without memory": {surface.Options{Without: []string{"memory"}}, slices.Concat(always, remembers,
			[]string{"memory-well-formed", "not-offered-not-found", "untold-below-2",
				"iteration-absent-below-5", "reads-as-of-run-start", "unclaimed-not-served"})},
		"--without workspace": {surface.Options{Without: []string{"workspace"}}, slices.Concat(always, workspace, files,
			[]string{"not-offered-not-found", "untold-below-2", "workspace-well-formed", "iteration-absent-below-5"})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c.want = append(c.want, from6...) // all of these hosts are below that version
			if name != "--without goals" {
				c.want = append(c.want, "absent-without-claim")
			}
			r := certified(t, c.host)
			nothingWrong(t, r)
			got := byVerdict(r)[scenarios.Inapplicable]
			slices.Sort(got)
			slices.Sort(c.want)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("inapplicable (-expected +seen):\n%s", diff)
			}
			if code := r.ExitCode(); code != scenarios.ExitProved {
				t.Errorf("exit code %d", code)
			}
		})
	}
}
