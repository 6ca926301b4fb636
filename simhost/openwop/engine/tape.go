package engine

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/openassay/assay/gen/openwopv1"
)

// tape is the log of a fork's source, as far as it concerns the fork. A fork takes the same steps as its source did, so what
// it is to learn next stands at the same place there as it is about to have in the fork's own log.
type tape struct {
	fromSeq int64
	events  []openwopv1.RunEvent // by sequence
	facts   map[int64][]Fact     // by place, but for Created
	places  map[string]int64     // eventId to sequence

	// own leads from ids of the source to those that stand for them in a branch: of the child that was under way, and of the
	// interrupt that was open, where the branch leaves its source.
	own map[string]string
}

func newTape(id string, link ForkLink, records []Record) *tape {
	t := &tape{fromSeq: link.FromSeq, facts: map[int64][]Fact{}, places: map[string]int64{}}
	for _, r := range records {
		for _, e := range r.Events {
			if e.Sequence <= link.Through {
				t.events = append(t.events, e)
				t.places[e.EventID] = e.Sequence
			}
		}
		for _, f := range r.Facts {
			if f.At <= link.Through && f.Created == nil {
				t.facts[f.At] = append(t.facts[f.At], f)
			}
		}
	}
	if link.Branch {
		t.own = t.unfinished(id)
	}
	return t
}

// unfinished finds the child that is under way at the end of the tape, and the interrupt that is open there, and names those
// that the run with this id has in their place.
func (t *tape) unfinished(id string) map[string]string {
	var child, open, ownChild, ownOpen string
	for place, e := range t.events {
		at := eventID(id, int64(place))
		for _, f := range t.facts[int64(place)] {
			switch {
			case f.Child == nil:
			case f.Child.Phase == childAnnounced:
				child, ownChild = f.Child.RunID, childRunID(at)
			case f.Child.Phase.over():
				child = ""
			}
		}
		switch e.Type {
		case openwopv1.RunEventTypeNodeSuspended:
			var p openwopv1.NodeSuspendedPayload
			if json.Unmarshal(e.Payload, &p) == nil {
				open, ownOpen = p.InterruptID, interruptID(at)
			}
		case openwopv1.RunEventTypeInterruptResolved:
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
func (t *tape) rename(payload json.RawMessage) json.RawMessage {
	for id, own := range t.own {
		payload = bytes.ReplaceAll(payload, strconv.AppendQuote(nil, id), strconv.AppendQuote(nil, own))
	}
	return payload
}

// place is where the next event of a run stands in the log of its source.
func place(s *State) int64 { return s.next - int64(len(s.asides)) }

// ownPlace is where the event of the source at this place stands in the log of its replay.
func ownPlace(s *State, place int64) int64 {
	for _, at := range s.asides {
		if place >= at {
			place++
		}
	}
	return place
}

// covers tells whether the next step of a run is on the tape. It is not once the run was stopped, or fails, for a reason of
// its own.
func (t *tape) covers(s *State) bool {
	return t != nil && place(s) < int64(len(t.events)) && s.refusal == nil && (s.stop == nil || s.stop.Replayed)
}

// replaying tells whether the next step is on the tape.
func (m *move) replaying() bool { return m.tape.covers(m.s) }

// copies tells whether the next event is to be the source's, word for word.
func (m *move) copies() bool { return m.replaying() && place(m.s) < m.tape.fromSeq }

// copy takes over the next event of the source with the facts that stand before it.
func (m *move) copy() wait {
	for _, f := range m.tape.facts[place(m.s)] {
		switch {
		case f.Pause != nil && !m.s.created.Fork.Branch: // where the source did stand still stands on its log
			continue
		case f.Stop != nil:
			f.Stop = replayed(f.Stop)
		case f.Child != nil && m.tape.own[f.Child.RunID] != "":
			f.Child = new(*f.Child)
			f.Child.RunID = m.tape.own[f.Child.RunID]
		case f.Timer != nil: // the node begins now, and waits as long as it did there
			waits := f.Timer.Due.Sub(m.tape.events[place(m.s)].Timestamp)
			f.Timer = &Timer{NodeID: f.Timer.NodeID, Due: m.now.Add(waits)}
		}
		m.learn(f)
	}
	return m.replay()
}

// replay takes over the next event of the source. Ids are the fork's own, as are times: bounds on time count from its own start.
func (m *move) replay() wait {
	event := m.tape.events[place(m.s)]
	event.Payload = m.tape.rename(event.Payload)
	payload, _, err := openwopv1.DecodePayload(event.Type, event.Payload)
	if err != nil {
		m.err = err
		return goesOn
	}
	event.EventID, event.Sequence = eventID(m.s.runID, m.s.next), m.s.next
	event.RunID = m.s.runID
	event.Timestamp = m.now
	if place, ok := m.tape.places[event.CausationID]; ok {
		event.CausationID = eventID(m.s.runID, ownPlace(m.s, place))
	}
	m.append(m.rules.Replay.Takes(event, m.tape.events[place(m.s)], m.s.created.Fork.Branch), payload)
	return goesOn
}

// follows tells whether an event of this type is what the source has at this place. If not, the fork cannot be what it
// says it is, and ends.
func (m *move) follows(t openwopv1.RunEventType) bool {
	if !m.replaying() || m.tape.events[place(m.s)].Type == t {
		return true
	}
	m.diverge()
	return false
}

// replayed is the stop of a source as its fork has it.
func replayed(s *Stop) *Stop {
	r := *s
	r.Replayed = true
	return &r
}

func (m *move) diverge() wait { return m.learn(Fact{Stop: &Stop{Why: stopDiverged}}) }

// tellDivergence says where the fork left its source.
func (m *move) tellDivergence() wait {
	return m.emit(openwopv1.RunEventTypeReplayDiverged, "", "", &openwopv1.ReplayDivergedPayload{
		SourceRunID:    m.s.created.Fork.RunID,
		AtSequence:     place(m.s),
		DivergenceKind: openwopv1.ReplayDivergedPayloadDivergenceKindTypeMismatch,
	})
}

// diverged folds that a replay is not as its source. It fails where it cannot be brought back to what its source did.
func (s *State) diverged(event openwopv1.RunEvent, p *openwopv1.ReplayDivergedPayload) {
	if s.stop == nil || s.stop.Why != stopDiverged {
		s.differs = true
		if link := s.created.Fork; link != nil && link.RunID == p.SourceRunID {
			s.asides = append(s.asides, event.Sequence)
		}
		return
	}
	s.failing = &failing{
		err: openwopv1.RunError{
			Code:    codeDiverged,
			Message: "the replay does not take the steps that run " + p.SourceRunID + " took: this host must have changed since",
			Details: map[string]any{"sourceRunId": p.SourceRunID, "atSequence": float64(p.AtSequence)},
		},
		cause: event.EventID,
	}
}

// recorded tells whether the source has an event of this type next.
func (m *move) recorded(t openwopv1.RunEventType) bool {
	return m.replaying() && m.tape.events[place(m.s)].Type == t
}

// read decodes the source's next event, if it is of this type.
func (m *move) read(t openwopv1.RunEventType, into any) bool {
	return m.recorded(t) && json.Unmarshal(m.tape.events[place(m.s)].Payload, into) == nil
}

func (m *move) recordedDecision() (wire openwopv1.OrchestratorDecision, agentID string, ok bool) {
	var p openwopv1.RunOrchestratorDecidedPayload
	ok = m.read(openwopv1.RunEventTypeRunOrchestratorDecided, &p)
	return p.Decision, p.AgentID, ok
}

func (m *move) recordedInterrupt() (id string, ok bool) {
	var p openwopv1.NodeSuspendedPayload
	ok = m.read(openwopv1.RunEventTypeNodeSuspended, &p)
	return p.InterruptID, ok
}

func (m *move) recordedAnswer() (value json.RawMessage, ok bool) {
	var p openwopv1.InterruptResolvedPayload
	ok = m.read(openwopv1.RunEventTypeInterruptResolved, &p)
	return p.ResumeValue, ok
}

// copyBreach takes over the source's breach of a bound of this kind, if that is what it has next.
func (m *move) copyBreach(kind openwopv1.CapKind) bool {
	var p openwopv1.CapBreachedPayload
	if !m.rules.Bounds.Recalls(kind) || !m.read(openwopv1.RunEventTypeCapBreached, &p) || p.Kind != kind {
		return false
	}
	m.replay()
	return true
}

func (m *move) recordedTurn() (*Turn, bool) {
	for _, f := range m.recordedFacts() {
		if f.Turn != nil {
			return f.Turn, true
		}
	}
	return nil, false
}

// recordedWrite is what came of the source's next write, where that is known here.
func (m *move) recordedWrite() (*Wrote, bool) {
	for _, f := range m.recordedFacts() {
		if f.Wrote != nil && f.Wrote.Position == m.s.loop.wrote {
			return f.Wrote, true
		}
	}
	return nil, false
}

func (m *move) recordedStop() *Stop {
	for _, f := range m.recordedFacts() {
		if f.Stop != nil {
			return replayed(f.Stop)
		}
	}
	return nil
}

func (m *move) recordedChild(position int, phases ...childPhase) (*Child, bool) {
	for _, f := range m.recordedFacts() {
		if f.Child != nil && f.Child.Position == position && slices.Contains(phases, f.Child.Phase) {
			return f.Child, true
		}
	}
	return nil, false
}

func (m *move) recordedFacts() []Fact {
	if !m.replaying() {
		return nil
	}
	return m.tape.facts[place(m.s)]
}
