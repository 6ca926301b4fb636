package rules

import (
	"slices"

	"github.com/openassay/assay/internal/lazyregexp"
)

// Tools is which tools a planner gets.
type Tools struct {
	// Named tells whether a tool may be called so: its name becomes part of a route.
	Named func(tool string) bool

	// Itself tells whether a tool is the agent, given the name of that.
	Itself func(tool, own string) bool

	// Anew tells whether the agent may have a tool, given the allowlist, where its plan was given up for another in the same turn.
	Anew func(tool string, list []string) bool

	// Allowed tells whether the operator lets the agent have a tool, given the allowlist, and whether it is the run's first.
	Allowed func(tool string, list []string, first bool) bool
}

var toolName = lazyregexp.New(`\A[A-Za-z0-9_-]{1,64}\z`)

func honestTools() Tools {
	return Tools{
		Named:   toolName.MatchString,
		Itself:  func(tool, own string) bool { return tool == own },
		Anew:    func(tool string, list []string) bool { return slices.Contains(list, tool) },
		Allowed: func(tool string, list []string, _ bool) bool { return slices.Contains(list, tool) },
	}
}
