package rules

import (
	"time"

	"github.com/openassay/assay/gen/openwopv1"
)

// Memory is what runs remember, and who has it of whom.
type Memory struct {
	// Inherited is how much of its parent's memory a worker begins with, in entries: of what was there when the turn began
	// that dispatches it, and of what is there now. position is its place in the decision.
	Inherited func(position int, then, now int64) int64

	// Drafts tells whether what a child writes is kept apart until it is known what becomes of the child.
	Drafts func() bool

	// Brings tells whether what a child wrote comes into its parent's memory. last tells whether the decision has no worker
	// after it.
	Brings func(status openwopv1.RunStatus, last bool) bool

	// Expires is when an entry expires that comes into its parent's memory, given its own times and the present one; zero: never.
	Expires func(created, expires, now time.Time) time.Time

	// Owner is the tenant whose memory a run of this tenant reads and writes.
	Owner func(tenant string) string

	// Expired tells whether an entry is not read any more; expires is zero for one that never does.
	Expired func(expires, now time.Time) bool

	// Recalled is how much of its source's memory a fork begins with, in entries: of what was there at its place in the
	// source's log, and of what is there now.
	Recalled func(branch bool, then, now int64) int64

	// Shown is an entry as it is read.
	Shown func(MemoryEntry) MemoryEntry

	// Told is what the log says of an entry that was written; false: nothing.
	Told func(p openwopv1.MemoryWrittenPayload, content string) (MemoryTold, bool)
}

// MemoryEntry is an entry as the protocol has it.
type MemoryEntry struct {
	Content   string    `json:"content"`
	CreatedAt time.Time `json:"createdAt,omitzero"`
	ExpiresAt time.Time `json:"expiresAt,omitzero"`
	ID        string    `json:"id"`
	Tags      []string  `json:"tags"`
}

// MemoryTold is a write as the log has it.
type MemoryTold struct {
	openwopv1.MemoryWrittenPayload

	Content string `json:"content,omitempty"` // of the entry, which the log is not to hold
}

func honestMemory() Memory {
	return Memory{
		Inherited: func(_ int, _, now int64) int64 { return now },
		Drafts:    func() bool { return true },
		Brings:    func(status openwopv1.RunStatus, _ bool) bool { return status == openwopv1.RunStatusCompleted },
		Expires:   func(_, expires, _ time.Time) time.Time { return expires },
		Owner:     func(tenant string) string { return tenant },
		Expired:   func(expires, now time.Time) bool { return !expires.IsZero() && !now.Before(expires) },
		Recalled:  func(_ bool, then, _ int64) int64 { return then },
		Shown:     func(e MemoryEntry) MemoryEntry { return e },
		Told: func(p openwopv1.MemoryWrittenPayload, _ string) (MemoryTold, bool) {
			return MemoryTold{MemoryWrittenPayload: p}, true
		},
	}
}
