package state

import (
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
)

// MaxNotes bounds the variable that holds a run's notes, in bytes of JSON. Every note is an event with all of them in it,
// and so is every snapshot: clients take no more of either than a mebibyte.
const MaxNotes = 512 << 10

// When a turn takes a note.
const (
	TurnBegins = "begin"
	TurnEnds   = "end"
)

// Note is what a turn notes about what it sees.
type Note struct {
	At        string `json:"at"`
	Iteration int    `json:"iteration"`
	Reading
}

func NotesTooLarge(name string) *openwopv1.EventError {
	return codes.Failure(codes.Notes, "variable %q would hold more than %d bytes of notes: read less, or take fewer turns", name, MaxNotes)
}
