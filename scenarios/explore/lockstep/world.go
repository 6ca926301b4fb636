package lockstep

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/explore"
	"github.com/openassay/assay/scenarios/history"
)

// World is a small world: an object of a kind as it begins, and the steps that are tried in each of its states.
type World[S comparable, In, Out any] struct {
	Name string
	Kind *explore.Kind[S, In, Out]
	// Begin is how the object begins where everything is claimed, and On on a target that claims this, if that is another way.
	Begin S
	On    func(S, scenarios.Discovery) S
	Steps []In
	// Looks are how many of the steps, from the first on, are reads that follow each other step when it is taken in a state for the first
	// time: it may have done what its reply does not tell.
	Looks int
	// Told are states in which objects come to be, too, but by no step alone: a reply tells so.
	Told []S
	// Plain returns a state without what other objects have otherwise, like ids, and what no rule looks at but to blame a sentence.
	Plain func(S) S
	// Asks reports whether a step is taken in a state; nil: each is.
	Asks func(S, In) bool
	// Over reports whether no text says what comes after a state.
	Over func(S) bool
	// Scenario is that of the kind. It says what a target has to claim.
	Scenario scenarios.Scenario
}

// Small is a small world of whatever kind.
type Small interface {
	// Called returns its name, and Of that of the kind of its objects.
	Called() string
	Of() string
	// All returns the ways of all rules of the model.
	All() []Way
	// Count enumerates the states that so many steps lead to.
	Count(depth int) Census
	// Walk begins a walk through it, beside a target. What is taken first is drawn with a seed.
	Walk(depth int, seed uint64) Walk
}

// Called implements [Small].
func (w *World[S, In, Out]) Called() string { return w.Name }

// Of implements [Small].
func (w *World[S, In, Out]) Of() string { return w.Scenario.Name() }

// Census is what was counted of a small world.
type Census struct {
	States, Steps int
	Ways          map[Way]bool // of all rules that were met
	Ruleless      []string     // steps for which a state has no rule, after the steps that lead to it
}

// Way is a way of a rule.
type Way struct {
	Kind, Rule, Way string
	Must            bool
}

// String names it.
func (w Way) String() string {
	if w.Way == "" {
		return w.Kind + ": " + w.Rule
	}
	return w.Kind + ": " + w.Rule + ": " + w.Way
}

// All implements [Small].
func (w *World[S, In, Out]) All() (all []Way) {
	for _, r := range w.Kind.Model.Rules {
		all = append(all, w.ways(r)...)
	}
	return all
}

func (w *World[S, In, Out]) ways(r *history.Rule[S, In, Out]) (all []Way) {
	for i := range r.Ways {
		all = append(all, w.way(r, &r.Ways[i]))
	}
	return all
}

func (w *World[S, In, Out]) way(r *history.Rule[S, In, Out], way *history.Way[S, In, Out]) Way {
	return Way{w.Of(), r.Name, way.Name, way.Must}
}

// Place is a state that some steps lead to, and the last of them.
type Place[S comparable] struct {
	State    S
	Depth    int
	from, by int // the place before, -1 for the first, and the step that leads on from there
}

// Reach returns all states that so many steps lead to from some states, those first that are near, whatever comes of the steps. Replies
// tell nothing there: each step goes each way that its rule has.
func (w *World[S, In, Out]) Reach(depth int, from ...S) (all []Place[S]) {
	seen := map[S]bool{}
	for _, s := range from {
		seen[w.Plain(s)] = true
		all = append(all, Place[S]{State: s, from: -1})
	}
	for i := 0; i < len(all); i++ {
		if all[i].Depth == depth || w.over(all[i].State) {
			continue
		}
		for by, in := range w.Steps {
			r := w.Kind.Model.RuleOf(all[i].State, in)
			if r == nil || !w.asks(all[i].State, in) {
				continue
			}
			for _, way := range r.Ways {
				next := way.To(all[i].State, history.Step[In, Out]{In: in})
				if plain := w.Plain(next); !seen[plain] {
					seen[plain] = true
					all = append(all, Place[S]{next, all[i].Depth + 1, i, by})
				}
			}
		}
	}
	return all
}

// Path returns the fewest steps that lead to a place of [World.Reach], by number.
func Path[S comparable](all []Place[S], to int) (steps []int) {
	for ; all[to].from >= 0; to = all[to].from {
		steps = append(steps, all[to].by)
	}
	slices.Reverse(steps)
	return steps
}

func (w *World[S, In, Out]) asks(s S, in In) bool { return w.Asks == nil || w.Asks(s, in) }

func (w *World[S, In, Out]) over(s S) bool { return w.Over != nil && w.Over(s) }

// Count implements [Small].
func (w *World[S, In, Out]) Count(depth int) Census {
	all := w.Reach(depth, append([]S{w.Begin}, w.Told...)...)
	c := Census{States: len(all), Ways: map[Way]bool{}}
	for i, p := range all {
		for by, in := range w.Steps {
			if !w.asks(p.State, in) {
				continue
			}
			c.Steps++
			r := w.Kind.Model.RuleOf(p.State, in)
			if r == nil {
				c.Ruleless = append(c.Ruleless, w.tell(append(Path(all, i), by)))
				continue
			}
			for _, way := range w.ways(r) {
				c.Ways[way] = true
			}
		}
	}
	return c
}

// Gaps tells what is wrong with the rules in small worlds, as far as so many steps lead: that a step has none in some state, and that
// one is met by no step. It also counts the states and the steps.
func Gaps(worlds []Small, depth int) (gaps, counts []string) {
	met := map[Way]bool{}
	for _, w := range worlds {
		c := w.Count(depth)
		counts = append(counts, fmt.Sprintf("%s: %d states, %d steps in them", w.Called(), c.States, c.Steps))
		maps.Copy(met, c.Ways)
		if n := len(c.Ruleless); n > 0 {
			gaps = append(gaps, fmt.Sprintf("%s: %d steps have no rule, like the last of: %s", w.Called(), n, c.Ruleless[0]))
		}
	}
	for _, w := range worlds {
		for _, way := range w.All() {
			if !met[way] {
				met[way] = true
				gaps = append(gaps, "no small world meets the rule: "+way.String())
			}
		}
	}
	return gaps, counts
}

// tell tells steps whose replies nobody knows.
func (w *World[S, In, Out]) tell(steps []int) string {
	lines := make([]string, len(steps))
	for i, by := range steps {
		lines[i] = w.Kind.Model.Tell(history.Step[In, Out]{In: w.Steps[by], Lost: true})
	}
	return strings.Join(lines, "; ")
}

// leading are the fewest steps up to one that meets a rule, by number.
type leading struct {
	rule  string
	steps []int
}

// toRules returns the fewest steps to each rule.
func (w *World[S, In, Out]) toRules(depth int, begin S) (each []leading) {
	met := map[*history.Rule[S, In, Out]]bool{}
	all := w.Reach(depth-1, begin)
	for i, p := range all {
		for by, in := range w.Steps {
			if r := w.Kind.Model.RuleOf(p.State, in); r != nil && !met[r] && !w.over(p.State) && w.asks(p.State, in) {
				met[r] = true
				each = append(each, leading{r.Name, append(Path(all, i), by)})
			}
		}
	}
	return each
}
