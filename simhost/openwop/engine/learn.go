package engine

import "github.com/openassay/assay/gen/openwopv1"

// learn folds a fact.
func (s *State) learn(f Fact) {
	switch {
	case f.Created != nil:
		s.created = *f.Created
		s.view.update(f.Created.View)
		s.memory = s.mark()
	case f.Turn != nil:
		s.loop = loop{iteration: f.Turn.Iteration, consulted: s.loop.consulted, resumes: s.loop.resumes, agentID: s.loop.agentID,
			verified: s.loop.verified}
		s.view.update(f.Turn.View)
		s.memory = max(s.memory, s.mark())
	case f.Child != nil:
		s.learnChild(*f.Child, f.At)
	case f.Write != nil:
		s.loop.write = f.Write
	case f.Wrote != nil:
		s.loop.write = nil
		s.loop.wrote++
		s.memory = max(s.memory, f.Wrote.Mark)
	case f.Timer != nil:
		if n := s.node(f.Timer.NodeID); n != nil {
			n.due = f.Timer.Due
		}
		if i := s.lastInterrupt(); i != nil && i.NodeID == f.Timer.NodeID {
			i.Due = f.Timer.Due
		}
	case f.Vote != nil:
		s.gate.vote = f.Vote
	case f.Heeded != nil:
		s.loop.heeded = f.Heeded.Verdict
	case f.Expired != nil:
		s.expire(f.Expired.NodeID)
	case f.Pause != nil:
		s.learnPause(*f.Pause)
	case f.Stop != nil:
		s.stop = f.Stop
		s.pausing, s.paused = nil, nil
		for i := range s.nodes {
			s.nodes[i].gone = s.nodes[i].status == nodeSuspended
		}
		if i := s.lastInterrupt(); i != nil && !i.Resolved {
			i.Gone = true
		}
		s.status = openwopv1.RunStatusRunning
		if f.Stop.Why == stopCancelled {
			s.status = openwopv1.RunStatusCancelling
		}
	}
}

func (s *State) learnChild(c Child, at int64) {
	l := &s.loop
	if c.Phase == childAnnounced {
		l.announced, l.verdict = at, ""
		l.child, l.chainID, l.endID, l.dispatched, l.written, l.harvested = &c, "", "", false, 0, false
		return
	}
	if l.child == nil {
		return
	}
	// What was announced stays known; steps repeat only what they add.
	c.RunID, c.Inputs = l.child.RunID, l.child.Inputs
	if c.Remote == nil {
		c.Remote = l.child.Remote
	}
	if c.Status == "" {
		c.Status = l.child.Status
	}
	l.child = &c
	s.memory, s.brought = max(s.memory, c.Mark), max(s.brought, c.Mark)
	switch c.Phase {
	case childRunning:
		s.children = append(s.children, childRun{runID: c.id(), workflowID: c.WorkerID, status: c.Status})
	case childCompleted, childFailed, childCancelled:
		if n := len(s.children); n > 0 {
			s.children[n-1].status = c.Phase.status()
		}
	}
}

// status is the child's status in a phase that is over.
func (p childPhase) status() openwopv1.RunStatus {
	switch p {
	case childCompleted:
		return openwopv1.RunStatusCompleted
	case childCancelled:
		return openwopv1.RunStatusCancelled
	default:
		return openwopv1.RunStatusFailed
	}
}

// last is the step that ends a handoff to a child in a phase that is over, but for the harvest.
func (p childPhase) last() openwopv1.ChainPhase {
	switch p {
	case childCompleted:
		return openwopv1.ChainPhaseChildCompleted
	case childCancelled:
		return openwopv1.ChainPhaseChildCancelled
	case childRefused:
		return openwopv1.ChainPhaseDispatchFailed
	default:
		return openwopv1.ChainPhaseChildFailed
	}
}

// failure is why a node fails with its child.
func (c *Child) failure() *openwopv1.EventError {
	if c.Error != nil {
		return c.Error
	}
	return failure(codeInternal, "the child %s ended as %s", c.id(), c.Phase)
}
