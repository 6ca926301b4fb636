package programs

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
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
				p := drawGraph(&host.Server{Conn: scenarios.Drawing(seed, depth, graphDimensions)}, responses)
				if !p.Acyclic() {
					t.Fatal("it cannot be completed")
				}
				w := p.Begin()
				waiting, most, only := map[int]bool{}, 0, false
				for _, step := range p.Steps {
					w.Take(step)
					switch step.Do {
					case model.Suspend:
						waiting[step.Intent] = true
					case model.Answer:
						delete(waiting, step.Intent)
					case model.Try:
						open := slices.DeleteFunc(slices.Clone(p.Places[gated].DependsOn), func(d int) bool { return w.Is(d, model.Completed) })
						only = only || step.Intent == gated && len(open) == 1 && w.Waits(gated) && open[0] == p.Places[gated].DependsOn[0]
					case model.Complete, model.Abandon, model.Join, model.Leave:
					}
					if most = max(most, len(waiting)); waiting[step.Intent] != w.Is(step.Intent, model.Suspended) {
						t.Fatalf("intent %d may be %v after %s", step.Intent, w.May(step.Intent), step.Do)
					}
				}
				for n := range p.Places {
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

// Whatever is drawn, there is what the scenarios about courses look for.
func TestDrawnCoursesHaveWhatScenariosAskFor(t *testing.T) {
	for depth := scenarios.Quick; depth <= scenarios.Deep; depth++ {
		for seed := range uint64(60) {
			t.Run(fmt.Sprint(depth, seed), func(t *testing.T) {
				p := &planner{Server: &host.Server{Conn: scenarios.Drawing(seed, depth, courseDimensions)}, responses: responses}
				seen := map[string]bool{}
				all := p.plans(depth)
				for n, rounds := range all {
					if len(rounds) != len(all[0]) {
						t.Fatalf("intent %d has %d rounds, and the first %d", n, len(rounds), len(all[0]))
					}
					for r, plan := range rounds {
						written, err := json.Marshal(planned(p.Server, plan))
						if err != nil {
							t.Fatal(err)
						}
						c, err := model.CourseOf(written)
						if err != nil || plan.During > c.Attempts {
							t.Fatalf("answered during attempt %d of %d: %v", plan.During, c.Attempts, err)
						}
						left := plan.During == 0
						if left && !c.Continues() && r < len(rounds)-1 {
							t.Errorf("intent %d is over after round %d of %d", n, r+1, len(rounds))
						}
						seen["answered"] = seen["answered"] || !left
						seen["answered, and active in the end"] = seen["answered, and active in the end"] || !left && r == len(rounds)-1
						seen["goes on"] = seen["goes on"] || left && c.Continues()
						seen["fails"] = seen["fails"] || left && !c.Continues()
						seen["the policy wins"] = seen["the policy wins"] || left && c.Source == model.Policy
						seen["the record is inherited from"] = seen["the record is inherited from"] || left && c.Source == model.Record
						seen["no policy"] = seen["no policy"] || left && c.Reminders == nil && !strings.Contains(string(written), "retry_policy")
						seen["many steps"] = seen["many steps"] || left && len(c.Reminders) > 2 && c.Reminders[len(c.Reminders)-1].Escalates
					}
				}
				for _, plan := range p.ends() {
					if strings.Contains(string(plan.Record), "retry_policy") && !strings.Contains(string(plan.Record), "max_attempts") {
						seen["no max_attempts"] = true
					}
				}
				for _, what := range []string{
					"no max_attempts", "answered", "answered, and active in the end", "goes on", "fails", "the policy wins",
					"the record is inherited from",
					"no policy",
					"many steps",
				} {
					if !seen[what] {
						t.Errorf("none of: %s", what)
					}
				}
			})
		}
	}
}
