package live

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/refusal"
)

// Resume goes on with the runs that a former process left unfinished: children that were announced are created, timers are
// set again, and parents hear of children that have ended. It returns once all of them are in memory; they go on by
// themselves. A run that cannot be loaded is told to OnError, and tried again later.
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
		case errors.Is(err, eventlog.ErrDamaged): // it stays so: whoever asks for the run is told
			e.o.OnError(fmt.Errorf("resume: %w", err))
		case err != nil:
			e.o.OnError(fmt.Errorf("resume: %w", err))
			e.reviveLater(id)
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

// A run that the log failed is tried again after reviveFirst, then after twice as long, and so on up to reviveMost: a log
// that is full now may have room then.
const (
	reviveFirst = 200 * time.Millisecond
	reviveMost  = time.Minute
)

// reviveLater goes on with a run after a while. Holding the run's lock is fine.
func (e *Engine) reviveLater(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	after := reviveMost
	if n := e.failed[id]; n < 8 {
		after = reviveFirst << n
	}
	e.failed[id]++
	done := clock.Working(e.o.Clock)
	time.AfterFunc(after, func() {
		defer done()
		e.revive(id)
	})
}

func (e *Engine) revive(id string) {
	leave, err := e.enter()
	if err != nil {
		return
	}
	defer leave()
	err = e.with(e.ctx, id, func(r *liveRun) error {
		if r.state.Ended() {
			e.revived(id)
		} else {
			e.wake(r)
		}
		return nil
	})
	switch refused := (*refusal.Error)(nil); {
	case errors.As(err, &refused): // there is no such run
		e.revived(id)
	case errors.Is(err, eventlog.ErrDamaged):
		e.o.OnError(fmt.Errorf("revive run %s: %w", id, err))
		e.revived(id)
	case err != nil:
		e.o.OnError(fmt.Errorf("revive run %s: %w", id, err))
		e.reviveLater(id)
	}
}

// revived notes that there is nothing to revive about a run: the log took what it had, or it has ended.
func (e *Engine) revived(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.failed, id)
}
