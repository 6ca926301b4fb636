package live

import (
	"context"
	"errors"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/refusal"
)

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
