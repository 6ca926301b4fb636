package live

import (
	"context"
	"errors"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
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

// stores is what runs read and write outside of their logs. A store that the host does not have is nil.
type stores struct {
	files  Files
	memory Memory
	models Models
	rules  *rules.Set
	now    func() time.Time
}

// view looks at the stores of the host. What it does not have stays nil.
func (o *stores) view(ctx context.Context, v workflow.Viewer, now time.Time) (view state.View, err error) {
	if o.files != nil {
		if view.Files, err = o.files.Snapshot(ctx, v.Owner); err != nil {
			return view, err
		}
		if view.Files == nil {
			view.Files = []openwopv1.WorkspaceFileRef{}
		}
	}
	if o.memory != nil {
		mark, err := o.memory.Reach(ctx, v.Line)
		if err != nil {
			return view, err
		}
		view.Mark, view.At = &mark, now
	}
	return view, nil
}

// ask asks the model that the node under way calls.
func (o *stores) ask(ctx context.Context, s *state.State) (*step.Answered, error) {
	if o.models == nil { // the workflow was begun when there was one
		return &step.Answered{Answer: mockai.Answer{StopReason: "no model"}}, nil
	}
	nodeID := s.Program.Nodes[s.Done].ID
	call := mockai.Call{NodeID: nodeID, Origin: s.RunID + "/" + nodeID}
	if s.Owner != nil {
		call.Tenant = s.Owner.Tenant
	}
	answer, programmed, err := o.models.Answer(ctx, call)
	return &step.Answered{Answer: answer, Programmed: programmed}, err
}

// put writes to the store that an announced write is for.
func (o *stores) put(ctx context.Context, s *state.State, announced *state.Write) (state.Wrote, error) {
	writes, wrong := s.Writes()
	if wrong != nil || announced.Position >= len(writes) {
		return state.Wrote{}, codes.Refuse(codes.Script, "the script does not have this write any more")
	}
	w, v := writes[announced.Position], s.Viewer()
	switch {
	case w.Path == "" && o.memory == nil:
		return state.Wrote{}, workflow.Lacks(s.Program.Supervisor(), workflow.CapabilityMemory)
	case w.Path == "":
		return o.remember(ctx, v.Line, memory.Write{Content: w.Content, Tags: w.Tags, TTL: w.TTL, Origin: announced.Origin})
	case o.files == nil:
		return state.Wrote{}, workflow.Lacks(s.Program.Supervisor(), workflow.CapabilityWorkspace)
	default:
		file, err := o.files.Put(ctx, v.Owner, workspace.Put{Path: w.Path, Content: w.Content, Origin: announced.Origin, ByTurn: true})
		return state.Wrote{Path: file.Path, Version: file.Version}, err
	}
}

func (o *stores) remember(ctx context.Context, l memory.Line, w memory.Write) (state.Wrote, error) {
	entry, err := o.memory.Add(ctx, l, w)
	if err != nil {
		return state.Wrote{}, err
	}
	mark, err := o.memory.Reach(ctx, l)
	return state.Wrote{EntryID: entry.ID, Tags: entry.Tags, Mark: mark}, err
}

// sight is what the turn of a run sees of a store: what stood there when the turn began.
func (o *stores) sight(ctx context.Context, s *state.State, at rules.Store, names int) (state.View, error) {
	switch sees := o.rules.Reads.Sees(s.Looks(at, names)); {
	case sees == rules.AsIs:
		return o.view(ctx, s.Viewer(), o.now())
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
func (o *stores) readFor(ctx context.Context, s *state.State) (*state.Reading, error) {
	r, wrong := workflow.ParseReads(s.Loop.Reads)
	if wrong != nil {
		return &state.Reading{Refused: codes.Failure(codes.Script, "%s%s: %s", workflow.KeyReads, wrong.At, wrong.Says)}, nil
	}
	got := &state.Reading{}
	err := o.readFiles(ctx, s, r.Files, got)
	if err == nil {
		err = o.readMemory(ctx, s, r.Tags, got)
	}
	if refused := (*refusal.Error)(nil); errors.As(err, &refused) {
		return &state.Reading{Refused: &event.Error{Code: refused.Code, Message: refused.Message, Details: refused.Details}}, nil
	}
	return got, err
}

func (o *stores) readFiles(ctx context.Context, s *state.State, paths []string, into *state.Reading) error {
	if paths == nil {
		return nil
	}
	if o.files == nil && len(paths) > 0 {
		return workflow.Lacks(s.Program.Supervisor(), workflow.CapabilityWorkspace)
	}
	view, err := o.sight(ctx, s, rules.Workspace, len(paths))
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
		content, err := o.files.Content(ctx, owner, ref)
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
func (o *stores) readMemory(ctx context.Context, s *state.State, tags []string, into *state.Reading) error {
	if tags == nil {
		return nil
	}
	if o.memory == nil && len(tags) > 0 {
		return workflow.Lacks(s.Program.Supervisor(), workflow.CapabilityMemory)
	}
	view, err := o.sight(ctx, s, rules.Memories, len(tags))
	if err != nil {
		return err
	}
	into.Memory = []state.MemoryEntry{}
	seen, bytes := map[string]bool{}, 0
	for _, tag := range tags {
		entries, err := o.memory.Read(ctx, s.Viewer().Line, view.Marked(), tag, view.At)
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
			into.Memory = append(into.Memory, state.SeenEntry(entry))
		}
	}
	return nil
}
