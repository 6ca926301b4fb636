package live

import (
	"context"
	"errors"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/openwop/memory"
	"github.com/openassay/assay/simhost/openwop/workspace"
	"github.com/openassay/assay/simhost/refusal"
)

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
