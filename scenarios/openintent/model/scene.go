package model

import (
	"slices"

	"github.com/openassay/assay/scenarios"
)

// Scene is a program after some of its steps. Of an intent that was paused [Family.May] says nothing.
type Scene struct {
	Program
	Family
	Members [][]int // of each portfolio
	paused  Some    // by their coordinator, at some time
	written Some    // their outputs
}

// Begin returns the scene before the first step.
func (p Program) Begin() *Scene {
	c := &Scene{Program: p, Family: p.family()}
	for _, f := range p.Folders {
		var members []int
		for _, m := range f.Members {
			members = append(members, m.Intent)
		}
		c.Members = append(c.Members, members)
	}
	return c
}

// Copy returns a scene that goes its own way from here.
func (c *Scene) Copy() *Scene {
	d := *c
	d.Family, d.Members = slices.Clone(c.Family), slices.Clone(c.Members) // what is within is never written to
	return &d
}

// Take takes a step that the server carried out. One that it refused changes nothing.
func (c *Scene) Take(s Step) {
	switch n := s.Intent; s.Do {
	case Suspend:
		if c.halt(n); !s.Alone {
			c.record(n, 0, 0)
		}
		for d := range c.Family { // RFC-0026 3
			if c.Family[d].Status == Active && c.Wired(d, n) {
				c.paused = c.paused.with(d)
			}
		}
	case Recorded:
		c.record(n, 0, 0)
	case Answer:
		c.answer(n, 0)
	case Lapse:
		c.lapse(n, s.Fallback)
		c.Family[n].Stays = s.Fallback == Fails
	case Deadline: // RFC-0026 2, rule 5
		for _, m := range c.Members[s.On] {
			if c.Family[m].Status == Suspended {
				c.end(m, Abandoned)
			}
		}
	case Abandon:
		c.end(n, Abandoned)
	case Complete:
		c.end(n, Completed)
	case Activate:
		c.activate(n)
	case Depend:
		c.depend(n, s.On)
	case Join:
		c.Members[s.On] = append(slices.Clone(c.Members[s.On]), n)
	case Leave:
		c.Members[s.On] = slices.DeleteFunc(slices.Clone(c.Members[s.On]), func(m int) bool { return m == n })
	case Write:
		c.written = c.written.with(n)
	case Touch, Claim, Try, Stale, Force:
	}
}

// Wired reports whether an input of n comes from another intent, on which it does not depend, and a coordinator watches over both.
func (c *Scene) Wired(n, on int) bool {
	return c.Coordinated && slices.Contains(c.Places[n].Inputs, on) && !c.Family[n].Needs.Has(on) &&
		c.Places[n].Parent != None && c.Places[n].Parent == c.Places[on].Parent
}

// WasPaused reports whether the coordinator of n paused it at some time. When it goes on no text says.
func (c *Scene) WasPaused(n int) bool { return c.paused.Has(n) }

// Resolved reports whether all inputs of n are there: the outputs of completed intents.
func (c *Scene) Resolved(n int) bool {
	there := c.written & c.Having(Completed)
	return !slices.ContainsFunc(c.Places[n].Inputs, func(on int) bool { return !there.Has(on) })
}

// Has reports whether an intent is a member of a portfolio.
func (c *Scene) Has(folder, n int) bool { return slices.Contains(c.Members[folder], n) }

// Portfolio is what a portfolio shows of its members (RFC-0026 2, rule 4).
type Portfolio struct {
	Suspended   int    // members, each once
	Memberships int    // of suspended members
	Word        string // see [Summed]
	Of          scenarios.RequirementID
}

// Shows returns what a portfolio shows.
func (c *Scene) Shows(folder int) (f Portfolio) {
	var statuses []string
	var suspended Some
	for _, m := range c.Members[folder] {
		if statuses = append(statuses, c.Family[m].Status); c.Family[m].Status == Suspended {
			f.Memberships++
			suspended = suspended.with(m)
		}
	}
	f.Suspended = suspended.Len()
	f.Word, f.Of = Summed(statuses)
	return f
}

// Twice reports whether a suspended intent is a member of a portfolio more than once.
func (f Portfolio) Twice() bool { return f.Memberships > f.Suspended }
