package explore

import "github.com/openassay/assay/scenarios/history"

// Coverage is how often each rule of a model was met, by its name.
type Coverage map[string]int

// meet counts the rules that steps met. In which of several states an object was nobody knows: all count.
func (k *Kind[S, In, Out]) meet(met Coverage, states []S, round []history.Step[In, Out]) {
	for _, step := range round {
		for _, s := range states {
			if r := k.Model.RuleOf(s, step.In); r != nil {
				met[r.Name]++
			}
		}
	}
}
