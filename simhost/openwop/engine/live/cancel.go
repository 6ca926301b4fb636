package live

import (
	"context"
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/step"
)

// Cancel ends a run and all runs below it. The snapshot says cancelled, or cancelling while something below has yet to end.
// A run that ended already, or is about to, is left as it is.
func (e *Engine) Cancel(ctx context.Context, runID, reason string) (snapshot openwopv1.RunSnapshot, err error) {
	leave, err := e.enter()
	if err != nil {
		return snapshot, err
	}
	defer leave()
	err = e.with(ctx, runID, func(r *liveRun) error {
		if status := r.state.Status; !e.o.Rules.Control.Cancels(status) {
			return codes.Refuse(codes.RunActive, fmt.Sprintf("run %s is %s: it is not cancelled now", runID, status), "runId", runID,
				"runStatus", status)
		}
		err := e.halt(ctx, r, &state.Stop{Why: state.StopCancelled, Reason: reason})
		snapshot = r.state.Snapshot()
		return err
	})
	return snapshot, err
}

// halt writes down that a run is to end, then ends what is below it, then the run, as far as that goes at once. The caller
// has the run's lock.
func (e *Engine) halt(ctx context.Context, r *liveRun, stop *state.Stop) error {
	if r.state.Ended() || r.state.Stop != nil {
		return nil
	}
	again, err := e.move(r, &step.Move{Seen: step.Seen{Stop: stop}})
	for err == nil && again && r.state.Stop == nil { // a fork takes over what its source did first
		again, err = e.move(r, &step.Move{Seen: step.Seen{Stop: stop}})
	}
	for err == nil && again {
		again, err = e.advanceOnce(ctx, r)
	}
	return err // what has yet to end below wakes the run when it does
}
