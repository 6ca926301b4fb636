package step

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/openwop/memory"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// Move advances a run until it must wait. Its steps read the run's state, the host and what was seen outside, and add to
// the log.
type Move struct {
	S    *state.State
	Tape *Tape // what a fork goes by, as long as it lasts
	Host
	Seen
	Added
}

// Host is the host as steps see it.
type Host struct {
	Rules   *rules.Set
	Now     time.Time
	Draw    func() [16]byte              // randomness for a node that draws
	Loops   func(workflowID string) bool // which workflows are loops
	Peers   func(name string) bool       // which hosts run workers for this one
	Attests bool                         // what is harvested comes with a checksum
	Thinks  func(turn int) bool          // whether the supervisor is still to make up its mind; nil where that takes no time
	Cut     int                          // size in bytes at which a record is full
	Change  func(*event.Event)           // changes what the log gets of an event, not what the run makes of it; nil for nothing
}

// Seen is what was seen outside of the run's log. A step that takes something up clears it.
type Seen struct {
	Answer    json.RawMessage // resolves the open interrupt
	Principal string          // whose answer that is; empty: whoever was sent the token
	Defers    bool            // what the answer sets going is for the next move
	Stop      *state.Stop     // asks the run to end
	Moved     *state.Moved    // has time pass for this run alone
	Pause     *state.Pause    // asks the run to stand still, or not to
	Unpause   bool            // asks it to go on
	Child     *ChildReport    // what is known of the child of the handoff under way
	View      *state.View     // how the stores are now
	Reading   *state.Reading  // what the turn reads
	Wrote     *state.Wrote    // what came of the write that is announced
	Answered  *Answered       // what the model said that the node under way calls
}

// Added is what the steps add to the log.
type Added struct {
	Record state.Record
	Err    error // of encoding it; the move is lost then
	size   int   // of the record, in bytes, roughly
}

// ChildReport is what its parent sees of a child.
type ChildReport struct {
	Refused   *event.Error // it could not be created
	Status    openwopv1.RunStatus
	Variables map[string]any      // completed
	Outputs   map[string]any      // completed
	Err       *openwopv1.RunError // failed
	Memory    memory.Line         // that was handed down to it
	Remembers int64               // the mark of that, as far as its log tells
	Remote    *state.Remote       // where it is, if not here
	Pending   bool                // nothing is known of it yet, and somebody is asking
	Mark      int64               // completed, and it remembered something: of its parent's memory, with that in it
}

// Wait is what a run waits for.
type Wait int

const (
	goesOn        Wait = iota // for nothing: there are more steps
	WaitsToCreate             // for its child to be created
	waitsToWrite              // for its write to be carried out
	WaitsToLook               // for a look at the stores
	WaitsToRead               // for what a turn reads in them
	WaitsToAsk                // for what a model answers
	waitsForChild             // for its child to end
	WaitsForAnswer
	WaitsForTime
	WaitsForThought // for the supervisor to make up its mind
	waitsToGoOn     // for somebody to have it go on: it is paused
	WaitsForNothing // it ended
)

// Short tells whether the wait is over as soon as somebody looks after the run.
func (w Wait) Short() bool { return w == goesOn || w == WaitsToCreate || w == waitsToWrite }

// Run takes steps until the run must wait; goesOn means that the record is full, or that the rest is for the next move.
func (m *Move) Run() Wait {
	for m.Err == nil && (m.size < m.Cut && !m.taken() || m.S.Ended()) {
		if w := m.step(); w != goesOn {
			return w
		}
	}
	return goesOn
}

// taken tells whether the answer of a move that leaves everything else to the next one has been taken up.
func (m *Move) taken() bool { return m.Defers && m.Answer == nil }

// step does the next thing: at most one event. It looks at nothing but m.
func (m *Move) step() Wait {
	s := m.S
	switch {
	case m.Moved != nil:
		return m.passTime()
	case s.Ended():
		return m.late()
	case m.copies(), m.pausesAsRecorded():
		return m.copy()
	case s.Failing != nil:
		return m.fail()
	case s.Stop != nil:
		return m.windUp()
	case m.mustStop():
		return m.learn(state.Fact{Stop: m.Stop})
	case m.Pause != nil:
		return m.wishes()
	case s.Paused != nil && m.holds():
		return m.stands()
	case m.pausesNow():
		return m.standStill()
	case s.Done < s.Program.Loop:
		return m.runNode(&s.Program.Nodes[s.Done])
	case s.Program.Loop == len(s.Program.Nodes):
		return m.complete("")
	default:
		return m.turn().next()
	}
}

// learn adds a fact.
func (m *Move) learn(f state.Fact) Wait {
	f.At = m.S.Next
	m.Record.Facts = append(m.Record.Facts, f)
	m.S.Learn(f)
	m.size += 200
	return goesOn
}

// passTime moves the clock of the run, and of this move.
func (m *Move) passTime() Wait {
	before := m.S.Ahead
	f := state.Fact{Moved: m.Moved}
	m.Moved = nil
	m.learn(f)
	m.Now = m.Now.Add(m.S.Ahead - before)
	return goesOn
}

// encode is json.Marshal for a step.
func (m *Move) encode(v any) json.RawMessage {
	raw, err := json.Marshal(v)
	if err != nil {
		m.Err = fmt.Errorf("encode %T: %w", v, err)
	}
	return raw
}

// emit adds an event. payload is a pointer to the payload's Go type; cause is an eventId or empty.
func (m *Move) emit(t event.Type, nodeID, cause string, payload any) Wait {
	return m.emitAs(t, nodeID, cause, payload, payload)
}

// emitAs is emit where the log says more than the payload's Go type can hold.
func (m *Move) emitAs(t event.Type, nodeID, cause string, written, payload any) Wait {
	if !m.follows(t) {
		return goesOn
	}
	return m.put(t, nodeID, cause, written, payload)
}

// aside is emit of an event that a replay has and its source has not.
func (m *Move) aside(t event.Type, nodeID string, payload any) Wait {
	return m.put(t, nodeID, "", payload, payload)
}

func (m *Move) put(t event.Type, nodeID, cause string, written, payload any) Wait {
	raw := m.encode(written)
	if m.Err != nil {
		return goesOn
	}
	e := event.Event{
		ID:          workflow.EventID(m.S.RunID, m.S.Next),
		RunID:       m.S.RunID,
		NodeID:      nodeID,
		Type:        t,
		Payload:     raw,
		Timestamp:   m.Now,
		Sequence:    m.S.Next,
		CausationID: cause,
	}
	if m.Change != nil {
		m.Change(&e)
	}
	m.append(e, payload)
	return goesOn
}

// fewEvents is how many a move of a run with one node adds.
const fewEvents = 4

func (m *Move) append(e event.Event, payload any) {
	if m.Record.Events == nil {
		m.Record.Events = make([]event.Event, 0, fewEvents)
	}
	m.Record.Events = append(m.Record.Events, e)
	m.size += 300 + len(e.Payload)
	m.S.Take(e, payload)
}

// Start begins a run. started is nil for a fork that begins as its source did.
func (m *Move) Start(created state.Created, started *event.RunStartedPayload) {
	m.learn(state.Fact{Created: &created})
	if started != nil {
		m.emit(event.RunStarted, "", "", started)
		return
	}
	m.replay() // the source's run.started is the fork's
}

// complete ends the run well; cause is the decision that did so, if it was one.
func (m *Move) complete(cause string) Wait {
	outputs := map[string]any{}
	for i, n := range m.S.Program.Nodes[:m.S.Program.Loop] {
		if n.Last {
			maps.Copy(outputs, m.S.Nodes[i].Outputs)
		}
	}
	return m.emit(event.RunCompleted, "", cause, &event.RunCompletedPayload{Outputs: outputs})
}

// alone tells whether a run is nobody's child or fork, dispatches nobody and asked nobody.
func alone(s *state.State) bool {
	dispatches := slices.ContainsFunc(s.Program.Nodes, func(n workflow.Node) bool { return n.TypeID == workflow.TypeDispatch })
	return s.Created.Parent == nil && s.Created.Fork == nil && !dispatches && len(s.Interrupts) == 0
}

// fail ends the run for the reason that stands in its state.
func (m *Move) fail() Wait {
	f := m.S.Failing
	if f.OfNode && !m.Rules.Control.Fails(alone(m.S)) {
		return m.complete("")
	}
	payload := &event.RunFailedPayload{
		Error: event.Error{Code: f.Err.Code, Message: f.Err.Message, Details: f.Err.Details},
	}
	if f.NodeID != "" {
		payload.FailedNodeID = &f.NodeID
	}
	return m.emit(event.RunFailed, "", f.Cause, payload)
}
