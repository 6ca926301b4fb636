package prove_test

import (
	"flag"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore/lockstep"
	openintent "github.com/openassay/assay/scenarios/openintent/histories"
	openwop "github.com/openassay/assay/scenarios/openwop/histories"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove"
)

var (
	lockstepSteps = flag.Int("lockstep", 1500, "how many steps are taken in each small world on each host; 0 is all of them")
	lockstepSeed  = flag.Uint64("lockstep-seed", 1, "which steps are taken first")
)

// at once is how many steps are taken on a host before another one is started in its place.
const stepsOfAHost = 1500

// walked walks through a small world beside a host.
func walked(t *testing.T, w lockstep.Small, h prove.Host) lockstep.Progress {
	t.Helper()
	walk := w.Walk(8, *lockstepSeed)
	for left := *lockstepSteps; *lockstepSteps == 0 || left > 0; left -= stepsOfAHost {
		steps := stepsOfAHost
		if *lockstepSteps > 0 {
			steps = min(steps, left)
		}
		before := walk.Done().Taken
		r, err := lab.Ask(t.Context(), h, scenarios.Options{Seed: *lockstepSeed, Depth: scenarios.Deep}, walk.Suite(h.Protocol(), steps))
		if err != nil {
			t.Fatal(err)
		}
		switch o := r.Outcomes[0]; o.Verdict {
		case scenarios.Passed, scenarios.Inapplicable, scenarios.Blocked:
			if walk.Done().Taken == 0 {
				t.Log(o.Verdict, o.Reason)
			}
		default:
			t.Fatalf("%s: %s", o.Verdict, o.Reason)
		}
		if walk.Done().Taken == before {
			break
		}
	}
	return walk.Done()
}

// small are the small worlds of the kinds of histories, by protocol.
var small = map[string][]lockstep.Small{"openwop": openwop.Small(), "openintent": openintent.Small()}

func TestLockstep(t *testing.T) {
	many(t)
	t.Parallel()
	for name, worlds := range small {
		for _, w := range worlds {
			for _, h := range protocols.Named(name).Honest()[:1] {
				t.Run(w.Called()+" "+h.Name, func(t *testing.T) {
					t.Parallel()
					p := walked(t, w, prove.Host{Name: h.Name, Specimen: h.Specimen})
					t.Logf("%d objects, %d steps, %d states, %d edges, %d left", p.Objects, p.Taken, p.States, p.Edges, p.Left)
					for _, way := range w.All() {
						t.Logf("%d %t %s", p.Ways[way], way.Must, way)
					}
				})
			}
		}
	}
}
