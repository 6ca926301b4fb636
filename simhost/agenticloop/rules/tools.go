package rules

import (
	"slices"

	"github.com/openassay/assay/internal/lazyregexp"
)

// Moment is when a tool is asked for.
type Moment struct {
	First    bool // it is the run's first
	Reframed bool // the plan was given up for another one in the same turn
}

// Tools is which tools a planner gets.
type Tools struct {
	// Named tells whether a tool may be called so: its name becomes part of a route.
	Named func(tool string) bool

	// Itself tells whether a tool is the agent, given the name of that.
	Itself func(tool, own string) bool

	// Allowed tells whether the operator lets the agent have a tool, given the allowlist, and when it is asked for.
	Allowed func(tool string, list []string, at Moment) bool
}

var toolName = lazyregexp.New(`\A[A-Za-z0-9_-]{1,64}\z`)

func honestTools() Tools {
	return Tools{
		Named:   toolName.MatchString,
		Itself:  func(tool, own string) bool { return tool == own },
		Allowed: func(tool string, list []string, _ Moment) bool { return slices.Contains(list, tool) },
	}
}
