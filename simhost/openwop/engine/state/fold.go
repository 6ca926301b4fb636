package state

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// Fold is the state after one more record. It changes neither of its arguments. The error means that the record does not
// belong here, or was not written by this package.
func Fold(s State, r Record) (State, error) {
	s = s.Clone()
	if err := s.Fold(r); err != nil {
		return State{}, err
	}
	return s, nil
}

// Fold is Fold in place.
func (s *State) Fold(r Record) error {
	facts := r.Facts
	for _, event := range r.Events {
		for len(facts) > 0 && facts[0].At <= event.Sequence {
			s.Learn(facts[0])
			facts = facts[1:]
		}
		if event.Sequence != s.Next {
			return fmt.Errorf("fold run %s: event %d stands where %d belongs", s.RunID, event.Sequence, s.Next)
		}
		payload, _, err := openwopv1.DecodePayload(event.Type, event.Payload)
		if err != nil {
			return fmt.Errorf("fold run %s: event %d: %w", s.RunID, event.Sequence, err)
		}
		s.Take(event, payload)
	}
	for _, fact := range facts {
		s.Learn(fact)
	}
	return nil
}

// Take folds an event. payload is the decoded payload; nil for a type that is none of ours.
func (s *State) Take(event openwopv1.RunEvent, payload any) {
	s.Next = event.Sequence + 1
	switch p := payload.(type) {
	case *openwopv1.RunStartedPayload:
		s.begin(event, p)
	case *openwopv1.NodeStartedPayload:
		s.nodeStarted(event, p)
	case *openwopv1.NodeCompletedPayload:
		s.nodeEnded(p.NodeID, NodeCompleted, p.Outputs)
	case *openwopv1.NodeSkippedPayload:
		s.nodeEnded(p.NodeID, nodeSkipped, nil)
	case *openwopv1.NodeCancelledPayload:
		s.nodeEnded(p.NodeID, NodeCancelled, nil)
	case *openwopv1.NodeFailedPayload:
		s.nodeEnded(p.NodeID, nodeFailed, nil)
		s.Failing = &Failing{Err: runError(p.Error), NodeID: p.NodeID, Cause: event.EventID, OfNode: true}
	case *openwopv1.CapBreachedPayload:
		s.Failing = breached(event, p)
	case *openwopv1.ReplayDivergedPayload:
		s.diverged(event, p)
	case *openwopv1.ReplayDivergedAtRefusalPayload:
		s.Refusal = divergedAtRefusal(p)
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
		s.Loop.Dispatched = true
	case *openwopv1.RunPausedPayload:
		s.pauses()
	case *openwopv1.RunResumedPayload:
		s.goesOn()
	case *openwopv1.RunCompletedPayload:
		s.end(event, openwopv1.RunStatusCompleted)
		s.Outputs = p.Outputs
	case *openwopv1.RunFailedPayload:
		s.end(event, openwopv1.RunStatusFailed)
		err := runError(p.Error)
		s.Err = &err
	case *openwopv1.RunCancelledPayload:
		s.end(event, openwopv1.RunStatusCancelled)
	}
}

func (s *State) begin(event openwopv1.RunEvent, p *openwopv1.RunStartedPayload) {
	s.Status = openwopv1.RunStatusRunning
	s.StartedAt = event.Timestamp
	s.Inputs, s.Owner, s.Tags, s.Metadata = p.Inputs, p.Owner, p.Tags, p.Metadata
	if labels := s.Created.Labels; labels != nil {
		s.Tags, s.Metadata = labels.Tags, labels.Metadata
	}
	s.Variables = make(map[string]any, len(s.Program.Defaults)+len(p.Inputs))
	maps.Copy(s.Variables, s.Program.Defaults)
	maps.Copy(s.Variables, p.Inputs)
}

func (s *State) end(event openwopv1.RunEvent, status openwopv1.RunStatus) {
	s.Status = status
	s.endedAt = event.Timestamp
}

// Node is the state of the node with this id, nil where there is none.
func (s *State) Node(id string) *NodeState {
	if i, ok := s.Program.ByID[id]; ok {
		return &s.Nodes[i]
	}
	return nil
}

func (s *State) nodeStarted(event openwopv1.RunEvent, p *openwopv1.NodeStartedPayload) {
	n := s.Node(p.NodeID)
	if n == nil {
		return
	}
	n.Status = NodeRunning
	n.starts++
	s.Starts++
	s.Differs = false
	switch {
	case s.Program.IsSupervisor(p.NodeID):
		s.Loop.Phase = PhaseDeciding
		s.Loop.StartedID = event.EventID
		s.Loop.Reads, s.Loop.Writes, s.Loop.Verdicts = s.scripted(workflow.KeyReads), s.scripted(workflow.KeyWrites),
			s.scripted(workflow.KeyVerdicts)
	case s.Program.IsDispatch(p.NodeID):
		s.Loop.Phase = PhaseDispatching
	}
}

func (s *State) nodeEnded(id string, status nodeStatus, outputs map[string]any) {
	n := s.Node(id)
	if n == nil {
		return
	}
	n.Status, n.Outputs = status, outputs
	s.Gate = Gate{}
	switch {
	case s.Program.IsSupervisor(id):
		s.Loop.Phase = PhaseActing
		if s.Loop.Decision.Kind == workflow.AskUser || s.Loop.Asked != nil && s.Loop.Asked.Rejected {
			s.Loop.Phase = PhaseIdle
		}
	case s.Program.IsDispatch(id):
		s.Loop.Phase = PhaseIdle
	default:
		s.Done++
	}
}

func (s *State) variableChanged(p *openwopv1.VariableChangedPayload) {
	var value any
	// The payload was decoded from JSON or is about to become JSON: it is well-formed.
	_ = json.Unmarshal(p.Next, &value)
	s.Variables[p.Name] = value
	if s.gateUnderWay() {
		s.Gate.Written++
		return
	}
	switch s.Loop.Phase {
	case PhaseDeciding:
		s.Loop.Begun = true
	case PhaseIdle, PhaseActing:
		s.Loop.Concluded = true
	case PhaseAnswered:
		s.Loop.Phase = PhaseNoted
	case PhaseDispatching:
		s.Loop.Written++
	}
}

func (s *State) decided(event openwopv1.RunEvent, p *openwopv1.RunOrchestratorDecidedPayload) {
	l := &s.Loop
	l.Phase = PhaseDecided
	l.DecidedID = event.EventID
	l.AgentID = p.AgentID
	l.Consulted++
	l.Decision, _ = ReadDecision(p.Decision) // it was checked before it was written
}

func (s *State) escalated() {
	s.Loop.Told = true
	if s.Loop.Phase == PhaseDecided {
		s.Loop.Phase = PhaseEscalated
	}
}

func (s *State) suspended(event openwopv1.RunEvent, p *openwopv1.NodeSuspendedPayload) {
	if n := s.Node(p.NodeID); n != nil {
		n.Status, n.Due = NodeSuspended, time.Time{}
	}
	raised := Asked{Kind: p.Kind, InterruptID: p.InterruptID, Key: p.Key}
	if g := s.GateAt(p.NodeID); g != nil {
		g.raise(raised)
	} else {
		raised.Unsure = s.Loop.Phase == PhaseDeciding
		s.Loop.Asked, s.Loop.Phase = &raised, PhaseSuspended
	}
	s.Status = waitingStatus(p.Kind)
	s.Interrupts = append(s.Interrupts, Interrupt{
		ID: p.InterruptID, NodeID: p.NodeID, Kind: p.Kind, Key: p.Key, RequestedAt: event.Timestamp,
	})
}

func (s *State) requested(event openwopv1.RunEvent, p *openwopv1.SuspendRequest) {
	if g := s.GateAt(event.NodeID); g != nil {
		g.request(event, p)
	} else {
		s.Loop.Phase = PhaseAsked
		if a := s.Loop.Asked; a != nil {
			a.Data, a.RequestedID = p.Data, event.EventID
		}
	}
	if i := s.LastInterrupt(); i != nil {
		i.Data, i.RequestedAt = p.Data, event.Timestamp
	}
}

func (s *State) resolved(event openwopv1.RunEvent, p *openwopv1.InterruptResolvedPayload) {
	if n := s.Node(p.NodeID); n != nil {
		n.Resolved++
	}
	s.Status = openwopv1.RunStatusRunning
	if g := s.GateAt(p.NodeID); g != nil {
		g.resolve(event, p)
	} else {
		s.Loop.Phase = PhaseAnswered
		if a := s.Loop.Asked; a != nil {
			a.ResolvedID, a.Value = event.EventID, p.ResumeValue
			a.Rejected = isRejection(p.Kind, p.ResumeValue)
		}
	}
	if i := s.LastInterrupt(); i != nil {
		i.Resolved, i.Answer = true, p.ResumeValue
	}
}

func (s *State) resumed(p *openwopv1.NodeResumedPayload) {
	if n := s.Node(p.NodeID); n != nil {
		n.Status = NodeRunning
	}
	if g := s.GateAt(p.NodeID); g != nil {
		g.resume()
		return
	}
	l := &s.Loop
	l.Resumed = true
	l.Resumes++
	l.Phase = PhaseResumed
	if a := l.Asked; a != nil && a.Unsure {
		l.Phase = PhaseDeciding
		l.Ratified = !a.Rejected
		if a.Rejected {
			l.Consulted++
			l.Asked = nil
		}
	}
}

func (s *State) handedOff(event openwopv1.RunEvent, p *openwopv1.CoreWorkflowChainEventPayload) {
	l := &s.Loop
	l.ChainID = event.EventID
	switch p.Phase {
	case openwopv1.ChainPhaseChildCompleted, openwopv1.ChainPhaseChildFailed, openwopv1.ChainPhaseChildCancelled:
		l.EndID = event.EventID
	case openwopv1.ChainPhaseOutputHarvested:
		l.Harvested = true
	}
}

func runError(e openwopv1.EventError) openwopv1.RunError {
	return openwopv1.RunError{Code: e.Code, Message: e.Message, Details: e.Details}
}
