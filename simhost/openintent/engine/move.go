package engine

import (
	"encoding/json"
	"reflect"

	"github.com/openassay/assay/simhost/openintent/rules"
)

// move is a step of an intent to another status.
type move struct {
	to          string
	by          string // who has it so
	reason      string
	abandonment string
	pausedBy    string
}

// system is the actor of what the server does by itself.
const system = "server"

// move takes an intent to another status, with all that follows from that in the same decision.
func (t *tx) move(in *Intent, m move) {
	from := in.Status
	payload := map[string]any{"status": m.to, "from": from, "to": m.to, "version": in.Version + 1}
	if m.reason != "" {
		payload["reason"] = m.reason
	}
	if m.abandonment != "" {
		payload["abandonment_reason"] = m.abandonment
	}
	live := in.Live
	since := in.SuspendedSince
	t.emit(&Event{
		Type: "status_changed", Intent: in.ID, Actor: m.by, Payload: payload,
		Change: &Change{Move: &Move{To: m.to, Abandonment: m.abandonment, PausedBy: m.pausedBy}},
	})
	switch {
	case m.to == Suspended && from != Suspended:
		t.suspended(in)
	case from == Suspended && m.to != Suspended:
		t.resumed(in, live, since)
	}
	if t.offers(Graph) && t.rules.Graph.Wakes(from, m.to) {
		t.wake(in)
	}
	if m.to == Completed {
		t.unpause(in)
	}
	if m.to == Abandoned {
		t.dropTasks(in)
	}
}

// suspended is what follows from a suspension: the task that mirrors it, the dependents, the containers, those who watch. The
// intent alone is suspended (RFC-0026 rule 1).
func (t *tx) suspended(in *Intent) {
	t.begin(in, false)
	t.mirror(in)
	if t.offers(Graph) {
		t.blockDependents(in, in, map[string]bool{})
	}
	t.tellPortfolios(in, "portfolio.member_suspended", suspensionID(in))
	t.absorb(in)
	t.tellCoordinators(in)
}

// blockDependents blocks what waits for an intent that is suspended, directly or through others.
func (t *tx) blockDependents(suspended, in *Intent, seen map[string]bool) {
	for _, id := range t.w.dependents[in.ID] {
		other := t.w.intents[id]
		if other == nil || seen[id] {
			continue
		}
		seen[id] = true
		if t.rules.Graph.Blocks(other.Status) {
			t.move(other, move{to: Blocked, by: system, reason: "upstream_suspended: " + suspended.ID})
		}
		if other.Status != Completed { // also one that is abandoned does not let through
			t.blockDependents(suspended, other, seen)
		}
	}
}

// wake lets those dependents of an intent go on that wait for nothing more.
func (t *tx) wake(in *Intent) {
	for _, id := range append([]string(nil), t.w.dependents[in.ID]...) {
		other := t.w.intents[id]
		if other == nil || other.Status != Blocked || !t.rules.Graph.Unblocks(t.w.statuses(other.DependsOn)) {
			continue
		}
		if up := t.w.intents[other.PausedBy]; up != nil && up.Status != Completed {
			continue
		}
		t.move(other, move{to: Active, by: system, reason: "dependencies_completed"})
	}
}

// upstreamSuspended tells whether an intent waits, directly or not, for one that is suspended.
func (w *world) upstreamSuspended(in *Intent, seen map[string]bool) bool {
	for _, id := range in.DependsOn {
		up := w.intents[id]
		if up == nil || seen[id] {
			continue
		}
		seen[id] = true
		if up.Status == Suspended || up.Status != Completed && w.upstreamSuspended(up, seen) {
			return true
		}
	}
	return false
}

// absorb is what the family of a suspended intent makes of it: nothing, unless a rule says otherwise.
func (t *tx) absorb(in *Intent) {
	parent := t.w.intents[in.Parent]
	if parent == nil || parent.Status != Active {
		return
	}
	if to := t.rules.Containers.Absorbs("parent"); to != "" {
		t.move(parent, move{to: to, by: system})
	}
	for _, id := range t.w.children[in.Parent] {
		other := t.w.intents[id]
		if to := t.rules.Containers.Absorbs("sibling"); to != "" && id != in.ID && other.Status == Active {
			t.move(other, move{to: to, by: system})
		}
	}
}

// tellPortfolios puts an event about a member on the log of each portfolio that it is in.
func (t *tx) tellPortfolios(in *Intent, kind, suspensionID string) {
	if !t.offers(Portfolios) {
		return
	}
	for _, p := range t.w.portfoliosOf(in.ID) {
		_, count := t.flags(p)
		payload := map[string]any{"portfolio_id": p.ID, "intent_id": in.ID, "suspended_member_count": count}
		if suspensionID != "" {
			payload["suspension_id"] = suspensionID
		}
		t.emit(&Event{Type: kind, Portfolio: p.ID, Actor: system, Payload: payload})
	}
}

// portfoliosOf are the portfolios that an intent is in, oldest first.
func (w *world) portfoliosOf(id string) (in []*Portfolio) {
	for _, pid := range w.portfolioIDs {
		p := w.portfolios[pid]
		for _, m := range p.Members {
			if m.Intent == id {
				in = append(in, p)
				break
			}
		}
	}
	return in
}

// flags are has_suspended_members and suspended_member_count.
func (e *Engine) flags(p *Portfolio) (has bool, count int64) {
	ever := false
	for _, id := range p.counted(e.rules.Containers) {
		in := e.w.intents[id]
		if in == nil {
			continue
		}
		if in.Status == Suspended {
			count++
		}
		ever = ever || in.State[recordKey] != nil
	}
	return e.rules.Containers.Flags(count, ever)
}

// counted are the intents that count in a portfolio.
func (p *Portfolio) counted(c rules.Containers) []string {
	ids := make([]string, 0, len(p.Members))
	for _, m := range p.Members {
		ids = append(ids, m.Intent)
	}
	return c.Members(ids)
}

// same compares two JSON values.
func same(a, b any) bool {
	if reflect.DeepEqual(a, b) {
		return true
	}
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && string(x) == string(y)
}
