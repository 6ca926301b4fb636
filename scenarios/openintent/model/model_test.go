package model_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openassay/assay/scenarios/openintent/model"
)

// Two intents depend on three, one parent holds all of these, and the second portfolio has one member twice.
var family = model.Program{
	Places: []model.Place{
		{Parent: model.None}, {Parent: 0}, {Parent: 0}, {Parent: 0},
		{Parent: model.None, DependsOn: []int{1, 2, 3}}, {Parent: model.None, DependsOn: []int{4}},
	},
	Folders: []model.Folder{{Members: members(1, 2, 3)}, {Members: members(1, 1, 2, 5)}},
}

func members(of ...int) (all []model.Member) {
	for _, n := range of {
		all = append(all, model.Member{Intent: n})
	}
	return all
}

func after(steps ...model.Step) *model.Scene {
	c := family.Begin()
	for _, s := range steps {
		c.Take(s)
	}
	return c
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
	if w := after(do(model.Suspend, 3)); !w.Waits(4) || w.Waits(5) || !w.Held(4) || w.Held(5) {
		t.Error("the dependent of a suspended intent does not wait, or that of the dependent does")
	}
}

func TestContainers(t *testing.T) {
	w := after(do(model.Suspend, 1), do(model.Suspend, 3), do(model.Complete, 2))
	for i, want := range []model.Portfolio{
		{Suspended: 2, Memberships: 2, Word: "in_progress", Of: "OIP-0026-R4F"},
		{Suspended: 1, Memberships: 2, Word: "in_progress", Of: "OIP-0026-R4F"},
	} {
		if got := w.Shows(i); got != want || got.Twice() != (i == 1) {
			t.Errorf("portfolio %d shows %v", i, got)
		}
	}
	if least, most := w.Counted(0, model.Suspended); least != 2 || most != 2 {
		t.Errorf("the parent counts %d to %d suspended", least, most)
	}
	w.Take(do(model.Abandon, 5))
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
		p := model.Program{Places: make([]model.Place, n)}
		for i := range p.Places {
			p.Places[i].Parent = rapid.IntRange(model.None, i-1).Draw(rt, "parent")
			for d := range i {
				if rapid.Bool().Draw(rt, "depends") {
					p.Places[i].DependsOn = append(p.Places[i].DependsOn, d)
				}
			}
		}
		p.Folders = []model.Folder{{Members: members(rapid.SliceOfN(rapid.IntRange(0, n-1), 1, 5).Draw(rt, "members")...)}}
		w := p.Begin()
		for range rapid.IntRange(0, 30).Draw(rt, "steps") {
			i := rapid.IntRange(0, n-1).Draw(rt, "of")
			switch may := w.May(i); {
			case may[0] == model.Suspended:
				w.Take(do(model.Answer, i))
			case w.Is(i, model.Active):
				w.Take(do(rapid.SampledFrom([]model.Action{model.Suspend, model.Complete, model.Abandon, model.Try}).Draw(rt, "do"), i))
			}
			for k := range p.Places {
				if w.Held(k) != w.Is(k, model.Blocked) || w.Held(k) && w.Open(k) == 0 {
					rt.Fatalf("%d may be %v, is held %t, has open %v", k, w.May(k), w.Held(k), w.Open(k))
				}
				if least, most := w.Counted(k, model.Suspended); least > most || most > w.Around(k).Len() {
					rt.Fatalf("%d counts %d to %d", k, least, most)
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
	p := model.Program{Places: []model.Place{
		{Parent: model.None}, {Parent: model.None, DependsOn: []int{0}}, {Parent: 0, DependsOn: []int{1}},
	}}
	if p.Acyclic() {
		t.Error("a child that waits for what waits for its parent can be completed")
	}
}

// A portfolio is summed up by its members; no sentence has a word for one without any.
func TestSummed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		members []string
		want    string
	}{
		{nil, ""},
		{[]string{model.Completed}, "completed"},
		{[]string{model.Completed, model.Suspended}, "in_progress"},
		{[]string{model.Completed, model.Abandoned, model.Active}, "failed"},
	} {
		if word, of := model.Summed(c.members); word != c.want || (word == "") != (of == "") {
			t.Errorf("%v: %q of %q, want %q", c.members, word, of, c.want)
		}
	}
}
