package state

import (
	"time"

	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/openwop/memory"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// scripted is what the supervisor's port of this name holds now, or else its config.
func (s *State) scripted(key string) any {
	n := s.Program.Supervisor()
	for _, p := range n.Ports {
		if p.Name != key {
			continue
		}
		if value, _ := s.portValue(p); value != nil {
			return value
		}
	}
	return n.Config[key]
}

// Write announces a write of a turn: it may have happened, and shall. Wrote is what came of it.
type Write struct {
	Position int    `json:"position"` // among the writes of the turn
	Origin   string `json:"origin"`   // names the write to the store, so that doing it again does nothing
}

// Wrote is what came of a write: a version of a file, an entry of the memory, or a refusal.
type Wrote struct {
	Position int          `json:"position"`
	Path     string       `json:"path,omitzero"`
	Version  int64        `json:"version,omitzero"`
	EntryID  string       `json:"entryId,omitzero"`
	Tags     []string     `json:"tags,omitempty"` // of the entry, as the store has them
	Mark     int64        `json:"mark,omitzero"`  // of the memory, once the entry was in it
	Error    *event.Error `json:"error,omitempty"`
}

// Turn counts the turns before the one under way; not even a fault lets it count otherwise.
func (s *State) Turn() int { return s.Nodes[s.Program.Loop].starts - 1 }

// Writes are those of the turn under way.
func (s *State) Writes() ([]workflow.Write, *workflow.Misfit) {
	return workflow.ParseWrites(s.Loop.Writes, s.Turn())
}

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

func NotesTooLarge(name string) *event.Error {
	return codes.Failure(codes.Notes, "variable %q would hold more than %d bytes of notes: read less, or take fewer turns", name, MaxNotes)
}

// Reading is what a turn reads, by what its script names.
type Reading struct {
	Memory    []MemoryEntry `json:"memory,omitzero"`
	Workspace []FileSeen    `json:"workspace,omitzero"`

	Refused *event.Error `json:"-"`
}

// FileSeen is a file at the version that the turn sees, 0 and without content where it is not there.
type FileSeen struct {
	Content *string `json:"content,omitempty"`
	Path    string  `json:"path"`
	Version int64   `json:"version"`
}

// MemoryEntry is an entry as the protocol has it.
type MemoryEntry struct {
	Content   string    `json:"content"`
	CreatedAt time.Time `json:"createdAt,omitzero"`
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	ID        string    `json:"id"`
	Tags      []string  `json:"tags"`
}

func SeenEntry(e memory.Entry) MemoryEntry {
	return MemoryEntry{Content: e.Content, CreatedAt: e.CreatedAt, ExpiresAt: e.ExpiresAt, ID: e.ID, Tags: e.Tags}
}

// Looks is what the turn under way is about to do with a store.
func (s *State) Looks(at rules.Store, names int) rules.Reading {
	l := &s.Loop
	return rules.Reading{Store: at, First: s.Turn() == 0, Several: names > 1, End: l.Begun, Wrote: l.Wrote > 0, Resumed: l.Resumed,
		Forked: s.Created.Fork != nil}
}

// Mark is how much of the memory the run sees.
func (s *State) Mark() int64 { return s.View.Marked() }

func (v View) Marked() int64 {
	if v.Mark == nil {
		return 0
	}
	return *v.Mark
}
