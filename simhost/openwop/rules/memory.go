package rules

import (
	"time"

	"github.com/openassay/assay/gen/openwopv1"
)

// Memory is what runs remember, and who has it of whom.
type Memory struct {
	// Begins is how much of the memory of another run a run begins with, in entries.
	Begins func(Beginning) int64

	// Drafts tells whether what a child writes is kept apart until it is known what becomes of the child.
	Drafts func() bool

	// Brings tells whether what a child wrote comes into its parent's memory. last tells whether the decision has no worker
	// after it.
	Brings func(status openwopv1.RunStatus, last bool) bool

	// Ends is when an entry ends that is read, or comes into the memory of the parent; zero: never.
	Ends func(Lifetime) time.Time

	// Redacts tells whether secrets are taken out of a part of an entry.
	Redacts func(EntryPart) bool

	// Owner is the tenant whose memory a run of this tenant reads and writes.
	Owner func(tenant string) string
}

// EntryPart is a part of an entry that a client words.
type EntryPart int

// The parts of an entry.
const (
	EntryContent EntryPart = iota
	EntryTags
)

// Beginning is a run that has memory of another one.
type Beginning struct {
	Fork     bool  // it is a fork of that one, and not its worker
	Branch   bool  // of a fork: it goes another way than its source
	Position int   // of a worker: its place in the decision
	Then     int64 // entries at the fork's place in the source's log, or when the turn began that dispatches the worker
	Now      int64 // entries that there are
}

// Lifetime is that of an entry, as it was written.
type Lifetime struct {
	Created, Expires time.Time // zero: never
	Merges           time.Time // when it comes into the memory of the parent; zero where it is read
}

func honestMemory() Memory {
	return Memory{
		Begins: func(b Beginning) int64 {
			if b.Fork {
				return b.Then
			}
			return b.Now
		},
		Drafts:  func() bool { return true },
		Brings:  func(status openwopv1.RunStatus, _ bool) bool { return status == openwopv1.RunStatusCompleted },
		Ends:    func(l Lifetime) time.Time { return l.Expires },
		Redacts: func(EntryPart) bool { return true },
		Owner:   func(tenant string) string { return tenant },
	}
}
