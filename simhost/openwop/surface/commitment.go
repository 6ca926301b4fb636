package surface

import (
	"context"
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
)

// FireCommitment has the goals that go on by a commitment fire a run each (RFC 0068, RFC 0097). Nothing here has conditions
// of its own to look at: that one holds is what the call says. Those that fall due by time need no call.
func (h *Host) FireCommitment(ctx context.Context,
	req openwopv1.FireCommitmentRequestObject) (openwopv1.FireCommitmentResponseObject, error) {
	if !h.claimed[claimCommitments] {
		return nil, refuse(codeNotFound, "this host has no commitments")
	}
	ctx, cancel := h.waiting(ctx)
	defer cancel()
	id := req.Body.CommitmentID
	fulfilled, err := h.ownGoals(ctx).Fulfil(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("fire commitment %q: %w", id, err)
	}
	events := make([]openwopv1.CommitmentFired, len(fulfilled))
	for i, f := range fulfilled {
		events[i] = openwopv1.CommitmentFired{Type: openwopv1.CommitmentFiredTypeCommitmentFired, Payload: openwopv1.CommitmentFiring{
			CommitmentID: id, MemoryRef: f.GoalID, Condition: openwopv1.CommitmentFiringConditionPredicate, EnqueuedRunID: f.RunID,
		}}
	}
	return openwopv1.FireCommitment200JSONResponse{CommitmentID: id, Events: events}, nil
}
