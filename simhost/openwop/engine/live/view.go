package live

import (
	"context"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

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
