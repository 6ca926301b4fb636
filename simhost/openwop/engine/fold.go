package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
)

// Fold is the state after one more record. It changes neither of its arguments. The error means that the record does not
// belong here, or was not written by this package.
func Fold(s State, r Record) (State, error) {
	s = s.clone()
	if err := s.fold(r); err != nil {
		return State{}, err
	}
	return s, nil
}

// fold is Fold in place.
func (s *State) fold(r Record) error {
	facts := r.Facts
	for _, event := range r.Events {
		for len(facts) > 0 && facts[0].At <= event.Sequence {
			s.learn(facts[0])
			facts = facts[1:]
		}
		if event.Sequence != s.next {
			return fmt.Errorf("fold run %s: event %d stands where %d belongs", s.runID, event.Sequence, s.next)
		}
		payload, _, err := openwopv1.DecodePayload(event.Type, event.Payload)
		if err != nil {
			return fmt.Errorf("fold run %s: event %d: %w", s.runID, event.Sequence, err)
		}
		s.take(event, payload)
	}
	for _, fact := range facts {
		s.learn(fact)
	}
	return nil
}

// take folds an event. payload is the decoded payload; nil for a type that is none of ours.
func (s *State) take(event openwopv1.RunEvent, payload any) {
	s.next = event.Sequence + 1
	switch p := payload.(type) {
	case *openwopv1.RunStartedPayload:
		s.begin(event, p)
	case *openwopv1.NodeStartedPayload:
		s.nodeStarted(event, p)
	case *openwopv1.NodeCompletedPayload:
		s.nodeEnded(p.NodeID, nodeCompleted, p.Outputs)
	case *openwopv1.NodeSkippedPayload:
		s.nodeEnded(p.NodeID, nodeSkipped, nil)
	case *openwopv1.NodeCancelledPayload:
		s.nodeEnded(p.NodeID, nodeCancelled, nil)
	case *openwopv1.NodeFailedPayload:
		s.nodeEnded(p.NodeID, nodeFailed, nil)
		s.failing = &failing{err: runError(p.Error), nodeID: p.NodeID, cause: event.EventID, ofNode: true}
	case *openwopv1.CapBreachedPayload:
		s.failing = breached(event, p)
	case *openwopv1.ReplayDivergedPayload:
		s.diverged(event, p)
	case *openwopv1.ReplayDivergedAtRefusalPayload:
		s.refusal = divergedAtRefusal(p)
	case *openwopv1.VariableChangedPayload:
		s.variableChanged(p)
	case *openwopv1.RunOrchestratorDecidedPayload:
		s.decided(event, p)
	case *openwopv1.CoreWorkflowChainConfidenceEscalatedPayload:
		s.escalated()
	case *openwopv1.NodeSuspendedPayload:
		s.suspended(event, p)
	case *openwopv1.SuspendRequest:
		s.requested(event, p)
	case *openwopv1.InterruptResolvedPayload:
		s.resolved(event, p)
	case *openwopv1.NodeResumedPayload:
		s.resumed(p)
	case *openwopv1.ApprovalGrantedPayload, *openwopv1.ApprovalRejectedPayload:
		s.voted()
	case *openwopv1.CoreWorkflowChainEventPayload:
		s.handedOff(event, p)
	case *openwopv1.AgentVerifiedPayload:
		s.judged(event, p)
	case *openwopv1.NodeDispatchedPayload:
		s.loop.dispatched = true
	case *openwopv1.RunPausedPayload:
		s.pauses()
	case *openwopv1.RunResumedPayload:
		s.goesOn()
	case *openwopv1.RunCompletedPayload:
		s.end(event, openwopv1.RunStatusCompleted)
		s.outputs = p.Outputs
	case *openwopv1.RunFailedPayload:
		s.end(event, openwopv1.RunStatusFailed)
		err := runError(p.Error)
		s.err = &err
	case *openwopv1.RunCancelledPayload:
		s.end(event, openwopv1.RunStatusCancelled)
	}
}

func (s *State) begin(event openwopv1.RunEvent, p *openwopv1.RunStartedPayload) {
	s.status = openwopv1.RunStatusRunning
	s.startedAt = event.Timestamp
	s.inputs, s.owner, s.tags, s.metadata = p.Inputs, p.Owner, p.Tags, p.Metadata
	if labels := s.created.Labels; labels != nil {
		s.tags, s.metadata = labels.Tags, labels.Metadata
	}
	s.variables = make(map[string]any, len(s.program.defaults)+len(p.Inputs))
	maps.Copy(s.variables, s.program.defaults)
	maps.Copy(s.variables, p.Inputs)
}

func (s *State) end(event openwopv1.RunEvent, status openwopv1.RunStatus) {
	s.status = status
	s.endedAt = event.Timestamp
}

// node is the state of the node with this id, nil where there is none.
func (s *State) node(id string) *nodeState {
	if i, ok := s.program.byID[id]; ok {
		return &s.nodes[i]
	}
	return nil
}

func (s *State) nodeStarted(event openwopv1.RunEvent, p *openwopv1.NodeStartedPayload) {
	n := s.node(p.NodeID)
	if n == nil {
		return
	}
	n.status = nodeRunning
	n.starts++
	s.starts++
	s.differs = false
	switch {
	case s.program.isSupervisor(p.NodeID):
		s.loop.phase = phaseDeciding
		s.loop.startedID = event.EventID
		s.loop.reads, s.loop.writes, s.loop.verdicts = s.scripted(keyReads), s.scripted(keyWrites), s.scripted(keyVerdicts)
	case s.program.isDispatch(p.NodeID):
		s.loop.phase = phaseDispatching
	}
}

func (s *State) nodeEnded(id string, status nodeStatus, outputs map[string]any) {
	n := s.node(id)
	if n == nil {
		return
	}
	n.status, n.outputs = status, outputs
	s.gate = gate{}
	switch {
	case s.program.isSupervisor(id):
		s.loop.phase = phaseActing
		if s.loop.decision.kind == askUser || s.loop.asked != nil && s.loop.asked.rejected {
			s.loop.phase = phaseIdle
		}
	case s.program.isDispatch(id):
		s.loop.phase = phaseIdle
	default:
		s.done++
	}
}

func (s *State) variableChanged(p *openwopv1.VariableChangedPayload) {
	var value any
	// The payload was decoded from JSON or is about to become JSON: it is well-formed.
	_ = json.Unmarshal(p.Next, &value)
	s.variables[p.Name] = value
	if s.gateUnderWay() {
		s.gate.written++
		return
	}
	switch s.loop.phase {
	case phaseDeciding:
		s.loop.begun = true
	case phaseIdle, phaseActing:
		s.loop.concluded = true
	case phaseAnswered:
		s.loop.phase = phaseNoted
	case phaseDispatching:
		s.loop.written++
	}
}

func (s *State) decided(event openwopv1.RunEvent, p *openwopv1.RunOrchestratorDecidedPayload) {
	l := &s.loop
	l.phase = phaseDecided
	l.decidedID = event.EventID
	l.agentID = p.AgentID
	l.consulted++
	l.decision, _ = readDecision(p.Decision) // it was checked before it was written
}

func (s *State) escalated() {
	s.loop.told = true
	if s.loop.phase == phaseDecided {
		s.loop.phase = phaseEscalated
	}
}

func (s *State) suspended(event openwopv1.RunEvent, p *openwopv1.NodeSuspendedPayload) {
	if n := s.node(p.NodeID); n != nil {
		n.status, n.due = nodeSuspended, time.Time{}
	}
	raised := asked{kind: p.Kind, interruptID: p.InterruptID, key: p.Key}
	if g := s.gateAt(p.NodeID); g != nil {
		g.raise(raised)
	} else {
		raised.unsure = s.loop.phase == phaseDeciding
		s.loop.asked, s.loop.phase = &raised, phaseSuspended
	}
	s.status = waitingStatus(p.Kind)
	s.interrupts = append(s.interrupts, Interrupt{
		ID: p.InterruptID, NodeID: p.NodeID, Kind: p.Kind, Key: p.Key, RequestedAt: event.Timestamp,
	})
}

func (s *State) requested(event openwopv1.RunEvent, p *openwopv1.SuspendRequest) {
	if g := s.gateAt(event.NodeID); g != nil {
		g.request(event, p)
	} else {
		s.loop.phase = phaseAsked
		if a := s.loop.asked; a != nil {
			a.data, a.requestedID = p.Data, event.EventID
		}
	}
	if i := s.lastInterrupt(); i != nil {
		i.Data, i.RequestedAt = p.Data, event.Timestamp
	}
}

func (s *State) resolved(event openwopv1.RunEvent, p *openwopv1.InterruptResolvedPayload) {
	if n := s.node(p.NodeID); n != nil {
		n.resolved++
	}
	s.status = openwopv1.RunStatusRunning
	if g := s.gateAt(p.NodeID); g != nil {
		g.resolve(event, p)
	} else {
		s.loop.phase = phaseAnswered
		if a := s.loop.asked; a != nil {
			a.resolvedID, a.value = event.EventID, p.ResumeValue
			a.rejected = isRejection(p.Kind, p.ResumeValue)
		}
	}
	if i := s.lastInterrupt(); i != nil {
		i.Resolved, i.Answer = true, p.ResumeValue
	}
}

func (s *State) resumed(p *openwopv1.NodeResumedPayload) {
	if n := s.node(p.NodeID); n != nil {
		n.status = nodeRunning
	}
	if g := s.gateAt(p.NodeID); g != nil {
		g.resume()
		return
	}
	l := &s.loop
	l.resumed = true
	l.resumes++
	l.phase = phaseResumed
	if a := l.asked; a != nil && a.unsure {
		l.phase = phaseDeciding
		l.ratified = !a.rejected
		if a.rejected {
			l.consulted++
			l.asked = nil
		}
	}
}

func (s *State) handedOff(event openwopv1.RunEvent, p *openwopv1.CoreWorkflowChainEventPayload) {
	l := &s.loop
	l.chainID = event.EventID
	switch p.Phase {
	case openwopv1.ChainPhaseChildCompleted, openwopv1.ChainPhaseChildFailed, openwopv1.ChainPhaseChildCancelled:
		l.endID = event.EventID
	case openwopv1.ChainPhaseOutputHarvested:
		l.harvested = true
	}
}

func runError(e openwopv1.EventError) openwopv1.RunError {
	return openwopv1.RunError{Code: e.Code, Message: e.Message, Details: e.Details}
}
