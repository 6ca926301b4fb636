// Package model says what a server must show of intents, whatever was asked of them: an interpreter of programs, without a
// server. It is the oracle of drives that draw what they ask. Where a text leaves several ways open, it gives all of them.
package model

import (
	"encoding/json"
	"slices"
)

// Program is what is asked of some intents, step by step.
type Program struct {
	Intents    `json:"intents"`
	Portfolios [][]int `json:"portfolios"` // the members of each, in the order in which they are added; one may be added twice
	Steps      []Step  `json:"steps"`
}

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
