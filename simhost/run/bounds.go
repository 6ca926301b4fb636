package run

import (
	"fmt"
	"math"

	"github.com/openassay/assay/gen/openwopv1"
)

// The keys of a run's configurable that the engine reads.
const (
	keyTurns     = "maxLoopIterations"
	keyNodes     = "recursionLimit"
	keyDuration  = "runTimeoutMs"
	keyThreshold = "escalationThreshold"
)

// agentThreshold is the confidence below which an agent's decision is held, unless the run says otherwise (RFC 0006).
const agentThreshold = 0.7

// bounds are the bounds in force for a run, from what its configurable asks for and what the host advertises. A host
// without execution model knows no bound on turns.
func (o *Options) bounds(configurable map[string]any) (b Bounds, err error) {
	for _, bound := range []struct {
		key        string
		advertised int64
		into       *int64
	}{
		{keyTurns, int64(o.Limits.MaxLoopIterations), &b.Turns},
		{keyNodes, int64(o.Limits.MaxNodeExecutions), &b.Nodes},
		{keyDuration, o.Limits.MaxRunDuration.Milliseconds(), &b.DurationMs},
	} {
		requested, err := positive(configurable, bound.key)
		if err != nil {
			return Bounds{}, err
		}
		*bound.into = o.Rules.Bounds.InForce(requested, bound.advertised)
	}
	if o.Version < 1 {
		b.Turns = 0
	}
	return b, nil
}

// positive is an integer of at least 1 in a configurable, 0 where the key is missing.
func positive(configurable map[string]any, key string) (int64, error) {
	value, set := configurable[key]
	if !set {
		return 0, nil
	}
	n, ok := number(value)
	if !ok || n != math.Trunc(n) || n < 1 || math.IsInf(n, 0) {
		return 0, invalid("configurable."+key, "must be an integer of at least 1, not %v", value)
	}
	// A float that is larger than any int64 is as good as no bound at all.
	return int64(min(n, 1<<62)), nil
}

// number takes what encoding/json makes of a number, and an int from a caller in Go.
func number(value any) (float64, bool) {
	switch n := value.(type) {
	case float64:
		return n, true
	case int:
		return float64(n), true
	}
	return 0, false
}

// threshold is the confidence below which an agent's decision is held.
func threshold(configurable map[string]any) (float64, error) {
	value, set := configurable[keyThreshold]
	if !set {
		return agentThreshold, nil
	}
	n, ok := number(value)
	if !ok || !(n >= 0 && n <= 1) {
		return 0, invalid("configurable."+keyThreshold, "must be a number from 0 to 1, not %v", value)
	}
	return n, nil
}

// turnRefused breaches the bound on turns where the turn with this number is over it.
func (m *move) turnRefused(iteration int) bool {
	bound := m.s.created.Bounds.Turns
	if m.replaying() {
		return m.copyBreach(openwopv1.CapKindLoopIterations)
	}
	if !m.rules.Verifier.Bounded(m.s.loop.revises()) || !m.rules.Bounds.TurnRefused(iteration, bound) {
		return false
	}
	m.breach(openwopv1.CapBreachedPayload{Kind: openwopv1.CapKindLoopIterations, Limit: float64(bound), Observed: float64(iteration)})
	return true
}

// nodeRefused breaches the bound on node starts where the start of this node is over it.
func (m *move) nodeRefused(id string) bool {
	bound, n := m.s.created.Bounds.Nodes, m.s.starts+1
	if m.replaying() {
		return m.copyBreach(openwopv1.CapKindNodeExecutions)
	}
	if !m.rules.Bounds.NodeRefused(n, bound) {
		return false
	}
	m.breach(openwopv1.CapBreachedPayload{Kind: openwopv1.CapKindNodeExecutions, Limit: float64(bound), Observed: float64(n), NodeID: &id})
	return true
}

func (m *move) breach(payload openwopv1.CapBreachedPayload) wait {
	nodeID := ""
	if payload.NodeID != nil {
		nodeID = *payload.NodeID
	}
	return m.emit(openwopv1.RunEventTypeCapBreached, nodeID, "", &payload)
}

// mustStop finds out whether the run has to end now, and notes why in m.stop: it was asked to, or it is over its time.
func (m *move) mustStop() bool {
	if m.stop != nil {
		return true
	}
	if m.replaying() {
		m.stop = m.recordedStop()
		return m.stop != nil
	}
	bound := m.s.created.Bounds.DurationMs
	elapsed := m.now.Sub(m.s.startedAt).Milliseconds()
	if !m.rules.Bounds.Overtime(elapsed, bound) {
		return false
	}
	m.stop = &Stop{Why: stopOvertime, Limit: bound, Observed: elapsed}
	return true
}

// windUp ends a run that was stopped: first its child, or its write, then the nodes that are under way, then the run.
func (m *move) windUp() wait {
	switch {
	case m.handing():
		return m.handOver()
	case m.writing():
		return m.write()
	case m.turnsOn():
		return m.turn()
	}
	s := m.s
	for i, n := range s.nodes {
		if n.status.active() {
			id, reason := s.program.nodes[i].ID, string(s.stop.Why)
			return m.emit(openwopv1.RunEventTypeNodeCancelled, id, "", &openwopv1.NodeCancelledPayload{NodeID: id, Reason: &reason})
		}
	}
	switch s.stop.Why {
	case stopOvertime:
		return m.breach(openwopv1.CapBreachedPayload{
			Kind: openwopv1.CapKindRunDuration, Limit: float64(s.stop.Limit), Observed: float64(s.stop.Observed),
		})
	case stopDiverged:
		return m.tellDivergence()
	case stopBroken:
		return m.emit(openwopv1.RunEventTypeRunFailed, "", "", &openwopv1.RunFailedPayload{Error: *s.stop.Error})
	default:
		return m.emit(openwopv1.RunEventTypeRunCancelled, "", "", s.stop.cancelled())
	}
}

// turnsOn tells whether a run that is to stop carries out its turn all the same, and decides in another.
func (m *move) turnsOn() bool {
	switch m.s.loop.phase {
	case phaseDispatching, phaseDeciding:
		return !m.rules.Dispatch.Rests()
	case phaseIdle:
		return !m.rules.Dispatch.Rests() && m.s.loop.child != nil
	default:
		return false
	}
}

func (s *Stop) cancelled() *openwopv1.RunCancelledPayload {
	p := &openwopv1.RunCancelledPayload{ParentRunID: s.ParentRunID}
	if s.Reason != "" {
		p.Reason = &s.Reason
	}
	return p
}

// breached is why a run fails after a breach of this kind.
func breached(event openwopv1.RunEvent, p *openwopv1.CapBreachedPayload) *failing {
	f := &failing{cause: event.EventID, nodeID: event.NodeID}
	switch p.Kind {
	case openwopv1.CapKindLoopIterations:
		f.err = openwopv1.RunError{
			Code:    codeLoopLimit,
			Message: fmt.Sprintf("turn %.0f is over the bound of %.0f", p.Observed, p.Limit),
			Details: map[string]any{"iteration": p.Observed},
		}
	case openwopv1.CapKindRunDuration:
		f.err = openwopv1.RunError{
			Code:    codeTimeout,
			Message: fmt.Sprintf("the run took %.0f ms, over the bound of %.0f ms", p.Observed, p.Limit),
			Details: map[string]any{"elapsedMs": p.Observed},
		}
	default:
		f.err = openwopv1.RunError{
			Code:    codeNodeLimit,
			Message: fmt.Sprintf("node execution %.0f is over the bound of %.0f", p.Observed, p.Limit),
		}
	}
	return f
}
