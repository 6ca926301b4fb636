package model

import "slices"

// Intents are intents in the order in which they are made.
type Intents []Intent

// Intent is an intent and how it hangs together with others. Parent and DependsOn are numbers of intents before it.
type Intent struct {
	Parent    int   `json:"parent"` // None for none
	DependsOn []int `json:"dependsOn,omitempty"`
}

// None is the number of no intent.
const None = -1

// Children returns the intents whose parent is n.
func (all Intents) Children(n int) (children []int) {
	for i, in := range all {
		if in.Parent == n {
			children = append(children, i)
		}
	}
	return children
}

// Parents returns the intents that have children, in order.
func (all Intents) Parents() (parents []int) {
	for n := range all {
		if len(all.Children(n)) > 0 {
			parents = append(parents, n)
		}
	}
	return parents
}

// Around returns everything that the graph of n may hold: n, all below it, and what these depend on, directly or not.
func (all Intents) Around(n int) []int {
	around, seen := []int{n}, map[int]bool{n: true}
	for i := 0; i < len(around); i++ {
		for _, next := range append(all.Children(around[i]), all[around[i]].DependsOn...) {
			if !seen[next] {
				seen[next] = true
				around = append(around, next)
			}
		}
	}
	return around
}

// Acyclic reports whether there is an order in which all intents can be completed: each after its children and after what it
// depends on.
func (all Intents) Acyclic() bool {
	left := map[int]bool{}
	for n := range all {
		left[n] = true
	}
	for len(left) > 0 {
		before := len(left)
		for n := range all {
			if !left[n] {
				continue
			}
			open := false
			for _, first := range append(all.Children(n), all[n].DependsOn...) {
				open = open || left[first]
			}
			if !open {
				delete(left, n)
			}
		}
		if len(left) == before {
			return false
		}
	}
	return true
}

// standing is what intents are after some steps, as a caller has it: one that is blocked by what it depends on is active here.
type standing struct {
	Now    Intents // as they hang together by now
	status []string
	held   []bool // something that it depends on was suspended, and not all of that is completed since
	stays  []bool // it may be suspended for ever: its window passed and its fallback is fail
}

// begin returns intents that are all active.
func begin(all Intents) standing {
	s := standing{Now: slices.Clone(all), status: make([]string, len(all)), held: make([]bool, len(all)), stays: make([]bool, len(all))}
	for n := range s.status {
		s.status[n] = Active
	}
	return s
}

func (s *standing) copy() standing {
	return standing{Now: slices.Clone(s.Now), status: slices.Clone(s.status), held: slices.Clone(s.held), stays: slices.Clone(s.stays)}
}

// Dependents returns the intents that depend on n directly.
func (s *standing) Dependents(n int) (all []int) {
	for d, in := range s.Now {
		if slices.Contains(in.DependsOn, n) {
			all = append(all, d)
		}
	}
	return all
}

// suspend suspends n, which blocks what is active and depends on it (RFC-0026 2, rule 2).
func (s *standing) suspend(n int) {
	s.status[n] = Suspended
	for _, d := range s.Dependents(n) {
		s.held[d] = s.held[d] || s.status[d] == Active
	}
}

// complete completes n. What depends on it goes on when all that it depends on is completed (RFC-0002).
func (s *standing) complete(n int) {
	s.status[n] = Completed
	for _, d := range s.Dependents(n) {
		s.held[d] = s.held[d] && len(s.Open(d)) > 0
	}
}

func (s *standing) suspended(n int) bool { return s.status[n] == Suspended }

// Open returns those that n depends on and that are not completed.
func (s *standing) Open(n int) []int {
	return slices.DeleteFunc(slices.Clone(s.Now[n].DependsOn), func(d int) bool { return s.status[d] == Completed })
}

// Is reports whether n has this status beyond doubt.
func (s *standing) Is(n int, status string) bool { return slices.Equal(s.May(n), []string{status}) }

// May returns the statuses that n may show. One that depends on something open, of which nothing was suspended, is active or
// blocked: RFC-0026 2 has it active, RFC-0002 never lets it be.
func (s *standing) May(n int) []string {
	switch {
	case s.stays[n]:
		return []string{Abandoned, Suspended}
	case s.status[n] != Active:
		return []string{s.status[n]}
	case s.held[n]:
		return []string{Blocked}
	case len(s.Open(n)) > 0:
		return []string{Active, Blocked}
	}
	return []string{Active}
}
