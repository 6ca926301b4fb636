package history

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/anishathalye/porcupine"
)

// Verdict is whether a model explains a history.
type Verdict[S comparable, In, Out any] struct {
	// GaveUp: it takes more steps of the model to decide that than it was given, or a sentence is violated that is not asked. No
	// more is known then.
	GaveUp bool
	// Order is the longest part of the history that the model explains, in an order in which it may have gone. It holds every
	// step if all of it is explained.
	Order []int
	// Wrong is the first step that cannot go on from there, -1 if there is none, and Closest how it comes closest to being allowed.
	Wrong   int
	Closest []Taken[S, In, Out]
	States  []S // before Wrong, or at the end
}

// Ok reports whether the model explains all of the history.
func (v Verdict[S, In, Out]) Ok() bool { return !v.GaveUp && v.Wrong < 0 }

// Most is how many steps of the model [Model.Explain] may take to decide, unless told otherwise.
const Most = 200_000

// Explain says whether the model explains a history that began in one of these states. Steps that overlap may have gone in any
// order that keeps one client's after another's, and one that had ended before one that had not begun: it looks for one
// (linearizability, by Porcupine). most bounds the steps of the model; 0 means [Most].
func (m *Model[S, In, Out]) Explain(begin []S, steps []Step[In, Out], most int) Verdict[S, In, Out] {
	most = cmp.Or(most, Most)
	if inOrder(steps) {
		return m.follow(begin, steps, nil)
	}
	return m.linearize(begin, steps, most)
}

// inOrder reports whether each step had ended before the next began, and none but the last was lost. Of what ended and began at the
// same moment nobody knows which was first, unless one client did both.
func inOrder[In, Out any](steps []Step[In, Out]) bool {
	for i := 1; i < len(steps); i++ {
		before, step := steps[i-1], steps[i]
		if before.Lost || before.Ended > step.Began || before.Ended == step.Began && before.Client != step.Client {
			return false
		}
	}
	return true
}

// follow explains steps in this order, as far as it goes; nil is that of the list.
func (m *Model[S, In, Out]) follow(states []S, steps []Step[In, Out], order []int) (v Verdict[S, In, Out]) {
	if order == nil {
		order = make([]int, len(steps))
		for i := range order {
			order[i] = i
		}
	}
	v.Wrong = -1
	for k, i := range order {
		next := m.After(states, steps[i])
		if len(next) == 0 {
			v.Order, v.States = order[:k], states
			m.blame(&v, i, steps[i])
			return v
		}
		states = next
	}
	v.Order, v.States = order, states
	return v
}

// closest returns the ways that come closest to what a step showed.
func (m *Model[S, In, Out]) closest(states []S, step Step[In, Out]) (best []Taken[S, In, Out]) {
	fewest := math.MaxInt
	for _, s := range states {
		for _, t := range m.ways(s, step) {
			if n := len(t.Misses); n < fewest {
				fewest, best = n, nil
			}
			if len(t.Misses) == fewest {
				best = append(best, t)
			}
		}
	}
	return best
}

// linearize looks for an order in which the model explains the steps.
func (m *Model[S, In, Out]) linearize(begin []S, steps []Step[In, Out], most int) Verdict[S, In, Out] {
	result, longest, taken := m.orders(begin, steps, most, false)
	if taken > most {
		return Verdict[S, In, Out]{GaveUp: true, Wrong: -1, Order: longest}
	}
	v := m.follow(begin, steps, longest)
	if result != porcupine.Illegal {
		return v
	}
	if len(m.known) > 0 {
		if result, _, taken := m.orders(begin, steps, most, true); taken > most || result != porcupine.Illegal {
			v.GaveUp = true
			return v
		}
	}
	wrong := next(steps, longest)
	m.blame(&v, wrong, steps[wrong])
	return v
}

// anything is the unknown state: it allows every step.
type anything struct{}

// orders searches for an order of all steps. It returns the longest that it found, and the number of model steps it took. If excusing is
// set, a step that violates only known sentences leads to the unknown state.
func (m *Model[S, In, Out]) orders(begin []S, steps []Step[In, Out], most int, excusing bool) (
	result porcupine.CheckResult, longest []int, taken int,
) {
	model := (&porcupine.NondeterministicModel{
		Init: func() []any { return anySlice(begin) },
		StepContext: func(_ context.Context, state, input, _ any) []any {
			if taken++; taken > most {
				return nil
			}
			s, is := state.(S)
			if !is {
				return []any{anything{}}
			}
			step := steps[input.(int)]
			after := anySlice(m.After([]S{s}, step))
			if len(after) == 0 && excusing && slices.ContainsFunc(m.ways(s, step), m.excuses) {
				after = append(after, anything{})
			}
			return after
		},
	}).ToModel()
	operations := make([]porcupine.Operation, len(steps))
	for i, s := range steps {
		ended := int64(s.Ended)
		if s.Lost {
			ended = math.MaxInt64
		}
		operations[i] = porcupine.Operation{ClientId: s.Client, Input: i, Call: int64(s.Began), Return: ended}
	}
	result, info := porcupine.CheckOperationsVerbose(model, operations, 0)
	longest = []int{} // there is none where not even one step is explained
	for _, order := range info.PartialLinearizations()[0] {
		if len(order) > len(longest) {
			longest = order
		}
	}
	return result, longest, taken
}

// blame notes a step that cannot go on from where it is, unless that is for sentences that are not asked.
func (m *Model[S, In, Out]) blame(v *Verdict[S, In, Out], i int, step Step[In, Out]) {
	for _, s := range v.States {
		if slices.ContainsFunc(m.ways(s, step), m.excuses) {
			v.GaveUp = true
			return
		}
	}
	v.Wrong, v.Closest = i, m.closest(v.States, step)
}

func anySlice[S any](all []S) []any {
	out := make([]any, len(all))
	for i, s := range all {
		out[i] = s
	}
	return out
}

// next returns the step that had to be next: the first to end of those that are not in the order.
func next[In, Out any](steps []Step[In, Out], order []int) int {
	first := -1
	for i, s := range steps {
		if !s.Lost && !slices.Contains(order, i) && (first < 0 || s.Ended < steps[first].Ended) {
			first = i
		}
	}
	return first
}
