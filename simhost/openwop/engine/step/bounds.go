package step

import (
	"math"
	"strings"

	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// The keys of a run's configurable that the engine reads.
const (
	KeyTurns     = "maxLoopIterations"
	KeyNodes     = "recursionLimit"
	KeyDuration  = "runTimeoutMs"
	KeyThreshold = "escalationThreshold"
)

// BoundKeys are those under which a caller asks for a bound.
var BoundKeys = map[event.Bound]string{
	event.LoopIterations: KeyTurns,
	event.NodeExecutions: KeyNodes,
	event.RunDuration:    KeyDuration,
}

// boundOf is a bound of a run as rules see it.
func boundOf(s *state.State, kind event.Bound, limit int64) rules.Bound {
	asked, _ := Positive(s.Created.Configurable, BoundKeys[kind]) // it was checked before the run was made
	branch := s.Created.Fork != nil && s.Created.Fork.Branch
	return rules.Bound{Kind: kind, Limit: limit, Own: asked > 0 && asked == limit && !branch}
}

// Positive is an integer of at least 1 in a configurable, 0 where the key is missing.
func Positive(configurable map[string]any, key string) (int64, error) {
	value, set := configurable[key]
	if !set {
		return 0, nil
	}
	n, ok := workflow.Number(value)
	if !ok || n != math.Trunc(n) || n < 1 || math.IsInf(n, 0) {
		return 0, codes.Invalid("configurable."+key, "must be an integer of at least 1, not %v", value)
	}
	// A float that is larger than any int64 is as good as no bound at all.
	return int64(min(n, 1<<62)), nil
}

// turnRefused breaches the bound on turns where the turn with this number is over it.
func (m *Move) turnRefused(iteration int) bool {
	bound := boundOf(m.S, event.LoopIterations, m.S.Created.Bounds.Turns)
	if m.replaying() {
		return m.copyBreach(event.LoopIterations)
	}
	turn := rules.Use{N: int64(iteration), Loops: loopWorkers(m.S, m.Loops), Revises: m.S.Loop.Revises()}
	if !m.Rules.Bounds.Crosses(turn, bound) {
		return false
	}
	m.breach(event.BreachedPayload{Kind: event.LoopIterations, Limit: float64(bound.Limit), Observed: float64(iteration)})
	return true
}

// nodeRefused breaches the bound on node starts where the start of this node is over it.
func (m *Move) nodeRefused(id string) bool {
	bound, n := boundOf(m.S, event.NodeExecutions, m.S.Created.Bounds.Nodes), m.S.Starts+1
	if m.replaying() {
		return m.copyBreach(event.NodeExecutions)
	}
	start := rules.Use{N: int64(n), Last: n == len(m.S.Nodes), Hands: m.S.Program.IsDispatch(id)}
	if !m.Rules.Bounds.Crosses(start, bound) {
		return false
	}
	m.breach(event.BreachedPayload{Kind: event.NodeExecutions, Limit: float64(bound.Limit), Observed: float64(n),
		NodeID: &id})
	return true
}

func (m *Move) breach(payload event.BreachedPayload) Wait {
	nodeID := ""
	if payload.NodeID != nil {
		nodeID = *payload.NodeID
	}
	return m.emit(event.Breached, nodeID, "", &payload)
}

// mustStop finds out whether the run has to end now, and notes why in m.stop: it was asked to, or it is over its time.
func (m *Move) mustStop() bool {
	if m.Stop != nil {
		return true
	}
	if m.replaying() {
		m.Stop = m.recordedStop()
		return m.Stop != nil
	}
	bound := boundOf(m.S, event.RunDuration, m.S.Created.Bounds.DurationMs)
	elapsed := m.Now.Sub(m.S.StartedAt).Milliseconds()
	time := rules.Use{N: elapsed, Stood: m.S.StoodMs, Paused: m.S.Paused != nil, Asks: strings.HasPrefix(string(m.S.Status), "waiting-")}
	if !m.Rules.Bounds.Crosses(time, bound) {
		return false
	}
	m.Stop = &state.Stop{Why: state.StopOvertime, Limit: bound.Limit, Observed: elapsed}
	return true
}

// windUp ends a run that was stopped: first its child, or its write, then the nodes that are under way, then the run.
func (m *Move) windUp() Wait {
	switch {
	case m.handoff().handing():
		return m.handoff().next()
	case m.stores().writing():
		return m.stores().write()
	}
	s := m.S
	for i, n := range s.Nodes {
		if n.Status.Active() && (n.Due.IsZero() || m.Rules.Control.GivesUp(stoppedRun(s))) {
			id, reason := s.Program.Nodes[i].ID, string(s.Stop.Why)
			return m.emit(event.NodeCancelled, id, "", &event.NodeCancelledPayload{NodeID: id, Reason: &reason})
		}
	}
	switch s.Stop.Why {
	case state.StopOvertime:
		observed := s.Stop.Observed
		if s.Stop.Replayed && !m.Rules.Bounds.Recalls(event.RunDuration) {
			observed = m.Now.Sub(s.StartedAt).Milliseconds()
		}
		return m.breach(event.BreachedPayload{Kind: event.RunDuration, Limit: float64(s.Stop.Limit),
			Observed: float64(observed)})
	case state.StopDiverged:
		return m.tellDivergence()
	case state.StopBroken:
		return m.emit(event.RunFailed, "", "", &event.RunFailedPayload{Error: *s.Stop.Error})
	default:
		return m.emit(event.RunCancelled, "", "", cancelled(m.S.Stop))
	}
}

func cancelled(stop *state.Stop) *event.RunCancelledPayload {
	p := &event.RunCancelledPayload{ParentRunID: stop.ParentRunID}
	if stop.Reason != "" {
		p.Reason = &stop.Reason
	}
	return p
}

// stoppedRun is the run as rules see it that is stopped.
func stoppedRun(s *state.State) rules.Stopped {
	return rules.Stopped{Overtime: s.Stop.Why == state.StopOvertime, Child: s.Created.Parent != nil, Paused: s.Stood}
}

// late does the next thing for what was not given up with a run that was stopped.
func (m *Move) late() Wait {
	n := m.S.Timed()
	switch {
	case n == nil:
		return WaitsForNothing
	case m.Now.Before(m.S.Node(n.ID).Due):
		return WaitsForTime
	default:
		return m.completeNode(n.ID, "", nil)
	}
}

// loopWorkers counts the workers so far that were loops themselves.
func loopWorkers(s *state.State, isLoop func(workflowID string) bool) (n int) {
	for _, c := range s.Children {
		if isLoop(c.WorkflowID) {
			n++
		}
	}
	return n
}
