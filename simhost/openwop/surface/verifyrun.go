package surface

import (
	"context"
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/live"
	"github.com/openassay/assay/simhost/refusal"
)

// verifyWorkflow takes its plan and its verdicts from the run's inputs; what verifyWorker brings back is verified.
const (
	verifyWorkflow = "assay-loop-verified"
	verifyWorker   = "assay-echo"
)

// VerifyRun is the seam of RFC 0090. It makes a real run, of which one result is verified before it is merged, and reports
// what stands in the log of that run. Nothing in the reply comes from the request.
func (h *Host) VerifyRun(ctx context.Context, req openwopv1.VerifyRunRequestObject) (openwopv1.VerifyRunResponseObject, error) {
	if !h.claimed[claimVerifySeam] {
		return nil, refusal.New(codeNotFound, "this host does not offer the verify-run seam")
	}
	ctx, cancel := h.waiting(ctx)
	defer cancel()
	snapshot, err := h.drive(ctx, live.Create{WorkflowID: verifyWorkflow, Owner: runOwner(ctx), Inputs: map[string]any{
		"plan": []any{
			map[string]any{"kind": "next-worker", "nextWorkerIds": []any{verifyWorker}},
			map[string]any{"kind": "terminate", "reason": "goal-reached"},
		},
		"verdicts": []any{map[string]any{"verdict": string(req.Body.SimulateVerdict)}},
	}}, false)
	if err != nil {
		return nil, err
	}
	events, _, err := h.engine.Events(ctx, snapshot.RunID, -1)
	if err != nil {
		return nil, err
	}
	reply, err := verifyReply(events)
	if err != nil {
		return nil, fmt.Errorf("read the log of run %s: %w", snapshot.RunID, err)
	}
	reply.RunID, reply.Status = snapshot.RunID, string(snapshot.Status)
	return openwopv1.VerifyRun200JSONResponse(reply), nil
}

// verifyReply reads the log of a run of which one result was verified.
func verifyReply(events []event.Event) (openwopv1.VerifyRunReply, error) {
	reply := openwopv1.VerifyRunReply{Events: []openwopv1.VerifyRunEvent{}, Outcome: "withheld"}
	for _, e := range events {
		payload, err := e.Decode()
		if err != nil {
			return reply, fmt.Errorf("event %d (%s): %w", e.Sequence, e.Type, err)
		}
		switch p := payload.(type) {
		case *event.VerifiedPayload:
			reply.Verdict = openwopv1.VerifyRunReplyVerdict(p.Verdict)
			reply.Events = append(reply.Events, openwopv1.VerifyRunEvent{
				Type: string(e.Type), Verdict: openwopv1.VerifyRunEventVerdict(p.Verdict), AgentID: &p.AgentID, Target: &p.Target,
			})
		case *event.HandoffPayload:
			if p.Phase == event.OutputHarvested {
				reply.Committed, reply.Outcome = true, "committed"
			}
		}
	}
	return reply, nil
}
