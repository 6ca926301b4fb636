package rules

// Loop is how the orchestrator loop turns.
type Loop struct {
	// Next counts supervisor turns: the number of the turn that begins, given that of the turn before (0 before the first)
	// and whether that one was suspended and resumed (RFC 0061 B and D).
	Next func(previous int, resumed bool) int

	// Shows tells whether decided events carry their iteration at this version of the execution model; 0 is a host without
	// one (RFC 0061 B).
	Shows func(version int) bool

	// Refreshes tells whether a turn sees the workspace and the memory as they are when it begins, rather than as they were
	// when the run began (RFC 0061 C, RFC 0059 D).
	Refreshes func(version int) bool
}

func honestLoop() Loop {
	return Loop{
		Next:      func(previous int, _ bool) int { return previous + 1 },
		Shows:     func(version int) bool { return version >= 5 },
		Refreshes: func(version int) bool { return version >= 5 },
	}
}
