package workflow

import (
	"fmt"
	"strings"
)

// Shape is how the id of a run looks, and with it those of its events, its interrupts and its children: all of them say
// which shape they have.
type Shape int

// The shapes.
const (
	Letters    Shape = iota // run-<26 letters and digits>, its events <run>-n
	PrefixUUID              // run-<uuid>, its events <run>-n
	BareUUID                // <uuid>, its events evt-<run>-n
)

const runPrefix, eventPrefix = "run-", "evt-"

// Run writes 128 bits as the id of a run.
func (s Shape) Run(id [16]byte) string {
	switch s {
	case PrefixUUID:
		return runPrefix + uuid(id)
	case BareUUID:
		return uuid(id)
	default:
		return runPrefix + letters.EncodeToString(id[:])
	}
}

// event is what the id of an event of a run begins with.
func (s Shape) event(runID string) string {
	if s == BareUUID {
		return eventPrefix + runID
	}
	return runID
}

// ShapeOf is the shape of the id of a run or of an event.
func ShapeOf(id string) Shape {
	rest, prefixed := strings.CutPrefix(id, runPrefix)
	switch {
	case !prefixed:
		return BareUUID
	case len(rest) > 8 && rest[8] == '-': // letters have no hyphen
		return PrefixUUID
	default:
		return Letters
	}
}

func uuid(id [16]byte) string {
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
