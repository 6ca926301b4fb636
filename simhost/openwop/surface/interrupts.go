package surface

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/live"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/refusal"
	"github.com/openassay/assay/simhost/serving/contract"
)

// responds lets through who may answer interrupts (scope approvals:respond). It stands in front of whatever looks at the
// run, so that who may not learns nothing about it.
func (h *Host) responds(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !h.rules.Answers.Admits(rules.Respondent{LacksScope: callerOf(r.Context()).lacksRespond}) {
			h.refuse(w, r, refusal.New(codeForbidden, "this key does not have the scope approvals:respond", "requiredScope", "approvals:respond"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// answersInterrupts tells the operation that only who has the scope may use. A token needs no scope.
func answersInterrupts(op *contract.Operation) bool { return op.ID == "resolveInterruptByRun" }

// ResolveInterruptByRun answers the interrupt that a node of a run waits for. The reply does not wait for what the answer
// sets going, so its status may still be the waiting one.
func (h *Host) ResolveInterruptByRun(ctx context.Context,
	req openwopv1.ResolveInterruptByRunRequestObject) (openwopv1.ResolveInterruptByRunResponseObject, error) {
	snapshot, err := h.engine.Resolve(live.As(ctx, callerOf(ctx).principal), req.RunID, req.NodeID, resumeValue(req.Body))
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
