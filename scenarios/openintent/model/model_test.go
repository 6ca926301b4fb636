package model_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openassay/assay/scenarios/openintent/model"
)

// A family by hand: two intents depend on three, one parent holds all of these, and the second portfolio has one member twice.
var family = model.Program{
	Intents: []model.Intent{
		{Parent: model.None}, {Parent: 0}, {Parent: 0}, {Parent: 0},
		{Parent: model.None, DependsOn: []int{1, 2, 3}}, {Parent: model.None, DependsOn: []int{4}},
	},
	Portfolios: [][]int{{1, 2, 3}, {1, 1, 2, 5}},
}

func after(steps ...model.Step) *model.World {
	p := family
	p.Steps = steps
	w := p.Start()
	for more := true; more; {
		_, more = w.Next()
	}
	return w
}

func do(a model.Action, n int) model.Step { return model.Step{Do: a, Intent: n} }

func TestDependents(t *testing.T) {
	either := []string{model.Active, model.Blocked}
	for _, k := range []struct {
		what  string
		steps []model.Step
		may   [][]string // of 4 and 5
	}{
		{"made", nil, [][]string{either, either}},
		{"the second suspended", []model.Step{do(model.Suspend, 2)}, [][]string{{model.Blocked}, either}},
		{"answered", []model.Step{do(model.Suspend, 2), do(model.Answer, 2)}, [][]string{{model.Blocked}, either}},
		{"two completed", []model.Step{do(model.Suspend, 2), do(model.Answer, 2), do(model.Complete, 2), do(model.Complete, 3)},
			[][]string{{model.Blocked}, either}},
		{"all completed", []model.Step{do(model.Suspend, 2), do(model.Answer, 2), do(model.Complete, 2), do(model.Complete, 3),
			do(model.Complete, 1)}, [][]string{{model.Active}, either}},
		{"refused", []model.Step{do(model.Try, 4)}, [][]string{either, either}},
		{"abandoned", []model.Step{do(model.Suspend, 1), do(model.Abandon, 1)}, [][]string{{model.Blocked}, either}},
	} {
		w := after(k.steps...)
		if diff := cmp.Diff(k.may, [][]string{w.May(4), w.May(5)}); diff != "" {
			t.Errorf("%s: %s", k.what, diff)
		}
	}
	if w := after(do(model.Suspend, 3)); !w.Waits(4) || w.Waits(5) || !w.Held(4) || !w.WasHeld(4) || w.WasHeld(5) {
		t.Error("the dependent of a suspended intent does not wait, or that of the dependent does")
	}
}

func TestContainers(t *testing.T) {
	w := after(do(model.Suspend, 1), do(model.Suspend, 3), do(model.Complete, 2))
	for i, want := range []model.Portfolio{
		{Suspended: 2, Memberships: 2, Word: "in_progress"}, {Suspended: 1, Memberships: 2, Word: "in_progress"},
	} {
		if got := w.Shows(i); got != want || got.Twice() != (i == 1) {
			t.Errorf("portfolio %d shows %v", i, got)
		}
	}
	if got := w.Counted(0, model.Suspended); got != (model.Count{Least: 2, Most: 2}) {
		t.Errorf("the parent counts %v suspended", got)
	}
	if w.Closed(0) || !w.Closed(5) {
		t.Error("a parent is closed over open children, or one without children is not")
	}
	w.Do(do(model.Abandon, 5))
	if got := w.Shows(1).Word; got != "failed" {
		t.Errorf("a portfolio with an abandoned member is %s", got)
	}
	done := after(do(model.Complete, 1), do(model.Complete, 2), do(model.Complete, 3))
	if got := done.Shows(0).Word; got != "completed" {
		t.Errorf("a portfolio of completed members is %s", got)
	}
}

// Whatever the graph: what must be blocked has something open, what has nothing open is not blocked, and aggregates count no more
// than there is.
func TestWorlds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(rt, "intents")
		p := model.Program{Intents: make([]model.Intent, n)}
		for i := range p.Intents {
			p.Intents[i].Parent = rapid.IntRange(model.None, i-1).Draw(rt, "parent")
			for d := range i {
				if rapid.Bool().Draw(rt, "depends") {
					p.Intents[i].DependsOn = append(p.Intents[i].DependsOn, d)
				}
			}
		}
		p.Portfolios = [][]int{rapid.SliceOfN(rapid.IntRange(0, n-1), 1, 5).Draw(rt, "members")}
		w := p.Start()
		for range rapid.IntRange(0, 30).Draw(rt, "steps") {
			i := rapid.IntRange(0, n-1).Draw(rt, "of")
			switch may := w.May(i); {
			case may[0] == model.Suspended:
				w.Do(do(model.Answer, i))
			case w.Is(i, model.Active):
				w.Do(do(rapid.SampledFrom([]model.Action{model.Suspend, model.Complete, model.Abandon, model.Try}).Draw(rt, "do"), i))
			}
			for k := range p.Intents {
				if w.Held(k) != w.Is(k, model.Blocked) || w.Held(k) && (len(w.Open(k)) == 0 || !w.WasHeld(k)) {
					rt.Fatalf("%d may be %v, is held %t, has open %v", k, w.May(k), w.Held(k), w.Open(k))
				}
				if c := w.Counted(k, model.Suspended); c.Least > c.Most || c.Most > len(p.Around(k)) {
					rt.Fatalf("%d counts %v", k, c)
				}
			}
			if f := w.Shows(0); f.Suspended > f.Memberships || f.Suspended > 0 && f.Word == "completed" {
				rt.Fatalf("the portfolio shows %v", f)
			}
		}
	})
}

func TestAcyclic(t *testing.T) {
	if !family.Acyclic() {
		t.Error("the family cannot be completed")
	}
	p := model.Program{Intents: []model.Intent{
		{Parent: model.None}, {Parent: model.None, DependsOn: []int{0}}, {Parent: 0, DependsOn: []int{1}},
	}}
	if p.Acyclic() {
		t.Error("a child that waits for what waits for its parent can be completed")
	}
	if got := p.Parents(); !slices.Equal(got, []int{0}) {
		t.Errorf("the parents are %v", got)
	}
}

func TestRules(t *testing.T) {
	counted := map[model.Rule]int{}
	for _, from := range model.Statuses {
		for _, to := range model.Statuses {
			counted[model.RuleOf(from, to)]++
		}
	}
	want := map[model.Rule]int{model.Allowed: 2, model.OnlyActive: 4, model.OnlyAnswered: 1, model.Unsaid: 29}
	if diff := cmp.Diff(want, counted); diff != "" {
		t.Error(diff)
	}
}
