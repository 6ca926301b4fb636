package programs

import (
	"fmt"
	"slices"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
)

// Whatever is drawn, every step can be taken when its turn comes, all is completed in the end, and there is what scenarios look for.
func TestDrawnGraphsGoThrough(t *testing.T) {
	for depth := scenarios.Quick; depth <= scenarios.Deep; depth++ {
		for seed := range uint64(60) {
			t.Run(fmt.Sprint(depth, seed), func(t *testing.T) {
				p := drawGraph(&host.Server{Conn: scenarios.Drawing(seed, depth, graphDimensions)})
				if !p.Acyclic() {
					t.Fatal("it cannot be completed")
				}
				w := p.Start()
				waiting, most, only := map[int]bool{}, 0, false
				for step, more := w.Next(); more; step, more = w.Next() {
					switch step.Do {
					case model.Suspend:
						waiting[step.Intent] = true
					case model.Answer:
						delete(waiting, step.Intent)
					case model.Try:
						open := slices.DeleteFunc(slices.Clone(p.Intents[gated].DependsOn), func(d int) bool { return w.Is(d, model.Completed) })
						only = only || step.Intent == gated && len(open) == 1 && w.Waits(gated) && open[0] == p.Intents[gated].DependsOn[0]
					case model.Complete, model.Abandon:
					}
					if most = max(most, len(waiting)); waiting[step.Intent] != w.Is(step.Intent, model.Suspended) {
						t.Fatalf("intent %d may be %v after %s", step.Intent, w.May(step.Intent), step.Do)
					}
				}
				for n := range p.Intents {
					if want := map[bool]string{true: model.Abandoned, false: model.Completed}[n == odd]; !w.Is(n, want) {
						t.Errorf("intent %d may be %v in the end", n, w.May(n))
					}
				}
				if most < 3 || !only {
					t.Errorf("at most %d waited at once; one of three alone was suspended: %t", most, only)
				}
			})
		}
	}
}
