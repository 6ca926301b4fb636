package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/memory"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/openwop/workspace"
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

// View is what a run sees of the stores around it, as of one moment. It holds no content; whatever it names can be read
// later as it was then.
type View struct {
	// Files are those of the workspace, by path; nil where there is no workspace. Shared, and not to be changed.
	Files []openwopv1.WorkspaceFileRef `json:"files,omitzero"`
	// Mark is how many entries the memory had taken; nil where there is no memory.
	Mark *int64 `json:"mark,omitempty"`
	// At is that moment, where there is a memory: what had expired by then is not seen.
	At time.Time `json:"at,omitzero"`
}

// empty tells whether a view is of no store, or says nothing new of any.
func (v View) empty() bool { return v.Files == nil && v.Mark == nil && v.At.IsZero() }

// news is what a newer view has to say beyond this one; nil where that is nothing. A store that was not there when the run
// began is not there for it later.
func (v View) news(newer View) *View {
	if v.Files == nil || slices.Equal(v.Files, newer.Files) {
		newer.Files = nil
	}
	switch {
	case v.Mark == nil:
		newer.Mark, newer.At = nil, time.Time{}
	case newer.Mark != nil && *v.Mark == *newer.Mark:
		newer.Mark = nil
	}
	if newer.empty() {
		return nil
	}
	return &newer
}

// update takes over the news.
func (v *View) update(news *View) {
	if news == nil {
		return
	}
	if news.Files != nil {
		v.Files = news.Files
	}
	if news.Mark != nil {
		v.Mark = news.Mark
	}
	if !news.At.IsZero() {
		v.At = news.At
	}
}

// file is the file at a path; its version is 0 where there is none.
func (v View) file(path string) openwopv1.WorkspaceFileRef {
	at, found := slices.BinarySearchFunc(v.Files, path, func(f openwopv1.WorkspaceFileRef, path string) int {
		return strings.Compare(f.Path, path)
	})
	if !found {
		return openwopv1.WorkspaceFileRef{Path: path}
	}
	return v.Files[at]
}

// refresh is what a turn that begins sees other than what was seen before. seen is false where somebody must look first.
func (m *move) refresh() (news *View, seen bool) {
	view := m.s.view
	switch {
	case m.replaying():
		turn, ok := m.recordedTurn()
		if !ok {
			return nil, true // and the next event differs as well
		}
		return turn.View, true
	case view.empty():
		return nil, true
	case !m.rules.Loop.Refreshes(m.s.created.Version):
		return m.brought(), true
	case m.view == nil:
		return nil, false
	}
	looked := *m.view
	if !m.rules.Reads.Refreshes(rules.Workspace, m.s.loop.resumed) {
		looked.Files = view.Files
	}
	if !m.rules.Reads.Refreshes(rules.Memories, m.s.loop.resumed) {
		looked.Mark, looked.At = view.Mark, view.At
	}
	news = view.news(looked)
	m.view = nil
	return news, true
}

// viewer is who looks.
type viewer struct {
	owner workspace.Owner
	line  memory.Line
}

// viewer is who looks in a run of this program. line is the memory that was handed down to the run; without one it has its
// agent's.
func (p *program) viewer(owner *openwopv1.RunOwner, line memory.Line) (v viewer) {
	scope := memory.Scope{Ref: defaultMemory}
	if p.agent.MemoryRef != "" {
		scope.Ref = p.agent.MemoryRef
	}
	if owner != nil {
		v.owner = workspace.Owner{Tenant: owner.Tenant, Workspace: owner.Workspace}
		scope.Tenant = owner.Tenant
	}
	if v.line = line; line == nil {
		v.line = memory.Of(scope)
	}
	return v
}

func (s *State) viewer() viewer { return s.program.viewer(s.owner, s.created.Memory) }

// defaultMemory is the memory of a supervisor whose agent names none.
const defaultMemory = "default"

// view looks at the stores of the host. What it does not have stays nil.
func (e *Engine) view(ctx context.Context, v viewer, now time.Time) (view View, err error) {
	if e.o.Files != nil {
		if view.Files, err = e.o.Files.Snapshot(ctx, v.owner); err != nil {
			return view, err
		}
		if view.Files == nil {
			view.Files = []openwopv1.WorkspaceFileRef{}
		}
	}
	if e.o.Memory != nil {
		mark, err := e.o.Memory.Reach(ctx, v.line)
		if err != nil {
			return view, err
		}
		view.Mark, view.At = &mark, now
	}
	return view, nil
}
