package live

import (
	"context"

	"github.com/openassay/assay/gen/openwopv1"
)

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
		if snapshot.ParentRunID != nil {
			snapshot = e.o.Rules.Handoff.Child(snapshot)
		}
		if o := snapshot.RunOrchestrator; o != nil {
			o.AgentID = e.o.Rules.Dispatch.Orchestrator(o.AgentID)
		}
		return nil
	})
	return snapshot, err
}
