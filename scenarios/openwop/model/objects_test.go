package model_test

import (
	"testing"

	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openwop/model"
	"github.com/openassay/assay/scenarios/wire"
)

func TestTexts(t *testing.T) {
	t.Parallel()
	const most = 64
	for kind, bytes := range map[model.TextKind]int{model.Largest: most, model.TooLarge: most + 1, model.TooWide: most + 2} {
		if got := len(model.Text{Kind: kind, N: 3}.Of(most)); got != bytes {
			t.Errorf("a content %s has %d bytes, not %d", kind, got, bytes)
		}
	}
	for odd := range model.OddPaths {
		if path := model.OddPath(odd, "notes/"); len(path) > 200 && len(path) != 257 {
			t.Errorf("%s has %d bytes", model.OddPaths[odd], len(path))
		}
	}
}

// A reply that the model refuses, whatever it may have become meanwhile.
func TestGoalsEndAtTheirBounds(t *testing.T) {
	t.Parallel()
	type step = history.Step[model.GoalAsk, model.GoalSaw]
	tick := step{In: model.GoalAsk{Do: model.TickGoal, Cost: 300}, Lost: true}
	for _, c := range []struct {
		what string
		from model.Goal
		runs int
		want model.GoalState
	}{
		{"below its bounds", model.Goal{MaxRuns: 3, MaxCost: 1000}, 2, model.GoalActive},
		{"at its bound of runs", model.Goal{MaxRuns: 2}, 2, model.GoalExceeded},
		{"over its bound of cost", model.Goal{MaxCost: 501}, 2, model.GoalExceeded},
	} {
		c.from.State = model.GoalActive
		states := []model.Goal{c.from}
		for range c.runs {
			states = model.GoalsModel.After(states, tick)
		}
		most := model.Goal{}
		for _, s := range states {
			if s.Runs > most.Runs {
				most = s
			}
		}
		if most.Runs != c.runs || most.State != c.want {
			t.Errorf("a goal %s is %s after %d runs", c.what, most.State, most.Runs)
		}
	}
	// Nobody saw a reply of a run, so none can be a goal's.
	silent := step{In: tick.In, Out: model.GoalSaw{Status: wire.Value{}}}
	if got := model.GoalsModel.After([]model.Goal{{State: model.GoalActive}}, silent); got != nil {
		t.Errorf("a tick without a reply is taken: %+v", got)
	}
}
