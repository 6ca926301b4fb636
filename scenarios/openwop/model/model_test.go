package model_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openassay/assay/scenarios/openwop/model"
)

const echo, again = "assay-echo", "assay-echo-again"

func read(t *testing.T, id string) model.Workflow {
	t.Helper()
	w, err := model.Read(id)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func tell(t *testing.T, p model.Program) model.Story {
	t.Helper()
	return p.Tell(read(t, "assay-loop-mapped"), map[string]model.Workflow{echo: read(t, echo), again: read(t, again)})
}

// A program by hand: the second worker is given what the first one brought back, a question changes nothing, and what stands behind
// the end is not carried out.
func TestTell(t *testing.T) {
	p := model.Program{Inputs: model.Values{"said": "one", "other": "two"}, Turns: []model.Turn{
		{Workers: []string{again, echo}}, {Prompt: "Go on?"}, {Workers: []string{again}}, {Reason: "done"}, {Workers: []string{echo}},
	}}
	s := tell(t, p)
	first := model.Handoff{Worker: again, Inputs: map[string]any{"word": "two", "aside": ""}, Harvested: []string{"again"},
		Replaced: []string{"extra"}}
	last := first
	last.Inputs = map[string]any{"word": "two", "aside": "one"}
	want := model.Story{
		Turns: []model.Taken{
			{Turn: p.Turns[0], Handoffs: []model.Handoff{first, {Worker: echo, Inputs: map[string]any{"word": "one"},
				Unset: []string{"extra"}, Harvested: []string{"heard"}}}},
			{Turn: p.Turns[1]},
			{Turn: p.Turns[2], Handoffs: []model.Handoff{last}},
			{Turn: p.Turns[3]},
		},
		Variables: map[string]any{"said": "one", "other": "two", "outcome": "untouched", "heard": "one", "again": "one"},
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
	if n := s.Questions(); n != 1 {
		t.Errorf("%d questions", n)
	}
}

// A bound ends the story behind as many turns, and only where there is one more to take.
func TestTellWithABound(t *testing.T) {
	p := model.Program{Turns: []model.Turn{{Workers: []string{echo}}, {Prompt: "Go on?"}, {Reason: "done"}}}
	for bound, want := range map[int]int{0: 3, 1: 1, 2: 2, 3: 3, 4: 3} {
		p.Bound = bound
		if s := tell(t, p); len(s.Turns) != want || s.Breached != (want < 3) {
			t.Errorf("with bound %d there are %d turns, breached %t", bound, len(s.Turns), s.Breached)
		}
	}
}

// Whatever the program: a story is a beginning of it, and a longer bound changes nothing of what came before.
func TestStoriesAreBeginnings(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		turn := rapid.Custom(func(rt *rapid.T) model.Turn {
			switch rapid.IntRange(0, 9).Draw(rt, "kind") {
			case 0:
				return model.Turn{Reason: "done"}
			case 1, 2:
				return model.Turn{Prompt: "Go on?"}
			}
			return model.Turn{Workers: rapid.SliceOfN(rapid.SampledFrom([]string{echo, again}), 1, 4).Draw(rt, "workers")}
		})
		p := model.Program{Turns: rapid.SliceOfN(turn, 1, 12).Draw(rt, "turns"), Bound: rapid.IntRange(0, 13).Draw(rt, "bound"),
			Inputs: model.Values{"said": rapid.String().Draw(rt, "said")}}
		s := tell(t, p)
		for i, taken := range s.Turns {
			if !cmp.Equal(taken.Turn, p.Turns[i]) || len(taken.Handoffs) != len(taken.Workers) {
				rt.Fatalf("turn %d is %v", i+1, taken)
			}
		}
		whole := p
		whole.Bound = 0
		all := tell(t, whole)
		if !cmp.Equal(s.Turns, all.Turns[:len(s.Turns)]) || s.Breached != (len(s.Turns) < len(all.Turns)) {
			rt.Fatalf("with bound %d: %v\nwithout: %v", p.Bound, s, all)
		}
		end := slices.IndexFunc(p.Turns, func(t model.Turn) bool { return t.Reason != "" })
		if end >= 0 && len(all.Turns) != end+1 {
			rt.Fatalf("%d turns, and the decision to end is number %d", len(all.Turns), end+1)
		}
	})
}

// Values that look empty are values, and come back as they were given.
func TestTellKeepsValuesOfEveryType(t *testing.T) {
	given := model.Values{"flag": false, "count": 0, "shape": map[string]any{"none": nil}, "list": []any{}}
	const typed = "assay-echo-typed"
	s := model.Program{Inputs: given, Turns: []model.Turn{{Workers: []string{typed, typed}}, {Reason: "done"}}}.
		Tell(read(t, "assay-loop-mapped"), map[string]model.Workflow{typed: read(t, typed)})
	back := []string{"counted", "flagged", "listed", "shaped"}
	want := []model.Handoff{
		{Worker: typed, Inputs: maps.Clone(given), Unset: []string{"before"}, Replaced: []string{"extra", "word"}, Harvested: back},
		{Worker: typed, Inputs: maps.Clone(given), Replaced: []string{"extra", "word"}, Harvested: back},
	}
	want[1].Inputs["before"] = []any{}
	if diff := cmp.Diff(want, s.Workers()); diff != "" {
		t.Error(diff)
	}
	for from, to := range map[string]string{"flag": "flagged", "count": "counted", "shape": "shaped", "list": "listed"} {
		if diff := cmp.Diff(given[from], s.Variables[to]); diff != "" {
			t.Errorf("%s: %s", to, diff)
		}
	}
}

func TestReadKnowsOnlyFixtures(t *testing.T) {
	if _, err := model.Read("assay-unheard-of"); err == nil {
		t.Error("there is such a fixture")
	}
}
