// Package memory asks what runs remember of one another, and for how long.
package memory

import (
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Suite asks what runs remember. Only a run can show it: the turns
// of a fixture note the entries that they read.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "memory", Title: "what runs remember: turns, workers, forks and tenants, and when an entry is there and when it is gone",
		Scenarios: []scenarios.Scenario{
			turnRemembers, resumeRemembers, childInherits, childBrings, twinsBrought, siblingsInOrder, heldChildHidden, lostChildLeavesNothing,
			entriesExpire, entriesShaped, secretsKeptOut, writesTold, replayRemembers, branchRemembers, tenantsRememberApart,
		},
	}
}

// RFC 0061 C. childBrings covers the entries of workers.
var turnRemembers = scenarios.Scenario{
	ID:     "openwop/memory/as-of-turn",
	Title:  "a turn reads what was remembered when it started, and not what it or its workers write meanwhile",
	Proves: scenarios.IDs{openwop.OWP0061C2, openwop.OWP0061C6},
	Claim:  claims.LoopMemoryWorkers,
	Ask: scenarios.Ask(rememberingFamily, func(o MemoryFamily, j *scenarios.Judge) {
		r, ok := recalled(o.Log, j, "the loop", o.Turns)
		if !ok {
			return
		}
		for turn := range int64(o.Turns) {
			begin, end := host.Look{Turn: turn + 1, At: host.AtBegin}, host.Look{Turn: turn + 1, At: host.AtEnd}
			switch turn := int(turn) + 1; {
			case turn < o.Wrote:
				r.check(j, openwop.OWP0061C2, begin, nothingBut())
				r.check(j, openwop.OWP0061C2, end, nothingBut())
			case turn == o.Wrote:
				r.check(j, openwop.OWP0061C2, begin, nothingBut())
				r.check(j, openwop.OWP0061C6, end, nothingBut())
			default:
				r.check(j, openwop.OWP0061C6, begin, allOf(o.Own))
				r.check(j, openwop.OWP0061C6, end, allOf(o.Own))
				if turn <= o.Handed {
					r.check(j, openwop.OWP0061C2, begin, noneOf(o.First, o.Second))
					r.check(j, openwop.OWP0061C2, end, noneOf(o.First, o.Second))
				}
			}
		}
	}),
}

// RFC 0061 D. The control is another run that reads the entry written meanwhile.
var resumeRemembers = scenarios.Scenario{
	ID:     "openwop/memory/as-of-turn-after-resume",
	Title:  "a resumed turn reads what it read before, whatever others wrote meanwhile, and the next turn reads that as well",
	Proves: scenarios.IDs{openwop.OWP0061D2, openwop.OWP0061C2, openwop.OWP0061C6},
	Claim:  claims.LoopMemoryResume,
	Ask: scenarios.Ask(heldMemory, func(o HeldMemory, j *scenarios.Judge) {
		o.Held.Given(j)
		o.Held.CheckAnswered(j)
		o.Writer.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
		if _, ok := givenShared(o.Reader, j, "another run", o.Theirs); !ok {
			return
		}
		r, ok := recalled(o.Log, j, "the loop", o.Turns)
		if !ok {
			return
		}
		r.check(j, openwop.OWP0061C2, host.Look{Turn: 1, At: host.AtBegin}, nothingBut())
		r.check(j, openwop.OWP0061C2, host.Look{Turn: int64(o.Asked), At: host.AtBegin}, nothingBut(o.Early))
		r.check(j, openwop.OWP0061D2, host.Look{Turn: int64(o.Asked), At: host.AtEnd}, nothingBut(o.Early))
		for turn := o.Asked + 1; turn <= o.Turns; turn++ {
			r.check(j, openwop.OWP0061C6, host.Look{Turn: int64(turn), At: host.AtBegin}, allOf(o.Early, o.Own))
			r.check(j, openwop.OWP0061C2, host.Look{Turn: int64(turn), At: host.AtBegin}, allOf(o.Theirs))
		}
	}),
}

// The control is another run that reads the entry with the longer expiry.
var entriesExpire = scenarios.Scenario{
	ID:     "openwop/memory/expiry-from-childs-write",
	Title:  "an entry that expired before its writer completed is read by nobody after that, and one that did not is read by its parent",
	Proves: scenarios.IDs{openwop.OWPMEM5, openwop.OWPMEM9},
	Claim:  claims.MemoryTTL,
	Ask: scenarios.Ask(heldWorker, func(o HeldWorker, j *scenarios.Judge) {
		r, ok := o.mergedNotes(j)
		if !ok {
			return
		}
		for _, at := range []host.Look{{Turn: 2, At: host.AtBegin}, {Turn: 2, At: host.AtEnd}, {Turn: 3, At: host.AtBegin}} {
			r.check(j, openwop.OWPMEM5, at, allOf(o.Long))
			r.check(j, openwop.OWPMEM5, at, noneOf(o.Brief))
		}
		if o.Second.ID != "" {
			begin := host.Look{Turn: 1, At: host.AtBegin}
			if second, ok := recalled(o.Second.Log, j, "the worker after that", 1); ok && second.has(begin, o.Lasting) {
				second.check(j, openwop.OWPMEM9, begin, noneOf(o.Brief))
			}
		}
		if host.Succeeded(o.Own.Created) {
			if own, ok := recalled(o.Own, j, "the worker", 3); ok && own.has(behind, o.Lasting) {
				own.check(j, openwop.OWPMEM9, behind, noneOf(o.Brief))
			}
		}
		if after, ok := recalled(o.After, j, "another run", 1); ok {
			after.check(j, openwop.OWPMEM9, host.Look{Turn: 1, At: host.AtBegin}, noneOf(o.Brief))
		}
	}),
}

// mergedNotes returns the loop's notes, and blocks the judge unless the second turn read the lasting
// entries of the worker.
func (o HeldWorker) mergedNotes(j *scenarios.Judge) (recollections, bool) {
	o.given(j)
	r, ok := recalled(o.Log, j, "the loop", 3)
	next := host.Look{Turn: 2, At: host.AtBegin}
	if ok && !r.has(next, o.Lasting) {
		written := o.Worker.Log.OfType(dialect.MemoryWritten)
		unmerged(j, r, next, len(written.Values) > 0 && completed(o.Log, fixture.MemoryOne))
	}
	return r, ok
}

// given blocks the judge unless the worker was held and answered.
func (o HeldWorker) given(j *scenarios.Judge) {
	o.Log.Exists(j, openwop.OWPCAP19)
	j.Reach(o.Found, nameChildren)
	j.Reach(o.Worker.Suspended, "have the worker wait once it was decided to ask (docs/seams.md)")
	o.Worker.CheckAnswered(j)
}

const nameChildren = "tell of a child run when it is made, with dispatch.succeeded or node.dispatched, and serve it under its id"

// completed reports whether a worker completed, as the log of its parent tells.
func completed(l host.RunLog, worker string) bool {
	return slices.ContainsFunc(l.Phase(dialect.ChainPhaseChildCompleted).Values, func(e wire.Value) bool {
		return e.At("/payload/workerId").String() == worker
	})
}

// unmerged blocks the judge: the turn after some workers does not read what they were to write. It is a violation if they
// did write, and completed.
func unmerged(j *scenarios.Judge, r recollections, at host.Look, wrote bool) {
	reason := "setup failed: " + at.String() + " does not read the entries of the workers before it"
	if wrote {
		j.Violates(openwop.OWPMEM2, r.contents(at), reason)
	}
	j.Block(reason, "have the workers of the fixture write their entries and complete")
}

// RFC 0004, as the notes show it.
var entriesShaped = scenarios.Scenario{
	ID:     "openwop/memory/entries-shaped",
	Title:  "an entry is read with an id of its own, its content, its tags and when it was written",
	Proves: scenarios.IDs{openwop.OWPMEM8},
	Claim:  claims.MemoryWorkers,
	Ask: scenarios.Ask(rememberingFamily, func(o MemoryFamily, j *scenarios.Judge) {
		r, ok := o.mergedNotes(j)
		if !ok {
			return
		}
		entries := r.Entries(o.next())
		j.Check(openwop.OWPMEM8, entries).To(check.Each(anEntry(o.Tag)), "entries that %s of the loop read", o.next())
		j.Check(openwop.OWPMEM8, entries.Each("/id")).To(check.Distinct(), "their ids")
	}),
}

// A host may give an entry a new id when it enters the memory of another
// run, so the event need only name an id under which some run reads it.
var writesTold = scenarios.Scenario{
	ID:     "openwop/memory/writes-told-by-id",
	Title:  "each write is told once in the log of its run, by an id under which the entry is read, and without its content",
	Proves: scenarios.IDs{openwop.OWPMEM14, openwop.OWPMEM15},
	Claim:  claims.MemoryEvents,
	Ask: scenarios.Ask(rememberingFamily, func(o MemoryFamily, j *scenarios.Judge) {
		read, ok := o.allNotes(j)
		if !ok {
			return
		}
		for _, w := range []struct {
			who      string
			content  string
			untagged int
			log      host.RunLog
		}{{"the loop", o.Own, o.Untagged, o.Log}, {"the first worker", o.First, 0, o.Children[0].Log},
			{"the second worker", o.Second, 0, o.Children[1].Log}} {
			var known []any
			for _, r := range read {
				for _, id := range r.idsOf(w.content) {
					known = append(known, id)
				}
			}
			if len(known) == 0 {
				j.Block("setup failed: no run reads the entry of "+w.who, "have the runs of the fixture write their entries")
			}
			all := w.log.OfType(dialect.MemoryWritten)
			if !j.Check(openwop.OWPMEM14, all).To(check.Len(1+w.untagged), "memory.written in the log of %s, for each of its entries", w.who) {
				continue
			}
			told := all.Where(func(e wire.Value) bool { return len(e.At("/payload/tags").Items()) > 0 })
			if w.untagged == 0 || len(told.Values) != 1 { // tags need not be told
				told = all
			}
			j.Check(openwop.OWPMEM14, all.Each("/payload/memoryId")).To(check.Distinct(), "memoryId of each entry that %s wrote", w.who)
			ids := told.Each("/payload/memoryId").Where(func(id wire.Value) bool {
				return len(told.Values) == 1 || slices.Contains(known, id.Actual())
			})
			j.Check(openwop.OWPMEM14, ids).To(check.Each(check.OneOf(known...)), "memoryId of what %s wrote", w.who)
			j.Check(openwop.OWPMEM14, all.Each("/payload/memoryRef")).To(check.Each(check.Text()), "memoryRef of what %s wrote", w.who)
			if tags := told.Each("/payload/tags"); len(tags.Values) == 1 && tags.Values[0].Present() {
				j.Check(openwop.OWPMEM14, tags).To(check.Each(check.Equal([]any{o.Tag})), "tags of what %s wrote", w.who)
			}
			j.Check(openwop.OWPMEM15, all).To(host.NotNaming(w.content), "memory.written in the log of %s", w.who)
		}
	}),
}

// The control: both tenants read their own entries.
var tenantsRememberApart = scenarios.Scenario{
	ID:     "openwop/memory/tenants-apart",
	Title:  "a tenant does not read what a run of another remembers, whatever name their memories have",
	Proves: scenarios.IDs{openwop.OWPISO9},
	Claim:  claims.TenantsMemory,
	Ask: scenarios.Ask(tenantMemories, func(o TenantMemory, j *scenarios.Judge) {
		o.Tenants.Given(j)
		o.Wrote.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
		if !host.Succeeded(o.Other.Created) { // the list of fixtures may not hold for every tenant
			j.Block("setup failed: the other tenant cannot make a run of "+fixture.MemoryOne+": HTTP "+o.Other.Created.JSON(), host.GiveOtherKey)
		}
		o.Other.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
		first, ok := givenShared(o.Kept, j, "another run of the first tenant", o.Mine)
		if !ok {
			return
		}
		other, ok := givenShared(o.Own, j, "another run of the other tenant", o.Theirs)
		if !ok {
			return
		}
		earlier, ok := recalled(o.Before, j, "the first run of the other tenant", 1)
		if !ok {
			return
		}
		earlier.check(j, openwop.OWPISO9, host.Look{Turn: 1, At: host.AtBegin}, noneOf(o.Mine))
		other.check(j, openwop.OWPISO9, host.Look{Turn: 1, At: host.AtBegin}, noneOf(o.Mine))
		first.check(j, openwop.OWPISO9, host.Look{Turn: 1, At: host.AtBegin}, noneOf(o.Theirs))
	}),
}
