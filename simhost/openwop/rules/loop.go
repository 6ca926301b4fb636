package rules

// Loop is how the orchestrator loop turns.
type Loop struct {
	// Next counts supervisor turns: the number of the turn that begins, given that of the turn before (0 before the first)
	// and what became of that one (RFC 0061 B and D). A replay counts as its source did.
	Next func(previous int, past Past) int

	// Shows tells whether decided events carry their iteration at this version of the execution model; 0 is a host without
	// one (RFC 0061 B).
	Shows func(version int) bool
}

// Past is what became of a turn.
type Past struct {
	Suspended bool // and resumed
	Held      bool // that was for a decision below the confidence floor
	Again     bool // an earlier turn was suspended as well
	Branched  bool // the run is a branch, and takes this turn itself
	Recorded  int  // the number that the source of a replay had for the turn that begins; 0 where this is none
}

func honestLoop() Loop {
	return Loop{
		Next: func(previous int, past Past) int {
			if past.Recorded > 0 {
				return past.Recorded
			}
			return previous + 1
		},
		Shows: func(version int) bool { return version >= 5 },
	}
}
