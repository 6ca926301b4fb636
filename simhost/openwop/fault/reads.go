package fault

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/rules"
)

var readsFaults = []Fault{
	{
		ID:     "reads.own-files-at-once",
		Title:  "a turn reads the file that it has just written",
		Looks:  "the note at the end of a turn has the version that the turn itself wrote",
		Breaks: []string{openwop.OWP0061C6},
		Spots:  []int{5},
		Replace: seeing(rules.AsIs, func(r rules.Reading) bool {
			return r.Store == rules.Workspace && r.End && r.Wrote && !r.Resumed && !r.Several
		}),
	},
	{
		ID:     "reads.several-files-as-they-are",
		Title:  "a turn that reads several files takes each as it is when it gets to it",
		Looks:  "the note at the end of a turn that reads two files has what the turn itself wrote",
		Breaks: []string{openwop.OWP0061C6},
		Spots:  []int{5},
		Replace: seeing(rules.AsIs, func(r rules.Reading) bool {
			return r.Store == rules.Workspace && r.End && r.Wrote && !r.Resumed && r.Several
		}),
	},
	{
		ID:     "reads.no-files-at-first",
		Title:  "the first turn of a run sees no files",
		Looks:  "the notes of the first turn have version 0 of files that were there before the run",
		Breaks: []string{openwop.OWP0061C3},
		Replace: seeing(rules.Never, func(r rules.Reading) bool {
			return r.Store == rules.Workspace && r.First
		}),
	},
	{
		ID:      "reads.files-stay-after-resume",
		Title:   "the turn after one that was suspended does not look at the files anew",
		Looks:   "what was written while the loop waited is not seen by the next turn",
		Breaks:  []string{openwop.OWP0061C3},
		Spots:   []int{6},
		Replace: stayingAfterResume(rules.Workspace),
	},
	{
		ID:      "reads.memory-stays-after-resume",
		Title:   "the turn after one that was suspended does not look at its memory anew",
		Looks:   "what was remembered while the loop waited is not read by the next turn",
		Breaks:  []string{openwop.OWP0061C2, openwop.OWP0061C6, openwop.OWPMEM9},
		Replace: stayingAfterResume(rules.Memories),
	},
	{
		ID:     "reads.files-of-the-run",
		Title:  "every turn reads the files as they were when the run began",
		Looks:  "a turn does not see what the one before it wrote",
		Breaks: []string{openwop.OWP0061C6, openwop.OWP0061C3},
		Spots:  []int{6},
		Replace: seeing(rules.AsRunBegan, func(r rules.Reading) bool {
			return r.Store == rules.Workspace && !r.Forked
		}),
	},
	{
		ID:     "reads.files-now-after-resume",
		Title:  "a turn that goes on after a suspension reads the files anew",
		Looks:  "the resumed turn notes what was written while it waited",
		Breaks: []string{openwop.OWP0061D2},
		Spots:  []int{5},
		Replace: seeing(rules.AsIs, func(r rules.Reading) bool {
			return r.Store == rules.Workspace && r.Resumed
		}),
	},
	{
		ID:      "reads.replay-reads-files-now",
		Title:   "the turns of a replay read the files anew, as they are when they do",
		Looks:   "the notes of a replay have other versions than those of its source",
		Breaks:  []string{openwop.OWP0061C1},
		Replace: readingAnew(rules.Workspace),
	},
	{
		ID:     "reads.own-entries-at-once",
		Title:  "a turn reads the memory entry that it has just written",
		Looks:  "the note at the end of a turn has the entry that the turn itself wrote",
		Breaks: []string{openwop.OWP0061C6},
		Replace: seeing(rules.AsIs, func(r rules.Reading) bool {
			return r.Store == rules.Memories && r.End && r.Wrote && !r.Resumed
		}),
	},
	{
		ID:     "reads.workers-entries-at-once",
		Title:  "a turn that has written nothing itself reads at its end what was remembered meanwhile",
		Looks:  "the turn that dispatches workers notes at its end what they wrote",
		Breaks: []string{openwop.OWP0061C2},
		Replace: seeing(rules.AsIs, func(r rules.Reading) bool {
			return r.Store == rules.Memories && r.End && !r.Wrote && !r.Resumed
		}),
	},
	{
		ID:     "reads.memory-now-after-resume",
		Title:  "a turn that goes on after a suspension reads its memory anew",
		Looks:  "the resumed turn notes an entry that was written while it waited",
		Breaks: []string{openwop.OWP0061D2},
		Replace: seeing(rules.AsIs, func(r rules.Reading) bool {
			return r.Store == rules.Memories && r.Resumed
		}),
	},
	{
		ID:     "reads.seam-shows-own-write",
		Title:  "the seam says that the turn which wrote a file saw it",
		Looks:  "workspaceVisible.atWriteTurn is true, and the notes of the run say otherwise",
		Breaks: []string{openwop.OWP0061C6},
		Twin:   "there the turn sees what it must not, here only the seam says so",
		Reply:  fileSeen(func(v *openwopv1.WorkspaceVisibility) { v.AtWriteTurn = new(v.AtNextTurn != nil) }),
	},
	{
		ID:     "reads.seam-shows-turn-after-last",
		Title:  "the seam says that a turn behind the last one saw the file",
		Looks:  "workspaceVisible.atNextTurn is true where the turn that wrote was the last",
		Breaks: []string{openwop.OWP0061C6},
		Reply: fileSeen(func(v *openwopv1.WorkspaceVisibility) {
			if v.AtNextTurn == nil {
				v.AtNextTurn = new(true)
			}
		}),
	},
}

// fileSeen changes what the seam says of the file that a turn wrote.
func fileSeen(change func(*openwopv1.WorkspaceVisibility)) mutate.ReplyFunc {
	return loopSeam(func(r *openwopv1.AgentloopReply) {
		if r.WorkspaceVisible != nil {
			change(r.WorkspaceVisible)
		}
	})
}

// seeing has turns see a store as of another moment in the looks that are meant. Replays go by what their source has
// noted.
func seeing(instead rules.Sight, meant func(rules.Reading) bool) func(*rules.Set) {
	return func(s *rules.Set) {
		sees := s.Reads.Sees
		s.Reads.Sees = func(r rules.Reading) rules.Sight {
			if meant(r) && !r.Noted {
				return instead
			}
			return sees(r)
		}
	}
}

// stayingAfterResume has the turn after one that was resumed see a store as that one did.
func stayingAfterResume(store rules.Store) func(*rules.Set) {
	return func(s *rules.Set) {
		refreshes := s.Reads.Refreshes
		s.Reads.Refreshes = func(at rules.Store, resumed bool) bool {
			return refreshes(at, resumed) && (at != store || !resumed)
		}
	}
}

// readingAnew has forks read a store as it is, and not go by what their source has noted.
func readingAnew(store rules.Store) func(*rules.Set) {
	return func(s *rules.Set) {
		sees := s.Reads.Sees
		s.Reads.Sees = func(r rules.Reading) rules.Sight {
			if r.Store == store && r.Forked {
				return rules.AsIs
			}
			return sees(r)
		}
	}
}
