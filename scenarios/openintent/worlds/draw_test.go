package worlds

import (
	"fmt"
	"testing"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/model"
)

// Whatever is drawn, each turn can be taken when it comes, and there is what scenarios look for.
func TestDrawnPrograms(t *testing.T) {
	for depth := scenarios.Quick; depth <= scenarios.Deep; depth++ {
		for seed := range uint64(60) {
			t.Run(fmt.Sprint(depth, seed), func(t *testing.T) {
				for _, at := range []seams{{true, true, true}, {}} {
					d := draw(&host.Server{Conn: scenarios.Drawing(seed, depth, dimensions)}, at)
					d.Coordinated = true
					seen := map[string]bool{}
					scene := d.Begin()
					for _, turn := range d.Steps {
						n, was := turn.Intent, scene.Copy()
						switch turn.Do {
						case model.Suspend, model.Complete, model.Abandon, model.Depend, model.Write:
							if !scene.Is(n, model.Active) {
								t.Fatalf("%s %d, which may be %v", turn.Do, n, scene.May(n))
							}
						case model.Answer, model.Lapse, model.Deadline, model.Recorded, model.Stale:
							if !scene.Is(n, model.Suspended) {
								t.Fatalf("%s %d, which may be %v", turn.Do, n, scene.May(n))
							}
						case model.Force:
							from := scene.May(n)[0]
							if fit := map[string]bool{
								model.Suspended: from == model.Active || from == model.Suspended, model.Completed: from != model.Suspended,
								model.Active: !scene.Held(n),
							}[turn.To]; fit {
								t.Fatalf("%s %d, %s to %s", turn.Do, n, from, turn.To)
							}
							seen[from+" to "+turn.To] = true
						}
						scene.Take(turn)
						seen["ends alone"] = seen["ends alone"] || turn.Do == model.Deadline && was.Family[n].Record != model.Waiting
						seen[string(turn.Do)] = true
						for w := range d.Places {
							seen["held"] = seen["held"] || scene.Held(w) && !was.Held(w)
							seen["goes on"] = seen["goes on"] || !scene.Held(w) && was.Held(w)
							seen["stays"] = seen["stays"] || scene.Held(w) && scene.Is(lapsing, model.Abandoned)
							seen["paused"] = seen["paused"] || scene.WasPaused(w) && !was.WasPaused(w) && d.Places[w].Inputs[0] != n
						}
						seen["draft held"] = seen["draft held"] || turn.Do == model.Activate && scene.Held(n)
						seen["all wait"] = seen["all wait"] || scene.Is(only, model.Suspended) && !scene.Is(elder, model.Active)
						seen["claimed"] = seen["claimed"] || turn.Do == model.Claim && scene.Resolved(n)
						seen["joins while it waits"] = seen["joins while it waits"] || turn.Do == model.Join && scene.Is(n, model.Suspended)
						seen["leaves while it waits"] = seen["leaves while it waits"] || turn.Do == model.Leave && scene.Is(n, model.Suspended)
					}
					want := []string{
						"held", "goes on", "paused", "draft held", "claimed", "all wait", "joins while it waits", "leaves while it waits",
						string(model.Touch), string(model.Stale),
					}
					if at.windows {
						want = append(want, string(model.Lapse), string(model.Deadline), "ends alone",
							"blocked to "+model.Suspended, "draft to "+model.Suspended, "completed to "+model.Suspended, "abandoned to "+model.Suspended,
							model.Suspended+" to completed", "blocked to active")
					} else {
						want = append(want, "stays", string(model.Abandon))
					}
					for _, what := range want {
						if !seen[what] {
							t.Errorf("none of: %s", what)
						}
					}
				}
			})
		}
	}
}
