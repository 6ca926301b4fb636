package live

import (
	"context"
	"errors"

	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/refusal"
)

// carryOut does the write that the log of a run announces, unless that has been done before. nil means that there is none.
// The caller has the run's lock.
func (e *Engine) carryOut(ctx context.Context, r *liveRun) (*state.Wrote, error) {
	announced := r.state.Loop.Write
	if announced == nil || r.tape.Covers(&r.state) {
		return nil, nil
	}
	wrote, err := e.stores.put(ctx, &r.state, announced)
	if refused := (*refusal.Error)(nil); errors.As(tooLarge(err), &refused) {
		place := workflow.KeyWrites + workflow.Index(r.state.Turn()) + workflow.Index(announced.Position)
		wrote, err = state.Wrote{Error: &event.Error{Code: refused.Code, Message: place + ": " + refused.Message,
			Details: refused.Details}}, nil
	}
	if err != nil {
		return nil, err
	}
	wrote.Position = announced.Position
	return &wrote, nil
}
