package model

import "slices"

// Setting is a small world as it is made, and what is done in it, turn by turn.
type Setting struct {
	Places  []Place  `json:"places"` // intents, in the order in which they are made
	Folders []Folder `json:"folders"`
	Works   []Work   `json:"works"`
	Turns   []Turn   `json:"turns"`
	// Coordinated says that the parent of all children has a coordinator with block_dependents.
	Coordinated bool `json:"coordinated"`
}

// Place is an intent of a setting.
type Place struct {
	Intent
	Draft  bool  `json:"draft,omitempty"`  // else it is active
	Inputs []int `json:"inputs,omitempty"` // it declares an input from each of these before it, on which it need not depend
}

// Folder is a portfolio. One with a deadline ends its members then, in seconds from when it is made; 0 is none.
type Folder struct {
	Members  []Member `json:"members"`
	Deadline int      `json:"deadline,omitempty"`
}

// Member is a member of a portfolio.
type Member struct {
	Intent int    `json:"intent"`
	Role   string `json:"role"`
}

// Work is a task. A plan has it in its list, or the task names the plan.
type Work struct {
	Intent int  `json:"intent"`
	Runs   bool `json:"runs"` // else it is as it was made
	Plan   int  `json:"plan"`
	Named  bool `json:"named"`
}

// Turn is a step of a setting.
type Turn struct {
	Do     Action `json:"do"`
	Intent int    `json:"intent"`
	On     int    `json:"on,omitempty"` // the dependency, the portfolio or the task that it is about
	Role   string `json:"role,omitempty"`
	// Window is for how many seconds a suspension waits; 0 is without end. Then Fallback is applied.
	Window      int    `json:"window,omitempty"`
	Attempts    int    `json:"attempts,omitempty"` // within that
	Fallback    string `json:"fallback,omitempty"`
	StatusFirst bool   `json:"statusFirst,omitempty"`
	// Alone says that a suspension sets the status and leaves the record to a later turn, or to none. Merged is the form in which a
	// record is written then.
	Alone  bool `json:"alone,omitempty"`
	Merged bool `json:"merged,omitempty"`
	// To is the status that is asked for by force.
	To string `json:"to,omitempty"`
}

// What only settings do.
const (
	Activate Action = "activate"
	Depend   Action = "make dependent"
	Lapse    Action = "let the window pass of"
	Deadline Action = "let the deadline pass of a portfolio of"
	Touch    Action = "write the output of a task of"
	Claim    Action = "claim"
	Write    Action = "write an output of"
	Recorded Action = "write the record of"
	Stale    Action = "answer an earlier suspension of"
	Force    Action = "set a status that is not open to"
)

// Scene is a setting after some of its turns. Of an intent that was paused [Scene.May] says nothing.
type Scene struct {
	Setting
	standing
	Members [][]Member // of each portfolio
	paused  []bool     // its coordinator paused it at some time
	written []bool     // its output
}

// Begin returns the scene before the first turn.
func (s Setting) Begin() *Scene {
	all := make(Intents, len(s.Places))
	for n, p := range s.Places {
		all[n] = p.Intent
	}
	c := &Scene{Setting: s, standing: begin(all), paused: make([]bool, len(all)), written: make([]bool, len(all))}
	for n, p := range s.Places {
		if p.Draft {
			c.status[n] = Draft
		}
	}
	for _, f := range s.Folders {
		c.Members = append(c.Members, slices.Clone(f.Members))
	}
	return c
}

// Copy returns a scene that goes its own way from here.
func (c *Scene) Copy() *Scene {
	d := *c
	d.standing = c.standing.copy()
	d.paused, d.written = slices.Clone(c.paused), slices.Clone(c.written)
	d.Members = slices.Clone(c.Members) // what is within is never written to
	return &d
}

// Take takes a turn that the server carried out. One that it refused changes nothing.
func (c *Scene) Take(t Turn) {
	switch n := t.Intent; t.Do {
	case Suspend:
		c.suspend(n)
		for d := range c.Places { // RFC-0026 3
			c.paused[d] = c.paused[d] || c.status[d] == Active && c.Wired(d, n)
		}
	case Answer: // it alone unblocks nothing (RFC-0026 2, rule 2)
		c.status[n] = Active
	case Lapse:
		if t.Fallback == Fails {
			c.status[n], c.stays[n] = Abandoned, true
		} else {
			c.status[n] = Active
		}
	case Deadline: // RFC-0026 2, rule 5
		for _, m := range c.Members[t.On] {
			if c.status[m.Intent] == Suspended {
				c.status[m.Intent] = Abandoned
			}
		}
	case Abandon:
		c.status[n] = Abandoned
	case Complete:
		c.complete(n)
	case Activate:
		c.status[n] = Active
		c.held[n] = slices.ContainsFunc(c.Now[n].DependsOn, c.suspended)
	case Depend:
		c.Now[n].DependsOn = append(slices.Clone(c.Now[n].DependsOn), t.On)
	case Join:
		c.Members[t.On] = append(slices.Clone(c.Members[t.On]), Member{n, t.Role})
	case Leave:
		c.Members[t.On] = slices.DeleteFunc(slices.Clone(c.Members[t.On]), func(m Member) bool { return m.Intent == n })
	case Write:
		c.written[n] = true
	case Touch, Claim, Try, Recorded, Stale, Force:
	}
}

// Waits reports whether all that n depends on is completed or suspended, and something is suspended.
func (c *Scene) Waits(n int) bool {
	open := c.Open(n)
	return len(open) > 0 && !slices.ContainsFunc(open, func(d int) bool { return !c.suspended(d) })
}

// Held reports whether n must be blocked, see [World.Held].
func (c *Scene) Held(n int) bool { return c.held[n] && c.status[n] == Active }

// Wired reports whether an input of n comes from another intent, on which it does not depend, and a coordinator watches over both.
func (c *Scene) Wired(n, on int) bool {
	return c.Coordinated && slices.Contains(c.Places[n].Inputs, on) && !slices.Contains(c.Now[n].DependsOn, on) &&
		c.Places[n].Parent != None && c.Places[n].Parent == c.Places[on].Parent
}

// WasPaused reports whether the coordinator of n paused it at some time. When it goes on no text says.
func (c *Scene) WasPaused(n int) bool { return c.paused[n] }

// Resolved reports whether all inputs of n are there: the outputs of completed intents.
func (c *Scene) Resolved(n int) bool {
	return !slices.ContainsFunc(c.Places[n].Inputs, func(on int) bool { return c.status[on] != Completed || !c.written[on] })
}

// Has reports whether an intent is a member of a portfolio.
func (c *Scene) Has(folder, n int) bool {
	return slices.ContainsFunc(c.Members[folder], func(m Member) bool { return m.Intent == n })
}
