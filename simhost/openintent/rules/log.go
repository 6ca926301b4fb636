package rules

// Log is what the log of events tells, and how it is read.
type Log struct {
	// Tells is what is told of an event: usually that. Nothing hides it; further ones are told beside it.
	Tells func(Told) []Told
}

// Told is an event as the protocol shows it.
type Told struct {
	Type    string
	Payload map[string]any
}

func honestLog() Log {
	return Log{
		Tells: func(e Told) []Told { return []Told{e} },
	}
}
