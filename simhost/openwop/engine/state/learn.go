package state

import (
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
)

// Learn folds a fact.
func (s *State) Learn(f Fact) {
	switch {
	case f.Created != nil:
		s.Created = *f.Created
		s.View.update(f.Created.View)
		s.Memory = s.Mark()
		s.Ahead = time.Duration(f.Created.AheadMs) * time.Millisecond
	case f.Moved != nil:
		s.Ahead += time.Duration(f.Moved.Ms) * time.Millisecond
	case f.Turn != nil:
		s.Loop = Loop{Iteration: f.Turn.Iteration, Consulted: s.Loop.Consulted, Resumes: s.Loop.Resumes, AgentID: s.Loop.AgentID,
			Verified: s.Loop.Verified}
		s.View.update(f.Turn.View)
		s.Memory = max(s.Memory, s.Mark())
	case f.Child != nil:
		s.learnChild(*f.Child, f.At)
	case f.Write != nil:
		s.Loop.Write = f.Write
	case f.Wrote != nil:
		s.Loop.Write = nil
		s.Loop.Wrote++
		s.Memory = max(s.Memory, f.Wrote.Mark)
	case f.Timer != nil:
		if n := s.Node(f.Timer.NodeID); n != nil {
			n.Due = f.Timer.Due
		}
		if i := s.LastInterrupt(); i != nil && i.NodeID == f.Timer.NodeID {
			i.Due = f.Timer.Due
		}
	case f.Vote != nil:
		s.Gate.vote = f.Vote
	case f.Heeded != nil:
		s.Loop.heeded = f.Heeded.Verdict
	case f.Expired != nil:
		s.expire(f.Expired.NodeID)
	case f.Pause != nil:
		s.learnPause(*f.Pause)
	case f.Stop != nil:
		s.Stop = f.Stop
		s.Pausing, s.Paused = nil, nil
		for i := range s.Nodes {
			s.Nodes[i].Gone = s.Nodes[i].Status == NodeSuspended
		}
		if i := s.LastInterrupt(); i != nil && !i.Resolved {
			i.Gone = true
		}
		s.Status = openwopv1.RunStatusRunning
		if f.Stop.Why == StopCancelled {
			s.Status = openwopv1.RunStatusCancelling
		}
	}
}

func (s *State) learnChild(c Child, at int64) {
	l := &s.Loop
	if c.Phase == ChildAnnounced {
		l.announced, l.Verdict = at, ""
		l.Child, l.ChainID, l.EndID, l.Dispatched, l.Written, l.Harvested = &c, "", "", false, 0, false
		return
	}
	if l.Child == nil {
		return
	}
	// What was announced stays known; steps repeat only what they add.
	c.RunID, c.Inputs = l.Child.RunID, l.Child.Inputs
	if c.Remote == nil {
		c.Remote = l.Child.Remote
	}
	if c.Status == "" {
		c.Status = l.Child.Status
	}
	l.Child = &c
	s.Memory, s.Brought = max(s.Memory, c.Mark), max(s.Brought, c.Mark)
	switch c.Phase {
	case ChildRunning:
		s.Children = append(s.Children, ChildRun{runID: c.ID(), WorkflowID: c.WorkerID, status: c.Status})
	case ChildCompleted, ChildFailed, ChildCancelled:
		if n := len(s.Children); n > 0 {
			s.Children[n-1].status = c.Phase.Status()
		}
	}
}

// Status is the child's status in a phase that is over.
func (p ChildPhase) Status() openwopv1.RunStatus {
	switch p {
	case ChildCompleted:
		return openwopv1.RunStatusCompleted
	case ChildCancelled:
		return openwopv1.RunStatusCancelled
	default:
		return openwopv1.RunStatusFailed
	}
}

// Last is the step that ends a handoff to a child in a phase that is over, but for the harvest.
func (p ChildPhase) Last() event.Phase {
	switch p {
	case ChildCompleted:
		return event.ChildCompleted
	case ChildCancelled:
		return event.ChildCancelled
	case ChildRefused:
		return event.DispatchFailed
	default:
		return event.ChildFailed
	}
}

// Failure is why a node fails with its child.
func (c *Child) Failure() *event.Error {
	if c.Error != nil {
		return c.Error
	}
	return codes.Failure(codes.Internal, "the child %s ended as %s", c.ID(), c.Phase)
}
