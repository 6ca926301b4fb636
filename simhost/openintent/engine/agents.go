package engine

import (
	"context"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openintentv1"
)

// agentAssigned is the type of the event of an assignment. An agent that hands an intent on posts one of the same type, with
// delegated_by, before it assigns the other.
const agentAssigned = "agent_assigned"

// Assignment is an agent that is to work on an intent.
type Assignment struct {
	ID          string    `json:"id"`
	Intent      string    `json:"intent"`
	Agent       string    `json:"agent"`
	Role        string    `json:"role"`
	At          time.Time `json:"at"`
	DelegatedBy string    `json:"delegated_by,omitempty"`
}

func (a Assignment) doc() openintentv1.AgentAssignment {
	return openintentv1.AgentAssignment{
		ID: a.ID, IntentID: a.Intent, AgentID: a.Agent, Role: &a.Role, AssignedAt: stamp(a.At), DelegatedBy: orNil(a.DelegatedBy),
	}
}

// Assign assigns an agent to an intent, and tells it. Once more tells it again, and is no second assignment. The governance of
// the intent is asked about the agent that is to work, not about who assigns it.
func (e *Engine) Assign(ctx context.Context, by Caller, id, agent, role string) (doc openintentv1.AgentAssignment, err error) {
	err = e.do(ctx, func(t *tx) error {
		in := t.w.intents[id]
		if in == nil {
			return notFound("intent", id)
		}
		if !in.allowed(Caller{Name: agent, Key: agent}) {
			return t.violation(in, by, "allowed_agents", "only those whom governance_policy.allowed_agents names may be assigned")
		}
		a := Assignment{ID: t.newID(), Intent: id, Agent: agent, Role: or(role, "worker"), At: t.now(id, ""),
			DelegatedBy: t.w.delegatedBy(id, agent)}
		payload := map[string]any{"agent_id": agent, "role": a.Role, "assignment_id": a.ID}
		if a.DelegatedBy != "" {
			payload["delegated_by"] = a.DelegatedBy
		}
		t.emit(&Event{Type: agentAssigned, Intent: id, Actor: by.Name, At: a.At, Payload: payload, Change: &Change{Assign: &a}})
		doc = a.doc()
		return nil
	})
	return doc, err
}

// delegatedBy is who said on the log that they hand an intent on to an agent, since that was assigned last.
func (w *world) delegatedBy(id, agent string) string {
	for _, ev := range slices.Backward(w.events[id]) {
		if ev.Type == agentAssigned && ev.Payload["agent_id"] == agent {
			by, _ := ev.Payload["delegated_by"].(string)
			if ev.Change != nil {
				return "" // that was an assignment
			}
			return by
		}
	}
	return ""
}

// Unassign takes an agent from an intent.
func (e *Engine) Unassign(ctx context.Context, by Caller, id, agent string) (doc openintentv1.AgentAssignment, err error) {
	err = e.do(ctx, func(t *tx) error {
		in := t.w.intents[id]
		if in == nil {
			return notFound("intent", id)
		}
		if err := t.mayWrite(by, in); err != nil {
			return err
		}
		i := slices.IndexFunc(t.w.assigned[id], func(a Assignment) bool { return a.Agent == agent })
		if i < 0 {
			return notFound("agent of this intent", agent)
		}
		doc = t.w.assigned[id][i].doc()
		t.emit(&Event{Type: "agent_unassigned", Intent: id, Actor: by.Name, Payload: map[string]any{"agent_id": agent},
			Change: &Change{Unassign: agent}})
		return nil
	})
	return doc, err
}

// Agents are the assignments of an intent, oldest first.
func (e *Engine) Agents(ctx context.Context, id string) (docs []openintentv1.AgentAssignment, err error) {
	err = e.view(ctx, func(w *world) error {
		docs = []openintentv1.AgentAssignment{}
		if w.intents[id] == nil {
			return notFound("intent", id)
		}
		for _, a := range w.assigned[id] {
			docs = append(docs, a.doc())
		}
		return nil
	})
	return docs, err
}

// foldAgents takes in who is assigned, and puts an event of an intent on the logs of its agents: of those that it still has, and
// of the one that it assigns or takes away.
func (w *world) foldAgents(ev *Event) {
	if c := ev.Change; c != nil && c.Assign != nil {
		all := w.assigned[ev.Intent]
		if i := slices.IndexFunc(all, func(a Assignment) bool { return a.Agent == c.Assign.Agent }); i >= 0 {
			all[i] = *c.Assign
		} else {
			w.assigned[ev.Intent] = append(all, *c.Assign)
		}
	}
	if !ev.Hidden {
		for _, a := range w.assigned[ev.Intent] {
			w.toAgents[a.Agent] = append(w.toAgents[a.Agent], ev)
		}
	}
	if c := ev.Change; c != nil && c.Unassign != "" {
		w.assigned[ev.Intent] = slices.DeleteFunc(w.assigned[ev.Intent], func(a Assignment) bool { return a.Agent == c.Unassign })
	}
}
