package surface

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/live"
	"github.com/openassay/assay/simhost/refusal"
)

const (
	// loopWorkflow takes its plan from the run's inputs, so every loop that the seam is asked for is a run of it.
	loopWorkflow = "assay-loop"
	loopWorker   = "conformance-noop" //nolint:gosec // the id of a workflow, not a credential
	// maxSeamTurns bounds a plan. It is far above the advertised bound on turns, so that the bound can be seen striking.
	maxSeamTurns = 1000
)

// RunAgentLoop is the seam of RFC 0061. It is a thin driver: it makes a real run, answers its interrupt if asked to, and
// reports what stands in the log of that run. Nothing in the reply comes from the request.
func (h *Host) RunAgentLoop(ctx context.Context, req openwopv1.RunAgentLoopRequestObject) (_ openwopv1.RunAgentLoopResponseObject,
	err error) {
	if !h.claimed[claimAgentloopSeam] {
		return nil, refusal.New(codeNotFound, "this host does not offer the agentloop seam")
	}
	plan, err := h.loopPlan(*req.Body)
	if err != nil {
		return nil, err
	}
	if req.Body.WorkspaceWriteAtTurn != nil {
		ctx = context.WithoutCancel(ctx) // a loop that its caller left would write its file after it was discarded
	}
	ctx, cancel := h.waiting(ctx)
	defer cancel()
	create := live.Create{WorkflowID: loopWorkflow, Inputs: map[string]any{"plan": plan}, Owner: runOwner(ctx)}
	if n := req.Body.MaxLoopIterations; n != nil {
		create.Configurable = map[string]any{"maxLoopIterations": float64(*n)} // as encoding/json would decode it
	}
	var file *loopFile
	if turn := req.Body.WorkspaceWriteAtTurn; turn != nil {
		file = h.newLoopFile(*turn)
		file.addTo(&create)
		defer func() { err = errors.Join(err, h.discard(ctx, file)) }()
	}
	snapshot, err := h.drive(ctx, create, given(req.Body.Resume))
	if err != nil {
		return nil, err
	}
	events, _, err := h.engine.Events(ctx, snapshot.RunID, -1)
	if err != nil {
		return nil, err
	}
	reply, err := loopReply(allTold(events))
	if err != nil {
		return nil, fmt.Errorf("read the log of run %s: %w", snapshot.RunID, err)
	}
	if file != nil {
		if reply.WorkspaceVisible, err = file.visible(snapshot); err != nil {
			return nil, err
		}
	}
	reply.RunID = snapshot.RunID
	return openwopv1.RunAgentLoop200JSONResponse(reply), nil
}

// drive makes a loop and answers its question if asked to. It returns the run as it then stands: ended, or waiting.
func (h *Host) drive(ctx context.Context, create live.Create, resume bool) (openwopv1.RunSnapshot, error) {
	snapshot, err := h.engine.Create(ctx, create)
	if err != nil {
		return snapshot, err
	}
	if snapshot, err = h.settled(ctx, snapshot.RunID); err != nil || !resume || !isSuspended(snapshot.Status) {
		return snapshot, err
	}
	return h.answerLoop(ctx, snapshot)
}

// loopPlan writes the supervisor's script for what was asked: one decision a turn, of which the last terminates.
func (h *Host) loopPlan(ask openwopv1.AgentloopRequest) ([]any, error) {
	if ask.WorkspaceWriteAtTurn != nil {
		if err := h.canWrite(ask); err != nil {
			return nil, err
		}
	}
	if ask.Turns > maxSeamTurns {
		return nil, invalid("turns", fmt.Sprintf("turns must be at most %d", maxSeamTurns))
	}
	switch at := ask.SuspendAtTurn; {
	case at == nil:
	case *at > ask.Turns:
		return nil, invalid("suspendAtTurn", fmt.Sprintf("the loop has %d turns: suspend in one of them", ask.Turns))
	case *at == ask.Turns && given(ask.Resume):
		// Only a decision to terminate ends a loop, and a turn is one decision: a loop that went on from a question in
		// its last turn would need a turn more than it was asked to take.
		return nil, invalid("suspendAtTurn", "the last turn terminates the loop: to resume, suspend in an earlier one")
	}
	plan := make([]any, ask.Turns)
	for i := range plan {
		plan[i] = map[string]any{"kind": "next-worker", "nextWorkerIds": []any{loopWorker}}
	}
	plan[len(plan)-1] = map[string]any{"kind": "terminate", "reason": "goal-reached"}
	if ask.SuspendAtTurn != nil {
		plan[*ask.SuspendAtTurn-1] = map[string]any{"kind": "ask-user", "prompt": "Shall the loop go on?"}
	}
	return plan, nil
}

// settled waits until a run has ended or waits for somebody, and returns it as it then stands.
func (h *Host) settled(ctx context.Context, runID string) (openwopv1.RunSnapshot, error) {
	if err := h.engine.Await(ctx, runID); err != nil {
		return openwopv1.RunSnapshot{}, err
	}
	return h.engine.Snapshot(ctx, runID)
}

func isSuspended(status openwopv1.RunStatus) bool {
	switch status {
	case openwopv1.RunStatusWaitingApproval, openwopv1.RunStatusWaitingInput, openwopv1.RunStatusWaitingExternal:
		return true
	}
	return false
}

// answerLoop answers the question that a loop waits with, as a person would over the public endpoint, and waits for what
// comes of it.
func (h *Host) answerLoop(ctx context.Context, suspended openwopv1.RunSnapshot) (openwopv1.RunSnapshot, error) {
	if suspended.CurrentNodeID == nil {
		return suspended, errors.New("the suspended loop does not say at which node it waits")
	}
	answer := json.RawMessage(`{"answers":{"q1":"yes"}}`)
	if _, err := h.engine.Resolve(ctx, suspended.RunID, *suspended.CurrentNodeID, answer); err != nil {
		return suspended, err
	}
	return h.settled(ctx, suspended.RunID)
}

// loopReply reads the log of a loop: the decisions in order, the turn in which it went on after its suspension, and the
// bound that ended it.
func loopReply(events []openwopv1.RunEvent) (openwopv1.AgentloopReply, error) {
	reply := openwopv1.AgentloopReply{Decisions: []openwopv1.RunOrchestratorDecidedPayload{}}
	for _, e := range events {
		payload, known, err := openwopv1.DecodePayload(e.Type, e.Payload)
		if err != nil {
			return reply, fmt.Errorf("event %d (%s): %w", e.Sequence, e.Type, err)
		}
		if !known {
			continue
		}
		switch p := payload.(type) {
		case *openwopv1.RunOrchestratorDecidedPayload:
			reply.Decisions = append(reply.Decisions, *p)
		case *openwopv1.InterruptResolvedPayload:
			// The answer belongs to the turn that asked, which is the one on the log last.
			if n := len(reply.Decisions); n > 0 {
				reply.ResumedIteration = reply.Decisions[n-1].Iteration
			}
		case *openwopv1.CapBreachedPayload:
			reply.Bound = &openwopv1.LoopBound{Kind: string(p.Kind), Limit: int64(p.Limit), Observed: int64(p.Observed)}
		case *openwopv1.RunFailedPayload:
			if reply.Bound != nil {
				reply.Bound.ErrorCode = p.Error.Code
			}
		}
	}
	return reply, nil
}
