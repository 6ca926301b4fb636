package live

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/step"
)

// now is the time of a run, whose clock may be ahead of the host's. The caller has the run's lock.
func (r *liveRun) now(e *Engine) time.Time { return e.now().Add(r.state.Ahead) }

// passing has time pass for runs.
type passing struct{ *Engine }

// Advance moves the clock of a run ahead of the host's, with those of the runs that it dispatched and that have not ended. What
// falls due on the way happens at its own time. It returns the time that it then is there. by is rounded up to milliseconds.
// Refusals: not_found; run_terminal where the run has ended.
func (e *Engine) Advance(ctx context.Context, runID string, by time.Duration) (now time.Time, err error) {
	leave, err := e.enter()
	if err != nil {
		return now, err
	}
	defer leave()
	defer clock.Working(e.o.Clock)()
	err = e.with(ctx, runID, func(r *liveRun) error {
		if r.state.Ended() {
			return refusePause(&r.state, codes.RunTerminal, "has ended: its clock does not move any more")
		}
		return nil
	})
	if err != nil {
		return now, err
	}
	p := passing{e}
	for left := whole(by); left > 0; {
		if err := ctx.Err(); err != nil {
			return now, err
		}
		group, err := p.settled(ctx, runID)
		if err != nil {
			return now, err
		}
		if len(group) == 0 {
			break // the run has ended on the way
		}
		on := p.nextOf(group, left)
		for _, r := range group {
			if err := p.ahead(r, on); err != nil {
				return now, err
			}
		}
		left -= on
	}
	if _, err := p.settled(ctx, runID); err != nil {
		return now, err
	}
	err = e.with(ctx, runID, func(r *liveRun) error {
		now = r.now(e)
		return nil
	})
	return now, err
}

// whole rounds up to milliseconds, as logs have it.
func whole(d time.Duration) time.Duration {
	return (d + time.Millisecond - 1).Truncate(time.Millisecond)
}

// settled has a run and those below it go as far as they do at this time, and returns those that have not ended, the deepest
// first; none where the run itself has ended.
func (e passing) settled(ctx context.Context, runID string) (group []*liveRun, err error) {
	for known := -1; len(group) > known; { // what goes on may dispatch more
		known = len(group)
		group = e.family(runID)
		for _, r := range group {
			if err := e.advance(ctx, r); err != nil {
				return nil, err
			}
		}
	}
	return e.family(runID), nil
}

// family returns a run and all below it that have not ended, the deepest first; none where the run itself has ended.
func (e passing) family(runID string) (group []*liveRun) {
	parents, depths := map[string]string{}, map[string]int{}
	all := e.lives()
	all = slices.DeleteFunc(all, func(r *liveRun) bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		if parent := r.state.Created.Parent; parent != nil {
			parents[r.id] = parent.RunID
		}
		depths[r.id] = r.state.Depth()
		return r.lost || r.state.Ended()
	})
	for _, r := range all {
		for at := r.id; at != ""; at = parents[at] {
			if at == runID {
				group = append(group, r)
				break
			}
		}
	}
	slices.SortFunc(group, func(a, b *liveRun) int { return cmp.Or(depths[b.id]-depths[a.id], cmp.Compare(a.id, b.id)) })
	if n := len(group); n == 0 || group[n-1].id != runID {
		return nil
	}
	return group
}

// nextOf is how far it is to the first thing that falls due in a group, most at most.
func (e passing) nextOf(group []*liveRun, most time.Duration) time.Duration {
	for _, r := range group {
		r.mu.Lock()
		if a := r.alarm; a != nil {
			if in := whole(a.due.Sub(r.now(e.Engine))); in > 0 { // what is late already rings by itself
				most = min(most, in)
			}
		}
		r.mu.Unlock()
	}
	return most
}

// ahead moves the clock of one run, and has what falls due thereby happen.
func (e passing) ahead(r *liveRun, by time.Duration) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.lost || r.state.Ended() {
		return nil
	}
	_, err := e.move(r, &step.Move{Seen: step.Seen{Moved: &state.Moved{Ms: by.Milliseconds()}}})
	return err
}
