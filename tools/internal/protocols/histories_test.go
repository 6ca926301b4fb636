package protocols_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/openassay/assay/gen/agenticloop"
	"github.com/openassay/assay/scenarios"
	suites "github.com/openassay/assay/scenarios/agenticloop"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/tools/internal/protocols"
)

// explored explores an agent in this process once, and returns the outcome and what rules were met.
func explored(t *testing.T, agent protocols.Specimen, seed uint64, depth scenarios.Depth) (scenarios.Outcome, map[string]int) {
	t.Helper()
	target, stop, err := agent.Start(t.Context(), wire.Target{}, protocols.Place{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := stop(t.Context()); err != nil {
			t.Error(err)
		}
	}()
	c, err := scenarios.Certify(t.Context(), target, scenarios.Options{Seed: seed, Depth: depth}, explore.Of(suites.Suites())...)
	if err != nil {
		t.Fatal(err)
	}
	r := c.Finish(t.Context())
	var seen struct{ Met map[string]int }
	for _, d := range r.Drives {
		if raw, is := d.Observation.(json.RawMessage); is && d.ID == "agenticloop/wild-runs" {
			if err := json.Unmarshal(raw, &seen); err != nil {
				t.Fatal(err)
			}
		}
	}
	return r.Outcomes[0], seen.Met
}

// demanded is what the text has turns do, or leaves open to them, and some agent is sure to do.
var demanded = []string{
	"since it is a start: asked", "since it names no run: refused", "since the start was taken before: nothing",
	"since the run is unknown: nothing", "since the run is over: nothing", "since the step is stale: nothing",
	"since the step is stale: repeated", "since the step is above the pending one: escalated", "since another tool is pending: escalated",
	"since the tool failed: retried", "since the tool failed: escalated", "since the result is what is pending: asked",
	"since the result is what is pending: completed", "since the result is what is pending: escalated",
}

// Each honest agent may do what it does in histories that nobody thought of, and all that the text has turns do is among that.
func TestHonestAgentsInDrawnHistories(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	met, turns := map[string]int{}, 0
	t.Run("agents", func(t *testing.T) {
		for i, h := range protocols.Named("agentic-loop").Honest() {
			t.Run(h.Name, func(t *testing.T) {
				t.Parallel()
				o, seen := explored(t, h.Specimen, uint64(i), scenarios.Standard) //nolint:gosec // a count
				if o.Verdict != scenarios.Passed {
					t.Errorf("%s: %s", o.Verdict, o.Reason)
				}
				mu.Lock()
				defer mu.Unlock()
				for what, n := range seen {
					met[what] += n
					turns += n
				}
			})
		}
	})
	for _, what := range demanded {
		if met[what] == 0 {
			t.Errorf("no agent was seen to do what it may: %s", what)
		}
	}
	t.Logf("%d turns: %v", turns, slices.Sorted(maps.Keys(met)))
}

// What an agent gets wrong is made small, and told move by move.
func TestFaultyAgentsInDrawnHistories(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]scenarios.RequirementID{
		"agent.duplicate-advances": agenticloop.RFC103V6,
		"agent.second-step-unsent": agenticloop.RFC103T9,
		"agent.other-runs-dropped": agenticloop.RFC103READ5,
	} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			f, err := protocols.Named("agentic-loop").Fault(id)
			if err != nil {
				t.Fatal(err)
			}
			for seed := range uint64(5) {
				o, _ := explored(t, f.Specimen, seed, scenarios.Deep)
				if o.Verdict != scenarios.Failed {
					continue
				}
				if o.Failure.Requirement != want {
					t.Errorf("it violates %s, want %s: %s", o.Failure.Requirement, want, o.Failure.Expected)
				}
				if lines := strings.Split(o.Failure.Expected, "\n"); len(lines) > 12 || !strings.Contains(o.Failure.Expected, "\nx run ") ||
					!strings.Contains(o.Failure.Expected, "\n  allowed: ") {
					t.Errorf("the picture:\n%s", o.Failure.Expected)
				}
				return
			}
			t.Error("nothing was found")
		})
	}
}
