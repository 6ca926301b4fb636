package live

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/step"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/openwop/memory"
	"github.com/openassay/assay/simhost/openwop/mockai"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/openwop/workspace"
	"github.com/openassay/assay/simhost/refusal"
)

// Files are the files of all workspaces; *workspace.Files is one.
type Files interface {
	Snapshot(context.Context, workspace.Owner) ([]openwopv1.WorkspaceFileRef, error)
	Content(context.Context, workspace.Owner, openwopv1.WorkspaceFileRef) (string, error)
	Put(context.Context, workspace.Owner, workspace.Put) (openwopv1.WorkspaceFile, error)
}

// Memory is what agents remember; *memory.Store is one.
type Memory interface {
	Reach(context.Context, memory.Line) (mark int64, err error)
	Oldest(context.Context, memory.Line) (mark int64, err error)
	Read(ctx context.Context, l memory.Line, mark int64, tag string, now time.Time) ([]memory.Entry, error)
	Add(context.Context, memory.Line, memory.Write) (memory.Entry, error)
	Merge(ctx context.Context, into, draft memory.Scope) error
}

// Models are what answers the nodes that call a model; *mockai.Models is one.
type Models interface {
	Answer(context.Context, mockai.Call) (answer mockai.Answer, programmed bool, err error)
}

// view looks at the stores of the host. What it does not have stays nil.
func (e *Engine) view(ctx context.Context, v workflow.Viewer, now time.Time) (view state.View, err error) {
	if e.o.Files != nil {
		if view.Files, err = e.o.Files.Snapshot(ctx, v.Owner); err != nil {
			return view, err
		}
		if view.Files == nil {
			view.Files = []openwopv1.WorkspaceFileRef{}
		}
	}
	if e.o.Memory != nil {
		mark, err := e.o.Memory.Reach(ctx, v.Line)
		if err != nil {
			return view, err
		}
		view.Mark, view.At = &mark, now
	}
	return view, nil
}

// ask asks the model that the node under way calls.
func (e *Engine) ask(ctx context.Context, s *state.State) (*step.Answered, error) {
	if e.o.Models == nil { // the workflow was begun when there was one
		return &step.Answered{Answer: mockai.Answer{StopReason: "no model"}}, nil
	}
	nodeID := s.Program.Nodes[s.Done].ID
	call := mockai.Call{NodeID: nodeID, Origin: s.RunID + "/" + nodeID}
	if s.Owner != nil {
		call.Tenant = s.Owner.Tenant
	}
	answer, programmed, err := e.o.Models.Answer(ctx, call)
	return &step.Answered{Answer: answer, Programmed: programmed}, err
}

// carryOut does the write that the log of a run announces, unless that has been done before. nil means that there is none.
// The caller has the run's lock.
func (e *Engine) carryOut(ctx context.Context, r *liveRun) (*state.Wrote, error) {
	announced := r.state.Loop.Write
	if announced == nil || r.tape.Covers(&r.state) {
		return nil, nil
	}
	wrote, err := e.put(ctx, &r.state, announced)
	if refused := (*refusal.Error)(nil); errors.As(tooLarge(err), &refused) {
		place := workflow.KeyWrites + workflow.Index(r.state.Turn()) + workflow.Index(announced.Position)
		wrote, err = state.Wrote{Error: &openwopv1.EventError{Code: refused.Code, Message: place + ": " + refused.Message,
			Details: refused.Details}}, nil
	}
	if err != nil {
		return nil, err
	}
	wrote.Position = announced.Position
	return &wrote, nil
}

// put writes to the store that an announced write is for.
func (e *Engine) put(ctx context.Context, s *state.State, announced *state.Write) (state.Wrote, error) {
	writes, wrong := s.Writes()
	if wrong != nil || announced.Position >= len(writes) {
		return state.Wrote{}, codes.Refuse(codes.Script, "the script does not have this write any more")
	}
	w, v := writes[announced.Position], s.Viewer()
	switch {
	case w.Path == "" && e.o.Memory == nil:
		return state.Wrote{}, workflow.Lacks(s.Program.Supervisor(), workflow.CapabilityMemory)
	case w.Path == "":
		return e.remember(ctx, v.Line, memory.Write{Content: w.Content, Tags: w.Tags, TTL: w.TTL, Origin: announced.Origin})
	case e.o.Files == nil:
		return state.Wrote{}, workflow.Lacks(s.Program.Supervisor(), workflow.CapabilityWorkspace)
	default:
		file, err := e.o.Files.Put(ctx, v.Owner, workspace.Put{Path: w.Path, Content: w.Content, Origin: announced.Origin})
		return state.Wrote{Path: file.Path, Version: file.Version}, err
	}
}

func (e *Engine) remember(ctx context.Context, l memory.Line, w memory.Write) (state.Wrote, error) {
	entry, err := e.o.Memory.Add(ctx, l, w)
	if err != nil {
		return state.Wrote{}, err
	}
	mark, err := e.o.Memory.Reach(ctx, l)
	return state.Wrote{EntryID: entry.ID, Tags: entry.Tags, Mark: mark}, err
}

// maxLine bounds how many drafts stand over each other: forks of forks that write, mostly.
const maxLine = 64

// handDown is the memory of a child that a run is about to create: what the run's own memory holds now, and a draft over it.
// nil where the child has its agent's.
func (e *Engine) handDown(ctx context.Context, s *state.State, child string) (memory.Line, error) {
	if e.o.Memory == nil || !e.o.Rules.Memory.HandsDown(s.Created.Version) {
		return nil, nil
	}
	line := s.Viewer().Line
	mark, err := e.o.Memory.Reach(ctx, line)
	if err != nil {
		return nil, err
	}
	if !e.o.Rules.Memory.Drafts() {
		return line, nil
	}
	return line.Draft(child, e.o.Rules.Memory.Inherited(s.Loop.Child.Position, s.Mark(), mark)), nil
}

// bringBack has a run remember what its child wrote, once the child has completed. What any other child wrote is nobody's.
func (e *Engine) bringBack(ctx context.Context, s *state.State, child *step.ChildReport) error {
	if e.o.Memory == nil || child.Refused != nil || len(child.Memory) == 0 || !e.o.Rules.Memory.Brings(child.Status,
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
	if err := e.o.Memory.Merge(ctx, line.Own(), own.Scope); err != nil {
		return err
	}
	mark, err := e.o.Memory.Reach(ctx, line)
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
func (e *Engine) recall(ctx context.Context, source *state.State, records []state.Record, link state.ForkLink) (recalled, error) {
	if e.o.Memory == nil || source.View.Mark == nil || !e.o.Rules.Memory.HandsDown(source.Created.Version) {
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
	now, err := e.o.Memory.Reach(ctx, r.line)
	if err != nil {
		return r, err
	}
	r.mark = e.o.Rules.Memory.Recalled(link.Branch, remembered(records, at), now)
	return r, e.kept(ctx, source, records, link)
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
func (e *Engine) kept(ctx context.Context, source *state.State, records []state.Record, link state.ForkLink) error {
	if !remembers(source) {
		return nil
	}
	oldest, err := e.o.Memory.Oldest(ctx, source.Viewer().Line)
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

// sight is what the turn of a run sees of a store: what stood there when the turn began.
func (e *Engine) sight(ctx context.Context, s *state.State, at rules.Store, names int) (state.View, error) {
	switch sees := e.o.Rules.Reads.Sees(s.Looks(at, names)); {
	case sees == rules.AsIs:
		return e.view(ctx, s.Viewer(), e.now())
	case sees == rules.AsRunBegan && s.Created.View != nil:
		return *s.Created.View, nil
	case sees == rules.Never:
		return state.View{}, nil
	default:
		return s.View, nil
	}
}

// readFor reads what the turn of a run sees: what its script named when it began, in the view that its log holds. It may be
// done any number of times, and gives the same.
func (e *Engine) readFor(ctx context.Context, s *state.State) (*state.Reading, error) {
	r, wrong := workflow.ParseReads(s.Loop.Reads)
	if wrong != nil {
		return &state.Reading{Refused: codes.Failure(codes.Script, "%s%s: %s", workflow.KeyReads, wrong.At, wrong.Says)}, nil
	}
	got := &state.Reading{}
	err := e.readFiles(ctx, s, r.Files, got)
	if err == nil {
		err = e.readMemory(ctx, s, r.Tags, got)
	}
	if refused := (*refusal.Error)(nil); errors.As(err, &refused) {
		return &state.Reading{Refused: &openwopv1.EventError{Code: refused.Code, Message: refused.Message, Details: refused.Details}}, nil
	}
	return got, err
}

func (e *Engine) readFiles(ctx context.Context, s *state.State, paths []string, into *state.Reading) error {
	if paths == nil {
		return nil
	}
	if e.o.Files == nil && len(paths) > 0 {
		return workflow.Lacks(s.Program.Supervisor(), workflow.CapabilityWorkspace)
	}
	view, err := e.sight(ctx, s, rules.Workspace, len(paths))
	if err != nil {
		return err
	}
	into.Workspace = make([]state.FileSeen, len(paths))
	owner, bytes := s.Viewer().Owner, 0
	for i, path := range paths {
		ref := view.File(path)
		into.Workspace[i] = state.FileSeen{Path: path, Version: ref.Version}
		if ref.Version == 0 {
			continue
		}
		content, err := e.o.Files.Content(ctx, owner, ref)
		if err != nil {
			return err
		}
		if bytes += len(content); bytes > state.MaxNotes {
			return codes.Refuse(codes.Notes, state.NotesTooLarge(s.Program.Notes).Message)
		}
		into.Workspace[i].Content = &content
	}
	return nil
}

// readMemory reads the entries that have one of the tags: by tag, then by age, each once.
func (e *Engine) readMemory(ctx context.Context, s *state.State, tags []string, into *state.Reading) error {
	if tags == nil {
		return nil
	}
	if e.o.Memory == nil && len(tags) > 0 {
		return workflow.Lacks(s.Program.Supervisor(), workflow.CapabilityMemory)
	}
	view, err := e.sight(ctx, s, rules.Memories, len(tags))
	if err != nil {
		return err
	}
	into.Memory = []rules.MemoryEntry{}
	seen, bytes := map[string]bool{}, 0
	for _, tag := range tags {
		entries, err := e.o.Memory.Read(ctx, s.Viewer().Line, view.Marked(), tag, view.At)
		if err != nil {
			return err
		}
		for _, entry := range entries {
			if seen[entry.ID] {
				continue
			}
			seen[entry.ID] = true
			if bytes += len(entry.Content); bytes > state.MaxNotes {
				return codes.Refuse(codes.Notes, state.NotesTooLarge(s.Program.Notes).Message)
			}
			into.Memory = append(into.Memory, e.o.Rules.Memory.Shown(state.SeenEntry(entry)))
		}
	}
	return nil
}
