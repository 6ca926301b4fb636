package rules

import "github.com/openassay/assay/gen/openwopv1"

// Bounds is when a run has had enough.
type Bounds struct {
	// InForce is the bound that counts: what the caller asked for, but no more than the host advertises. 0 stands for no
	// bound, in both arguments and in the result (RFC 0058).
	InForce func(kind openwopv1.CapKind, requested, advertised int64) int64

	// CountsTurns tells whether turns are bounded at this version of the execution model; 0 is a host without one (RFC 0058 A).
	CountsTurns func(version int) bool

	// Turns is how many turns count against the bound of a loop that takes this one.
	Turns func(Turn, Bound) int

	// TurnRefused tells whether a turn may no longer run, given how many count with it (RFC 0061 E).
	TurnRefused func(turns int, bound Bound) bool

	// NodeRefused tells whether the n-th node start of the run may no longer happen (recursionLimit), given whether it is the last
	// that the run needs.
	NodeRefused func(n int, bound Bound, last bool) bool

	// Overtime tells whether a run that has lasted so long, in ms, is over its bound (runTimeoutMs).
	Overtime func(elapsed, bound int64) bool

	// Rests tells whether a run that has failed for a breach leaves what it was refused.
	Rests func(Bound) bool

	// Recalls tells whether a replay takes over the breach of its source, rather than to count or to measure anew.
	Recalls func(kind openwopv1.CapKind) bool
}

// Bound is a bound of a run.
type Bound struct {
	Kind  openwopv1.CapKind
	Limit int64 // 0: none
	Own   bool  // it is what the caller asked for, and not the host's own; a branch has it from its source or an overlay
}

// Turn is a turn that a loop is to take.
type Turn struct {
	Iteration int
	Loops     int  // how many of the workers before it were loops themselves
	Revises   bool // it follows from an end that is to be revised
}

func honestBounds() Bounds {
	return Bounds{
		InForce:     func(_ openwopv1.CapKind, requested, advertised int64) int64 { return lower(requested, advertised) },
		CountsTurns: func(version int) bool { return version >= 1 },
		Turns:       func(t Turn, _ Bound) int { return t.Iteration },
		TurnRefused: func(turns int, bound Bound) bool { return bound.crossed(int64(turns)) },
		NodeRefused: func(n int, bound Bound, _ bool) bool { return bound.crossed(int64(n)) },
		Overtime:    func(elapsed, bound int64) bool { return bound > 0 && elapsed > bound },
		Rests:       func(Bound) bool { return true },
		Recalls:     func(openwopv1.CapKind) bool { return true },
	}
}

func (b Bound) crossed(n int64) bool { return b.Limit > 0 && n > b.Limit }

// lower is the smaller of two bounds, of which 0 is none.
func lower(a, b int64) int64 {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}
