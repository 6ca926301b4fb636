package rules

import "encoding/json"

// Input is what an agent takes for a request.
type Input struct {
	// Speaks tells whether a request of this version of the protocol is done.
	Speaks func(protocol int64) bool

	// Handles is the type as which an event is handled, given the type that it has and whether the agent knows it.
	Handles func(eventType string, known bool) string

	// Dated tells whether an event with this timestamp, nothing for none, is handled.
	Dated func(timestamp json.RawMessage) bool

	// Passes tells whether a request that the agent has no use for, and that it ought to refuse, is answered as if it were done.
	Passes func(Misfit) bool

	// Permanent tells whether a request that was refused for what it says, and because the agent has no use for it where unfit is
	// set, need not be tried again.
	Permanent func(unfit bool) bool
}

// Misfit is why an agent has no use for a request.
type Misfit int

// The misfits.
const (
	UnknownCommand Misfit = iota
	UnknownEvent
	NoEvent
)

func honestInput() Input {
	return Input{
		Speaks:    func(protocol int64) bool { return protocol == 2 },
		Handles:   func(eventType string, _ bool) string { return eventType },
		Dated:     func(json.RawMessage) bool { return true },
		Passes:    func(Misfit) bool { return false },
		Permanent: func(bool) bool { return true },
	}
}
