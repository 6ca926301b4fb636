package step

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// Tape is the log of a fork's source, as far as it concerns the fork. A fork takes the same steps as its source did, so what
// it is to learn next stands at the same place there as it is about to have in the fork's own log.
type Tape struct {
	fromSeq int64
	events  []event.Event          // by sequence
	facts   map[int64][]state.Fact // by place, but for Created
	places  map[string]int64       // eventId to sequence

	// own leads from ids of the source to those that stand for them in a branch: of the child that was under way, and of the
	// interrupt that was open, where the branch leaves its source.
	Own map[string]string
}

func NewTape(id string, link state.ForkLink, records []state.Record) *Tape {
	t := &Tape{fromSeq: link.FromSeq, facts: map[int64][]state.Fact{}, places: map[string]int64{}}
	for _, r := range records {
		for _, e := range r.Events {
			if e.Sequence <= link.Through {
				t.events = append(t.events, e)
				t.places[e.ID] = e.Sequence
			}
		}
		for _, f := range r.Facts {
			if f.At <= link.Through && f.Created == nil {
				t.facts[f.At] = append(t.facts[f.At], f)
			}
		}
	}
	if link.Branch {
		t.Own = t.unfinished(id)
	}
	return t
}

// unfinished finds the child that is under way at the end of the tape, and the interrupt that is open there, and names those
// that the run with this id has in their place.
func (t *Tape) unfinished(id string) map[string]string {
	var child, open, ownChild, ownOpen string
	for place, e := range t.events {
		at := workflow.EventID(id, int64(place))
		for _, f := range t.facts[int64(place)] {
			switch {
			case f.Child == nil:
			case f.Child.Phase == state.ChildAnnounced:
				child, ownChild = f.Child.RunID, workflow.ChildRunID(at)
			case f.Child.Phase.Over():
				child = ""
			}
		}
		switch e.Type {
		case event.NodeSuspended:
			var p event.NodeSuspendedPayload
			if json.Unmarshal(e.Payload, &p) == nil {
				open, ownOpen = p.InterruptID, workflow.InterruptID(at)
			}
		case event.InterruptResolved:
			open = ""
		}
	}
	own := map[string]string{}
	if child != "" {
		own[child] = ownChild
	}
	if open != "" {
		own[open] = ownOpen
	}
	return own
}

// rename puts a branch's own ids into a payload. A quoted id is never part of another string: its quotes would be escaped.
func (t *Tape) rename(payload json.RawMessage) json.RawMessage {
	for id, own := range t.Own {
		payload = bytes.ReplaceAll(payload, strconv.AppendQuote(nil, id), strconv.AppendQuote(nil, own))
	}
	return payload
}

// place is where the next event of a run stands in the log of its source.
func place(s *state.State) int64 { return s.Next - int64(len(s.Asides)) }

// ownPlace is where the event of the source at this place stands in the log of its replay.
func ownPlace(s *state.State, place int64) int64 {
	for _, at := range s.Asides {
		if place >= at {
			place++
		}
	}
	return place
}

// Covers tells whether the next step of a run is on the tape. It is not once the run was stopped, or fails, for a reason of
// its own.
func (t *Tape) Covers(s *state.State) bool {
	return t != nil && place(s) < int64(len(t.events)) && s.Refusal == nil && (s.Stop == nil || s.Stop.Replayed)
}

// replaying tells whether the next step is on the tape.
func (m *Move) replaying() bool { return m.Tape.Covers(m.S) }

// copies tells whether the next event is to be the source's, word for word.
func (m *Move) copies() bool { return m.replaying() && place(m.S) < m.Tape.fromSeq }

// copy takes over the next event of the source with the facts that stand before it.
func (m *Move) copy() Wait {
	for _, f := range m.Tape.facts[place(m.S)] {
		switch {
		case f.Moved != nil: // the fork has a clock of its own
			continue
		case f.Pause != nil && !m.S.Created.Fork.Branch: // where the source did stand still stands on its log
			continue
		case f.Stop != nil:
			f.Stop = replayed(f.Stop)
		case f.Child != nil && m.Tape.Own[f.Child.RunID] != "":
			f.Child = new(*f.Child)
			f.Child.RunID = m.Tape.Own[f.Child.RunID]
		case f.Timer != nil: // the node begins now, and waits as long as it did there
			waits := f.Timer.Due.Sub(m.Tape.events[place(m.S)].Timestamp)
			f.Timer = &state.Timer{NodeID: f.Timer.NodeID, Due: m.Now.Add(waits)}
		}
		m.learn(f)
	}
	return m.replay()
}

// replay takes over the next event of the source. Ids are the fork's own, as are times: bounds on time count from its own start.
func (m *Move) replay() Wait {
	e := m.Tape.events[place(m.S)]
	e.Payload = m.Tape.rename(e.Payload)
	payload, err := e.Decode()
	if err != nil {
		m.Err = err
		return goesOn
	}
	e.ID, e.Sequence = workflow.EventID(m.S.RunID, m.S.Next), m.S.Next
	e.RunID = m.S.RunID
	e.Timestamp = m.Now
	if place, ok := m.Tape.places[e.CausationID]; ok {
		e.CausationID = workflow.EventID(m.S.RunID, ownPlace(m.S, place))
	}
	m.append(m.Rules.Replay.Takes(e, m.Tape.events[place(m.S)], m.S.Created.Fork.Branch), payload)
	return goesOn
}

// follows tells whether an event of this type is what the source has at this place. If not, the fork cannot be what it
// says it is, and ends.
func (m *Move) follows(t event.Type) bool {
	if !m.replaying() || m.Tape.events[place(m.S)].Type == t {
		return true
	}
	m.diverge()
	return false
}

// replayed is the stop of a source as its fork has it.
func replayed(s *state.Stop) *state.Stop {
	r := *s
	r.Replayed = true
	return &r
}

func (m *Move) diverge() Wait { return m.learn(state.Fact{Stop: &state.Stop{Why: state.StopDiverged}}) }

// tellDivergence says where the fork left its source.
func (m *Move) tellDivergence() Wait {
	return m.emit(event.ReplayDiverged, "", "", &event.ReplayDivergedPayload{
		SourceRunID:    m.S.Created.Fork.RunID,
		AtSequence:     place(m.S),
		DivergenceKind: event.DivergesInType,
	})
}

// recorded tells whether the source has an event of this type next.
func (m *Move) recorded(t event.Type) bool {
	return m.replaying() && m.Tape.events[place(m.S)].Type == t
}

// read decodes the source's next e, if it is of this type.
func (m *Move) read(t event.Type, into any) bool {
	return m.recorded(t) && json.Unmarshal(m.Tape.events[place(m.S)].Payload, into) == nil
}

func (m *Move) recordedDecision() (wire json.RawMessage, agentID string, ok bool) {
	var p event.DecidedPayload
	ok = m.read(event.Decided, &p)
	return p.Decision, p.AgentID, ok
}

func (m *Move) recordedInterrupt() (id string, ok bool) {
	var p event.NodeSuspendedPayload
	ok = m.read(event.NodeSuspended, &p)
	return p.InterruptID, ok
}

func (m *Move) recordedAnswer() (value json.RawMessage, ok bool) {
	var p event.InterruptResolvedPayload
	ok = m.read(event.InterruptResolved, &p)
	return p.ResumeValue, ok
}

// copyBreach takes over the source's breach of a bound of this kind, if that is what it has next.
func (m *Move) copyBreach(kind event.Bound) bool {
	var p event.BreachedPayload
	if !m.Rules.Bounds.Recalls(kind) || !m.read(event.Breached, &p) || p.Kind != kind {
		return false
	}
	m.replay()
	return true
}

func (m *Move) recordedTurn() (*state.Turn, bool) {
	for _, f := range m.recordedFacts() {
		if f.Turn != nil {
			return f.Turn, true
		}
	}
	return nil, false
}

// recordedWrite is what came of the source's next write, where that is known here.
func (m *Move) recordedWrite() (*state.Wrote, bool) {
	for _, f := range m.recordedFacts() {
		if f.Wrote != nil && f.Wrote.Position == m.S.Loop.Wrote {
			return f.Wrote, true
		}
	}
	return nil, false
}

func (m *Move) recordedStop() *state.Stop {
	for _, f := range m.recordedFacts() {
		if f.Stop != nil {
			return replayed(f.Stop)
		}
	}
	return nil
}

func (m *Move) recordedChild(position int, phases ...state.ChildPhase) (*state.Child, bool) {
	for _, f := range m.recordedFacts() {
		if f.Child != nil && f.Child.Position == position && slices.Contains(phases, f.Child.Phase) {
			return f.Child, true
		}
	}
	return nil, false
}

func (m *Move) recordedFacts() []state.Fact {
	if !m.replaying() {
		return nil
	}
	return m.Tape.facts[place(m.S)]
}
