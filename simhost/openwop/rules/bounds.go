package rules

import "github.com/openassay/assay/simhost/openwop/engine/event"

// Bounds is when a run has had enough.
type Bounds struct {
	// InForce is the bound that counts: what the caller asked for, but no more than the host advertises. 0 stands for
	// no bound, in what is asked and in the result (RFC 0058). Turns are bounded by hosts with an execution model (RFC
	// 0058 A).
	InForce func(Wanted) int64

	// Crosses tells whether something is over a bound, so that it may no longer be: a turn (RFC 0061 E), a node start
	// (recursionLimit), or a time that the run takes (runTimeoutMs).
	Crosses func(Use, Bound) bool

	// Recalls tells whether a replay takes over the breach of its source, rather than to count or to measure anew.
	Recalls func(kind event.Bound) bool
}

// Wanted is a bound as it is wanted.
type Wanted struct {
	Kind                  event.Bound
	Version               int // of the execution model; 0 is a host without one
	Requested, Advertised int64
	Options               bool // the request has run options, this bound or others
}

// Bound is a bound of a run.
type Bound struct {
	Kind  event.Bound
	Limit int64 // 0: none
	Own   bool  // it is what the caller asked for, and not the host's own; a branch has it from its source or an overlay
}

// Use is what a run makes of what is bounded.
type Use struct {
	N       int64 // the number of the turn or of the node start, from 1; of time, ms
	Last    bool  // the node start is the last one that the run needs
	Hands   bool  // it is that of a loop's dispatch node
	Loops   int   // how many of the workers before the turn were loops themselves
	Revises bool  // the turn follows from an end that is to be revised
	Stood   int64 // ms of the time for which the run was paused, until somebody had it go on
	Paused  bool  // it is
	Asks    bool  // it waits for somebody's answer
}

func honestBounds() Bounds {
	return Bounds{
		InForce: inForce,
		Crosses: func(u Use, b Bound) bool { return b.Limit > 0 && u.N > b.Limit },
		Recalls: func(event.Bound) bool { return true },
	}
}

// inForce is the smaller of two bounds, of which 0 is none.
func inForce(w Wanted) int64 {
	switch {
	case w.Kind == event.LoopIterations && w.Version < 1:
		return 0
	case w.Requested == 0 || w.Advertised == 0:
		return max(w.Requested, w.Advertised)
	}
	return min(w.Requested, w.Advertised)
}
