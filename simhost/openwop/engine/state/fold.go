package state

import (
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// Fold takes one more record. The error means that the record does not belong here, or was not written by this package: then the
// state is of no use.
func (s *State) Fold(r Record) error {
	facts := r.Facts
	for _, e := range r.Events {
		for len(facts) > 0 && facts[0].At <= e.Sequence {
			s.Learn(facts[0])
			facts = facts[1:]
		}
		if e.Sequence != s.Next {
			return fmt.Errorf("fold run %s: event %d stands where %d belongs", s.RunID, e.Sequence, s.Next)
		}
		payload, err := e.Decode()
		if err != nil {
			return fmt.Errorf("fold run %s: event %d: %w", s.RunID, e.Sequence, err)
		}
		s.Take(e, payload)
	}
	for _, fact := range facts {
		s.Learn(fact)
	}
	return nil
}

// Take folds an event. payload is the decoded payload; nil for a type that is none of ours.
func (s *State) Take(e event.Event, payload any) {
	s.Next = e.Sequence + 1
	switch p := payload.(type) {
	case *event.RunStartedPayload:
		s.begin(e, p)
	case *event.NodeStartedPayload:
		s.nodeStarted(e, p)
	case *event.NodeCompletedPayload:
		s.nodeEnded(p.NodeID, NodeCompleted, p.Outputs)
	case *event.NodeSkippedPayload:
		s.nodeEnded(p.NodeID, nodeSkipped, nil)
	case *event.NodeCancelledPayload:
		s.nodeEnded(p.NodeID, NodeCancelled, nil)
	case *event.NodeFailedPayload:
		s.nodeEnded(p.NodeID, nodeFailed, nil)
		s.Failing = &Failing{Err: runError(p.Error), NodeID: p.NodeID, Cause: e.ID, OfNode: true}
	case *event.BreachedPayload:
		s.Failing = breached(e, p)
	case *event.ReplayDivergedPayload:
		s.diverged(e, p)
	case *event.ReplayMeetsRefusalPayload:
		s.Refusal = divergedAtRefusal(p)
	case *event.VariableChangedPayload:
		s.variableChanged(p)
	case *event.DecidedPayload:
		s.decided(e, p)
	case *event.EscalatedPayload:
		s.escalated()
	case *event.NodeSuspendedPayload:
		s.suspended(e, p)
	case *event.InterruptRequestedPayload:
		s.requested(e, p)
	case *event.InterruptResolvedPayload:
		s.resolved(e, p)
	case *event.NodeResumedPayload:
		s.resumed(p)
	case *event.ApprovalGrantedPayload, *event.ApprovalRejectedPayload:
		s.voted()
	case *event.HandoffPayload:
		s.handedOff(e, p)
	case *event.VerifiedPayload:
		s.judged(e, p)
	case *event.NodeDispatchedPayload:
		s.Loop.Dispatched = true
	case *event.RunPausedPayload:
		s.pauses(e.Timestamp)
	case *event.RunResumedPayload:
		if s.Paused != nil {
			s.StoodMs += e.Timestamp.Sub(s.Paused.at).Milliseconds()
		}
		s.goesOn()
	case *event.RunCompletedPayload:
		s.end(e, openwopv1.RunStatusCompleted)
		s.Outputs = p.Outputs
	case *event.RunFailedPayload:
		s.end(e, openwopv1.RunStatusFailed)
		err := runError(p.Error)
		s.Err = &err
	case *event.RunCancelledPayload:
		s.end(e, openwopv1.RunStatusCancelled)
	}
}

func (s *State) begin(e event.Event, p *event.RunStartedPayload) {
	s.Status = openwopv1.RunStatusRunning
	s.StartedAt = e.Timestamp
	s.Inputs, s.Owner, s.Tags, s.Metadata = p.Inputs, p.Owner, p.Tags, p.Metadata
	if labels := s.Created.Labels; labels != nil {
		s.Tags, s.Metadata = labels.Tags, labels.Metadata
	}
	s.Variables = make(map[string]any, len(s.Program.Defaults)+len(p.Inputs))
	maps.Copy(s.Variables, s.Program.Defaults)
	maps.Copy(s.Variables, p.Inputs)
}

func (s *State) end(e event.Event, status openwopv1.RunStatus) {
	s.Status = status
	s.endedAt = e.Timestamp
}

// Node is the state of the node with this id, nil where there is none.
func (s *State) Node(id string) *NodeState {
	if i, ok := s.Program.ByID[id]; ok {
		return &s.Nodes[i]
	}
	return nil
}

func (s *State) nodeStarted(e event.Event, p *event.NodeStartedPayload) {
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
		s.Loop.StartedID = e.ID
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

func (s *State) variableChanged(p *event.VariableChangedPayload) {
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

func (s *State) decided(e event.Event, p *event.DecidedPayload) {
	l := &s.Loop
	l.Phase = PhaseDecided
	l.DecidedID = e.ID
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

func (s *State) suspended(e event.Event, p *event.NodeSuspendedPayload) {
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
		ID: p.InterruptID, NodeID: p.NodeID, Kind: p.Kind, Key: p.Key, RequestedAt: e.Timestamp,
	})
}

func (s *State) requested(e event.Event, p *event.InterruptRequestedPayload) {
	if g := s.GateAt(e.NodeID); g != nil {
		g.request(e, p)
	} else {
		s.Loop.Phase = PhaseAsked
		if a := s.Loop.Asked; a != nil {
			a.Data, a.RequestedID = p.Data, e.ID
		}
	}
	if i := s.LastInterrupt(); i != nil {
		i.Data, i.RequestedAt, i.TimeoutMs = p.Data, e.Timestamp, p.TimeoutMs
	}
}

func (s *State) resolved(e event.Event, p *event.InterruptResolvedPayload) {
	if n := s.Node(p.NodeID); n != nil {
		n.Resolved++
	}
	s.Status = openwopv1.RunStatusRunning
	if g := s.GateAt(p.NodeID); g != nil {
		g.resolve(e, p)
	} else {
		s.Loop.Phase = PhaseAnswered
		if a := s.Loop.Asked; a != nil {
			a.ResolvedID, a.Value = e.ID, p.ResumeValue
			a.Rejected = isRejection(p.Kind, p.ResumeValue)
		}
	}
	if i := s.LastInterrupt(); i != nil {
		i.Resolved, i.Answer = true, p.ResumeValue
	}
}

func (s *State) resumed(p *event.NodeResumedPayload) {
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

func (s *State) handedOff(e event.Event, p *event.HandoffPayload) {
	l := &s.Loop
	l.ChainID = e.ID
	switch p.Phase {
	case event.ChildCompleted, event.ChildFailed, event.ChildCancelled:
		l.EndID = e.ID
	case event.OutputHarvested:
		l.Harvested = true
	}
}

func runError(e event.Error) openwopv1.RunError {
	return openwopv1.RunError{Code: e.Code, Message: e.Message, Details: e.Details}
}
