package state

import (
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/memory"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// Reading is what a turn reads, by what its script names.
type Reading struct {
	Memory    []rules.MemoryEntry `json:"memory,omitzero"`
	Workspace []FileSeen          `json:"workspace,omitzero"`

	Refused *openwopv1.EventError `json:"-"`
}

// FileSeen is a file at the version that the turn sees, 0 and without content where it is not there.
type FileSeen struct {
	Content *string `json:"content,omitempty"`
	Path    string  `json:"path"`
	Version int64   `json:"version"`
}

func SeenEntry(e memory.Entry) rules.MemoryEntry {
	return rules.MemoryEntry{Content: e.Content, CreatedAt: e.CreatedAt, ExpiresAt: e.ExpiresAt, ID: e.ID, Tags: e.Tags}
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
