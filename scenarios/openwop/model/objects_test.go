package model_test

import (
	"math/rand/v2"
	"testing"

	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/openwop/model"
	"github.com/openassay/assay/scenarios/wire"
)

// met walks through the states of a model as if replies were lost, and fails unless each step has a rule there. It returns the
// rules that were met. No reply is needed: what was lost may have gone any way.
func met[S comparable, In, Out any](t *testing.T, m *history.Model[S, In, Out], begin S, asks []In) map[string]bool {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 0)) //nolint:gosec // a walk, not a secret
	rules := map[string]bool{}
	for range 400 {
		s := begin
		for range 12 {
			for _, in := range asks {
				rule := m.RuleOf(s, in)
				if rule == nil {
					t.Fatalf("there is no rule for %+v in %+v", in, s)
				}
				rules[rule.Name] = true
			}
			next := m.After([]S{s}, history.Step[In, Out]{In: asks[r.IntN(len(asks))], Lost: true})
			s = next[r.IntN(len(next))]
		}
	}
	return rules
}

// alive fails for each rule that was not met.
func alive[S comparable, In, Out any](t *testing.T, m *history.Model[S, In, Out], rules map[string]bool) {
	t.Helper()
	for _, r := range m.Rules {
		if !rules[r.Name] {
			t.Errorf("no state and step has the rule %q", r.Name)
		}
	}
}

func TestEachFileStepHasARule(t *testing.T) {
	t.Parallel()
	var asks []model.FileAsk
	for _, do := range []model.FileDo{
		model.PutOdd, model.GetFile, model.GetVersion, model.DropFile, model.ListFiles, model.GetForeign, model.DropForeign, model.PutStray,
	} {
		asks = append(asks, model.FileAsk{Do: do}, model.FileAsk{Do: do, Path: 1})
	}
	for _, cond := range []model.Condition{model.Unconditional, model.CurrentEtag, model.AnyEtag} {
		for _, kind := range []model.TextKind{model.Plain, model.Largest, model.TooLarge, model.TooWide} {
			asks = append(asks, model.FileAsk{Do: model.PutFile, If: cond, Text: model.Text{Kind: kind}})
		}
	}
	rules := met(t, model.FilesModel, model.Files{Versioned: true, MaxBytes: 64}, asks)
	for rule := range met(t, model.FilesModel, model.Files{}, asks) {
		rules[rule] = true
	}
	alive(t, model.FilesModel, rules)
}

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

func TestEachKeyStepHasARule(t *testing.T) {
	t.Parallel()
	var asks []model.KeyAsk
	for _, do := range []model.KeyDo{model.AskRun, model.AskReordered, model.AskStranger, model.LookAtRun} {
		for i := range 4 {
			asks = append(asks, model.KeyAsk{Do: do, Body: i / 2, Tenant: i % 2})
		}
	}
	alive(t, model.KeysModel, met(t, model.KeysModel, model.Keys{}, asks))
}

func TestEachGoalStepHasARule(t *testing.T) {
	t.Parallel()
	asks := []model.GoalAsk{
		{Do: model.TickGoal, Satisfied: true}, {Do: model.TickGoal, Stuck: true}, {Do: model.TickGoal, Cost: 250}, {Do: model.TickGoal},
	}
	for _, do := range []model.GoalDo{
		model.ReadGoal, model.ListGoals, model.ReadTrail, model.ReadGoalRun, model.EditGoal, model.RestateGoal, model.ForceGoal,
		model.CompleteGoal, model.PauseGoal, model.ResumeGoal, model.AbandonGoal,
	} {
		asks = append(asks, model.GoalAsk{Do: do})
	}
	begin := model.Goal{State: model.GoalActive, Escalate: true, MaxRuns: 3, MaxCost: 1501}
	alive(t, model.GoalsModel, met(t, model.GoalsModel, begin, asks))
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
