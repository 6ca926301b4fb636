package rules

// Memory is what runs remember.
type Memory struct {
	// HandsDown tells whether a run has its memory of the one that it comes from: a child of its parent, which sees what
	// the child writes when that completes, and a fork of its source (RFC 0039 MAE-2 and MAE-3).
	HandsDown func(version int) bool
}

func honestMemory() Memory {
	return Memory{HandsDown: func(version int) bool { return version >= 2 }}
}
