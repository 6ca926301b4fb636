package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/openintent/rules"
	"github.com/openassay/assay/simhost/refusal"
)

// Acquire claims a part of an intent. Its declared inputs have to be there.
func (e *Engine) Acquire(ctx context.Context, by Caller, id, scope string, seconds int64) (doc openintentv1.Lease, err error) {
	err = e.do(ctx, func(t *tx) error {
		in := t.w.intents[id]
		if in == nil {
			return notFound("intent", id)
		}
		if err := t.mayWrite(by, in); err != nil {
			return err
		}
		if err := t.checkInputs(in, by, in.State["_io_inputs"], ""); err != nil {
			return err
		}
		if time.Duration(seconds)*time.Second < t.o.LeastTime {
			return unfit("duration_seconds: must be at least %d", int64(t.o.LeastTime.Seconds()))
		}
		now := t.now(id, "")
		for _, held := range t.w.leasesOf(id) {
			if held.Scope == scope && t.holds(held, now) {
				return refuse(CodeLeaseHeld, "somebody holds this scope until %s: wait, or take another one", stamp(held.Expires))
			}
		}
		lease := Lease{ID: t.newID(), Intent: id, Agent: by.Name, Scope: scope, Acquired: now,
			Expires: now.Add(time.Duration(seconds) * time.Second)}
		t.keepLease("lease_acquired", lease, by, map[string]any{
			"lease_id": lease.ID, "agent_id": lease.Agent, "scope": scope, "expires_at": stamp(lease.Expires),
		})
		doc = leaseDoc(t.Engine, lease)
		return nil
	})
	return doc, err
}

// leaseRenewed is hidden: the protocol has no word for a lease that lasts longer, and clients fail on words that they do not know.
const leaseRenewed = "lease_renewed"

func (t *tx) keepLease(kind string, lease Lease, by Caller, payload map[string]any) {
	t.emit(&Event{Type: kind, Intent: lease.Intent, Actor: by.Name, Payload: payload, Hidden: kind == leaseRenewed,
		Change: &Change{Lease: &lease}})
}

// holds tells whether a lease keeps others out. That of a suspended intent does not run out.
func (e *Engine) holds(l *Lease, now time.Time) bool {
	in := e.w.intents[l.Intent]
	waits := in.Status == Suspended && in.SuspendedSince.Before(l.Expires)
	return l.Released.IsZero() && e.rules.Leases.Holds(l.Expires, now, waits)
}

// Renew keeps a claim for longer; Release gives it back.
func (e *Engine) Renew(ctx context.Context, by Caller, id, leaseID string, seconds int64) (doc openintentv1.Lease, err error) {
	return e.lease(ctx, by, "renewLease", id, leaseID, func(t *tx, lease *Lease) (string, error) {
		if t.w.intents[id].Status == Suspended && !t.rules.Leases.Renews() {
			return "", notFound("lease", leaseID)
		}
		now := t.now(id, "")
		for _, other := range t.w.leasesOf(id) {
			if other.ID != leaseID && other.Scope == lease.Scope && t.holds(other, now) {
				return "", refuse(CodeLeaseHeld, "it ran out, and somebody else holds this scope")
			}
		}
		lease.Expires = now.Add(time.Duration(seconds) * time.Second)
		return leaseRenewed, nil
	})
}

// Release gives a claim back.
func (e *Engine) Release(ctx context.Context, by Caller, id, leaseID string) (doc openintentv1.Lease, err error) {
	return e.lease(ctx, by, "releaseLease", id, leaseID, func(t *tx, lease *Lease) (string, error) {
		lease.Released = t.now(id, "")
		return "lease_released", nil
	})
}

func (e *Engine) lease(ctx context.Context, by Caller, operation, id, leaseID string, change func(*tx, *Lease) (string,
	error)) (doc openintentv1.Lease, err error) {
	err = e.do(ctx, func(t *tx) error {
		kept := t.w.leases[leaseID]
		if t.w.intents[id] == nil {
			return notFound("intent", id)
		}
		if kept == nil || !t.rules.Leases.Found(operation, kept.Intent == id) || kept.Agent != by.Name || !kept.Released.IsZero() {
			return notFound("lease of yours", leaseID)
		}
		lease := *kept
		kind, err := change(t, &lease)
		if err != nil {
			return err
		}
		t.keepLease(kind, lease, by, map[string]any{"lease_id": leaseID, "scope": lease.Scope, "expires_at": stamp(lease.Expires)})
		doc = leaseDoc(t.Engine, lease)
		return nil
	})
	return doc, err
}

// Leases are those of an intent, oldest first.
func (e *Engine) Leases(ctx context.Context, id string) (docs []openintentv1.Lease, err error) {
	err = e.view(ctx, func(w *world) error {
		docs = []openintentv1.Lease{}
		if w.intents[id] == nil {
			return notFound("intent", id)
		}
		for _, l := range w.leasesOf(id) {
			docs = append(docs, leaseDoc(e, *l))
		}
		return nil
	})
	return docs, err
}

func (w *world) leasesOf(intent string) (leases []*Lease) {
	for _, id := range w.leaseIDs {
		if l := w.leases[id]; l.Intent == intent {
			leases = append(leases, l)
		}
	}
	return leases
}

func leaseDoc(e *Engine, l Lease) openintentv1.Lease {
	status := openintentv1.LeaseStatusActive
	switch {
	case !l.Released.IsZero():
		status = openintentv1.LeaseStatusReleased
	case !e.holds(&l, e.now(l.Intent, "")):
		status = openintentv1.LeaseStatusExpired
	}
	return openintentv1.Lease{
		ID: l.ID, IntentID: l.Intent, AgentID: l.Agent, Scope: l.Scope, Status: status,
		AcquiredAt: stamp(l.Acquired), ExpiresAt: stamp(l.Expires), ReleasedAt: stampOrNil(l.Released),
	}
}

// extendLeases gives those who held a part of an intent the time back that it was suspended.
func (t *tx) extendLeases(in *Intent, since time.Time) {
	now := t.now(in.ID, "")
	for _, l := range t.w.leasesOf(in.ID) {
		if !l.Released.IsZero() || !since.Before(l.Expires) || in.Status == Abandoned {
			continue
		}
		lease := *l
		lease.Expires = l.Expires.Add(now.Sub(maxTime(since, l.Acquired)))
		t.keepLease(leaseRenewed, lease, Caller{Name: system}, map[string]any{"lease_id": lease.ID, "expires_at": stamp(lease.Expires)})
	}
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// checkInputs refuses a claim of work whose inputs are not there, and says so where that is because a phase before it waits
// for a person (RFC-0026 section 6).
func (t *tx) checkInputs(in *Intent, by Caller, declared any, task string) error {
	if !t.offers(Claims) {
		return nil
	}
	var missing []string
	wanted := inputs(declared)
	for _, local := range sorted(wanted) {
		phase, key := wanted[local][0], wanted[local][1]
		status, up := t.phase(in, phase)
		there := up != nil && has(up.State, key)
		switch t.rules.Claims.Refuses(status, there) {
		case rules.UpstreamSuspended:
			return t.upstreamSuspended(in, up, by, phase, task)
		case rules.Unresolvable:
			missing = append(missing, phase+"."+key)
		case rules.Claimable:
		}
	}
	if missing == nil {
		return nil
	}
	t.emit(&Event{
		Type: "governance.violation", Intent: in.ID, Actor: by.Name,
		Payload: map[string]any{"rule": "io_inputs", "error": CodeInputs, "unresolvable": missing},
	})
	return refusal.New(CodeInputs, fmt.Sprintf("these inputs are not there yet: %v", missing), "rule", "io_inputs", "unresolvable", missing)
}

// phase is the dependency of an intent that it calls so, and its status.
func (t *tx) phase(in *Intent, phase string) (string, *Intent) {
	for _, id := range in.DependsOn {
		if up := t.w.intents[id]; up != nil && t.w.isPhase(in, up, phase, nil) {
			return up.Status, up
		}
	}
	return "", nil
}

func (t *tx) upstreamSuspended(in, up *Intent, by Caller, phase, task string) error {
	t.emit(&Event{
		Type: "governance.violation", Intent: in.ID, Actor: by.Name,
		Payload: map[string]any{"rule": "io_inputs", "error": CodeUpstream, "suspended_intent_id": up.ID},
	})
	message := fmt.Sprintf("the phase %q, from which an input comes, waits for a person: claim again when it is through", phase)
	return refusal.New(CodeUpstream, message, "rule", "io_inputs", "phase_name", phase, "suspended_intent_id", up.ID,
		"expected_resume_at", up.expires(), "task_id", orNil(task))
}

// has tells whether a state holds a key, itself or among its outputs.
func has(state map[string]any, key string) bool {
	if _, ok := state[key]; ok {
		return true
	}
	outputs, _ := state["outputs"].(map[string]any)
	_, ok := outputs[key]
	return ok
}

func sorted(m map[string][2]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// ClaimTask claims a task for an agent.
func (e *Engine) ClaimTask(ctx context.Context, by Caller, id, agent string) (doc Task, err error) {
	err = e.do(ctx, func(t *tx) error {
		kept := t.w.tasks[id]
		if kept == nil {
			return notFound("task", id)
		}
		in := t.w.intents[kept.IntentID]
		if err := t.mayWrite(by, in); err != nil {
			return err
		}
		if kept.Status != "pending" && kept.Status != "ready" {
			return refuse(CodeNotClaimable, "the task is %s: one that is pending or ready can be claimed", kept.Status)
		}
		for _, declared := range []any{in.State["_io_inputs"], kept.Input["_io_inputs"]} {
			if err := t.checkInputs(in, by, declared, id); err != nil {
				return err
			}
		}
		task := *kept
		task.Status, task.AssignedAgent, task.Version = "claimed", new(or(agent, by.Name)), new(*kept.Version+1)
		t.keepTask("task.claimed", task, by.Name, nil)
		doc = task
		return nil
	})
	return doc, err
}
