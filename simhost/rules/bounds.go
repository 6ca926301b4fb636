package rules

// Bounds is when a run has had enough.
type Bounds struct {
	// InForce is the bound that counts: what the caller asked for, but no more than the host advertises. 0 stands for no
	// bound, in both arguments and in the result (RFC 0058).
	InForce func(requested, advertised int64) int64

	// TurnRefused tells whether the turn with this number may no longer run (RFC 0061 E).
	TurnRefused func(iteration int, bound int64) bool

	// NodeRefused tells whether the n-th node start of the run may no longer happen (recursionLimit).
	NodeRefused func(n int, bound int64) bool

	// Overtime tells whether a run that has lasted so long, in ms, is over its bound (runTimeoutMs).
	Overtime func(elapsed, bound int64) bool
}

func honestBounds() Bounds {
	return Bounds{
		InForce:     lower,
		TurnRefused: func(iteration int, bound int64) bool { return bound > 0 && int64(iteration) > bound },
		NodeRefused: func(n int, bound int64) bool { return bound > 0 && int64(n) > bound },
		Overtime:    func(elapsed, bound int64) bool { return bound > 0 && elapsed > bound },
	}
}

// lower is the smaller of two bounds, of which 0 is none.
func lower(a, b int64) int64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}
