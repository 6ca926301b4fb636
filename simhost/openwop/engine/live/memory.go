package live

import (
	"context"
	"fmt"
	"math"

	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/step"
	"github.com/openassay/assay/simhost/openwop/memory"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// maxLine bounds how many drafts stand over each other: forks of forks that write, mostly.
const maxLine = 64

// handDown is the memory of a child that a run is about to create: what the run's own memory holds now, and a draft over it.
// nil where the child has its agent's.
func (o *stores) handDown(ctx context.Context, s *state.State, child string) (memory.Line, error) {
	if o.memory == nil || !s.Created.HandsDown() {
		return nil, nil
	}
	line := s.Viewer().Line
	mark, err := o.memory.Reach(ctx, line)
	if err != nil {
		return nil, err
	}
	if !o.rules.Memory.Drafts() {
		return line, nil
	}
	return line.Draft(child, o.rules.Memory.Begins(rules.Beginning{Position: s.Loop.Child.Position, Then: s.Mark(), Now: mark})), nil
}

// bringBack has a run remember what its child wrote, once the child has completed. What any other child wrote is nobody's.
func (o *stores) bringBack(ctx context.Context, s *state.State, child *step.ChildReport) error {
	if o.memory == nil || child.Refused != nil || len(child.Memory) == 0 || !o.rules.Memory.Brings(child.Status,
		s.Loop.Child.Position == len(s.Loop.Decision.Workers)-1) {
		return nil
	}
	own := child.Memory[len(child.Memory)-1]
	if child.Remembers == own.From {
		return nil
	}
	line := s.Viewer().Line
	if own.Scope == line.Own() {
		return nil // it wrote there at once
	}
	if err := o.memory.Merge(ctx, line.Own(), own.Scope); err != nil {
		return err
	}
	mark, err := o.memory.Reach(ctx, line)
	child.Mark = mark
	return err
}

// recalled is what a fork has of the memory of its source: nothing of its own where draft is false.
type recalled struct {
	line  memory.Line // the source's
	mark  int64       // how much of it
	draft bool
}

// recall looks for the memory of a source as of where its fork begins. Refusals: replay_memory_snapshot_unavailable where
// that is no longer kept, validation_error for too many forks of forks.
func (o *stores) recall(ctx context.Context, source *state.State, records []state.Record, link state.ForkLink) (recalled, error) {
	if o.memory == nil || source.View.Mark == nil || !source.Created.HandsDown() {
		return recalled{line: source.Created.Memory}, nil
	}
	r := recalled{line: source.Viewer().Line, draft: true}
	if len(r.line) >= maxLine {
		return r, codes.Invalid("runId", "it is a fork of forks of forks: this host follows %d of them that write to their memory", maxLine)
	}
	at := link.FromSeq
	if !link.Branch {
		at = source.Next // a replay goes by the log of its source as far as that goes
	}
	now, err := o.memory.Reach(ctx, r.line)
	if err != nil {
		return r, err
	}
	r.mark = o.rules.Memory.Begins(rules.Beginning{Fork: true, Branch: link.Branch, Then: remembered(records, at), Now: now})
	return r, o.kept(ctx, source, records, link)
}

// of puts it into what a fork is made of.
func (r recalled) of(id string, created *state.Created) {
	created.Memory = r.line
	if !r.draft {
		return
	}
	created.Memory = r.line.Draft(id, r.mark)
	if view := created.View; view != nil && view.Mark != nil && *view.Mark > r.mark {
		created.View = &state.View{Files: view.Files, Mark: new(r.mark), At: view.At}
	}
}

// kept refuses a fork of a run that remembers where the memory that it would need is no longer kept.
func (o *stores) kept(ctx context.Context, source *state.State, records []state.Record, link state.ForkLink) error {
	if !remembers(source) {
		return nil
	}
	oldest, err := o.memory.Oldest(ctx, source.Viewer().Line)
	if err != nil || remembered(records, link.FromSeq) >= oldest {
		return err
	}
	details := []any{"fromSeq", link.FromSeq, "sourceRunId", link.RunID, "reason", "retention_expired"}
	if source.Memory >= oldest {
		details = append(details, "oldestAvailableIdx", since(records, oldest))
	}
	message := fmt.Sprintf("what run %s remembered at event %d is no longer kept", link.RunID, link.FromSeq)
	return codes.Refuse(codes.MemorySnapshot, message, details...)
}

// remembers tells whether a run reads or writes its memory, or has it of its children.
func remembers(s *state.State) bool {
	if s.Program.Loop == len(s.Program.Nodes) {
		return false
	}
	_, scripted := s.Program.Stores(s.Inputs)
	return scripted || s.Brought > 0
}

// remembered is the mark of a run's memory after its first events, as far as its log tells.
func remembered(records []state.Record, events int64) (mark int64) {
	eachMark(records, func(at, m int64) {
		if at < max(events, 1) { // what stands before the first event made the run
			mark = max(mark, m)
		}
	})
	return mark
}

// since is how many events a run had when its memory reached a mark.
func since(records []state.Record, mark int64) (events int64) {
	events = math.MaxInt64
	eachMark(records, func(at, m int64) {
		if m >= mark {
			events = min(events, at+1)
		}
	})
	return events
}

// eachMark shows the marks that the log of a run holds, each with the event that it stands before.
func eachMark(records []state.Record, see func(at, mark int64)) {
	view := func(at int64, v *state.View) {
		if v != nil && v.Mark != nil {
			see(at, *v.Mark)
		}
	}
	for _, r := range records {
		for _, f := range r.Facts {
			switch {
			case f.Created != nil:
				view(f.At, f.Created.View)
			case f.Turn != nil:
				view(f.At, f.Turn.View)
			case f.Wrote != nil:
				see(f.At, f.Wrote.Mark)
			case f.Child != nil:
				see(f.At, f.Child.Mark)
			}
		}
	}
}
