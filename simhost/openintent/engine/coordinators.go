package engine

import (
	"context"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/openintent/suspension"
)

// CreateCoordinator takes the lease of a coordinator.
func (e *Engine) CreateCoordinator(ctx context.Context, by Caller, r openintentv1.CreateCoordinatorRequest) (doc Coordinator, err error) {
	if r.ExpiresAt != "" {
		if _, err := suspension.ReadTime(r.ExpiresAt); err != nil {
			return doc, unfit("expires_at: %v", err)
		}
	}
	err = e.do(ctx, func(t *tx) error {
		if r.IntentID != "" && t.w.intents[r.IntentID] == nil {
			return notFound("intent", r.IntentID)
		}
		if r.PortfolioID != "" && t.w.portfolios[r.PortfolioID] == nil {
			return notFound("portfolio", r.PortfolioID)
		}
		if r.IntentID == "" && r.PortfolioID == "" {
			return unfit("a coordinator needs something to coordinate: give intent_id or portfolio_id")
		}
		every := int64(60)
		if r.HeartbeatIntervalSeconds != nil {
			every = *r.HeartbeatIntervalSeconds
		}
		scope := "intent"
		if r.IntentID == "" {
			scope = "portfolio"
		}
		policy := r.SuspensionPolicy
		if policy == "" {
			policy = openintentv1.SuspensionPolicyIsolate
		}
		now := stamp(t.now(r.IntentID, r.PortfolioID))
		c := Coordinator{
			ID: t.newID(), AgentID: r.AgentID, IntentID: orNil(r.IntentID), PortfolioID: orNil(r.PortfolioID),
			Role:  new(or(text(r.Role), "coordinator")),
			Scope: new(or(text(r.Scope), scope)), CoordinatorType: new(or(text(r.CoordinatorType), "llm")), SupervisorID: orNil(r.SupervisorID),
			SuspensionPolicy: policy, Guardrails: r.Guardrails,
			Status: "active", HeartbeatIntervalSeconds: new(float64(every)), LastHeartbeat: &now, GrantedAt: &now, ExpiresAt: orNil(r.ExpiresAt),
			Metadata: r.Metadata, Version: new(int64(1)),
		}
		t.emit(&Event{Type: "coordinator_granted", Intent: r.IntentID, Portfolio: r.PortfolioID, Actor: by.Name, Hidden: true,
			Change: &Change{Coordinator: &c}})
		doc = c
		return nil
	})
	return doc, err
}

// Heartbeat notes that a coordinator is there, and returns when it has to be again.
func (e *Engine) Heartbeat(ctx context.Context, by Caller, id string) (next time.Time, err error) {
	err = e.do(ctx, func(t *tx) error {
		kept := t.w.coordinators[id]
		if kept == nil {
			return notFound("coordinator", id)
		}
		c := *kept
		now := t.now(text(c.IntentID), text(c.PortfolioID))
		c.LastHeartbeat, c.Version = new(stamp(now)), new(*c.Version+1)
		t.emit(&Event{
			Type: "coordinator_heartbeat", Intent: text(c.IntentID), Portfolio: text(c.PortfolioID), Actor: by.Name, Hidden: true,
			Change: &Change{Coordinator: &c},
		})
		next = now.Add(time.Duration(*c.HeartbeatIntervalSeconds * float64(time.Second)))
		return nil
	})
	return next, err
}

// Coordinator is a lease as it stands.
func (e *Engine) Coordinator(ctx context.Context, id string) (doc Coordinator, err error) {
	err = e.view(ctx, func(w *world) error {
		c := w.coordinators[id]
		if c == nil {
			return notFound("coordinator", id)
		}
		doc = *c
		return nil
	})
	return doc, err
}

// Coordinators are those of an intent, oldest first.
func (e *Engine) Coordinators(ctx context.Context, intent string) (docs []Coordinator, err error) {
	err = e.view(ctx, func(w *world) error {
		docs = []Coordinator{}
		if w.intents[intent] == nil {
			return notFound("intent", intent)
		}
		for _, id := range w.coordinatorIDs {
			if c := w.coordinators[id]; text(c.IntentID) == intent {
				docs = append(docs, *c)
			}
		}
		return nil
	})
	return docs, err
}

// tellCoordinators has those who watch over an intent act on its suspension as their policies say (RFC-0026 section 3).
func (t *tx) tellCoordinators(in *Intent) {
	if !t.offers(Coordinates) {
		return
	}
	for _, id := range t.w.coordinatorIDs {
		c := t.w.coordinators[id]
		scope, ok := t.watched(c, in)
		if !ok || t.lapsed(c) {
			continue
		}
		policy := string(c.SuspensionPolicy)
		if t.rules.Watchers.Escalates(policy, t.w.escalations(id, in.ID)) {
			payload := map[string]any{"coordinator_id": id, "intent_id": text(c.IntentID), "suspended_intent_id": in.ID, "suspension_policy": policy}
			if text(c.IntentID) == "" {
				payload["intent_id"] = in.ID
			}
			if sid := suspensionID(in); sid != "" {
				payload["suspension_id"] = sid
			}
			t.emit(&Event{Type: "coordinator.escalation_required", Intent: text(c.IntentID), Portfolio: text(c.PortfolioID), Actor: system,
				Payload: payload})
		}
		if t.rules.Watchers.Pauses(policy) {
			t.pause(in, scope)
		}
	}
}

// escalations is how often a coordinator has raised the suspensions of an intent.
func (w *world) escalations(coordinator, intent string) (n int) {
	c := w.coordinators[coordinator]
	for _, ev := range w.events[or(text(c.IntentID), text(c.PortfolioID))] {
		if ev.Type == "coordinator.escalation_required" && ev.Payload["suspended_intent_id"] == intent {
			n++
		}
	}
	return n
}

// lapsed tells whether a lease has run out.
func (t *tx) lapsed(c *Coordinator) bool {
	at, err := suspension.ReadTime(text(c.ExpiresAt))
	return err == nil && !t.now(text(c.IntentID), text(c.PortfolioID)).Before(at)
}

// watched are the intents that a coordinator coordinates, and whether this is one of them.
func (t *tx) watched(c *Coordinator, in *Intent) (scope []string, ok bool) {
	if p := t.w.portfolios[text(c.PortfolioID)]; p != nil {
		scope = p.counted(t.rules.Containers)
	}
	if c.IntentID != nil {
		scope = append(scope, t.w.below(*c.IntentID)...)
	}
	return scope, slices.Contains(scope, in.ID)
}

// pause blocks the phases that are wired to a suspended one, also where they do not depend on it.
func (t *tx) pause(in *Intent, scope []string) {
	for _, id := range scope {
		other := t.w.intents[id]
		if id == in.ID || other.Status != Active {
			continue
		}
		for _, from := range inputs(other.State["_io_inputs"]) {
			if t.w.isPhase(other, in, from[0], scope) {
				t.move(other, move{to: Blocked, by: system, reason: "paused_by_coordinator: " + in.ID, pausedBy: in.ID})
				break
			}
		}
	}
}

// isPhase tells whether an intent is what another one calls a phase.
func (w *world) isPhase(of, in *Intent, phase string, scope []string) bool {
	if name, ok := phaseNames(of)[in.Title]; ok {
		return name == phase
	}
	return in.Title == phase || w.phaseName(in, scope) == phase
}

// unpause has those go on that a coordinator blocked over an intent, when that is completed.
func (t *tx) unpause(in *Intent) {
	for _, other := range t.w.pausedBy(in.ID) {
		if other.Status == Blocked && t.rules.Graph.Unblocks(t.w.statuses(other.DependsOn)) {
			t.move(other, move{to: Active, by: system, reason: "upstream_completed"})
		}
	}
}

func (w *world) pausedBy(id string) (paused []*Intent) {
	for _, in := range w.intents {
		if in.PausedBy == id {
			paused = append(paused, in)
		}
	}
	slices.SortFunc(paused, func(a, b *Intent) int { return a.Created.Compare(b.Created) })
	return paused
}
