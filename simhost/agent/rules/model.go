package rules

import "time"

// Model is how a model is asked.
type Model struct {
	// Waits is how long the agent waits for an answer, given how long it may.
	Waits func(patience time.Duration) time.Duration

	// Calls is how often it is asked for a decision.
	Calls func() int
}

// Forever is to wait until the process is ended.
const Forever time.Duration = 1<<63 - 1

func honestModel() Model {
	return Model{
		Waits: func(patience time.Duration) time.Duration { return patience },
		Calls: func() int { return 1 },
	}
}
