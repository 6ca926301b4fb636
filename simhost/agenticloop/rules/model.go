package rules

import "time"

// Model is how a model is asked.
type Model struct {
	// Waits is how long the agent waits for an answer, given how long it may.
	Waits func(patience time.Duration) time.Duration
	// Quotes is what an error says of the words with which the model's endpoint refuses.
	Quotes func(said string) string
}

// Forever is to wait until the process is ended.
const Forever time.Duration = 1<<63 - 1

func honestModel() Model {
	return Model{
		Waits:  func(patience time.Duration) time.Duration { return patience },
		Quotes: func(string) string { return "" },
	}
}
