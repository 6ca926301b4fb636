package live

import (
	"context"

	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/state"
)

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
