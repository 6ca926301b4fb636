// Package rules holds the small decisions of the protocol that the run engine goes by, as values, so that a fault can
// replace one of them. The engine calls a Set and knows of no faults.
package rules

// Set is what a run goes by. A rule sees plain values and keeps no state. The zero Set is not usable: start with Honest.
type Set struct {
	// NextIteration counts supervisor turns: the number of the turn that begins, given that of the turn before (0 before
	// the first) and whether that one was suspended and resumed (RFC 0061 B and D).
	NextIteration func(previous int, resumed bool) int

	// Bound is the bound in force: what the caller asked for, but no more than the host advertises. 0 stands for no bound,
	// in both arguments and in the result (RFC 0058).
	Bound func(requested, advertised int64) int64

	// TurnRefused tells whether the turn with this number may no longer run (RFC 0061 E).
	TurnRefused func(iteration int, bound int64) bool

	// NodeRefused tells whether the n-th node start of the run may no longer happen (recursionLimit).
	NodeRefused func(n int, bound int64) bool

	// Overtime tells whether a run that has lasted so long, in ms, is over its bound (runTimeoutMs).
	Overtime func(elapsed, bound int64) bool

	// ShowsIteration tells whether decided events carry their iteration at this version of the execution model; 0 is a
	// host without one (RFC 0061 B).
	ShowsIteration func(version int) bool

	// RefreshesInputs tells whether a turn of a loop sees the workspace and the memory as they are when it begins, rather
	// than as they were when the run began (RFC 0061 C, RFC 0059 D).
	RefreshesInputs func(version int) bool

	// HandsDownMemory tells whether a run has its memory of the one that it comes from: a child of its parent, which sees
	// what the child writes when that completes, and a fork of its source (RFC 0039 MAE-2 and MAE-3).
	HandsDownMemory func(version int) bool

	// ShowsHandoff tells whether the steps of a handoff are on the log at this version (RFC 0037 B).
	ShowsHandoff func(version int) bool

	// Escalates tells whether a decision is held for a person. A nil confidence is no opinion (RFC 0039 A).
	Escalates func(version int, confidence *float64, floor float64) bool

	// Harvests tells whether a child's variables go to its parent, given whether the child completed and whether there is
	// an output mapping for it (RFC 0037 B, RFC 0022 B).
	Harvests func(completed, mapped bool) bool
}

// Honest is the set that keeps every promise.
func Honest() Set {
	return Set{
		NextIteration:   func(previous int, _ bool) int { return previous + 1 },
		Bound:           lower,
		TurnRefused:     func(iteration int, bound int64) bool { return bound > 0 && int64(iteration) > bound },
		NodeRefused:     func(n int, bound int64) bool { return bound > 0 && int64(n) > bound },
		Overtime:        func(elapsed, bound int64) bool { return bound > 0 && elapsed > bound },
		ShowsIteration:  func(version int) bool { return version >= 5 },
		RefreshesInputs: func(version int) bool { return version >= 5 },
		HandsDownMemory: func(version int) bool { return version >= 2 },
		ShowsHandoff:    func(version int) bool { return version >= 1 },
		Escalates: func(version int, confidence *float64, floor float64) bool {
			return version >= 2 && confidence != nil && *confidence < floor
		},
		Harvests: func(completed, mapped bool) bool { return completed && mapped },
	}
}

// lower is the smaller of two bounds, of which 0 is none.
func lower(a, b int64) int64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}
