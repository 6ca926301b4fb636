package engine

import "context"

// Lineage is where a run comes from.
type Lineage struct {
	Owner       string  // the tenant whose run it is; "" where it is nobody's
	ParentRunID string  // the run that dispatched it; "" where none of this host did, which goes for a fork too
	SourceRunID string  // the run that it is a fork of; "" where it is none
	Origin      *Origin // the run on another host that dispatched it; nil where none did
}

// Lineage returns where a run comes from. Refusals: not_found, and what visits says, the code with which the run is refused
// to who asks, "" where it is not. In the code not_found, that is in the same words as of a run that is not there.
func (e *Engine) Lineage(ctx context.Context, runID string, visits func(Lineage) (code string)) (l Lineage, err error) {
	leave, err := e.enter()
	if err != nil {
		return l, err
	}
	defer leave()
	err = e.with(ctx, runID, func(r *liveRun) error {
		l = r.state.lineage()
		if code := visits(l); code != "" {
			refused := runNotFound(runID)
			refused.Code = code
			return refused
		}
		return nil
	})
	return l, err
}

// lineage is where the run comes from.
func (s *State) lineage() (l Lineage) {
	if owner := s.owner; owner != nil {
		l.Owner = owner.Tenant
	}
	if parent := s.created.Parent; parent != nil {
		l.ParentRunID = parent.RunID
	}
	if fork := s.created.Fork; fork != nil {
		l.SourceRunID = fork.RunID
	}
	l.Origin = s.created.Origin
	return l
}
