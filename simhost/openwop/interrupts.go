package openwop

import (
	"context"
	"encoding/json"

	"github.com/openassay/assay/gen/openwopv1"
)

// ResolveInterruptByRun answers the interrupt that a node of a run waits for. The reply does not wait for what the answer
// sets going, so its status may still be the waiting one.
func (h *Host) ResolveInterruptByRun(ctx context.Context, req openwopv1.ResolveInterruptByRunRequestObject) (openwopv1.ResolveInterruptByRunResponseObject, error) {
	snapshot, err := h.engine.Resolve(ctx, req.RunID, req.NodeID, resumeValue(req.Body))
	if err != nil {
		return nil, err
	}
	return openwopv1.ResolveInterruptByRun200JSONResponse{Body: openwopv1.ResolveInterruptResponse{
		RunID:  snapshot.RunID,
		NodeID: req.NodeID,
		Status: snapshot.Status,
	}}, nil
}

// resumeValue is the value in an answer.
func resumeValue(answer *openwopv1.ResolveInterruptRequest) json.RawMessage {
	if answer.ResumeValue == nil {
		return json.RawMessage("null")
	}
	return answer.ResumeValue
}
