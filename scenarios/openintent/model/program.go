// Package model says what a server must show of intents, whatever was asked of them, without a server. A [Family] is what it knows
// of what a step does. A [Scene] is the interpreter of programs: the oracle of drives that draw what they ask, which ask nothing that
// may come out in several ways. A [Group] is one of the states in which intents may be after a history of any steps.
package model

import (
	"encoding/json"
	"slices"
)

// Program is a small world of intents as it is made, and what is done in it, step by step.
type Program struct {
	Places  []Place  `json:"places"` // intents, in the order in which they are made
	Folders []Folder `json:"folders"`
	Works   []Work   `json:"works,omitempty"`
	Steps   []Step   `json:"steps"`
	// Coordinated says that the parent of all children has a coordinator with block_dependents.
	Coordinated bool `json:"coordinated,omitempty"`
}

// Place is an intent of a program and how it hangs together with others. Parent and DependsOn are numbers of intents before it.
type Place struct {
	Parent    int   `json:"parent"` // None for none
	DependsOn []int `json:"dependsOn,omitempty"`
	Draft     bool  `json:"draft,omitempty"`  // else it is active
	Inputs    []int `json:"inputs,omitempty"` // it declares an input from each of these before it, on which it need not depend
}

// Folder is a portfolio. One with a deadline ends its members then, in seconds from when it is made; 0 is none.
type Folder struct {
	Members  []Member `json:"members"` // in the order in which they are added; one may be added twice
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

// Step is a step of a program.
type Step struct {
	Do     Action `json:"do"`
	Intent int    `json:"intent"`
	On     int    `json:"on,omitempty"` // the dependency, the portfolio or the task that it is about
	Role   string `json:"role,omitempty"`
	// Record is what a suspension writes beside its id and times. Answer is the value of an answer.
	Record map[string]json.RawMessage `json:"record,omitempty"`
	Answer json.RawMessage            `json:"answer,omitempty"`
	// Window is for how many seconds a suspension waits; 0 is without end. Then Fallback is applied.
	Window   int    `json:"window,omitempty"`
	Attempts int    `json:"attempts,omitempty"` // within that
	Fallback string `json:"fallback,omitempty"`
	// StatusFirst says that a suspension sets the status before it writes the record.
	StatusFirst bool `json:"statusFirst,omitempty"`
	// Alone says that a suspension sets the status and leaves the record to a later step, or to none. Merged is the form in which a
	// record is written then.
	Alone  bool `json:"alone,omitempty"`
	Merged bool `json:"merged,omitempty"`
	// To is the status that is asked for by force.
	To string `json:"to,omitempty"`
}

// Action is what a step does.
type Action string

// The actions. Try asks for what must be refused: to complete an intent while something is open.
const (
	Suspend  Action = "suspend"
	Answer   Action = "answer"
	Complete Action = "complete"
	Abandon  Action = "abandon"
	Try      Action = "try to complete"
	Join     Action = "add to a portfolio"
	Leave    Action = "take from a portfolio"
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

// Moves reports whether the step changes a portfolio alone. A server need not take it.
func (s Step) Moves() bool { return s.Do == Join || s.Do == Leave }

// Moving reports whether members of the portfolio i join or leave it.
func (p Program) Moving(i int) bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Moves() && s.On == i })
}

// family returns the intents as they are made.
func (p Program) family() Family {
	all := make(Family, len(p.Places))
	for n, place := range p.Places {
		all[n] = Single{Parent: place.Parent, Status: Active}
		if place.Draft {
			all[n].Status = Draft
		}
		for _, on := range place.DependsOn {
			all[n].Needs = all[n].Needs.with(on)
		}
	}
	return all
}

// Acyclic reports whether there is an order in which all intents can be completed: each after its children and after what it
// depends on.
func (p Program) Acyclic() bool {
	all := p.family()
	left := Some(1)<<len(all) - 1
	for before := Some(0); before != left; {
		before = left
		for n := range before.All() {
			if (all.Children(n)|all[n].Needs)&left == 0 {
				left = left.without(n)
			}
		}
	}
	return left == 0
}
