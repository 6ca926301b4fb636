package surface

import (
	"context"
	"maps"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/live"
	"github.com/openassay/assay/simhost/refusal"
)

// ForkRun makes a new run out of the log of another one. That there is such a run is looked at first, then the mode.
func (h *Host) ForkRun(ctx context.Context, req openwopv1.ForkRunRequestObject) (openwopv1.ForkRunResponseObject, error) {
	_, err := h.lineage(ctx, opFork, tenantOf(ctx), req.RunID)
	if err != nil {
		return nil, err
	}
	source, err := h.engine.Snapshot(ctx, req.RunID)
	if err != nil {
		return nil, err
	}
	if !h.claimed[claimReplay] {
		return nil, refusal.New(codeCapability, "this host does not fork runs: discovery has no replay", "requiredCapability", "replay")
	}
	if req.Body.Mode == openwopv1.ForkModeBranch && !h.claimed[claimBranch] {
		return nil, refusal.New(codeCapability, "this host does not fork in mode branch: use replay", "mode", req.Body.Mode)
	}
	overlay, err := h.overlay(source, req.Body.RunOptionsOverlay)
	if err != nil {
		return nil, err
	}
	fork, err := h.engine.Fork(ctx, req.RunID, live.Fork{
		ID: chosenID(ctx), Mode: string(req.Body.Mode), FromSeq: req.Body.FromSeq, Overlay: overlay,
	})
	if err != nil {
		return nil, err
	}
	if err := h.adopted(ctx, source, req.Body.Mode, fork.RunID); err != nil {
		return nil, err
	}
	return openwopv1.ForkRun201JSONResponse{Body: openwopv1.ForkRunResponse{
		RunID:       fork.RunID,
		SourceRunID: fork.SourceRunID,
		FromSeq:     &fork.FromSeq,
		Mode:        openwopv1.ForkMode(fork.Mode),
		Status:      fork.Snapshot.Status,
		EventsURL:   eventsURL(fork.RunID),
	}}, nil
}

// adopted has a fork judged for the goal that its source contributes to, where such forks count.
func (h *Host) adopted(ctx context.Context, source openwopv1.RunSnapshot, mode openwopv1.ForkMode, fork string) error {
	id, contributes := source.Metadata["goalId"].(string)
	goals := h.ownGoals(ctx)
	if !contributes || goals == nil || !h.rules.Goals.Adopts(mode) {
		return nil
	}
	return goals.Adopt(ctx, id, fork)
}

// overlay reads the run options that a branch has other than its source. What a create request may not ask for, an overlay
// may not either. nil is no overlay.
func (h *Host) overlay(source openwopv1.RunSnapshot, options *openwopv1.RunOptions) (*live.Overlay, error) {
	if options == nil {
		return nil, nil
	}
	if err := mockable(options.Configurable, "runOptionsOverlay."); err != nil {
		return nil, err
	}
	configurable, err := plain(options.Configurable)
	if err != nil {
		return nil, err
	}
	both := map[string]any{}
	maps.Copy(both, source.Configurable)
	maps.Copy(both, configurable)
	if err := h.workflows.checkConfigurable(source.WorkflowID, both); err != nil {
		return nil, err
	}
	return &live.Overlay{Configurable: configurable, Tags: options.Tags, Metadata: options.Metadata}, nil
}
