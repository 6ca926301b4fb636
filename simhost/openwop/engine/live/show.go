package live

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// Account returns a run as its log tells it. Refusal: not_found.
func (e *Engine) Account(ctx context.Context, runID string) (a state.Account, err error) {
	leave, err := e.enter()
	if err != nil {
		return a, err
	}
	defer leave()
	if !workflow.IsRunID(runID) {
		return a, codes.RunNotFound(runID)
	}
	// Both are of one moment where the run takes no step in between; one that never rests is told a little late.
	for range 4 {
		records, _, err := e.read(ctx, runID)
		if err != nil {
			return a, err
		}
		next := int64(0)
		err = e.with(ctx, runID, func(r *liveRun) error {
			a, next = r.overview(), r.state.Next
			return nil
		})
		if err != nil {
			return a, err
		}
		if a.Tell(records); next == int64(len(a.Events)) {
			break
		}
	}
	return a, nil
}

// Overview returns a run without its events, as Account does. Refusal: not_found.
func (e *Engine) Overview(ctx context.Context, runID string) (a state.Account, err error) {
	leave, err := e.enter()
	if err != nil {
		return a, err
	}
	defer leave()
	err = e.with(ctx, runID, func(r *liveRun) error {
		a = r.overview()
		return nil
	})
	return a, err
}

// overview is what is known of a run without its events. The caller has its lock.
func (r *liveRun) overview() state.Account {
	return state.Account{Snapshot: r.state.Snapshot(), Lineage: r.state.Lineage(), Paused: r.state.Paused != nil,
		Iteration: r.state.Loop.Iteration}
}

// Waiting are the ids of the runs of a tenant that wait for an answer, the one that was started first first.
func (e *Engine) Waiting(owner string) []string {
	type started struct {
		id string
		at time.Time
	}
	var waiting []started
	for _, r := range e.lives() {
		r.mu.Lock()
		if r.state.Waiting() && !r.lost && r.state.Lineage().Owner == owner {
			waiting = append(waiting, started{r.id, r.state.StartedAt})
		}
		r.mu.Unlock()
	}
	slices.SortFunc(waiting, func(a, b started) int { return cmp.Or(a.at.Compare(b.at), strings.Compare(a.id, b.id)) })
	ids := make([]string, len(waiting))
	for i, w := range waiting {
		ids[i] = w.id
	}
	return ids
}

// Lineage returns where a run comes from. Refusals: not_found, and what visits says, the code with which the run is refused
// to who asks, "" where it is not. In the code not_found, that is in the same words as of a run that is not there.
func (e *Engine) Lineage(ctx context.Context, runID string, visits func(state.Lineage) (code string)) (l state.Lineage, err error) {
	leave, err := e.enter()
	if err != nil {
		return l, err
	}
	defer leave()
	err = e.with(ctx, runID, func(r *liveRun) error {
		l = r.state.Lineage()
		if code := visits(l); code != "" {
			refused := codes.RunNotFound(runID)
			refused.Code = code
			return refused
		}
		return nil
	})
	return l, err
}

// Snapshot returns the run as it is now. Refusal: not_found.
func (e *Engine) Snapshot(ctx context.Context, runID string) (snapshot openwopv1.RunSnapshot, err error) {
	leave, err := e.enter()
	if err != nil {
		return snapshot, err
	}
	defer leave()
	return e.look(ctx, runID)
}

func (e *Engine) look(ctx context.Context, runID string) (snapshot openwopv1.RunSnapshot, err error) {
	err = e.with(ctx, runID, func(r *liveRun) error {
		snapshot = r.state.Snapshot()
		return nil
	})
	return snapshot, err
}
