package rules

import (
	"encoding/json"
	"slices"
)

// State is what an agent has the gateway keep.
type State struct {
	// Pending is the step and the tool that a run waits for, as they are kept beside a request for them.
	Pending func(step int64, tool string) (int64, string)

	// Keeps is what is kept of the text of a result.
	Keeps func(text string) string

	// Completed is the list of the steps that are done, given it without the last one.
	Completed func(steps []int64, last int64) []int64

	// Read is a run as the state has it, and Written one as the state is to have it.
	Read, Written func(run json.RawMessage) json.RawMessage

	// Runs are all runs as they are given back, by id, given those that were handed in, and those after the turn, of which
	// that of this id is new or changed.
	Runs func(before, after map[string]json.RawMessage, changed string) map[string]json.RawMessage

	// Last is the run that was started last, as it is told.
	Last func(id string) string

	// Fits tells whether the gateway can keep a state of so many bytes.
	Fits func(bytes int) bool
}

// Handed is what a request hands to the agent beside its event.
type Handed struct {
	Config, Secrets json.RawMessage
	State           map[string]json.RawMessage
}

// The sizes that a state keeps to: it is shorter than what a row of the gateway takes, and how much of a result's text
// a run keeps; what is longer
// is not kept at all.
const (
	StateBytes = 1 << 20
	NoteBytes  = 512
)

func honestState() State {
	return State{
		Pending: func(step int64, tool string) (int64, string) { return step, tool },
		Keeps: func(text string) string {
			if len(text) > NoteBytes {
				return ""
			}
			return text
		},
		Completed: func(steps []int64, last int64) []int64 {
			if slices.Contains(steps, last) {
				return steps
			}
			return append(steps, last)
		},
		Read:    func(run json.RawMessage) json.RawMessage { return run },
		Written: func(run json.RawMessage) json.RawMessage { return run },
		Runs:    func(_, after map[string]json.RawMessage, _ string) map[string]json.RawMessage { return after },
		Last:    func(id string) string { return id },
		Fits:    func(bytes int) bool { return bytes < StateBytes },
	}
}
