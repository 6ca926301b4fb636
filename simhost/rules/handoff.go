package rules

// Handoff is how a worker gets its work and hands in what came of it.
type Handoff struct {
	// Shows tells whether the steps of a handoff are on the log at this version of the execution model (RFC 0037 B).
	Shows func(version int) bool

	// Harvests tells whether a child's variables go to its parent, given whether the child completed and whether there is
	// an output mapping for it (RFC 0037 B, RFC 0022 B).
	Harvests func(completed, mapped bool) bool
}

func honestHandoff() Handoff {
	return Handoff{
		Shows:    func(version int) bool { return version >= 1 },
		Harvests: func(completed, mapped bool) bool { return completed && mapped },
	}
}
