package run

import "context"

// Lineage is where a run comes from.
type Lineage struct {
	ParentRunID string  // the run that dispatched it; "" where none of this host did, which goes for a fork too
	Origin      *Origin // the run on another host that dispatched it; nil where none did
}

// Lineage returns where a run comes from, to the tenant that owns it. Refusal: not_found. A run of another tenant is refused
// in the same words as one that is not there.
func (e *Engine) Lineage(ctx context.Context, runID, tenant string) (l Lineage, err error) {
	leave, err := e.enter()
	if err != nil {
		return l, err
	}
	defer leave()
	err = e.with(ctx, runID, func(r *liveRun) error {
		if owner := r.state.owner; owner == nil || owner.Tenant != tenant {
			return runNotFound(runID)
		}
		if parent := r.state.created.Parent; parent != nil {
			l.ParentRunID = parent.RunID
		}
		l.Origin = r.state.created.Origin
		return nil
	})
	return l, err
}
