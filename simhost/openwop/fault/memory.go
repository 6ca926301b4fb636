package fault

import (
	"maps"
	"reflect"
	"slices"
	"sync"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/rules"
)

var memoryFaults = []Fault{
	{
		ID:     "memory.first-worker-begins-empty",
		Title:  "the first worker of a decision begins with nothing of what its parent remembers",
		Looks:  "the worker's first turn reads none of its parent's entries",
		Breaks: []string{openwop.OWPMEM1},
		Replace: func(s *rules.Set) {
			begins := s.Memory.Begins
			s.Memory.Begins = func(b rules.Beginning) int64 {
				if !b.Fork && b.Position == 0 {
					return 0
				}
				return begins(b)
			}
		},
	},
	{
		ID:     "memory.sibling-begins-as-turn-began",
		Title:  "a later worker of a decision begins with what its parent remembered when the turn began",
		Looks:  "the second worker reads nothing of what the first one wrote",
		Breaks: []string{openwop.OWPMEM6},
		Replace: func(s *rules.Set) {
			begins := s.Memory.Begins
			s.Memory.Begins = func(b rules.Beginning) int64 {
				if !b.Fork && b.Position > 0 {
					return b.Then
				}
				return begins(b)
			}
		},
	},
	{
		ID:     "memory.last-worker-brings-nothing",
		Title:  "what a worker wrote is merged when the next one of its decision begins, and so the last one's never is",
		Looks:  "the next turn of the parent does not read what the last worker of a decision wrote",
		Breaks: []string{openwop.OWPMEM2},
		Replace: bringing(func(_ openwopv1.RunStatus, last, honest bool) bool {
			return honest && !last
		}),
	},
	{
		ID:     "memory.only-last-worker-brings",
		Title:  "of several workers in one decision only the last brings what it wrote",
		Looks:  "the next turn of the parent does not read what the first worker wrote",
		Breaks: []string{openwop.OWPMEM2, openwop.OWPMEM6},
		Replace: bringing(func(_ openwopv1.RunStatus, last, honest bool) bool {
			return honest && last
		}),
	},
	{
		ID:     "memory.child-writes-through",
		Title:  "what a worker writes goes straight into its parent's memory",
		Looks:  "another run reads the entry of a worker that still waits, or that failed",
		Breaks: []string{openwop.OWPMEM3, openwop.OWPMEM4},
		Replace: func(s *rules.Set) {
			s.Memory.Drafts = func() bool { return false }
		},
	},
	{
		ID:     "memory.lost-worker-brings",
		Title:  "what a worker wrote that failed or was cancelled comes into its parent's memory all the same",
		Looks:  "the turn after a failed worker reads the entry of that worker",
		Breaks: []string{openwop.OWPMEM4},
		Replace: bringing(func(status openwopv1.RunStatus, _, honest bool) bool {
			return honest || status == openwopv1.RunStatusFailed || status == openwopv1.RunStatusCancelled
		}),
	},
	{
		ID:     "memory.life-counts-from-merge",
		Title:  "an entry of a worker begins its time to live anew when its parent gets it",
		Looks:  "the parent reads an entry that had expired before its writer completed",
		Breaks: []string{openwop.OWPMEM5},
		Replace: func(s *rules.Set) {
			ends := s.Memory.Ends
			s.Memory.Ends = func(l rules.Lifetime) time.Time {
				if l.Merges.IsZero() || l.Expires.IsZero() {
					return ends(l)
				}
				return l.Merges.Add(l.Expires.Sub(l.Created))
			}
		},
	},
	{
		ID:      "memory.shared-by-tenants",
		Title:   "memories are told apart by their name alone, whosever they are",
		Looks:   "a run reads what a run of another tenant wrote to a memory of the same name",
		Breaks:  []string{openwop.OWPISO9},
		Replace: func(s *rules.Set) { s.Memory.Owner = func(string) string { return "" } },
	},
	{
		ID:      "memory.secret-in-content",
		Title:   "what a run remembers is not looked through for secrets",
		Looks:   "a run reads an entry whose content holds a secret of the host",
		Breaks:  []string{openwop.OWPMEM11},
		Replace: unredacted(rules.EntryContent),
	},
	{
		ID:      "memory.secret-in-tags",
		Title:   "the content of an entry is looked through for secrets, its tags are not",
		Looks:   "a run reads an entry that has a secret of the host among its tags",
		Breaks:  []string{openwop.OWPMEM11},
		Twin:    "the other part of an entry",
		Replace: unredacted(rules.EntryTags),
	},
	{
		ID:     "memory.never-expires",
		Title:  "entries are read as long as the memory exists, whatever their expiresAt",
		Looks:  "a run reads an entry whose expiresAt has passed",
		Breaks: []string{openwop.OWPMEM9},
		Replace: func(s *rules.Set) {
			ends := s.Memory.Ends
			s.Memory.Ends = func(l rules.Lifetime) time.Time {
				if l.Merges.IsZero() {
					return time.Time{}
				}
				return ends(l)
			}
		},
	},
	{
		ID:     "memory.times-lost",
		Title:  "an entry is read without the time at which it was written",
		Looks:  "the entries that a turn notes have no createdAt",
		Breaks: []string{openwop.OWPMEM8},
		Reply:  mutate.Objects(timeless),
		Event: mutate.OfType(string(event.VariableChanged), func(e *mutate.Event) {
			notes, _ := e.Payload["next"].([]any)
			for _, note := range notes {
				taken, _ := note.(map[string]any)
				entries, _ := taken["memory"].([]any)
				for _, entry := range entries {
					if read, ok := entry.(map[string]any); ok {
						timeless(read)
					}
				}
			}
		}),
	},
	{
		ID:      "memory.writes-untold",
		Title:   "the log says nothing of what turns write to their memory",
		Looks:   "no memory.written stands in the log of a run that wrote",
		Breaks:  []string{openwop.OWPMEM14},
		Replace: untold(func(e event.Event) bool { return e.Type == event.MemoryWritten }),
	},
	{
		ID:     "memory.content-told",
		Title:  "the log repeats the content of what turns write to their memory",
		Looks:  "memory.written holds the content of the entry",
		Breaks: []string{openwop.OWPMEM15, openwop.OWPMEM11},
		Remembers: repeating(event.MemoryWritten, func(write, told map[string]any) bool {
			_, file := write["path"]
			return !file && (write["tags"] == nil || reflect.DeepEqual(write["tags"], told["tags"]))
		}),
	},
	{
		ID:     "memory.branch-remembers-now",
		Title:  "a branch begins with what is remembered when it is made",
		Looks:  "the branch reads an entry that was written after its source had ended",
		Breaks: []string{openwop.OWPMEM17},
		Replace: recalling(func(branch bool) bool {
			return branch
		}),
	},
	{
		ID:     "memory.replay-remembers-now",
		Title:  "the turns of a replay read their memory anew, as it is when they do",
		Looks:  "the replay notes an entry that was written after its source had ended",
		Breaks: []string{openwop.OWPMEM17},
		Replace: func(s *rules.Set) {
			recalling(func(branch bool) bool { return !branch })(s)
			readingAnew(rules.Memories)(s)
		},
	},
}

// repeating has the log tell with each write of this type what was written. which tells whether a write that a run has
// among its inputs is the one that is told.
func repeating(t event.Type, which func(write, told map[string]any) bool) func() mutate.Changes {
	return func() mutate.Changes {
		var scripts sync.Map // writes, by the id of the run
		return mutate.Changes{Events: []mutate.EventFunc{
			mutate.OfType(string(event.RunStarted), func(e *mutate.Event) {
				scripts.Store(e.RunID, contents(e.Payload["inputs"]))
			}),
			mutate.OfType(string(t), func(e *mutate.Event) {
				known, _ := scripts.Load(e.RunID)
				writes, _ := known.([]map[string]any)
				for _, write := range writes {
					if which(write, e.Payload) {
						e.Payload["content"] = write["content"]
					}
				}
			}),
		}}
	}
}

// contents are the objects in a value that have a content.
func contents(value any) (found []map[string]any) {
	switch value := value.(type) {
	case []any:
		for _, one := range value {
			found = append(found, contents(one)...)
		}
	case map[string]any:
		if _, ok := value["content"].(string); ok {
			return []map[string]any{value}
		}
		for _, name := range slices.Sorted(maps.Keys(value)) {
			found = append(found, contents(value[name])...)
		}
	}
	return found
}

// timeless takes from an entry when it was written. Other objects stay as they are.
func timeless(object map[string]any) {
	_, remembers := object["tags"].([]any)
	if _, says := object["content"]; says && remembers {
		delete(object, "createdAt")
	}
}

// unredacted has secrets stored with a part of an entry.
func unredacted(part rules.EntryPart) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Memory.Redacts
		s.Memory.Redacts = func(p rules.EntryPart) bool { return p != part && honest(p) }
	}
}

// bringing changes whose writes come into the memory of the parent.
func bringing(brings func(status openwopv1.RunStatus, last, honest bool) bool) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Memory.Brings
		s.Memory.Brings = func(status openwopv1.RunStatus, last bool) bool {
			return brings(status, last, honest(status, last))
		}
	}
}

// recalling has the forks that are meant begin with what is remembered now.
func recalling(meant func(branch bool) bool) func(*rules.Set) {
	return func(s *rules.Set) {
		begins := s.Memory.Begins
		s.Memory.Begins = func(b rules.Beginning) int64 {
			if b.Fork && meant(b.Branch) {
				return b.Now
			}
			return begins(b)
		}
	}
}
