package rules

import "slices"

// Graph is what intents that depend on each other do (RFC-0002, and RFC-0026 rule 2).
type Graph struct {
	// Blocks tells whether a dependent in this status is blocked when what it waits for, directly or not, is suspended.
	Blocks func(status string) bool

	// Unblocks tells whether a blocked intent goes on: the statuses are those of all that it waits for.
	Unblocks func(dependencies []string) bool

	// Wakes tells whether the dependents of an intent are looked at when it takes this status, from that one.
	Wakes func(from, to string) bool

	// Goes tells whether a caller may have a blocked intent go on: the statuses are those of all that it waits for.
	Goes func(dependencies []string) bool

	// Frees tells whether a blocked intent is looked at when a dependency in this status is taken from it.
	Frees func(status string) bool

	// Follows tells whether the look for a circle goes on behind so many dependencies in a row.
	Follows func(steps int) bool

	// Completes tells whether an intent may be completed over what it waits for and what is below it.
	Completes func(dependencies, children []string) bool
}

func honestGraph() Graph {
	return Graph{
		Blocks:   func(status string) bool { return status == "active" },
		Unblocks: AllCompleted,
		Wakes:    func(_, to string) bool { return to == "completed" },
		Goes:     AllCompleted,
		Frees:    func(string) bool { return true },
		Follows:  func(int) bool { return true },
		Completes: func(dependencies, children []string) bool {
			return AllCompleted(dependencies) && AllCompleted(children)
		},
	}
}

// AllCompleted tells whether all statuses are completed, as those of nothing are.
func AllCompleted(statuses []string) bool {
	return !slices.ContainsFunc(statuses, func(s string) bool { return s != "completed" })
}
