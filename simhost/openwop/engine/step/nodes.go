package step

import (
	"encoding/hex"
	"maps"
	"math"
	"time"

	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// runNode does the next thing about a node outside the loop.
func (m *Move) runNode(n *workflow.Node) Wait {
	at := m.S.Node(n.ID)
	switch {
	case n.IsGate() && at.Status.Active():
		return m.gate(n).next()
	case at.Status != state.NodeRunning:
		return m.startNode(n)
	}
	values, missing := m.S.PortValues(n)
	if missing != nil {
		return m.failNode(n.ID, missing)
	}
	switch n.TypeID {
	case workflow.TypeFail:
		return m.failNode(n.ID, configuredFailure(n))
	case workflow.TypeDispatch:
		if m.Rules.Dispatch.Takes(rules.Order{}) {
			return m.completeNode(n.ID, "", nil)
		}
		return m.failNode(n.ID, codes.Failure(codes.NoDecision, "no supervisor leads to node %q", n.ID))
	case workflow.TypeDelay:
		return m.delay(n, values)
	case workflow.TypeRandom, workflow.TypeRandomToo:
		return m.random(n)
	case workflow.TypeModel:
		return m.call(n).next()
	case workflow.TypeIdentity:
		if len(n.Ports) == 0 {
			values = maps.Clone(m.S.Variables)
		}
		return m.completeNode(n.ID, "", values)
	default:
		if m.replaying() && !m.keeps(n) {
			return m.diverge()
		}
		return m.completeNode(n.ID, "", nil)
	}
}

// keeps tells whether a replay takes what is recorded of a node.
func (m *Move) keeps(n *workflow.Node) bool {
	unforeseeable, _ := n.Config["nondeterministic"].(bool)
	return m.Rules.Replay.Keeps(n.TypeID, unforeseeable)
}

// random completes a node with a value that nobody can foresee; a replay takes the one that was drawn.
func (m *Move) random(n *workflow.Node) Wait {
	var recorded event.NodeCompletedPayload
	if m.keeps(n) && m.read(event.NodeCompleted, &recorded) {
		return m.completeNode(n.ID, "", recorded.Outputs)
	}
	drawn := m.Draw()
	return m.completeNode(n.ID, "", map[string]any{"value": hex.EncodeToString(drawn[:])})
}

// startNode starts a node outside the loop, unless it is disabled or one too many.
func (m *Move) startNode(n *workflow.Node) Wait {
	if n.Disabled {
		reason := "disabled"
		return m.emit(event.NodeSkipped, n.ID, "", &event.NodeSkippedPayload{NodeID: n.ID, Reason: &reason})
	}
	if m.nodeRefused(n.ID) {
		return goesOn
	}
	if n.TypeID == workflow.TypeDelay {
		values, missing := m.S.PortValues(n)
		if d, err := delayOf(n, values); missing == nil && err == nil {
			m.learn(state.Fact{Timer: &state.Timer{NodeID: n.ID, Due: m.Now.Add(d)}})
		}
	}
	return m.emitStarted(n, "")
}

func (m *Move) emitStarted(n *workflow.Node, cause string) Wait {
	return m.emit(event.NodeStarted, n.ID, cause, &event.NodeStartedPayload{NodeID: n.ID, TypeID: n.TypeID})
}

func (m *Move) completeNode(id, cause string, outputs map[string]any) Wait {
	return m.emit(event.NodeCompleted, id, cause, &event.NodeCompletedPayload{NodeID: id, Outputs: outputs})
}

func (m *Move) failNode(id string, err *event.Error) Wait {
	return m.emit(event.NodeFailed, id, "", &event.NodeFailedPayload{NodeID: id, Error: *err})
}

func configuredFailure(n *workflow.Node) *event.Error {
	err := codes.Failure(codes.NodeFailed, "node %q fails, as it is configured to", n.ID)
	if code, _ := n.Config["code"].(string); code != "" {
		err.Code = code
	}
	if message, _ := n.Config["message"].(string); message != "" {
		err.Message = message
	}
	return err
}

// delay completes a core.delay node once its time has come.
func (m *Move) delay(n *workflow.Node, values map[string]any) Wait {
	if _, err := delayOf(n, values); err != nil {
		return m.failNode(n.ID, err)
	}
	if m.recorded(event.NodeCompleted) || !m.replaying() && !m.Now.Before(m.S.Node(n.ID).Due) {
		return m.completeNode(n.ID, "", nil)
	}
	if m.replaying() {
		return m.diverge()
	}
	return WaitsForTime
}

// delayOf is how long a core.delay node waits: the port delayMs, else config delayMs or durationMs.
func delayOf(n *workflow.Node, values map[string]any) (time.Duration, *event.Error) {
	for _, value := range []any{values["delayMs"], n.Config["delayMs"], n.Config["durationMs"]} {
		if value == nil {
			continue
		}
		ms, ok := value.(float64)
		if !ok || !(ms >= 0 && ms <= workflow.MaxDelay) {
			return 0, codes.Failure(codes.Delay, "delayMs of node %q must be 0 to %.0f, not %v", n.ID, workflow.MaxDelay, value)
		}
		return time.Duration(math.Ceil(ms)) * time.Millisecond, nil
	}
	return 0, codes.Failure(codes.Delay, "node %q has no delayMs", n.ID)
}
