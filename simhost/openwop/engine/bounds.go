package engine

import (
	"fmt"
	"math"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// The keys of a run's configurable that the engine reads.
const (
	keyTurns     = "maxLoopIterations"
	keyNodes     = "recursionLimit"
	keyDuration  = "runTimeoutMs"
	keyThreshold = "escalationThreshold"
)

// boundKeys are those under which a caller asks for a bound.
var boundKeys = map[openwopv1.CapKind]string{
	openwopv1.CapKindLoopIterations: keyTurns,
	openwopv1.CapKindNodeExecutions: keyNodes,
	openwopv1.CapKindRunDuration:    keyDuration,
}

// boundOf is a bound of a run as rules see it.
func boundOf(s *State, kind openwopv1.CapKind, limit int64) rules.Bound {
	asked, _ := positive(s.created.Configurable, boundKeys[kind]) // it was checked before the run was made
	branch := s.created.Fork != nil && s.created.Fork.Branch
	return rules.Bound{Kind: kind, Limit: limit, Own: asked > 0 && asked == limit && !branch}
}

// agentThreshold is the confidence below which an agent's decision is held, unless the run says otherwise (RFC 0006).
const agentThreshold = 0.7

// bounds are the bounds in force for a run, from what its configurable asks for and what the host advertises. A host
// without execution model knows no bound on turns.
func (o *Options) bounds(configurable map[string]any) (b Bounds, err error) {
	for _, bound := range []struct {
		kind       openwopv1.CapKind
		advertised int64
		into       *int64
	}{
		{openwopv1.CapKindLoopIterations, int64(o.Limits.MaxLoopIterations), &b.Turns},
		{openwopv1.CapKindNodeExecutions, int64(o.Limits.MaxNodeExecutions), &b.Nodes},
		{openwopv1.CapKindRunDuration, o.Limits.MaxRunDuration.Milliseconds(), &b.DurationMs},
	} {
		requested, err := positive(configurable, boundKeys[bound.kind])
		if err != nil {
			return Bounds{}, err
		}
		*bound.into = o.Rules.Bounds.InForce(bound.kind, requested, bound.advertised)
	}
	if !o.Rules.Bounds.CountsTurns(o.Version) {
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
	bound := boundOf(m.s, openwopv1.CapKindLoopIterations, m.s.created.Bounds.Turns)
	iteration = m.rules.Bounds.Turns(iteration, loopWorkers(m.s, m.loops))
	if m.replaying() {
		return m.copyBreach(openwopv1.CapKindLoopIterations)
	}
	if !m.rules.Verifier.Bounded(m.s.loop.revises()) || !m.rules.Bounds.TurnRefused(iteration, bound) {
		return false
	}
	m.breach(openwopv1.CapBreachedPayload{Kind: openwopv1.CapKindLoopIterations, Limit: float64(bound.Limit), Observed: float64(iteration)})
	return true
}

// nodeRefused breaches the bound on node starts where the start of this node is over it.
func (m *move) nodeRefused(id string) bool {
	bound, n := boundOf(m.s, openwopv1.CapKindNodeExecutions, m.s.created.Bounds.Nodes), m.s.starts+1
	if m.replaying() {
		return m.copyBreach(openwopv1.CapKindNodeExecutions)
	}
	if !m.rules.Bounds.NodeRefused(n, bound, n == len(m.s.nodes)) {
		return false
	}
	m.breach(openwopv1.CapBreachedPayload{Kind: openwopv1.CapKindNodeExecutions, Limit: float64(bound.Limit), Observed: float64(n),
		NodeID: &id})
	return true
}

func (m *move) breach(payload openwopv1.CapBreachedPayload) wait {
	payload = m.rules.Bounds.Tells(payload, boundOf(m.s, payload.Kind, int64(payload.Limit)).Own)
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
		if n.status.active() && (n.due.IsZero() || m.rules.Control.GivesUp(stoppedRun(s))) {
			id, reason := s.program.nodes[i].ID, string(s.stop.Why)
			return m.emit(openwopv1.RunEventTypeNodeCancelled, id, "", &openwopv1.NodeCancelledPayload{NodeID: id, Reason: &reason})
		}
	}
	switch s.stop.Why {
	case stopOvertime:
		observed := s.stop.Observed
		if s.stop.Replayed && !m.rules.Bounds.Recalls(openwopv1.CapKindRunDuration) {
			observed = m.now.Sub(s.startedAt).Milliseconds()
		}
		return m.breach(openwopv1.CapBreachedPayload{Kind: openwopv1.CapKindRunDuration, Limit: float64(s.stop.Limit),
			Observed: float64(observed)})
	case stopDiverged:
		return m.tellDivergence()
	case stopBroken:
		return m.emit(openwopv1.RunEventTypeRunFailed, "", "", &openwopv1.RunFailedPayload{Error: *s.stop.Error})
	default:
		return m.emit(openwopv1.RunEventTypeRunCancelled, "", "", m.cancelled())
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

func (m *move) cancelled() *openwopv1.RunCancelledPayload {
	p := &openwopv1.RunCancelledPayload{ParentRunID: m.s.stop.ParentRunID}
	if reason := m.rules.Control.Reason(openwopv1.RunEventTypeRunCancelled, m.s.stop.Reason); reason != "" {
		p.Reason = &reason
	}
	return p
}

// stoppedRun is the run as rules see it that is stopped.
func stoppedRun(s *State) rules.Stopped {
	return rules.Stopped{Overtime: s.stop.Why == stopOvertime, Child: s.created.Parent != nil, Paused: s.stood}
}

// late does the next thing for what was not given up with a run that was stopped.
func (m *move) late() wait {
	n := m.s.timed()
	switch {
	case n == nil && m.s.failing != nil && m.s.failing.kind != "" && !m.rules.Bounds.Rests(boundOf(m.s, m.s.failing.kind, m.s.failing.limit)):
		return m.carryOn()
	case n == nil && m.s.status == openwopv1.RunStatusCompleted && m.s.loop.consulted > 0 && !m.rules.Loop.Rests():
		return m.turnAgain()
	case n == nil:
		return waitsForNothing
	case m.now.Before(m.s.node(n.ID).due):
		return waitsForTime
	default:
		return m.completeNode(n.ID, "", nil)
	}
}

// carryOn begins what a bound has refused or cut off.
func (m *move) carryOn() wait {
	refused := func(i int, n nodeState) bool {
		switch id := m.s.program.nodes[i].ID; m.s.failing.kind {
		case openwopv1.CapKindLoopIterations:
			return m.s.program.isSupervisor(id)
		case openwopv1.CapKindRunDuration:
			return n.status == nodeCancelled
		default:
			return id == m.s.failing.nodeID
		}
	}
	for i, n := range m.s.nodes {
		if refused(i, n) && !n.status.active() {
			return m.emitStarted(&m.s.program.nodes[i], "")
		}
	}
	return waitsForNothing
}

// turnAgain begins another turn, once.
func (m *move) turnAgain() wait {
	n := m.s.program.supervisor()
	if m.s.node(n.ID).status.active() {
		return waitsForNothing
	}
	return m.emitStarted(n, "")
}

// loopWorkers counts the workers so far that were loops themselves.
func loopWorkers(s *State, isLoop func(workflowID string) bool) (n int) {
	for _, c := range s.children {
		if isLoop(c.workflowID) {
			n++
		}
	}
	return n
}

// breached is why a run fails after a breach of this kind.
func breached(event openwopv1.RunEvent, p *openwopv1.CapBreachedPayload) *failing {
	f := &failing{cause: event.EventID, nodeID: event.NodeID, kind: p.Kind, limit: int64(p.Limit)}
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
