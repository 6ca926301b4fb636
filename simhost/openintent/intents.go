package openintent

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"

	oi "github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/openintent/engine"
	"github.com/openassay/assay/simhost/openintent/suspension"
)

// said is a text that may be left out.
func said(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// tag is the version as an ETag.
func tag(version int64) *string {
	t := `"` + strconv.FormatInt(version, 10) + `"`
	return &t
}

// state reads the members of a state.
func state(sent map[string]json.RawMessage) (map[string]any, error) {
	out := make(map[string]any, len(sent))
	for key, raw := range sent {
		v, err := engine.Decode(raw)
		if err != nil {
			return nil, badRequest(err)
		}
		out[key] = v
	}
	return out, nil
}

// CreateIntent makes an intent.
func (h *Host) CreateIntent(ctx context.Context, r oi.CreateIntentRequestObject) (oi.CreateIntentResponseObject, error) {
	b := r.Body
	s, err := state(b.State)
	if err != nil {
		return nil, err
	}
	parent := b.ParentIntentID
	if parent == "" {
		parent = b.ParentID
	}
	if h.without[engine.Graph] { // what is not offered is ignored, as what is not known
		parent, b.DependsOn = "", nil
	}
	doc, err := h.engine.Create(ctx, callerOf(ctx), engine.Make{
		Title: b.Title, Description: b.Description, CreatedBy: said(b.CreatedBy), Parent: parent, DependsOn: b.DependsOn,
		Constraints: b.Constraints, State: s, Status: string(b.Status), Governance: b.GovernancePolicy,
	})
	return oi.CreateIntent200JSONResponse{Body: doc, Headers: oi.CreateIntent200ResponseHeaders{ETag: tag(doc.Version)}}, err
}

// CreateChildIntent makes an intent below another one, as a draft.
func (h *Host) CreateChildIntent(ctx context.Context, r oi.CreateChildIntentRequestObject) (oi.CreateChildIntentResponseObject, error) {
	b := r.Body
	s, err := state(b.State)
	if err != nil {
		return nil, err
	}
	doc, err := h.engine.Create(ctx, callerOf(ctx), engine.Make{
		Title: b.Title, Description: b.Description, Parent: r.IntentID, DependsOn: b.DependsOn, Constraints: b.Constraints, State: s,
	})
	return oi.CreateChildIntent200JSONResponse{Body: doc, Headers: oi.CreateChildIntent200ResponseHeaders{ETag: tag(doc.Version)}}, err
}

// GetIntent shows an intent.
func (h *Host) GetIntent(ctx context.Context, r oi.GetIntentRequestObject) (oi.GetIntentResponseObject, error) {
	doc, err := h.engine.Intent(ctx, r.IntentID)
	return oi.GetIntent200JSONResponse{Body: doc, Headers: oi.GetIntent200ResponseHeaders{ETag: tag(doc.Version)}}, err
}

// ListIntents shows intents, oldest first.
func (h *Host) ListIntents(ctx context.Context, r oi.ListIntentsRequestObject) (oi.ListIntentsResponseObject, error) {
	offset, limit := page(r.Params.Limit, r.Params.Offset)
	status := ""
	if r.Params.Status != nil {
		status = string(*r.Params.Status)
	}
	docs, err := h.engine.Intents(ctx, status, offset, limit)
	return oi.ListIntents200JSONResponse{Intents: docs}, err
}

// SetIntentStatus takes an intent to another status.
func (h *Host) SetIntentStatus(ctx context.Context, r oi.SetIntentStatusRequestObject) (oi.SetIntentStatusResponseObject, error) {
	doc, err := h.engine.SetStatus(ctx, callerOf(ctx), r.IntentID, meant(r.Params.IfMatch), string(r.Body.Status), r.Body.Reason)
	return oi.SetIntentStatus200JSONResponse{Body: doc, Headers: oi.SetIntentStatus200ResponseHeaders{ETag: tag(doc.Version)}}, err
}

// PatchIntentState writes into the state of an intent.
func (h *Host) PatchIntentState(ctx context.Context, r oi.PatchIntentStateRequestObject) (oi.PatchIntentStateResponseObject, error) {
	var patches []engine.Patch
	for _, p := range r.Body.Patches {
		patch := engine.Patch{Op: string(p.Op), Path: p.Path}
		if p.Value != nil {
			v, err := engine.Decode(p.Value)
			if err != nil {
				return nil, badRequest(err)
			}
			patch.Value = v
		}
		patches = append(patches, patch)
	}
	merged, err := state(r.Body.State)
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(merged)) {
		patches = append(patches, engine.Patch{Op: "set", Path: key, Value: merged[key]})
	}
	doc, err := h.engine.PatchState(ctx, callerOf(ctx), r.IntentID, meant(r.Params.IfMatch), patches)
	return oi.PatchIntentState200JSONResponse{Body: doc, Headers: oi.PatchIntentState200ResponseHeaders{ETag: tag(doc.Version)}}, err
}

// answered is the reply to an answer that was taken.
type answered map[string]any

// VisitRespondToSuspensionResponse makes it a response object of the generated server.
func (a answered) VisitRespondToSuspensionResponse(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(map[string]any(a))
}

// RespondToSuspension takes the answer of a person.
func (h *Host) RespondToSuspension(ctx context.Context,
	r oi.RespondToSuspensionRequestObject) (oi.RespondToSuspensionResponseObject, error) {
	reply, err := h.engine.Respond(ctx, callerOf(ctx), r.IntentID, engine.Response{
		SuspensionID: r.Body.SuspensionID, Value: r.Body.Value, By: said(r.Body.RespondedBy), Metadata: r.Body.Metadata,
	})
	return answered(reply), err
}

func page(limit, offset *int64) (from, most int) {
	most = 100
	if limit != nil {
		most = int(*limit)
	}
	if offset != nil {
		from = int(min(*offset, 1<<31))
	}
	return from, most
}

// ListIntentEvents shows the log of an intent, newest first.
func (h *Host) ListIntentEvents(ctx context.Context, r oi.ListIntentEventsRequestObject) (oi.ListIntentEventsResponseObject, error) {
	offset, limit := page(r.Params.Limit, r.Params.Offset)
	c := engine.Select{Type: said(r.Params.EventType), Offset: offset, Limit: limit}
	if since := said(r.Params.Since); since != "" {
		var err error
		if c.Since, err = suspension.ReadTime(since); err != nil {
			return nil, badRequest(fmt.Errorf("since: %w", err))
		}
	}
	docs, err := h.engine.Events(ctx, engine.Feed{Intent: r.IntentID}, c)
	return oi.ListIntentEvents200JSONResponse(docs), err
}

// AppendIntentEvent puts an event of a caller on the log of an intent.
func (h *Host) AppendIntentEvent(ctx context.Context, r oi.AppendIntentEventRequestObject) (oi.AppendIntentEventResponseObject, error) {
	payload, err := state(r.Body.Payload)
	if err != nil {
		return nil, err
	}
	doc, err := h.engine.AppendEvent(ctx, callerOf(ctx), r.IntentID, r.Body.EventType, r.Body.Actor, payload)
	return oi.AppendIntentEvent200JSONResponse(doc), err
}

// ListIntentChildren shows what is directly below an intent.
func (h *Host) ListIntentChildren(ctx context.Context, r oi.ListIntentChildrenRequestObject) (oi.ListIntentChildrenResponseObject, error) {
	docs, err := h.engine.Related(ctx, r.IntentID, engine.Children)
	return oi.ListIntentChildren200JSONResponse{Children: docs}, err
}

// ListIntentDescendants shows all that is below an intent.
func (h *Host) ListIntentDescendants(ctx context.Context,
	r oi.ListIntentDescendantsRequestObject) (oi.ListIntentDescendantsResponseObject, error) {
	docs, err := h.engine.Related(ctx, r.IntentID, engine.Descendants)
	return oi.ListIntentDescendants200JSONResponse{Descendants: docs}, err
}

// ListIntentAncestors shows what is above an intent, nearest first.
func (h *Host) ListIntentAncestors(ctx context.Context,
	r oi.ListIntentAncestorsRequestObject) (oi.ListIntentAncestorsResponseObject, error) {
	docs, err := h.engine.Related(ctx, r.IntentID, engine.Ancestors)
	return oi.ListIntentAncestors200JSONResponse{Ancestors: docs}, err
}

// ListIntentDependencies shows what an intent waits for.
func (h *Host) ListIntentDependencies(ctx context.Context,
	r oi.ListIntentDependenciesRequestObject) (oi.ListIntentDependenciesResponseObject, error) {
	docs, err := h.engine.Related(ctx, r.IntentID, engine.Dependencies)
	return oi.ListIntentDependencies200JSONResponse{Dependencies: docs}, err
}

// ListIntentDependents shows what waits for an intent.
func (h *Host) ListIntentDependents(ctx context.Context,
	r oi.ListIntentDependentsRequestObject) (oi.ListIntentDependentsResponseObject, error) {
	docs, err := h.engine.Related(ctx, r.IntentID, engine.Dependents)
	return oi.ListIntentDependents200JSONResponse{Dependents: docs}, err
}

// ListIntentReady shows the children that wait for nothing.
func (h *Host) ListIntentReady(ctx context.Context, r oi.ListIntentReadyRequestObject) (oi.ListIntentReadyResponseObject, error) {
	docs, err := h.engine.Related(ctx, r.IntentID, engine.Ready)
	return oi.ListIntentReady200JSONResponse{Ready: docs}, err
}

// ListIntentBlocked shows the children that wait for something.
func (h *Host) ListIntentBlocked(ctx context.Context, r oi.ListIntentBlockedRequestObject) (oi.ListIntentBlockedResponseObject, error) {
	docs, err := h.engine.Related(ctx, r.IntentID, engine.Held)
	return oi.ListIntentBlocked200JSONResponse{Blocked: docs}, err
}

// AddIntentDependency lets an intent wait for another one.
func (h *Host) AddIntentDependency(ctx context.Context,
	r oi.AddIntentDependencyRequestObject) (oi.AddIntentDependencyResponseObject, error) {
	doc, err := h.engine.AddDependency(ctx, callerOf(ctx), r.IntentID, meant(r.Params.IfMatch), r.Body.DependencyID)
	return oi.AddIntentDependency200JSONResponse{Body: doc, Headers: oi.AddIntentDependency200ResponseHeaders{ETag: tag(doc.Version)}}, err
}

// RemoveIntentDependency lets an intent wait for another one no more.
func (h *Host) RemoveIntentDependency(ctx context.Context,
	r oi.RemoveIntentDependencyRequestObject) (oi.RemoveIntentDependencyResponseObject, error) {
	doc, err := h.engine.RemoveDependency(ctx, callerOf(ctx), r.IntentID, meant(r.Params.IfMatch), r.DependencyID)
	return oi.RemoveIntentDependency200JSONResponse{Body: doc,
		Headers: oi.RemoveIntentDependency200ResponseHeaders{ETag: tag(doc.Version)}}, err
}

// GetIntentGraph shows an intent with what is below it.
func (h *Host) GetIntentGraph(ctx context.Context, r oi.GetIntentGraphRequestObject) (oi.GetIntentGraphResponseObject, error) {
	doc, err := h.engine.Graph(ctx, r.IntentID)
	return oi.GetIntentGraph200JSONResponse(doc), err
}
