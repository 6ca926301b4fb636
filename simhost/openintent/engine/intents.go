package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/openintent/rules"
	"github.com/openassay/assay/simhost/openintent/suspension"
	"github.com/openassay/assay/simhost/refusal"
)

// Make is an intent to be.
type Make struct {
	Title       string
	Description *string
	CreatedBy   string
	Parent      string
	DependsOn   []string
	Constraints map[string]any
	State       map[string]any
	Status      string
	Governance  *openintentv1.GovernancePolicy
}

// Create makes an intent.
func (e *Engine) Create(ctx context.Context, by Caller, m Make) (doc openintentv1.Intent, err error) {
	err = e.do(ctx, func(t *tx) error {
		in, err := t.create(by, m)
		if err == nil {
			doc = t.w.intentDoc(in)
		}
		return err
	})
	return doc, err
}

func (t *tx) create(by Caller, m Make) (*Intent, error) {
	if m.Parent != "" {
		parent := t.w.intents[m.Parent]
		if parent == nil {
			return nil, notFound("intent", m.Parent)
		}
		if err := t.mayWrite(by, parent); err != nil {
			return nil, err
		}
	}
	var deps []string
	for _, dep := range m.DependsOn {
		if t.w.intents[dep] == nil {
			return nil, unfit("depends_on names %.80q, and there is no such intent: make it first", dep)
		}
		if !slices.Contains(deps, dep) {
			deps = append(deps, dep)
		}
	}
	if m.Status == "" {
		m.Status = Draft
	}
	if t.offers(Lifecycle) && m.Status != Draft && m.Status != Active {
		return nil, unfit("status is %q: an intent begins as draft or active", m.Status)
	}
	if err := t.checkRecord(m.State[recordKey]); err != nil {
		return nil, err
	}
	if m.CreatedBy == "" {
		m.CreatedBy = by.Name
	}
	if m.Status == Active && !rules.AllCompleted(t.w.statuses(deps)) {
		m.Status = Blocked
	}
	now := t.now("", "")
	in := &Intent{
		ID: t.newID(), Title: m.Title, Description: m.Description, CreatedBy: m.CreatedBy, Parent: m.Parent,
		DependsOn:   deps,
		Constraints: m.Constraints, State: m.State, Status: m.Status, Version: 1, Governance: m.Governance, Created: now, Updated: now,
	}
	t.emit(&Event{
		Type: "intent_created", Intent: in.ID, Actor: by.Name, At: now,
		Payload: map[string]any{"title": in.Title, "status": in.Status}, Change: &Change{Intent: in},
	})
	return t.w.intents[in.ID], nil
}

// intent finds an intent that somebody wants to write to.
func (t *tx) intent(operation, id string, by Caller, meant Meant) (*Intent, error) {
	in := t.w.intents[id]
	if in == nil {
		return nil, notFound("intent", id)
	}
	if err := t.mayWrite(by, in); err != nil {
		return nil, err
	}
	return in, t.fresh(operation, meant, in.Version)
}

// allowed tells whether the governance of an intent lets somebody write.
func (in *Intent) allowed(by Caller) bool {
	return in.Governance == nil || in.Governance.AllowedAgents == nil ||
		slices.Contains(in.Governance.AllowedAgents, by.Name) || slices.Contains(in.Governance.AllowedAgents, by.Key)
}

func (t *tx) mayWrite(by Caller, in *Intent) error {
	if in.allowed(by) {
		return nil
	}
	return t.violation(in, by, "allowed_agents", "only those whom governance_policy.allowed_agents names may do that")
}

// violation refuses what governance forbids, and puts that on the log.
func (t *tx) violation(in *Intent, by Caller, rule, message string) error {
	t.emit(&Event{
		Type: "governance.violation", Intent: in.ID, Actor: by.Name,
		Payload: map[string]any{"rule": rule, "error": CodeGovernance, "message": message},
	})
	return refusal.New(CodeGovernance, message, "rule", rule)
}

// SetStatus takes an intent to another status.
func (e *Engine) SetStatus(ctx context.Context, by Caller, id string, meant Meant, to string,
	reason *string) (doc openintentv1.Intent, err error) {
	err = e.do(ctx, func(t *tx) error {
		in, err := t.intent("setIntentStatus", id, by, meant)
		if err == nil {
			err = t.setStatus(in, by, to, reason)
		}
		if err == nil {
			doc = t.w.intentDoc(in)
		}
		return err
	})
	return doc, err
}

func (t *tx) setStatus(in *Intent, by Caller, to string, reason *string) error {
	if g := in.Governance; g != nil && g.RequireStatusReason != nil && *g.RequireStatusReason && (reason == nil || *reason == "") {
		return t.violation(in, by, "require_status_reason", "governance_policy.require_status_reason: give a reason")
	}
	if in.Status == to && to != Completed && to != Abandoned {
		return nil // it is so
	}
	if t.offers(Lifecycle) && !t.rules.Lifecycle.Allows(in.Status, to) {
		return refuse(CodeTransition, "an intent that is %s cannot become %s%s", in.Status, to, hint(in.Status, to))
	}
	m := move{to: to, by: by.Name}
	if reason != nil {
		m.reason = *reason
	}
	if t.offers(Graph) {
		deps := t.w.statuses(in.DependsOn)
		switch {
		case to == Completed && !t.rules.Graph.Completes(deps, t.w.statuses(t.w.children[in.ID])):
			return refuse(CodeIncomplete, "what this intent depends on, and what is below it, has to be completed first: %s", t.w.open(in))
		case to == Active && in.Status == Blocked:
			if t.rules.Graph.Goes(deps) {
				break
			}
			return refuse(CodeDependenciesOpen, "what this intent depends on has to be completed first; it becomes active by itself then")
		case to == Active && !rules.AllCompleted(deps):
			m.to = Blocked
		}
	}
	if to == Abandoned {
		m.abandonment = m.reason
		if in.Status == Suspended {
			t.settle(in, by.Name, suspension.Cancelled, nil)
		}
	}
	t.move(in, m)
	return nil
}

func hint(from, to string) string {
	if from == Suspended && to != Abandoned {
		return ": it waits for an answer, POST it to suspend/respond"
	}
	return ""
}

// open names what an intent waits for before it can be completed.
func (w *world) open(in *Intent) string {
	for _, id := range slices.Concat(in.DependsOn, w.children[in.ID]) {
		if other := w.intents[id]; other != nil && other.Status != Completed {
			return fmt.Sprintf("%s is %s", id, other.Status)
		}
	}
	return "nothing is open"
}

// PatchState writes into the state of an intent.
func (e *Engine) PatchState(ctx context.Context, by Caller, id string, meant Meant, patches []Patch) (doc openintentv1.Intent, err error) {
	err = e.do(ctx, func(t *tx) error {
		in, err := t.intent("patchIntentState", id, by, meant)
		if err != nil {
			return err
		}
		if after := patched(in.State, patches); !same(after[recordKey], in.State[recordKey]) {
			if err := t.checkRecord(after[recordKey]); err != nil {
				return err
			}
		}
		if len(patches) > 0 {
			t.emit(&Event{
				Type: "state_patched", Intent: in.ID, Actor: by.Name,
				Payload: map[string]any{"patches": patches, "version": in.Version + 1}, Change: &Change{Patches: patches},
			})
			t.begin(in, true)
		}
		doc = t.w.intentDoc(in)
		return nil
	})
	return doc, err
}

// AppendEvent puts an event of a caller on the log of an intent, or finds there what was told of a suspension already.
func (e *Engine) AppendEvent(ctx context.Context, by Caller, id, kind, actor string,
	payload map[string]any) (doc openintentv1.Event, err error) {
	err = e.do(ctx, func(t *tx) error {
		in := t.w.intents[id]
		if in == nil {
			return notFound("intent", id)
		}
		if err := t.mayWrite(by, in); err != nil {
			return err
		}
		suspensionID, _ := payload["suspension_id"].(string)
		ev := t.w.told(in, kind, suspensionID, payload["attempt"])
		if ev == nil {
			ev = &Event{Type: kind, Intent: id, Actor: actor, Payload: payload}
			t.emit(ev)
		}
		doc = ev.doc()
		return nil
	})
	return doc, err
}

// statuses are those of intents, in order.
func (w *world) statuses(ids []string) []string {
	out := make([]string, 0, len(ids))
	for _, id := range ids {
		if in := w.intents[id]; in != nil {
			out = append(out, in.Status)
		}
	}
	return out
}
