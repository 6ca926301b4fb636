package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/memory"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// move is one go of a run: the steps from a state up to where it must wait. What it takes from outside is in its fields.
type move struct {
	s     *State
	rules *rules.Set
	tape  *tape // what a fork goes by, as long as it lasts
	now   time.Time
	draw  func() [16]byte // randomness for a node that draws

	loops   func(workflowID string) bool // which workflows are loops
	attests bool                         // what is harvested comes with a checksum
	peers   map[string]Peer              // by whose names workers are told that run elsewhere

	answer    json.RawMessage // resolves the open interrupt
	principal string          // whose answer that is; empty: whoever was sent the token
	defers    bool            // what the answer sets going is for the next move
	stop      *Stop           // asks the run to end
	pause     *Pause          // asks the run to stand still, or not to
	unpause   bool            // asks it to go on
	child     *childReport    // what is known of the child of the handoff under way
	view      *View           // how the stores are now
	reading   *reading        // what the turn reads
	wrote     *Wrote          // what came of the write that is announced
	answered  *answered       // what the model said that the node under way calls

	record Record // what the steps add to the log
	size   int    // of that, in bytes, roughly
	cut    int    // size at which the record is full
	err    error
}

// childReport is what its parent sees of a child.
type childReport struct {
	refused   *openwopv1.EventError // it could not be created
	status    openwopv1.RunStatus
	variables map[string]any      // completed
	outputs   map[string]any      // completed
	err       *openwopv1.RunError // failed
	memory    memory.Line         // that was handed down to it
	remembers int64               // the mark of that, as far as its log tells
	remote    *Remote             // where it is, if not here
	pending   bool                // nothing is known of it yet, and somebody is asking
	mark      int64               // completed, and it remembered something: of its parent's memory, with that in it
}

// wait is what a run waits for.
type wait int

const (
	goesOn        wait = iota // for nothing: there are more steps
	waitsToCreate             // for its child to be created
	waitsToWrite              // for its write to be carried out
	waitsToLook               // for a look at the stores
	waitsToRead               // for what a turn reads in them
	waitsToAsk                // for what a model answers
	waitsForChild             // for its child to end
	waitsForAnswer
	waitsForTime
	waitsToGoOn     // for somebody to have it go on: it is paused
	waitsForNothing // it ended
)

// short tells whether the wait is over as soon as somebody looks after the run.
func (w wait) short() bool { return w == goesOn || w == waitsToCreate || w == waitsToWrite }

// run takes steps until the run must wait; goesOn means that the record is full, or that the rest is for the next move.
func (m *move) run() wait {
	for m.err == nil && (m.size < m.cut && !m.taken() || m.s.Ended()) {
		if w := m.step(); w != goesOn {
			return w
		}
	}
	return goesOn
}

// taken tells whether the answer of a move that leaves everything else to the next one has been taken up.
func (m *move) taken() bool { return m.defers && m.answer == nil }

// step does the next thing: at most one event. It looks at nothing but m.
func (m *move) step() wait {
	s := m.s
	switch {
	case s.Ended():
		return m.late()
	case m.copies(), m.pausesAsRecorded():
		return m.copy()
	case s.failing != nil:
		return m.fail()
	case s.stop != nil:
		return m.windUp()
	case m.mustStop():
		return m.learn(Fact{Stop: m.stop})
	case m.pause != nil:
		return m.wishes()
	case s.paused != nil && m.holds():
		return m.stands()
	case m.pausesNow():
		return m.standStill()
	case s.done < s.program.loop:
		return m.runNode(&s.program.nodes[s.done])
	case s.program.loop == len(s.program.nodes):
		return m.complete("")
	default:
		return m.turn()
	}
}

// learn adds a fact.
func (m *move) learn(f Fact) wait {
	f.At = m.s.next
	m.record.Facts = append(m.record.Facts, f)
	m.s.learn(f)
	m.size += 200
	return goesOn
}

// encode is json.Marshal for a step.
func (m *move) encode(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		m.err = fmt.Errorf("encode %T: %w", v, err)
	}
	return raw
}

// emit adds an event. payload is a pointer to the payload's Go type; cause is an eventId or empty.
func (m *move) emit(t openwopv1.RunEventType, nodeID, cause string, payload any) wait {
	return m.emitAs(t, nodeID, cause, payload, payload)
}

// emitAs is emit where the log says more than the payload's Go type can hold.
func (m *move) emitAs(t openwopv1.RunEventType, nodeID, cause string, written, payload any) wait {
	if !m.follows(t) {
		return goesOn
	}
	return m.put(t, nodeID, cause, written, payload)
}

// aside is emit of an event that a replay has and its source has not.
func (m *move) aside(t openwopv1.RunEventType, nodeID string, payload any) wait {
	return m.put(t, nodeID, "", payload, payload)
}

func (m *move) put(t openwopv1.RunEventType, nodeID, cause string, written, payload any) wait {
	raw := m.encode(written)
	if m.err != nil {
		return goesOn
	}
	m.append(openwopv1.RunEvent{
		EventID:     eventID(m.s.runID, m.s.next),
		RunID:       m.s.runID,
		NodeID:      nodeID,
		Type:        t,
		Payload:     raw,
		Timestamp:   m.now,
		Sequence:    m.s.next,
		CausationID: cause,
	}, payload)
	return goesOn
}

func (m *move) append(event openwopv1.RunEvent, payload any) {
	m.record.Events = append(m.record.Events, event)
	m.size += 300 + len(event.Payload)
	m.s.take(event, payload)
}

// start begins a run. started is nil for a fork that begins as its source did.
func (m *move) start(created Created, started *openwopv1.RunStartedPayload) {
	m.learn(Fact{Created: &created})
	if started != nil {
		m.emit(openwopv1.RunEventTypeRunStarted, "", "", started)
		return
	}
	m.replay() // the source's run.started is the fork's
}

// complete ends the run well; cause is the decision that did so, if it was one.
func (m *move) complete(cause string) wait {
	outputs := map[string]any{}
	for i, n := range m.s.program.nodes[:m.s.program.loop] {
		if n.last {
			maps.Copy(outputs, m.s.nodes[i].outputs)
		}
	}
	outputs = m.rules.Control.PutsOut(outputs, m.s.stood)
	return m.emit(openwopv1.RunEventTypeRunCompleted, "", cause, &openwopv1.RunCompletedPayload{Outputs: outputs})
}

// alone tells whether a run is nobody's child or fork, dispatches nobody and asked nobody.
func alone(s *State) bool {
	dispatches := slices.ContainsFunc(s.program.nodes, func(n node) bool { return n.TypeID == typeDispatch })
	return s.created.Parent == nil && s.created.Fork == nil && !dispatches && len(s.interrupts) == 0
}

// fail ends the run for the reason that stands in its state.
func (m *move) fail() wait {
	f := m.s.failing
	if f.ofNode && !m.rules.Control.Fails(alone(m.s)) {
		return m.complete("")
	}
	err, cause := f.err, f.cause
	if f.kind != "" {
		bound := boundOf(m.s, f.kind, f.limit)
		if err = m.rules.Bounds.Error(bound, err); !m.rules.Bounds.Blames(bound) {
			cause = ""
		}
	}
	payload := &openwopv1.RunFailedPayload{
		Error: openwopv1.EventError{Code: err.Code, Message: err.Message, Details: err.Details},
	}
	if f.nodeID != "" {
		payload.FailedNodeID = &f.nodeID
	}
	return m.emit(openwopv1.RunEventTypeRunFailed, "", cause, payload)
}
