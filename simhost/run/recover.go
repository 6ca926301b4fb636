package run

import (
	"context"
	"fmt"
)

// Resume goes on with the runs that a former process left unfinished: children that were announced are created, timers are
// set again, and parents hear of children that have ended. It returns once all of them are in memory; they go on by
// themselves. A run that cannot be loaded is told to OnError and left as it is.
func (e *Engine) Resume(ctx context.Context) error {
	leave, err := e.enter()
	if err != nil {
		return err
	}
	defer leave()
	ids, err := e.o.Log.Pending(ctx)
	if err != nil {
		return fmt.Errorf("resume: %w", err)
	}
	// All are loaded before any is woken: a mark without a log is cleared here, and must not be one that a parent has just
	// set again for its child.
	var runs []*liveRun
	for _, id := range ids {
		r, err := e.load(ctx, id)
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case err != nil:
			e.o.OnError(fmt.Errorf("resume: %w", err))
		case r == nil, r.state.Ended():
			e.o.Log.ClearPending(id)
		default:
			runs = append(runs, e.share(r))
		}
	}
	for _, r := range runs {
		e.wake(r)
	}
	return nil
}
