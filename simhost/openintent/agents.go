package openintent

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"

	oi "github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/openintent/engine"
	"github.com/openassay/assay/simhost/serving"
)

// ListAgents shows who is assigned to an intent.
func (h *Host) ListAgents(ctx context.Context, r oi.ListAgentsRequestObject) (oi.ListAgentsResponseObject, error) {
	docs, err := h.engine.Agents(ctx, r.IntentID)
	return oi.ListAgents200JSONResponse(docs), err
}

// AssignAgent assigns an agent to an intent.
func (h *Host) AssignAgent(ctx context.Context, r oi.AssignAgentRequestObject) (oi.AssignAgentResponseObject, error) {
	doc, err := h.engine.Assign(ctx, callerOf(ctx), r.IntentID, r.Body.AgentID, said(r.Body.Role))
	return oi.AssignAgent200JSONResponse(doc), err
}

// UnassignAgent takes an agent from an intent.
func (h *Host) UnassignAgent(ctx context.Context, r oi.UnassignAgentRequestObject) (oi.UnassignAgentResponseObject, error) {
	doc, err := h.engine.Unassign(ctx, callerOf(ctx), r.IntentID, r.AgentID)
	return oi.UnassignAgent200JSONResponse(doc), err
}

// VisitSubscribeAgentResponse makes a stream a response object of the generated server.
func (s stream) VisitSubscribeAgentResponse(w http.ResponseWriter) error { return s.serve(w) }

// VisitSubscribeAgentAtAgentResponse is the same at the path of the protocol's own client.
func (s stream) VisitSubscribeAgentAtAgentResponse(w http.ResponseWriter) error { return s.serve(w) }

// SubscribeAgent streams the assignments of an agent.
func (h *Host) SubscribeAgent(ctx context.Context, r oi.SubscribeAgentRequestObject) (oi.SubscribeAgentResponseObject, error) {
	return stream{host: h, ctx: ctx, of: engine.Feed{Agent: r.AgentID}, frame: assignments(r.AgentID)}, nil
}

// SubscribeAgentAtAgent streams what concerns an agent, in the words of the protocol's own client.
func (h *Host) SubscribeAgentAtAgent(ctx context.Context,
	r oi.SubscribeAgentAtAgentRequestObject) (oi.SubscribeAgentAtAgentResponseObject, error) {
	return stream{host: h, ctx: ctx, of: engine.Feed{Agent: r.AgentID}, frame: agentWords(r.AgentID)}, nil
}

// framing writes an event into a stream, or leaves it out.
type framing func(out *serving.EventStream, ev oi.Event) error

// asOnTheLog writes the type and the document.
func asOnTheLog(out *serving.EventStream, ev oi.Event) error { return out.Frame("", ev.EventType, ev) }

// assignment is what an event assigns to an agent; nil where it assigns nothing to that one.
func assignment(ev oi.Event, agent string) *oi.AgentAssignment {
	var payload struct {
		Agent       string  `json:"agent_id"`
		Role        *string `json:"role"`
		ID          string  `json:"assignment_id"`
		DelegatedBy *string `json:"delegated_by"`
	}
	if ev.EventType != "agent_assigned" || json.Unmarshal(ev.Payload, &payload) != nil || payload.ID == "" || payload.Agent != agent {
		return nil
	}
	return &oi.AgentAssignment{ID: payload.ID, IntentID: said(ev.IntentID), AgentID: payload.Agent, Role: payload.Role,
		DelegatedBy: payload.DelegatedBy, AssignedAt: ev.CreatedAt}
}

func assignments(agent string) framing {
	return func(out *serving.EventStream, ev oi.Event) error {
		if a := assignment(ev, agent); a != nil {
			return out.Frame("", ev.EventType, a)
		}
		return nil
	}
}

// agentWords writes events as agents of the protocol's client route them to their handlers. It leaves suspensions out: the loop
// of an agent that asks a person calls those handlers by itself, and would call them twice.
func agentWords(agent string) framing {
	return func(out *serving.EventStream, ev oi.Event) error {
		var payload map[string]json.RawMessage
		if json.Unmarshal(ev.Payload, &payload) != nil {
			payload = nil
		}
		switch {
		case ev.EventType == "agent_assigned":
			if a := assignment(ev, agent); a != nil {
				return out.Frame("", "AGENT_ASSIGNED", a)
			}
			return nil
		case strings.HasPrefix(ev.EventType, "intent."):
			return nil
		case ev.EventType == "status_changed":
			return out.Frame("", "STATUS_CHANGED", map[string]any{
				"intent_id": ev.IntentID, "old_status": payload["from"], "new_status": payload["to"], "reason": payload["reason"],
			})
		case ev.EventType == "state_patched":
			return out.Frame("", "STATE_CHANGED", map[string]any{"intent_id": ev.IntentID, "new_state": written(payload["patches"])})
		case ev.EventType == "lease_acquired", ev.EventType == "lease_released":
			return out.Frame("", strings.ToUpper(ev.EventType), map[string]any{
				"intent_id": ev.IntentID, "agent_id": payload["agent_id"], "scope": payload["scope"], "lease_id": payload["lease_id"],
			})
		}
		return asOnTheLog(out, ev)
	}
}

// written are the members of a state that patches write, with their values where the patch sets the whole member.
func written(patches json.RawMessage) map[string]json.RawMessage {
	var all []struct {
		Op    string          `json:"op"`
		Path  string          `json:"path"`
		Value json.RawMessage `json:"value"`
	}
	out := map[string]json.RawMessage{}
	if json.Unmarshal(patches, &all) != nil {
		return out
	}
	for _, p := range all {
		key, _, below := strings.Cut(strings.TrimPrefix(p.Path, "/"), "/")
		if out[key] = p.Value; below || p.Op != "set" {
			out[key] = json.RawMessage("null")
		}
	}
	return out
}
