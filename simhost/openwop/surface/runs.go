package surface

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/live"
	"github.com/openassay/assay/simhost/refusal"
)

// CreateRun starts a run. An unknown workflow is 404 not_found: the protocol's table of codes has it under 400, every
// host that was looked at answers 404, and the contract declares both.
func (h *Host) CreateRun(ctx context.Context, req openwopv1.CreateRunRequestObject) (openwopv1.CreateRunResponseObject, error) {
	owner := h.rules.Tenants.Owns(tenantOf(ctx), req.Body.TenantID)
	if err := offered(ctx, owner, req); err != nil {
		return nil, err
	}
	if err := h.takesTimeout(req.Body.Inputs); err != nil {
		return nil, err
	}
	configurable, err := plain(req.Body.Configurable)
	if err != nil {
		return nil, err
	}
	if err := h.workflows.checkConfigurable(req.Body.WorkflowID, configurable); err != nil {
		return nil, err
	}
	create, err := h.asked(ctx, live.Create{
		ID:           chosenID(ctx),
		WorkflowID:   req.Body.WorkflowID,
		Inputs:       req.Body.Inputs,
		Configurable: configurable,
		Tags:         req.Body.Tags,
		Metadata:     req.Body.Metadata,
		Owner:        &event.Owner{Tenant: owner},
		Scope:        given(req.Body.ScopeID),
		Sole:         req.Params.XDedup != nil,
	})
	if err != nil {
		return nil, err
	}
	snapshot, err := h.engine.Create(ctx, create)
	if err != nil {
		return nil, err
	}
	return openwopv1.CreateRun201JSONResponse{Body: openwopv1.CreateRunResponse{
		RunID:     snapshot.RunID,
		Status:    created(snapshot.Status),
		EventsURL: eventsURL(snapshot.RunID),
		StatusURL: "/v1/runs/" + snapshot.RunID,
	}}, nil
}

// takesTimeout refuses inputs that give an approval less time than the host takes.
func (h *Host) takesTimeout(inputs map[string]any) error {
	var ms float64
	switch v := inputs["timeoutMs"].(type) {
	case float64:
		ms = v
	case json.Number:
		ms, _ = v.Float64() // the gate refuses what is no number
	default:
		return nil
	}
	if least := h.opts.LeastLimit.Milliseconds(); ms < float64(least) {
		return invalid("inputs.timeoutMs", fmt.Sprintf("must be at least %d", least))
	}
	return nil
}

// offered refuses what a create request may ask for by the contract but this host does not do. Doing as if would be
// worse: nobody would notice that a callback never comes.
func offered(ctx context.Context, owner string, req openwopv1.CreateRunRequestObject) error {
	body := req.Body
	switch {
	case req.Params.XForceEngineVersion != nil:
		return refusal.New(codeForceEngineVersion, "only a test key may force an engine version, and this host has none", "field",
			"X-Force-Engine-Version")
	case req.Params.XDedup != nil && given(body.ScopeID) == "":
		return invalid("scopeId", "X-Dedup keeps runs of one scope apart: say which with scopeId")
	case owner == "":
		return refusal.New(codeForbidden, "the key belongs to tenant "+tenantOf(ctx)+": leave tenantId off", "field", "tenantId")
	case body.Mode != "":
		return refusal.New(codeCapability, "this host runs workflows, not evaluation suites: leave mode off", "field", "mode")
	case body.EvalSuiteRef != "":
		return refusal.New(codeCapability, "this host has no evaluation suites: leave evalSuiteRef off", "field", "evalSuiteRef")
	case body.AgentID != "":
		return refusal.New(codeCapability, "this host has no agents of its own: leave agentId off", "field", "agentId")
	case body.CallbackURL != "":
		return refusal.New(codeCapability, "this host calls nobody back: leave callbackUrl off and follow the events", "field", "callbackUrl")
	case body.Residency != nil:
		return refusal.New(codeResidency, "this host keeps all runs in one place: leave residency off", "field", "residency")
	}
	return mockable(body.Configurable, "")
}

// mockable refuses overrides that choose a mock provider. prefix leads to them in the request.
func mockable(configurable *openwopv1.Configurable, prefix string) error {
	if configurable == nil || configurable.MockProvider == nil {
		return nil
	}
	return refusal.New(codeMockProvider, "only a test key may choose a mock provider, and this host has none", "field",
		prefix+"configurable.mockProvider")
}

// plain turns the typed overrides back into the map they came as: keys that are not reserved are passed through, too.
func plain(configurable *openwopv1.Configurable) (map[string]any, error) {
	if configurable == nil {
		return nil, nil
	}
	raw, err := json.Marshal(configurable)
	if err != nil {
		return nil, fmt.Errorf("encode configurable: %w", err)
	}
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, fmt.Errorf("decode configurable: %w", err)
	}
	return m, nil
}

// created is the status for the reply of a create. A run can be over before the reply is written, but the contract has
// no final status here: the reply tells about a beginning.
func created(status openwopv1.RunStatus) openwopv1.RunStatus {
	switch status {
	case openwopv1.RunStatusRunning, openwopv1.RunStatusWaitingApproval, openwopv1.RunStatusWaitingInput, openwopv1.RunStatusWaitingExternal:
		return status
	}
	return openwopv1.RunStatusPending
}

func eventsURL(runID string) string { return "/v1/runs/" + runID + "/events" }

// GetRun serves a run as it stands.
func (h *Host) GetRun(ctx context.Context, req openwopv1.GetRunRequestObject) (openwopv1.GetRunResponseObject, error) {
	snapshot, err := h.snapshot(ctx, req.RunID)
	if err != nil {
		return nil, err
	}
	return openwopv1.GetRun200JSONResponse(snapshot), nil
}

// CancelRun stops a run and what it dispatched. A run that has ended stays as it ended, which is no error in version 1
// of the protocol.
func (h *Host) CancelRun(ctx context.Context, req openwopv1.CancelRunRequestObject) (openwopv1.CancelRunResponseObject, error) {
	reason := ""
	if req.Body != nil && req.Body.Reason != nil {
		reason = *req.Body.Reason
	}
	snapshot, err := h.engine.Cancel(ctx, req.RunID, reason)
	if err != nil {
		return nil, err
	}
	return openwopv1.CancelRun200JSONResponse{
		Body: openwopv1.CancelRunResponse{RunID: snapshot.RunID, Status: snapshot.Status},
	}, nil
}
