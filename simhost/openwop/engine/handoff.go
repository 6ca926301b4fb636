package engine

import (
	"maps"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// handOver does the next thing for the workers of a decision, one worker after the other (RFC 0037 B). Every step that the
// handoff takes is a fact; from version 1 on it is also an event, which the step before it caused.
func (m *move) handOver() wait {
	l, workers := &m.s.loop, m.workers()
	dispatcher := m.s.program.dispatcher()
	switch {
	case l.child == nil && !m.rules.Dispatch.Takes(m.s.program.dispatch.FanOutPolicy, len(workers)):
		err := failure(codeFanOut, "%d workers in one decision, and node %q takes one at a time", len(workers), dispatcher.ID)
		return m.failNode(dispatcher.ID, err)
	case l.child == nil:
		return m.announce(workers[0], 0)
	case l.child.Phase == childAnnounced:
		return m.childCreated()
	case l.child.Phase == childRunning && !l.dispatched:
		return m.childDispatched()
	case l.child.Phase == childRunning:
		return m.childEnded()
	case l.child.Harvest != nil && m.verifies(false):
		return m.verify(dispatcher.ID, l.child.id(), l.endID)
	case l.child.Harvest != nil && l.written < len(l.child.Harvest):
		return m.harvestNext()
	case l.child.Harvest != nil && !l.harvested && m.shown(openwopv1.ChainPhaseOutputHarvested):
		return m.childHarvested()
	case !m.rules.Handoff.GoesOn(l.child.Phase.last()):
		return m.failNode(dispatcher.ID, l.child.failure())
	case m.more():
		return m.announce(workers[l.child.Position+1], l.child.Position+1)
	default:
		return m.completeNode(dispatcher.ID, l.decidedID, lastChild(*l.child))
	}
}

// workers are those that the decision is carried out by.
func (m *move) workers() []string {
	named := m.s.loop.decision.workers
	if a := m.s.loop.asked; a != nil {
		return m.rules.Confidence.Workers(named, a.unsure)
	}
	return named
}

// handing tells whether a handoff has steps left to take that belong to a child that exists, or may exist.
func (m *move) handing() bool {
	l := m.s.loop
	if l.phase != phaseDispatching || l.child == nil {
		return false
	}
	unharvested := !l.harvested && m.shown(openwopv1.ChainPhaseOutputHarvested)
	harvesting := l.child.Harvest != nil && (l.written < len(l.child.Harvest) || unharvested)
	return !l.child.Phase.over() || harvesting
}

func lastChild(c Child) map[string]any {
	if c.Phase == childRefused {
		return nil
	}
	return map[string]any{"childRunId": c.id(), "childStatus": string(c.Phase.status())}
}

// more tells whether the decision names workers after the one that was dispatched last.
func (m *move) more() bool { return m.s.loop.child.Position+1 < len(m.workers()) }

// shown tells whether this step of a handoff is on the log.
func (m *move) shown(phase openwopv1.ChainPhase) bool {
	return m.rules.Handoff.Shows(m.s.created.Version, phase)
}

// chain puts a step of the handoff on the log, where handoffs are shown.
func (m *move) chain(phase openwopv1.ChainPhase, cause string, fill func(*openwopv1.CoreWorkflowChainEventPayload)) wait {
	if !m.shown(phase) {
		return goesOn
	}
	l := m.s.loop
	step := rules.Step{
		Cause: cause, Decided: l.decidedID, Mapped: len(m.outputMapping(l.child.WorkerID)) > 0, Abroad: l.child.Remote != nil,
		Payload: openwopv1.CoreWorkflowChainEventPayload{Phase: phase, WorkerID: l.child.WorkerID, ParentRunID: m.s.runID},
	}
	if fill != nil {
		fill(&step.Payload)
	}
	step.Payload.CausationHostID = m.rules.Ancestry.CauseHost(phase, step.Payload.CausationHostID, l.child.hostID())
	step = m.rules.Handoff.Step(step)
	return m.emit(openwopv1.RunEventTypeCoreWorkflowChainEvent, m.s.program.dispatcher().ID, step.Cause, &step.Payload)
}

func (m *move) withChild(p *openwopv1.CoreWorkflowChainEventPayload) {
	p.ChildRunID = m.s.loop.child.id()
}

// announce says that a child is about to be created for the worker at this position. It must be on the log before the
// child exists.
func (m *move) announce(worker string, position int) wait {
	l := &m.s.loop
	given := rules.Given{Mapping: m.inputMapping(worker), Variables: m.s.variables}
	if position > 0 {
		given.Brought = l.child.Harvest
	}
	m.child = nil // that was the one before
	id, remote := childRunID(eventID(m.s.runID, m.s.next)), m.abroad(worker)
	if recorded, ok := m.recordedChild(position, childAnnounced); ok {
		id, remote = recorded.RunID, recorded.Remote
	}
	m.learn(Fact{Child: &Child{
		Phase:    childAnnounced,
		Position: position,
		WorkerID: worker,
		RunID:    id,
		Remote:   remote,
		Inputs:   m.rules.Handoff.Given(given),
	}})
	return m.chain(openwopv1.ChainPhaseDispatchBegan, l.decidedID, nil)
}

// childCreated goes on once it is known whether the child could be created.
func (m *move) childCreated() wait {
	l := &m.s.loop
	next := Child{Position: l.child.Position, WorkerID: l.child.WorkerID}
	recorded, ok := m.recordedChild(next.Position, childRunning, childRefused)
	switch {
	case ok:
		next.Phase, next.Error, next.Status, next.Remote = recorded.Phase, recorded.Error, recorded.Status, recorded.Remote
	case m.replaying():
		return m.diverge()
	case m.child == nil:
		return waitsToCreate
	case m.child.pending:
		return waitsForChild
	case m.child.refused != nil && !m.child.abroad():
		next.Phase, next.Error = childRefused, m.child.refused
	default:
		next.Phase, next.Status, next.Remote = childRunning, m.child.status, m.child.remote
	}
	m.learn(Fact{Child: &next})
	if next.Phase == childRefused {
		return m.chain(openwopv1.ChainPhaseDispatchFailed, l.chainID, func(p *openwopv1.CoreWorkflowChainEventPayload) {
			p.Error = next.Error
		})
	}
	return m.chain(openwopv1.ChainPhaseDispatchSucceeded, l.chainID, m.withChild)
}

func (m *move) childDispatched() wait {
	c := m.s.loop.child
	status := string(c.Status)
	told := m.rules.Dispatch.Told(rules.Dispatched{
		Cause: m.s.loop.decidedID, By: m.s.program.definition.ID, Started: m.s.loop.startedID,
		Payload: openwopv1.NodeDispatchedPayload{ChildRunID: c.id(), ChildWorkflowID: c.WorkerID, ChildStatus: &status},
	})
	return m.emit(openwopv1.RunEventTypeNodeDispatched, m.s.program.dispatcher().ID, told.Cause, &told.Payload)
}

// childEnded goes on once the child has ended.
func (m *move) childEnded() wait {
	l := &m.s.loop
	next := Child{Position: l.child.Position, WorkerID: l.child.WorkerID}
	recorded, ok := m.recordedChild(next.Position, childCompleted, childFailed, childCancelled)
	switch {
	case ok:
		next.Phase, next.Error, next.Harvest, next.Checksum = recorded.Phase, recorded.Error, recorded.Harvest, recorded.Checksum
		next.Mark, next.Remote = recorded.Mark, recorded.Remote
	case m.replaying():
		return m.diverge()
	case m.child == nil && m.s.inherits():
		return waitsToCreate
	case m.child == nil || m.child.pending || m.child.refused == nil && !ended(m.rules.Handoff.CountsAs(m.child.status, m.more())):
		return waitsForChild
	default:
		m.readReport(&next)
	}
	m.learn(Fact{Child: &next})
	cause, host := l.child.endCause(l.chainID)
	return m.chain(next.Phase.last(), cause, func(p *openwopv1.CoreWorkflowChainEventPayload) {
		m.withChild(p)
		p.Error, p.CausationHostID = next.Error, host
	})
}

// readReport takes over how the child ended, and what is to be harvested of it.
func (m *move) readReport(c *Child) {
	c.Remote = m.child.remote
	r := m.child
	switch status := m.rules.Handoff.CountsAs(r.status, m.more()); {
	case r.refused != nil: // the child of a branch that began after its creation
		c.Phase, c.Error = childFailed, r.refused
	case status == openwopv1.RunStatusCompleted:
		c.Phase, c.Mark = childCompleted, r.mark
	case status == openwopv1.RunStatusCancelled:
		c.Phase = childCancelled
	default:
		c.Phase = childFailed
		c.Error = failure(codeInternal, "the child failed without an error")
		if r.err != nil {
			c.Error = &openwopv1.EventError{Code: r.err.Code, Message: r.err.Message, Details: r.err.Details}
		}
	}
	mapping := m.outputMapping(c.WorkerID)
	if m.rules.Handoff.Harvests(c.Phase.status(), len(mapping) > 0, m.s.program.mapsBack()) {
		c.Harvest = m.rules.Handoff.Brought(rules.Pick(mapping, r.variables), c.Position == 0)
		if m.attests {
			c.Checksum, m.err = checksum(m.rules.Handoff.Attested(r.outputs, c.Harvest))
		}
	}
}

// harvestNext writes the next of the parent's variables.
func (m *move) harvestNext() wait {
	l := &m.s.loop
	name := slices.Sorted(maps.Keys(l.child.Harvest))[l.written]
	return m.setVariable(name, m.s.program.dispatcher().ID, l.endID, l.child.Harvest[name])
}

func (m *move) childHarvested() wait {
	l := &m.s.loop
	return m.chain(openwopv1.ChainPhaseOutputHarvested, l.endID, func(p *openwopv1.CoreWorkflowChainEventPayload) {
		m.withChild(p)
		p.HarvestedKeys = slices.Sorted(maps.Keys(l.child.Harvest))
		if sum := l.child.Checksum; sum != "" {
			p.Attestation = &openwopv1.CoreWorkflowChainEventPayloadAttestation{Checksum: sum,
				Algorithm: openwopv1.CoreWorkflowChainEventPayloadAttestationAlgorithmSha256}
		}
	})
}

func (m *move) setVariable(name, nodeID, cause string, value any) wait {
	return m.emit(openwopv1.RunEventTypeVariableChanged, nodeID, cause, &openwopv1.VariableChangedPayload{
		Name: name, Next: m.encode(value), NodeID: &nodeID,
	})
}

// inputMapping is the mapping for a worker: child input to parent variable.
func (m *move) inputMapping(worker string) openwopv1.VariableMapping {
	d := m.s.program.dispatch
	return m.rules.Handoff.Mapping(d.InputMapping, own(d.PerWorkerInputMappings, worker), false)
}

// outputMapping is the mapping for a worker: parent variable to child variable.
func (m *move) outputMapping(worker string) openwopv1.VariableMapping {
	d := m.s.program.dispatch
	return m.rules.Handoff.Mapping(d.OutputMapping, own(d.PerWorkerOutputMappings, worker), true)
}

// mapsBack tells whether there is an output mapping for any worker.
func (p *program) mapsBack() bool {
	return p.dispatch.OutputMapping != nil || len(p.dispatch.PerWorkerOutputMappings) > 0
}

// own is the worker's own mapping, nil where it has none.
func own(mappings map[string]openwopv1.VariableMapping, worker string) *openwopv1.VariableMapping {
	if mapping, ok := mappings[worker]; ok {
		return &mapping
	}
	return nil
}
