package model

import "slices"

// The statuses of intents.
const (
	Draft     = "draft"
	Active    = "active"
	Blocked   = "blocked"
	Suspended = "suspended_awaiting_input"
	Completed = "completed"
	Abandoned = "abandoned"
)

// Statuses lists all of them.
var Statuses = []string{Draft, Active, Blocked, Suspended, Completed, Abandoned}

// World is what the intents of a program show after some of its steps.
type World struct {
	Program
	members [][]int  // of each portfolio
	status  []string // as a caller has it: an intent that what it depends on blocks is active here
	held    []bool   // something that it depends on was suspended, and not all of that is completed since
	waited  []bool   // it was held at some time
	done    int      // steps
}

// Start returns the world when all intents are made and active.
func (p Program) Start() *World {
	w := &World{Program: p, status: make([]string, len(p.Intents)), held: make([]bool, len(p.Intents)), waited: make([]bool, len(p.Intents))}
	for n := range w.status {
		w.status[n] = Active
	}
	for _, all := range p.Portfolios {
		w.members = append(w.members, slices.Clone(all))
	}
	return w
}

// Next does the next step of the program, and reports whether there is one.
func (w *World) Next() (s Step, more bool) {
	if w.done == len(w.Steps) {
		return s, false
	}
	s = w.Steps[w.done]
	w.done++
	w.Do(s)
	return s, true
}

// Skip passes over the next step, which a server did not take.
func (w *World) Skip() { w.done++ }

// Do does a step. What must be refused changes nothing.
func (w *World) Do(s Step) {
	switch s.Do {
	case Suspend:
		w.status[s.Intent] = Suspended
		for _, d := range w.Dependents(s.Intent) { // RFC-0026 2, rule 2
			if w.status[d] == Active {
				w.held[d], w.waited[d] = true, true
			}
		}
	case Answer: // RFC-0025 8; it alone unblocks nothing (RFC-0026 2, rule 2)
		w.status[s.Intent] = Active
	case Complete:
		w.status[s.Intent] = Completed
		for _, d := range w.Dependents(s.Intent) { // RFC-0002: only when all are completed
			if !w.Open(d) {
				w.held[d] = false
			}
		}
	case Abandon:
		w.status[s.Intent] = Abandoned
	case Join:
		w.members[s.Portfolio] = append(slices.Clone(w.members[s.Portfolio]), s.Intent)
	case Leave:
		w.members[s.Portfolio] = slices.DeleteFunc(slices.Clone(w.members[s.Portfolio]), func(m int) bool { return m == s.Intent })
	case Try:
	}
}

// Member reports whether n is a member of the portfolio i.
func (w *World) Member(i, n int) bool { return slices.Contains(w.members[i], n) }

// In returns the portfolios that n is a member of.
func (w *World) In(n int) (all []int) {
	for i := range w.members {
		if w.Member(i, n) {
			all = append(all, i)
		}
	}
	return all
}

// Dependents returns the intents that depend on n directly.
func (w *World) Dependents(n int) (all []int) {
	for d, in := range w.Intents {
		if slices.Contains(in.DependsOn, n) {
			all = append(all, d)
		}
	}
	return all
}

// Open reports whether something that n depends on is not completed.
func (w *World) Open(n int) bool {
	return slices.ContainsFunc(w.Intents[n].DependsOn, func(d int) bool { return w.status[d] != Completed })
}

// Held reports whether n must be blocked: something that it depends on was suspended, and not all of that is completed since.
func (w *World) Held(n int) bool { return w.held[n] }

// WasHeld reports whether n was held at some time.
func (w *World) WasHeld(n int) bool { return w.waited[n] }

// Waits reports whether something that n depends on directly is suspended.
func (w *World) Waits(n int) bool {
	return slices.ContainsFunc(w.Intents[n].DependsOn, func(d int) bool { return w.status[d] == Suspended })
}

// Closed reports whether all children of n are completed. Whether an abandoned one holds its parent up is open.
func (w *World) Closed(n int) bool {
	return !slices.ContainsFunc(w.Children(n), func(c int) bool { return w.status[c] != Completed })
}

// Is reports whether n has this status beyond doubt.
func (w *World) Is(n int, status string) bool {
	may := w.May(n)
	return len(may) == 1 && may[0] == status
}

// May returns the statuses that n may show. One that depends on something open, of which nothing was suspended, is active or
// blocked: RFC-0026 2 has it active, RFC-0002 never lets it be.
func (w *World) May(n int) []string {
	switch {
	case w.status[n] != Active:
		return []string{w.status[n]}
	case w.held[n]:
		return []string{Blocked}
	case w.Open(n):
		return []string{Active, Blocked}
	}
	return []string{Active}
}

// Portfolio is what a portfolio shows of its members (RFC-0026 2, rule 4).
type Portfolio struct {
	Suspended   int    // members, each once
	Memberships int    // of suspended members
	Word        string // completed, failed or in_progress
}

// Shows returns what the portfolio i shows.
func (w *World) Shows(i int) (f Portfolio) {
	seen, all := map[int]bool{}, true
	f.Word = "in_progress"
	for _, m := range w.members[i] {
		if w.status[m] == Suspended {
			f.Memberships++
			if !seen[m] {
				f.Suspended++
			}
		}
		seen[m] = true
		all = all && w.status[m] == Completed
		if w.status[m] == Abandoned {
			f.Word = "failed"
		}
	}
	if all {
		f.Word = "completed"
	}
	return f
}

// Twice reports whether a suspended intent is a member of the portfolio i more than once.
func (f Portfolio) Twice() bool { return f.Memberships > f.Suspended }

// Count is how many intents have a status: at least the children, at most all around (servers differ in what an aggregate covers).
type Count struct{ Least, Most int }

// Counted returns how many an aggregate of n counts under suspended_awaiting_input or completed.
func (w *World) Counted(n int, status string) (c Count) {
	for _, child := range w.Children(n) {
		if w.status[child] == status {
			c.Least++
		}
	}
	for _, other := range w.Around(n) {
		if w.status[other] == status {
			c.Most++
		}
	}
	return c
}

// Copy returns a world that goes its own way from here.
func (w *World) Copy() *World {
	c := *w
	c.status, c.held, c.waited = slices.Clone(w.status), slices.Clone(w.held), slices.Clone(w.waited)
	c.members = slices.Clone(w.members)
	return &c
}
