package explore

import (
	"fmt"
	"slices"
	"strings"

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
	states := []S{h.Begin}
	for _, i := range v.Order {
		step := h.Steps[i]
		next := k.Model.After(states, step)
		if !step.Lost {
			for _, r := range k.rules(states, step.In) {
				for _, id := range r.Of {
					if slices.Contains(j.Proves(), id) || k.behindKill(h, step) {
						j.Check(id, k.Shown(step.Out)).To(as(r.Name, len(next) > 0), "%s", k.Model.Tell(step))
					}
				}
			}
		}
		states = next
	}
}

// behindKill reports whether the target was killed before a step.
func (k *Kind[S, In, Out]) behindKill(h History[S, In, Out], step history.Step[In, Out]) bool {
	return step.Killed && !k.Single || slices.ContainsFunc(h.Steps, func(s history.Step[In, Out]) bool {
		return s.Killed && s.Ended < step.Began
	})
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
	picture := strings.TrimRight(k.Model.Picture(h.Steps, v), "\n")
	for _, t := range v.Closest {
		cited := false
		for _, miss := range t.Misses {
			if id := t.Rule.Sentence(miss); id != "" {
				j.Check(id, miss.At).To(as(miss.Want+", where\n"+picture, false), "%s", t.Rule.Name)
				cited = true
			}
		}
		if cited {
			return
		}
	}
	j.Block("no text says what comes of this: "+k.Model.Tell(h.Steps[v.Wrong]), "explore with another seed")
}

// as is whether something is as the model has it.
func as(want string, ok bool) check.Matcher {
	return check.Seeing(want, func(s wire.Seen) (bool, string) { return ok, wire.Compact(s.Actual()) })
}
