package live

import (
	"context"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/memory"
	"github.com/openassay/assay/simhost/openwop/mockai"
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

// Models are what answers the nodes that call a model; *mockai.Models is one.
type Models interface {
	Answer(context.Context, mockai.Call) (answer mockai.Answer, programmed bool, err error)
}
