package memory

import (
	"fmt"
	"net/http"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// workerNotes returns the notes of both workers.
func (o MemoryFamily) workerNotes(j *scenarios.Judge) (first, second recollections, ok bool) {
	o.Log.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
	if len(o.Children) != 2 {
		j.Block("setup failed: the loop does not name the run of each of its two workers",
			"tell of a child run when it is made, with dispatch.succeeded or node.dispatched, and which worker it is of")
	}
	for _, c := range o.Children {
		host.ChildServed(j, c.Log.Created, c.ID)
		j.Reach(c.Log.Ended, "have the runs of workers end before their parent does")
	}
	if first, ok = recalled(o.Children[0].Log, j, "the first worker", 2); ok {
		second, ok = recalled(o.Children[1].Log, j, "the second worker", 1)
	}
	return first, second, ok
}

// next returns the beginning of the turn after the one that dispatched the workers.
func (o MemoryFamily) next() host.Look { return host.Look{Turn: int64(o.Handed) + 1, At: host.AtBegin} }

// mergedNotes returns the loop's notes, and blocks the judge unless the next turn read the workers' entries.
func (o MemoryFamily) mergedNotes(j *scenarios.Judge) (recollections, bool) {
	r, ok := recalled(o.Log, j, "the loop", o.Turns)
	if ok && !r.has(o.next(), o.First, o.Second) {
		wrote := completed(o.Log, fixture.MemoryOne) && completed(o.Log, fixture.MemoryTwo)
		for i, entry := range []string{o.First, o.Second} {
			wrote = wrote && i < len(o.Children) && shownWritten(o.Children[i].Log, entry)
		}
		unmerged(j, r, o.next(), wrote)
	}
	return r, ok
}

// allNotes returns the notes of the loop and of both workers.
func (o MemoryFamily) allNotes(j *scenarios.Judge) ([]recollections, bool) {
	first, second, ok := o.workerNotes(j)
	if !ok {
		return nil, false
	}
	r, ok := o.mergedNotes(j)
	return []recollections{r, first, second}, ok
}

// RFC 0039 MAE-2.
var childInherits = scenarios.Scenario{
	ID:     "openwop/memory/child-inherits",
	Title:  "a worker begins with what its parent has written before",
	Proves: scenarios.IDs{openwop.OWPMEM1},
	Claim:  claims.MemoryWorkers,
	Ask: scenarios.Ask(rememberingFamily, func(o MemoryFamily, j *scenarios.Judge) {
		first, second, ok := o.workerNotes(j)
		if !ok {
			return
		}
		first.check(j, openwop.OWPMEM1, host.Look{Turn: 1, At: host.AtBegin}, nothingBut(o.Own))
		second.check(j, openwop.OWPMEM1, host.Look{Turn: 1, At: host.AtBegin}, allOf(o.Own))
	}),
}

var childBrings = scenarios.Scenario{
	ID:     "openwop/memory/child-brings",
	Title:  "what workers wrote is read by every later turn of their parent",
	Proves: scenarios.IDs{openwop.OWPMEM2},
	Claim:  claims.MemoryWorkers,
	Ask: scenarios.Ask(rememberingFamily, func(o MemoryFamily, j *scenarios.Judge) {
		if _, _, ok := o.workerNotes(j); !ok {
			return
		}
		r, ok := recalled(o.Log, j, "the loop", o.Turns)
		if !ok {
			return
		}
		for turn := o.Handed + 1; turn <= o.Turns; turn++ {
			for _, at := range []string{host.AtBegin, host.AtEnd} {
				r.check(j, openwop.OWPMEM2, host.Look{Turn: int64(turn), At: at}, allOf(o.First, o.Second))
			}
		}
	}),
}

var siblingsInOrder = scenarios.Scenario{
	ID:     "openwop/memory/siblings-in-order",
	Title:  "of two workers in one decision the second begins with what the first wrote, and the first sees nothing of the second",
	Proves: scenarios.IDs{openwop.OWPMEM6},
	Claim:  claims.MemorySiblings,
	Ask: scenarios.Ask(rememberingFamily, func(o MemoryFamily, j *scenarios.Judge) {
		first, second, ok := o.workerNotes(j)
		if !ok {
			return
		}
		r, ok := o.mergedNotes(j)
		if !ok {
			return
		}
		for _, at := range []host.Look{{Turn: 1, At: host.AtBegin}, {Turn: 1, At: host.AtEnd}, {Turn: 2, At: host.AtBegin},
			{Turn: 2, At: host.AtEnd}} {
			first.check(j, openwop.OWPMEM6, at, noneOf(o.Second))
		}
		second.check(j, openwop.OWPMEM6, host.Look{Turn: 1, At: host.AtBegin}, allOf(o.First))
		r.check(j, openwop.OWPMEM6, o.next(), comesBefore(o.First, o.Second))
	}),
}

// The control is the same run after the worker has completed.
var heldChildHidden = scenarios.Scenario{
	ID:     "openwop/memory/held-child-hidden",
	Title:  "what a worker wrote that waits for a person is not read by anybody else, and is when the worker has completed",
	Proves: scenarios.IDs{openwop.OWPMEM3, openwop.OWPMEM2},
	Claim:  claims.MemoryWorkers,
	Ask: scenarios.Ask(heldWorker, func(o HeldWorker, j *scenarios.Judge) {
		o.given(j)
		r, ok := recalled(o.Log, j, "the loop", 3)
		if !ok {
			return
		}
		r.check(j, openwop.OWPMEM3, host.Look{Turn: 1, At: host.AtBegin}, noneOf(o.Lasting, o.Long, o.Brief))
		r.check(j, openwop.OWPMEM2, host.Look{Turn: 2, At: host.AtBegin}, allOf(o.Lasting))
		if _, ok := givenShared(o.After, j, "another run", o.Lasting); !ok {
			return
		}
		if while, ok := recalled(o.While, j, "the run that read while the worker was held", 1); ok {
			while.check(j, openwop.OWPMEM3, host.Look{Turn: 1, At: host.AtBegin}, noneOf(o.Lasting, o.Long, o.Brief))
		}
	}),
}

// The control is another run that reads the loop's own entry.
var lostChildLeavesNothing = scenarios.Scenario{
	ID:     "openwop/memory/lost-child-leaves-nothing",
	Title:  "what a worker wrote that failed or was cancelled is read neither by its parent nor by anybody else",
	Proves: scenarios.IDs{openwop.OWPMEM4},
	Claim:  claims.MemoryWorkers,
	Ask: scenarios.Ask(lostWorkers, func(o LostWorkers, j *scenarios.Judge) {
		o.Log.Exists(j, openwop.OWPCAP19)
		j.Reach(o.Found, nameChildren)
		j.Reach(o.Running, "have the second worker wait once it was decided to ask (docs/seams.md)")
		o.givenLost(j)
		r, ok := recalled(o.Log, j, "the loop", 4)
		if !ok {
			return
		}
		after, ok := givenShared(o.Reader, j, "another run", o.Own)
		if !ok {
			return
		}
		for turn := int64(2); turn <= 4; turn++ {
			r.check(j, openwop.OWPMEM4, host.Look{Turn: turn, At: host.AtBegin}, noneOf(o.Failed, o.Cancelled))
			r.check(j, openwop.OWPMEM4, host.Look{Turn: turn, At: host.AtEnd}, noneOf(o.Failed, o.Cancelled))
		}
		after.check(j, openwop.OWPMEM4, host.Look{Turn: 1, At: host.AtBegin}, noneOf(o.Failed, o.Cancelled))
	}),
}

// givenLost blocks the judge unless the workers ended as planned and wrote. Their own later
// turns or their logs show the writes.
func (o LostWorkers) givenLost(j *scenarios.Judge) {
	if len(o.Children) < 2 {
		j.Block("setup failed: the loop does not name its two workers",
			"tell of a child run when it is made, with dispatch.succeeded or node.dispatched")
	}
	for i, w := range []struct{ status, content string }{{"failed", o.Failed}, {"cancelled", o.Cancelled}} {
		l := o.Children[i].Log
		host.ChildServed(j, l.Created, o.Children[i].ID)
		l.Over(j)
		if got := l.Status().String(); got != w.status {
			j.Block("setup failed: the worker that should be "+w.status+" is "+got, "have "+fixture.MemoryFails+
				" refuse two workers in one decision, and serve {cancel run}")
		}
		if !shownWritten(l, w.content) {
			j.Block("setup failed: nothing shows that the "+w.status+" worker wrote",
				"let its next turn read the entry, or report it with memory.written")
		}
	}
}

// shownWritten reports whether a run shows that it wrote an entry: a later turn of its own reads it, or its log tells.
func shownWritten(l host.RunLog, content string) bool {
	own := recollections{Notes: host.ReadSeen(l, "memory")}
	return len(own.idsOf(content)) > 0 || len(l.OfType(dialect.MemoryWritten).Values) > 0
}

// givenChanged blocks the judge unless the source read its entries and another run
// reads the entry written since.
func (o ForkedMemory) givenChanged(j *scenarios.Judge) (source recollections, ok bool) {
	source, ok = recalled(o.Source, j, "the source", o.Turns)
	if !ok {
		j.End()
	}
	o.Writer.Given(j, openwop.OWPCAP19, openwop.OWP0037A1)
	_, ok = givenShared(o.Reader, j, "another run", o.Own[0], o.Own[1], o.Theirs)
	return source, ok
}

// forgotten reports whether the host refused a fork because its memory is no longer
// available. Such a refusal conforms just as a faithful fork does.
func forgotten(f host.Forked, j *scenarios.Judge) bool {
	status, _ := f.Log.Created.Int()
	if code := dialect.CodeOf(f.Reply.Key("error")); status != http.StatusUnprocessableEntity && status != http.StatusGone ||
		code != dialect.MemoryUnavailable {
		return false
	}
	j.Check(openwop.OWPMEM17, f.Log.Created).To(check.OneOf(http.StatusUnprocessableEntity, http.StatusGone),
		"a fork from %d without a memory", f.FromSeq)
	if status == http.StatusGone {
		j.Find("", "the fork from %d is refused with 410; the texts say 422", f.FromSeq)
	}
	for _, member := range []string{"fromSeq", "sourceRunId", "reason"} {
		if v := f.Reply.Key("details").Key(member); !v.Present() {
			j.Violates(openwop.OWPMEM18, v, fmt.Sprintf("the refusal of a fork from %d for want of its memory has no details.%s", f.FromSeq, member))
		}
	}
	return true
}

// RFC 0039 MAE-3. A replay that reads the memory again sees later entries.
var replayRemembers = scenarios.Scenario{
	ID:     "openwop/memory/replay-as-of-index",
	Title:  "the turns of a replay read the entries that those of its source read, whatever was written since, or the replay is refused",
	Proves: scenarios.IDs{openwop.OWPMEM17},
	Claim:  claims.MemoryForks,
	Ask: scenarios.Ask(replayedMemory, func(o ForkedMemory, j *scenarios.Judge) {
		source, ok := o.givenChanged(j)
		if !ok {
			return
		}
		for _, f := range o.Forks {
			if f.Unsupported() || forgotten(f, j) {
				continue
			}
			r, ok := o.forkNotes(j, f)
			if !ok {
				return
			}
			for turn := range int64(o.Turns) {
				o.checkAsSource(j, source, r, turn+1)
			}
		}
	}),
}

// forkNotes returns the notes of a fork.
func (o ForkedMemory) forkNotes(j *scenarios.Judge, f host.Forked) (recollections, bool) {
	if f.Log.RunID == o.Source.RunID {
		j.Violates(openwop.OWPRPL1, f.Log.ID, "setup failed: the host names the source as its own fork")
	}
	f.Log.GivenFork(j)
	return recalled(f.Log, j, "the fork", o.Turns)
}

// checkAsSource expects a turn of a fork to read the entries that the source's turn read.
func (o ForkedMemory) checkAsSource(j *scenarios.Judge, source, fork recollections, turn int64) {
	for _, at := range []host.Look{{Turn: turn, At: host.AtBegin}, {Turn: turn, At: host.AtEnd}} {
		j.Check(openwop.OWPMEM17, fork.contents(at)).To(check.SameAs(source.contents(at)), "what %s of the fork read", at)
	}
}

// checkWithin expects that a branch from within the turn of the last entry remembers it once, when it has written it itself. A host may
// make none there.
func (o ForkedMemory) checkWithin(j *scenarios.Judge, source recollections) {
	if !o.Within.Log.Ended.Reached || o.Within.Log.Status().String() != "completed" {
		return
	}
	if r, ok := recalled(o.Within.Log, j, "the branch from within a turn", o.Turns); ok {
		o.checkAsSource(j, source, r, int64(o.Turns))
	}
}

// A branch has inherited turns and turns of its own. After
// the source's last write both read the same.
var branchRemembers = scenarios.Scenario{
	ID:     "openwop/memory/branch-as-of-index",
	Title:  "the turns of a branch read what its source remembered where it left that, whatever was written since, or the branch is refused",
	Proves: scenarios.IDs{openwop.OWPMEM17},
	Claim:  claims.MemoryBranches,
	Ask: scenarios.Ask(branchedMemory, func(o ForkedMemory, j *scenarios.Judge) {
		source, ok := o.givenChanged(j)
		if !ok {
			return
		}
		for _, f := range o.Forks {
			if forgotten(f, j) {
				continue
			}
			r, ok := o.forkNotes(j, f)
			if !ok {
				return
			}
			for turn := int64(o.Begins); turn <= int64(o.Turns); turn++ {
				o.checkAsSource(j, source, r, turn)
			}
		}
		j.Part(func() { o.checkWithin(j, source) })
	}),
}
