package prove_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/openwop/surface"
)

// A host cannot get around a question by leaving the claim off without the report telling what it does all the same. It is
// held to none of it.
func TestSeenButNotClaimed(t *testing.T) {
	many(t)
	t.Parallel()
	for name, c := range map[string]struct {
		strip func(document object)
		host  surface.Options
		want  map[string]string // what is seen, and the claim it falls under
	}{
		"everything is claimed": {func(object) {}, surface.Options{Version: 6}, map[string]string{}},
		"nothing but supervisors": {func(d object) {
			for _, family := range []string{"multiAgent", "workspace", "memory", "replay", "limits"} {
				delete(d, family)
			}
			delete(in(d, "agents"), "goals")
		}, surface.Options{Version: 6}, map[string]string{
			"a fork of a run": "forks",
			"events core.workflowChain.event in the log of a run":                        "execution-model",
			"events runOrchestrator.decided with /payload/iteration in the log of a run": "execution-model>=5",
			"goals that can be listed":                                                   "goals",
			"workspace files that can be listed":                                         "workspace",
			"the ancestry of a run":                                                      "ancestry",
		}},
		"the rest is not there": {func(d object) { delete(d, "multiAgent") },
			surface.Options{Without: []string{"executionModel", "goals", "workspace", "memory", "replay"}}, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := certify(t, serve(t, c.host, told(wellKnown, c.strip)).URL, scenarios.Options{})
			got := map[string]string{}
			for _, s := range r.Seen {
				got[s.What] = s.Claim.ID
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("seen without a claim (-want +got):\n%s", diff)
			}
			for _, d := range r.Drives {
				if d.Transcript.Len() == 0 && d.Stop == nil {
					t.Errorf("a record of %s is kept without an exchange", d.ID)
				}
			}
		})
	}
}
