// Package model says what a server must show of intents, whatever was asked of them: an interpreter of programs, without a
// server. It is the oracle of drives that draw what they ask. Where a text leaves several ways open, it gives all of them.
package model

import (
	"encoding/json"
	"slices"
)

// Program is what is asked of some intents, step by step.
type Program struct {
	Intents    []Intent `json:"intents"`    // in the order in which they are made
	Portfolios [][]int  `json:"portfolios"` // the members of each, in the order in which they are added; one may be added twice
	Steps      []Step   `json:"steps"`
}

// Intent is an intent of a program. Parent and DependsOn are numbers of intents before it.
type Intent struct {
	Parent    int   `json:"parent"` // None for none
	DependsOn []int `json:"dependsOn,omitempty"`
}

// None is the number of no intent.
const None = -1

// Step is one step of a program.
type Step struct {
	Do     Action `json:"do"`
	Intent int    `json:"intent"`
	// Portfolio is the number of the portfolio that the intent joins or leaves.
	Portfolio int `json:"portfolio,omitempty"`
	// Record is what a suspension writes beside its id and times. Answer is the value of an answer.
	Record map[string]json.RawMessage `json:"record,omitempty"`
	Answer json.RawMessage            `json:"answer,omitempty"`
	// StatusFirst says that a suspension sets the status before it writes the record.
	StatusFirst bool `json:"statusFirst,omitempty"`
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
)

// Moves reports whether the step changes a portfolio alone. A server need not take it.
func (s Step) Moves() bool { return s.Do == Join || s.Do == Leave }

// Moving reports whether members of the portfolio i join or leave it.
func (p Program) Moving(i int) bool {
	return slices.ContainsFunc(p.Steps, func(s Step) bool { return s.Moves() && s.Portfolio == i })
}

// Children returns the intents whose parent is n.
func (p Program) Children(n int) (children []int) {
	for i, in := range p.Intents {
		if in.Parent == n {
			children = append(children, i)
		}
	}
	return children
}

// Parents returns the intents that have children, in order.
func (p Program) Parents() (parents []int) {
	for n := range p.Intents {
		if len(p.Children(n)) > 0 {
			parents = append(parents, n)
		}
	}
	return parents
}

// Around returns everything that the graph of n may hold: n, all below it, and what these depend on, directly or not.
func (p Program) Around(n int) []int {
	around, seen := []int{n}, map[int]bool{n: true}
	for i := 0; i < len(around); i++ {
		for _, next := range append(p.Children(around[i]), p.Intents[around[i]].DependsOn...) {
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
func (p Program) Acyclic() bool {
	left := map[int]bool{}
	for n := range p.Intents {
		left[n] = true
	}
	for len(left) > 0 {
		before := len(left)
		for n := range p.Intents {
			if !left[n] {
				continue
			}
			open := false
			for _, first := range append(p.Children(n), p.Intents[n].DependsOn...) {
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
