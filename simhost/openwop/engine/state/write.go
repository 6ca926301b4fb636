package state

import (
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// Write announces a write of a turn: it may have happened, and shall. Wrote is what came of it.
type Write struct {
	Position int    `json:"position"` // among the writes of the turn
	Origin   string `json:"origin"`   // names the write to the store, so that doing it again does nothing
}

// Wrote is what came of a write: a version of a file, an entry of the memory, or a refusal.
type Wrote struct {
	Position int                   `json:"position"`
	Path     string                `json:"path,omitzero"`
	Version  int64                 `json:"version,omitzero"`
	EntryID  string                `json:"entryId,omitzero"`
	Tags     []string              `json:"tags,omitempty"` // of the entry, as the store has them
	Mark     int64                 `json:"mark,omitzero"`  // of the memory, once the entry was in it
	Error    *openwopv1.EventError `json:"error,omitempty"`
}

// Turn counts the turns before the one under way; not even a fault lets it count otherwise.
func (s *State) Turn() int { return s.Nodes[s.Program.Loop].starts - 1 }

// Writes are those of the turn under way.
func (s *State) Writes() ([]workflow.Write, *workflow.Misfit) {
	return workflow.ParseWrites(s.Loop.Writes, s.Turn())
}
