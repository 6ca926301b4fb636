package prove_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/openwop"
)

// What a host stops claiming turns exactly the scenarios about it inapplicable, and no other; all others pass.
func TestWhatIsNotClaimedIsInapplicableAndNothingElse(t *testing.T) {
	many(t)
	always := []string{"experimental-dated"}
	from5 := []string{"iteration-on-decided", "one-per-turn", "nothing-shared", "fork-keeps", "seam-random-turns", "seam-agrees-with-log", "seam-out-of-range"}
	resume := []string{"resume-flag", "ask-user", "below-floor", "two-suspends", "seam-suspends", "fork-of-resumed", "heartbeat-moves-nothing"}
	workspace := []string{"write-in-turn", "write-from-outside", "replay-sees-the-same", "seam-write-turn", "seam-last-turn"}
	goals := []string{"block-well-formed", "bounds-required", "created-as-asked", "client-cannot-satisfy", "abandoned-stays-abandoned", "stops-at-bound",
		"closed-at-bound", "exceeded-stays-exceeded", "ticked-at-once", "cost-bound", "deadline", "satisfied-disarms", "evaluated-and-closed",
		"evaluations-attributed", "runs-of-the-goal", "content-free", "pause-halts", "escalation-halts"}
	for name, c := range map[string]struct {
		host openwop.Options
		want []string
	}{
		"--version 4": {openwop.Options{Version: 4}, slices.Concat(always, from5, resume, workspace)},
		"--version 1": {openwop.Options{Version: 1},
			slices.Concat(always, from5, resume, workspace, []string{"causation-block", "replay-block", "escalation-halts"})},
		"--without goals":     {openwop.Options{Without: []string{"goals"}}, slices.Concat(always, goals, []string{"iteration-absent-below-5"})},
		"--without workspace": {openwop.Options{Without: []string{"workspace"}}, slices.Concat(always, workspace, []string{"iteration-absent-below-5"})},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := certify(t, serve(t, c.host, nil).URL, scenarios.Options{})
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
