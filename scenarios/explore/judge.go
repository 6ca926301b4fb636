package explore

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
)

// Watched returns all sentences that the rules of the model cite, sorted.
func (k *Kind[S, In, Out]) Watched() (all scenarios.IDs) {
	all = slices.Clone(k.Beside)
	for _, r := range k.Model.Rules {
		all = append(all, r.Of...)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// Judge holds the histories against the model. Of one that was made small only that is judged.
func (k *Kind[S, In, Out]) Judge(o Observation[S, In, Out], j *scenarios.Judge) {
	k = k.except(o.Known)
	for i, h := range o.Histories {
		if i+1 < len(o.Histories) && o.Histories[i+1].Small {
			continue
		}
		v := k.Model.Explain([]S{h.Begin}, h.Steps, 0)
		k.explained(h, v, j)
		if v.Wrong >= 0 {
			k.unexplained(h, v, j)
		}
	}
	for _, id := range j.Proves() {
		if !j.Checked(id) {
			j.Unmet("no history came to what " + string(id) + " is about")
		}
	}
}

// except returns the kind with a model of objects that violate some sentences.
func (k *Kind[S, In, Out]) except(known scenarios.IDs) *Kind[S, In, Out] {
	copied := *k
	copied.Model = k.Model.Except(known)
	return &copied
}

// explained checks each step that the model explains under those sentences of the rules that it met which the scenario proves, and
// behind a kill also under the others: they were seen to survive it.
func (k *Kind[S, In, Out]) explained(h History[S, In, Out], v history.Verdict[S, In, Out], j *scenarios.Judge) {
	behindKill := k.behindKill(h)
	k.meets(h.Begin, h.Steps, v, func(step history.Step[In, Out], r *history.Rule[S, In, Out], of scenarios.IDs, allowed bool) {
		for _, id := range of {
			if slices.Contains(j.Proves(), id) || behindKill(step) {
				j.Check(id, k.Shown(step.Out)).To(as(r.Name, allowed), "%s", k.Model.Tell(step))
			}
		}
	})
}

// meets calls met for each rule that a step meets, in the order in which the model explains the steps. It skips steps that show nothing.
// of holds the sentences of the rule and those that the reply bears out.
func (k *Kind[S, In, Out]) meets(begin S, steps []history.Step[In, Out], v history.Verdict[S, In, Out],
	met func(step history.Step[In, Out], r *history.Rule[S, In, Out], of scenarios.IDs, allowed bool),
) {
	states := []S{begin}
	for _, i := range v.Order {
		step := steps[i]
		next := k.Model.After(states, step)
		if !step.Lost && (k.Nothing == nil || !k.Nothing(step.Out)) {
			for _, r := range k.rules(states, step.In) {
				met(step, r, slices.Concat(r.Of, k.borne(states, step, r)), len(next) > 0)
			}
		}
		states = next
	}
}

// borne returns the sentences that a step bears out by [history.Rule.Bears] in all states that allow it.
func (k *Kind[S, In, Out]) borne(states []S, step history.Step[In, Out], r *history.Rule[S, In, Out]) (all scenarios.IDs) {
	if r.Bears == nil {
		return nil
	}
	first := true
	for _, s := range states {
		if k.Model.RuleOf(s, step.In) != r || len(k.Model.Took([]S{s}, step)) == 0 {
			continue
		}
		of := r.Bears(s, step)
		if first {
			all, first = of, false
			continue
		}
		all = slices.DeleteFunc(slices.Clone(all), func(id scenarios.RequirementID) bool { return !slices.Contains(of, id) })
	}
	return all
}

// behindKill returns a function that reports whether the target was killed before a step.
func (k *Kind[S, In, Out]) behindKill(h History[S, In, Out]) func(history.Step[In, Out]) bool {
	first := time.Duration(math.MaxInt64) // end of the first step during which it was
	for _, s := range h.Steps {
		if s.Killed {
			first = min(first, s.Ended)
		}
	}
	return func(s history.Step[In, Out]) bool { return first < s.Began || s.Killed && !k.Single }
}

// rules returns the rules that hold for a step in some state.
func (k *Kind[S, In, Out]) rules(states []S, in In) (all []*history.Rule[S, In, Out]) {
	for _, s := range states {
		if r := k.Model.RuleOf(s, in); r != nil && !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all
}

// unexplained fails the step that no rule allows. It cites the sentences of the nearest allowed way.
func (k *Kind[S, In, Out]) unexplained(h History[S, In, Out], v history.Verdict[S, In, Out], j *scenarios.Judge) {
	if len(v.Closest) == 0 {
		panic(fmt.Sprintf("the model has no rule for %s", k.Model.Tell(h.Steps[v.Wrong])))
	}
	all := cited(v)
	if len(all) == 0 {
		j.Block("no text says what comes of this: "+k.Model.Tell(h.Steps[v.Wrong]), "explore with another seed")
	}
	picture := strings.TrimRight(k.Model.Picture(h.Steps, v), "\n")
	for _, c := range all {
		j.Check(c.Of, c.At).To(as(c.Want+", where\n"+picture, false), "%s", c.rule)
	}
}

// citation is what a reply shows and may not, by a sentence.
type citation struct {
	history.Miss
	rule string
}

// cited returns what the nearest allowed way is missed by that a sentence rules out.
func cited[S comparable, In, Out any](v history.Verdict[S, In, Out]) (all []citation) {
	for _, t := range v.Closest {
		for _, miss := range t.Misses {
			if miss.Of = t.Rule.Sentence(miss); miss.Of != "" {
				all = append(all, citation{miss, t.Rule.Name})
			}
		}
		if len(all) > 0 {
			break
		}
	}
	return all
}

// as is whether something is as the model has it.
func as(want string, ok bool) check.Matcher {
	return check.Seeing(want, func(s wire.Seen) (bool, string) { return ok, wire.Compact(s.Actual()) })
}
