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
	standing
	members [][]int // of each portfolio
	waited  []bool  // it was held at some time
	done    int     // steps
}

// Start returns the world when all intents are made and active.
func (p Program) Start() *World {
	w := &World{Program: p, standing: begin(p.Intents), waited: make([]bool, len(p.Intents))}
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
		w.suspend(s.Intent)
		for d, held := range w.held {
			w.waited[d] = w.waited[d] || held
		}
	case Answer: // RFC-0025 8; it alone unblocks nothing (RFC-0026 2, rule 2)
		w.status[s.Intent] = Active
	case Complete:
		w.complete(s.Intent)
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

// Held reports whether n must be blocked: something that it depends on was suspended, and not all of that is completed since.
func (w *World) Held(n int) bool { return w.held[n] }

// WasHeld reports whether n was held at some time.
func (w *World) WasHeld(n int) bool { return w.waited[n] }

// Waits reports whether something that n depends on directly is suspended.
func (w *World) Waits(n int) bool {
	return slices.ContainsFunc(w.Intents[n].DependsOn, w.suspended)
}

// Closed reports whether all children of n are completed. Whether an abandoned one holds its parent up is open.
func (w *World) Closed(n int) bool {
	return !slices.ContainsFunc(w.Children(n), func(c int) bool { return w.status[c] != Completed })
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
	c.standing = w.standing.copy()
	c.waited, c.members = slices.Clone(w.waited), slices.Clone(w.members)
	return &c
}
