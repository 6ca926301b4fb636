package engine

import (
	"encoding/hex"
	"maps"
	"math"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
)

// runNode does the next thing about a node outside the loop.
func (m *move) runNode(n *node) wait {
	state := m.s.node(n.ID)
	switch {
	case n.isGate() && state.status.active():
		return m.runGate(n)
	case state.status != nodeRunning:
		return m.startNode(n)
	}
	values, missing := m.s.portValues(n)
	if missing != nil {
		return m.failNode(n.ID, missing)
	}
	switch n.TypeID {
	case typeFail:
		return m.failNode(n.ID, configuredFailure(n))
	case typeDispatch:
		if !m.rules.Dispatch.NeedsDecision() {
			return m.completeNode(n.ID, "", nil)
		}
		return m.failNode(n.ID, failure(codeNoDecision, "no supervisor leads to node %q", n.ID))
	case typeDelay:
		return m.delay(n, values)
	case typeRandom:
		return m.random(n)
	case typeModel:
		return m.call(n)
	case typeIdentity:
		if len(n.ports) == 0 {
			values = maps.Clone(m.s.variables)
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
func (m *move) keeps(n *node) bool {
	unforeseeable, _ := n.Config["nondeterministic"].(bool)
	return m.rules.Replay.Keeps(n.TypeID, unforeseeable)
}

// random completes a node with a value that nobody can foresee; a replay takes the one that was drawn.
func (m *move) random(n *node) wait {
	var recorded openwopv1.NodeCompletedPayload
	if m.keeps(n) && m.read(openwopv1.RunEventTypeNodeCompleted, &recorded) {
		return m.completeNode(n.ID, "", recorded.Outputs)
	}
	drawn := m.draw()
	return m.completeNode(n.ID, "", map[string]any{"value": hex.EncodeToString(drawn[:])})
}

// startNode starts a node outside the loop, unless it is disabled or one too many.
func (m *move) startNode(n *node) wait {
	if n.disabled {
		reason := "disabled"
		return m.emit(openwopv1.RunEventTypeNodeSkipped, n.ID, "", &openwopv1.NodeSkippedPayload{NodeID: n.ID, Reason: &reason})
	}
	if m.nodeRefused(n.ID) {
		return goesOn
	}
	if n.TypeID == typeDelay {
		values, missing := m.s.portValues(n)
		if d, err := delayOf(n, values); missing == nil && err == nil {
			m.learn(Fact{Timer: &Timer{NodeID: n.ID, Due: m.now.Add(d)}})
		}
	}
	return m.emitStarted(n, "")
}

func (m *move) emitStarted(n *node, cause string) wait {
	return m.emit(openwopv1.RunEventTypeNodeStarted, n.ID, cause, &openwopv1.NodeStartedPayload{NodeID: n.ID, TypeID: n.TypeID})
}

func (m *move) completeNode(id, cause string, outputs map[string]any) wait {
	return m.emit(openwopv1.RunEventTypeNodeCompleted, id, cause, &openwopv1.NodeCompletedPayload{NodeID: id, Outputs: outputs})
}

func (m *move) failNode(id string, err *openwopv1.EventError) wait {
	return m.emit(openwopv1.RunEventTypeNodeFailed, id, "", &openwopv1.NodeFailedPayload{NodeID: id, Error: *err})
}

func configuredFailure(n *node) *openwopv1.EventError {
	err := failure(codeNodeFailed, "node %q fails, as it is configured to", n.ID)
	if code, _ := n.Config["code"].(string); code != "" {
		err.Code = code
	}
	if message, _ := n.Config["message"].(string); message != "" {
		err.Message = message
	}
	return err
}

// delay completes a core.delay node once its time has come.
func (m *move) delay(n *node, values map[string]any) wait {
	if _, err := delayOf(n, values); err != nil {
		return m.failNode(n.ID, err)
	}
	if m.recorded(openwopv1.RunEventTypeNodeCompleted) || !m.replaying() && !m.now.Before(m.s.node(n.ID).due) {
		return m.completeNode(n.ID, "", nil)
	}
	if m.replaying() {
		return m.diverge()
	}
	return waitsForTime
}

// maxDelay keeps a delay within what a timer can hold; it is some 31 years.
const maxDelay = 1e12

// delayOf is how long a core.delay node waits: the port delayMs, else config delayMs or durationMs.
func delayOf(n *node, values map[string]any) (time.Duration, *openwopv1.EventError) {
	for _, value := range []any{values["delayMs"], n.Config["delayMs"], n.Config["durationMs"]} {
		if value == nil {
			continue
		}
		ms, ok := value.(float64)
		if !ok || !(ms >= 0 && ms <= maxDelay) {
			return 0, failure(codeDelay, "delayMs of node %q must be 0 to %.0f, not %v", n.ID, maxDelay, value)
		}
		return time.Duration(math.Ceil(ms)) * time.Millisecond, nil
	}
	return 0, failure(codeDelay, "node %q has no delayMs", n.ID)
}
