package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
)

// Start is how runs begin.
type Start struct {
	// RunID is the id of the run that a start begins. The same start, delivered again, gives the same one. A start whose
	// caller gives it another is refused.
	RunID func(Delivered) string

	// Goal is the goal of a start, and whether that is one.
	Goal func(raw json.RawMessage) (goal string, ok bool)

	// Again tells whether a start whose run is there already starts nothing.
	Again func(Delivered) bool

	// MaxSteps is the budget of a run, given the operator's and the one that its caller asks for, 0 for none.
	MaxSteps func(configured, asked int64) int64
}

// Delivered is what a start is known by.
type Delivered struct {
	DedupeKey, EventID, JobID string
	Given                     string // run id that the caller wants
	Goal                      string
	At                        time.Time
}

func honestStart() Start {
	return Start{
		RunID: func(d Delivered) string {
			switch {
			case d.DedupeKey != "":
				return RunID("key", d.DedupeKey)
			case d.EventID != "":
				return RunID("event", d.EventID)
			}
			return RunID("job", d.JobID)
		},
		Goal: func(raw json.RawMessage) (string, bool) {
			var goal string
			if json.Unmarshal(raw, &goal) != nil {
				return "", false
			}
			return goal, strings.TrimSpace(goal) != ""
		},
		Again: func(Delivered) bool { return true },
		MaxSteps: func(configured, asked int64) int64 {
			if asked > 0 && asked < configured {
				return asked
			}
			return configured
		},
	}
}

// RunID is a run id made of a name. The kind keeps names of different kinds apart.
func RunID(kind, name string) string {
	sum := sha256.Sum256([]byte(kind + "\x00" + name))
	return "run-" + hex.EncodeToString(sum[:13])
}
