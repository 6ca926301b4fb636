package rules

// State is what an agent has the gateway keep.
type State struct {
	// Keeps is what is kept of the text of a result.
	Keeps func(text string) string

	// Fits tells whether the gateway can keep a state of so many bytes.
	Fits func(bytes int) bool
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
		Keeps: func(text string) string {
			if len(text) > NoteBytes {
				return ""
			}
			return text
		},
		Fits: func(bytes int) bool { return bytes < StateBytes },
	}
}
