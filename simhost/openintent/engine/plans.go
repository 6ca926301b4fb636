package engine

import (
	"context"
	"slices"

	"github.com/openassay/assay/gen/openintentv1"
)

// CreatePlan makes a plan.
func (e *Engine) CreatePlan(ctx context.Context, by Caller, r openintentv1.CreatePlanRequest) (doc Plan, err error) {
	err = e.do(ctx, func(t *tx) error {
		in := t.w.intents[r.IntentID]
		if in == nil {
			return notFound("intent", r.IntentID)
		}
		if err := t.mayWrite(by, in); err != nil {
			return err
		}
		if err := t.knownTasks(r.Tasks); err != nil {
			return err
		}
		now := stamp(t.now(in.ID, ""))
		plan := Plan{
			ID: t.newID(), IntentID: in.ID, State: "draft", Tasks: r.Tasks, Checkpoints: r.Checkpoints, Conditions: r.Conditions,
			OnFailure: new(or(text(r.OnFailure), "pause_and_escalate")), OnComplete: new(or(text(r.OnComplete), "notify")), Metadata: r.Metadata,
			Version: new(int64(1)), CreatedAt: now, UpdatedAt: now,
		}
		t.keepPlan("plan.created", plan, by)
		doc = planDoc(t.Engine, t.w, &plan)
		return nil
	})
	return doc, err
}

func or(said, otherwise string) string {
	if said == "" {
		return otherwise
	}
	return said
}

func (t *tx) knownTasks(ids []string) error {
	for _, id := range ids {
		if t.w.tasks[id] == nil {
			return unfit("tasks names %.80q, and there is no such task: make it first", id)
		}
	}
	return nil
}

// planEvent is the type of the event (RFC-0012) for a step of a plan; "" where the protocol has no word for it.
func planEvent(from, to string) string {
	switch {
	case from == to:
		return ""
	case to == "active" && from == "paused":
		return "plan.resumed"
	case to == "active":
		return "plan.activated"
	case to == "paused" || to == "completed" || to == "failed":
		return "plan." + to
	}
	return ""
}

func (t *tx) keepPlan(kind string, plan Plan, by Caller) {
	t.emit(&Event{
		Type: or(kind, "plan_kept"), Intent: plan.IntentID, Actor: by.Name, Hidden: kind == "",
		Payload: map[string]any{"plan_id": plan.ID, "state": plan.State}, Change: &Change{Plan: &plan},
	})
}

// UpdatePlan changes a plan.
func (e *Engine) UpdatePlan(ctx context.Context, by Caller, id string, meant Meant, r openintentv1.UpdatePlanRequest) (doc Plan,
	err error) {
	err = e.do(ctx, func(t *tx) error {
		kept := t.w.plans[id]
		if kept == nil {
			return notFound("plan", id)
		}
		in := t.w.intents[kept.IntentID]
		if err := t.mayWrite(by, in); err != nil {
			return err
		}
		if err := t.fresh("updatePlan", meant, *kept.Version); err != nil {
			return err
		}
		if err := t.knownTasks(r.Tasks); err != nil {
			return err
		}
		plan := *kept
		plan.State = or(r.State, plan.State)
		if r.Tasks != nil {
			plan.Tasks = r.Tasks
		}
		if r.Metadata != nil {
			plan.Metadata = r.Metadata
		}
		plan.Version, plan.UpdatedAt = new(*plan.Version+1), stamp(t.now(in.ID, ""))
		t.keepPlan(planEvent(kept.State, plan.State), plan, by)
		doc = planDoc(t.Engine, t.w, &plan)
		return nil
	})
	return doc, err
}

// Plan is a plan as it stands, with its progress.
func (e *Engine) Plan(ctx context.Context, id string) (doc Plan, err error) {
	err = e.view(ctx, func(w *world) error {
		plan := w.plans[id]
		if plan == nil {
			return notFound("plan", id)
		}
		doc = planDoc(e, w, plan)
		return nil
	})
	return doc, err
}

// Plans are those of an intent, oldest first.
func (e *Engine) Plans(ctx context.Context, intent string) (docs []Plan, err error) {
	err = e.view(ctx, func(w *world) error {
		docs = []Plan{}
		if w.intents[intent] == nil {
			return notFound("intent", intent)
		}
		for _, id := range w.planIDs {
			if plan := w.plans[id]; plan.IntentID == intent {
				docs = append(docs, planDoc(e, w, plan))
			}
		}
		return nil
	})
	return docs, err
}

// planDoc is a plan with its progress: the tasks that wait because their intents do (RFC-0026 rule 4).
func planDoc(e *Engine, w *world, plan *Plan) Plan {
	doc := *plan
	doc.Progress = &openintentv1.PlanProgress{SuspendedTasks: []openintentv1.SuspendedTask{}}
	for _, id := range w.taskIDs {
		task := w.tasks[id]
		if !slices.Contains(plan.Tasks, id) && text(task.PlanID) != plan.ID {
			continue
		}
		in := w.intents[task.IntentID]
		if in.Status != Suspended || task.Status != openintentv1.TaskStatusBlocked || text(task.SuspendedIntentID) == "" {
			continue
		}
		doc.Progress.SuspendedTasks = append(doc.Progress.SuspendedTasks, openintentv1.SuspendedTask{
			TaskID: id, IntentID: in.ID, SuspendedSince: stamp(in.SuspendedSince), ExpiresAt: in.expires(),
		})
	}
	return doc
}
