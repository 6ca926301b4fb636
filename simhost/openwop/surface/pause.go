package surface

import (
	"context"
	"encoding/json"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/refusal"
)

// PauseRun has a run stand still. The reply says so already while the node under way has yet to end; the snapshot says how
// it is.
func (h *Host) PauseRun(ctx context.Context, req openwopv1.PauseRunRequestObject) (openwopv1.PauseRunResponseObject, error) {
	if !h.claimed[claimPause] {
		return nil, noPause()
	}
	p := state.Pause{Drain: true}
	if body := req.Body; body != nil {
		if body.Reason != nil {
			p.Reason = *body.Reason
		}
		p.Drain = body.DrainPolicy != openwopv1.PauseRunRequestDrainPolicyImmediate
	}
	snapshot, err := h.engine.Pause(ctx, req.RunID, p)
	if err != nil {
		return nil, err
	}
	reply := openwopv1.PauseRunResponse{RunID: snapshot.RunID, Status: openwopv1.RunStatusPaused}
	if snapshot.Status == openwopv1.RunStatusPaused {
		if reply.PausedAt, err = h.happened(ctx, snapshot.RunID, event.RunPaused); err != nil {
			return nil, err
		}
	}
	return openwopv1.PauseRun202JSONResponse{Body: reply}, nil
}

// ResumeRun has a run go on that was paused.
func (h *Host) ResumeRun(ctx context.Context, req openwopv1.ResumeRunRequestObject) (openwopv1.ResumeRunResponseObject, error) {
	if !h.claimed[claimPause] {
		return nil, noPause()
	}
	asked := h.opts.Clock.Now().Truncate(time.Microsecond) // as events have it
	snapshot, err := h.engine.Continue(ctx, req.RunID)
	if err != nil {
		return nil, err
	}
	// The run may wait or have ended by now; the reply tells that it goes on.
	reply := openwopv1.ResumeRunResponse{RunID: snapshot.RunID, Status: openwopv1.RunStatusRunning}
	at, err := h.happened(ctx, snapshot.RunID, event.RunResumed)
	if err != nil {
		return nil, err
	}
	if !at.Before(asked) { // else the pause was taken back before the run came to it
		reply.ResumedAt = at
	}
	return openwopv1.ResumeRun202JSONResponse{Body: reply}, nil
}

func noPause() error {
	return refusal.New(codeCapability, "this host does not pause runs: cancel the run, or let it end", "claim", claimPause)
}

// happened is when an event of this type was last put on the log of a run; zero where there is none.
func (h *Host) happened(ctx context.Context, runID string, t event.Type) (at time.Time, err error) {
	events, _, err := h.engine.Events(ctx, runID, -1)
	for _, e := range events {
		if e.Type == t {
			at = e.Timestamp
		}
	}
	return at, err
}

// maxBulk is how many runs one request may cancel.
const maxBulk = 100

// BulkCancelRuns cancels runs, one after the other. That one cannot be cancelled is no reason not to cancel the next; the run
// of another tenant is answered as one that never was.
func (h *Host) BulkCancelRuns(ctx context.Context,
	req openwopv1.BulkCancelRunsRequestObject) (openwopv1.BulkCancelRunsResponseObject, error) {
	if !h.claimed[claimBulkCancel] {
		return nil, refusal.New(codeCapability, "this host cancels one run at a time: use POST /v1/runs/{runId}/cancel", "claim", claimBulkCancel)
	}
	reason := ""
	if req.Body.Reason != nil {
		reason = *req.Body.Reason
	}
	n := len(req.Body.RunIds)
	looks, refused := h.rules.Control.Bulk(n, maxBulk)
	results := make([]openwopv1.BulkCancelResult, looks)
	for i, id := range req.Body.RunIds[:looks] {
		var err error
		if results[i], err = h.cancelOne(ctx, id, reason); err != nil {
			return nil, err
		}
	}
	if refused {
		return nil, refusal.New(codeValidation, "too many runs: send at most 100 ids at a time", "field", "runIds", "maxRunIds", maxBulk,
			"sent", n)
	}
	return openwopv1.BulkCancelRuns200JSONResponse{Body: openwopv1.BulkCancelResponse{Results: results}}, nil
}

// cancelOne cancels one of several runs. The error is a fault of the host; a refusal is in the result.
func (h *Host) cancelOne(ctx context.Context, id, reason string) (openwopv1.BulkCancelResult, error) {
	result := openwopv1.BulkCancelResult{RunID: id}
	_, err := h.lineage(ctx, opBulkCancel, tenantOf(ctx), id)
	if err == nil {
		var snapshot openwopv1.RunSnapshot
		snapshot, err = h.engine.Cancel(ctx, id, reason)
		result.Ok, result.Status = err == nil, snapshot.Status
	}
	if refused := asRefusal(err); refused != nil {
		result.Error = &openwopv1.ErrorEnvelope{Error: refused.Code, Message: refused.Message, Details: refused.Details}
		err = nil
	}
	return result, err
}

// DiffRun compares two runs of one tenant.
func (h *Host) DiffRun(ctx context.Context, req openwopv1.DiffRunRequestObject) (openwopv1.DiffRunResponseObject, error) {
	if !h.claimed[claimDiff] {
		return nil, refusal.New(codeCapability, "this host does not compare runs: read both logs", "claim", claimDiff)
	}
	if _, err := h.lineage(ctx, opDiff, tenantOf(ctx), req.Params.Against); err != nil {
		return nil, err
	}
	a, err := h.compared(ctx, req.RunID)
	if err != nil {
		return nil, err
	}
	b, err := h.compared(ctx, req.Params.Against)
	if err != nil {
		return nil, err
	}
	diff, err := comparison{a, b, h.rules.Control.Compares}.diff()
	if err != nil {
		return nil, err
	}
	return openwopv1.DiffRun200JSONResponse(diff), nil
}

// compared reads a run that is to be compared. The log comes first: a state may be newer, and says then that the run had not
// ended when its log was read.
func (h *Host) compared(ctx context.Context, id string) (c comparedRun, err error) {
	events, ended, err := h.engine.Events(ctx, id, -1)
	if err != nil {
		return c, err
	}
	c.events, c.ended = allTold(events), ended
	snapshot, err := h.engine.Snapshot(ctx, id)
	if err != nil {
		return c, err
	}
	c.id = id
	raw, err := json.Marshal(map[string]any{"status": snapshot.Status, "variables": snapshot.Variables})
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(raw, &c.state)
}
