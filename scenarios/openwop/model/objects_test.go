package model_test

import (
	"testing"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openwop/model"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
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

// What another tenant is shown of a goal, and does to it.
func TestGoalsOfAnotherTenant(t *testing.T) {
	t.Parallel()
	v := wiretest.Value(t, map[string]any{"ok": 200, "gone": 404, "forbidden": 403, "lacking": 501,
		"list": map[string]any{"goals": []any{map[string]any{"id": "g"}}}, "none": map[string]any{"goals": []any{}},
		"edited": map[string]any{"objective": "theirs", "state": "active"}, "left": map[string]any{"objective": "mine", "state": "abandoned"}})
	gone := v.Key("gone")
	texts := map[int]string{0: "mine", model.ForeignObjective: "theirs"}
	const edit = 3
	try := func(n int) model.GoalAsk { return model.GoalAsk{Do: model.ForeignGoal, N: n} }
	tried := model.Goal{Last: model.ForeignGoal}
	for name, c := range map[string]struct {
		goal  model.Goal
		in    model.GoalAsk
		out   model.GoalSaw
		wrong scenarios.RequirementID
	}{
		"finds nothing":           {in: try(model.ForeignReadGoal), out: model.GoalSaw{Status: gone, Never: gone}},
		"reads":                   {in: try(model.ForeignReadGoal), out: model.GoalSaw{Status: v.Key("ok"), Never: gone}, wrong: openwop.OWPISO4},
		"is told that there is":   {in: try(edit), out: model.GoalSaw{Status: v.Key("forbidden"), Never: gone}, wrong: openwop.OWPISO2},
		"cannot edit at all":      {in: try(edit), out: model.GoalSaw{Status: v.Key("lacking"), Never: v.Key("lacking")}},
		"lists none":              {in: try(model.ForeignListGoals), out: model.GoalSaw{Status: v.Key("ok"), Body: v.Key("none"), ID: "g"}},
		"lists it":                {in: try(model.ForeignListGoals), out: model.GoalSaw{Body: v.Key("list"), ID: "g"}, wrong: openwop.OWPISO4},
		"edited all the same":     {tried, model.GoalAsk{Do: model.ReadGoal}, model.GoalSaw{Body: v.Key("edited")}, openwop.OWPISO4},
		"abandoned all the same":  {tried, model.GoalAsk{Do: model.ReadGoal}, model.GoalSaw{Body: v.Key("left")}, openwop.OWPISO4},
		"is nobody that is known": {in: try(model.ForeignReadGoal), out: model.GoalSaw{Nobody: true}},
	} {
		c.goal.State, c.out.Objectives = model.GoalActive, texts
		if c.in.Do == model.ReadGoal {
			c.out.Status = v.Key("ok")
		}
		got := model.GoalsModel.Explain([]model.Goal{c.goal}, []history.Step[model.GoalAsk, model.GoalSaw]{{In: c.in, Out: c.out}}, 0)
		switch {
		case c.wrong == "" && !got.Ok():
			t.Errorf("another tenant %s: %v", name, got.Closest[0].Misses)
		case c.wrong != "" && (got.Ok() || got.Closest[0].Misses[0].Of != c.wrong):
			t.Errorf("another tenant %s: it is explained, or by another sentence than %s: %v", name, c.wrong, got.Closest)
		}
	}
}
