package rules

// Input is what an agent takes for a request.
type Input struct {
	// Speaks tells whether a request of this version of the protocol is done.
	Speaks func(protocol int64) bool

	// Handles is the type as which an event is handled, given the type that it has and whether the agent knows it.
	Handles func(eventType string, known bool) string

	// Permanent tells whether a request that was refused for what it says need not be tried again.
	Permanent func() bool
}

func honestInput() Input {
	return Input{
		Speaks:    func(protocol int64) bool { return protocol == 2 },
		Handles:   func(eventType string, _ bool) string { return eventType },
		Permanent: func() bool { return true },
	}
}
