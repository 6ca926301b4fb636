package step

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/openwop/rules"
	"github.com/openassay/assay/simhost/refusal"
)

// next does the next thing for the workers of a decision, one worker after the other (RFC 0037 B). Every step that the
// handoff takes is a fact; from version 1 on it is also an event, which the step before it caused.
func (m handoff) next() Wait {
	l, workers := m.loop, m.workers()
	dispatcher := m.S.Program.Dispatcher()
	switch {
	case l.Child == nil && !m.Rules.Dispatch.Takes(rules.Order{Decided: true, Workers: len(workers),
		Policy: m.S.Program.Dispatch.FanOutPolicy}):
		err := codes.Failure(codes.FanOut, "%d workers in one decision, and node %q takes one at a time", len(workers), dispatcher.ID)
		return m.failNode(dispatcher.ID, err)
	case l.Child == nil:
		return m.announce(workers[0], 0)
	case l.Child.Phase == state.ChildAnnounced:
		return m.childCreated()
	case l.Child.Phase == state.ChildRunning && !l.Dispatched:
		return m.childDispatched()
	case l.Child.Phase == state.ChildRunning:
		return m.childEnded()
	case l.Child.Harvest != nil && m.turn().verifies(false):
		return m.turn().verify(dispatcher.ID, l.Child.ID(), l.EndID)
	case l.Child.Harvest != nil && l.Written < len(l.Child.Harvest):
		return m.harvestNext()
	case l.Child.Harvest != nil && !l.Harvested && m.shown():
		return m.childHarvested()
	case !m.Rules.Handoff.GoesOn(l.Child.Phase.Last()):
		return m.failNode(dispatcher.ID, l.Child.Failure())
	case m.more() && m.Rules.Handoff.TakesNext(l.Child.Phase.Last()):
		return m.announce(workers[l.Child.Position+1], l.Child.Position+1)
	default:
		return m.completeNode(dispatcher.ID, l.DecidedID, lastChild(*l.Child))
	}
}

// workers are those that the decision is carried out by.
func (m handoff) workers() []string {
	named := m.loop.Decision.Workers
	if a := m.loop.Asked; a != nil {
		return m.Rules.Confidence.Workers(named, a.Unsure)
	}
	return named
}

// handing tells whether a handoff has steps left to take that belong to a child that exists, or may exist.
func (m handoff) handing() bool {
	if m.loop.Phase != state.PhaseDispatching || m.loop.Child == nil {
		return false
	}
	unharvested := !m.loop.Harvested && m.shown()
	harvesting := m.loop.Child.Harvest != nil && (m.loop.Written < len(m.loop.Child.Harvest) || unharvested)
	return !m.loop.Child.Phase.Over() || harvesting
}

func lastChild(c state.Child) map[string]any {
	if c.Phase == state.ChildRefused {
		return nil
	}
	return map[string]any{"childRunId": c.ID(), "childStatus": string(c.Phase.Status())}
}

// more tells whether the decision names workers after the one that was dispatched last.
func (m handoff) more() bool { return m.loop.Child.Position+1 < len(m.workers()) }

// shown tells whether the steps of handoffs are on the log.
func (m handoff) shown() bool { return m.S.Created.Version >= 1 }

// chain puts a step of the handoff on the log, where handoffs are shown.
func (m handoff) chain(phase event.Phase, cause string, fill func(*event.HandoffPayload)) Wait {
	if !m.shown() {
		return goesOn
	}
	p := event.HandoffPayload{Phase: phase, WorkerID: m.loop.Child.WorkerID, ParentRunID: m.S.RunID}
	if fill != nil {
		fill(&p)
	}
	return m.emit(event.Handoff, m.S.Program.Dispatcher().ID, cause, &p)
}

func (m handoff) withChild(p *event.HandoffPayload) {
	p.ChildRunID = m.loop.Child.ID()
}

// announce says that a child is about to be created for the worker at this position. It must be on the log before the
// child exists.
func (m handoff) announce(worker string, position int) Wait {
	d := m.S.Program.Dispatch
	given := rules.Given{Default: d.InputMapping, Own: d.PerWorkerInputMappings[worker], Variables: m.S.Variables}
	if position > 0 {
		given.Brought = m.loop.Child.Harvest
	}
	m.Child = nil // that was the one before
	id, remote := workflow.ChildRunID(workflow.EventID(m.S.RunID, m.S.Next)), m.abroad(worker)
	if recorded, ok := m.recordedChild(position, state.ChildAnnounced); ok {
		id, remote = recorded.RunID, recorded.Remote
	}
	m.learn(state.Fact{Child: &state.Child{
		Phase:    state.ChildAnnounced,
		Position: position,
		WorkerID: worker,
		RunID:    id,
		Remote:   remote,
		Inputs:   m.Rules.Handoff.Given(given),
	}})
	return m.chain(event.DispatchBegan, m.loop.DecidedID, nil)
}

// childCreated goes on once it is known whether the child could be created.
func (m handoff) childCreated() Wait {
	next := state.Child{Position: m.loop.Child.Position, WorkerID: m.loop.Child.WorkerID}
	recorded, ok := m.recordedChild(next.Position, state.ChildRunning, state.ChildRefused)
	switch {
	case ok:
		next.Phase, next.Error, next.Status, next.Remote = recorded.Phase, recorded.Error, recorded.Status, recorded.Remote
	case m.replaying():
		return m.diverge()
	case m.Child == nil:
		return WaitsToCreate
	case m.Child.Pending:
		return waitsForChild
	case m.Child.Refused != nil && !m.Child.abroad():
		next.Phase, next.Error = state.ChildRefused, m.Child.Refused
	default:
		next.Phase, next.Status, next.Remote = state.ChildRunning, m.Child.Status, m.Child.Remote
	}
	m.learn(state.Fact{Child: &next})
	if next.Phase == state.ChildRefused {
		return m.chain(event.DispatchFailed, m.loop.ChainID, func(p *event.HandoffPayload) {
			p.Error = next.Error
		})
	}
	return m.chain(event.DispatchSucceeded, m.loop.ChainID, m.withChild)
}

func (m handoff) childDispatched() Wait {
	c := m.loop.Child
	status := string(c.Status)
	return m.emit(event.NodeDispatched, m.S.Program.Dispatcher().ID, m.loop.DecidedID,
		&event.NodeDispatchedPayload{ChildRunID: c.ID(), ChildWorkflowID: c.WorkerID, ChildStatus: &status})
}

// childEnded goes on once the child has ended.
func (m handoff) childEnded() Wait {
	next := state.Child{Position: m.loop.Child.Position, WorkerID: m.loop.Child.WorkerID}
	recorded, ok := m.recordedChild(next.Position, state.ChildCompleted, state.ChildFailed, state.ChildCancelled)
	switch {
	case ok:
		next.Phase, next.Error, next.Harvest, next.Checksum = recorded.Phase, recorded.Error, recorded.Harvest, recorded.Checksum
		next.Mark, next.Remote = recorded.Mark, recorded.Remote
	case m.replaying():
		return m.diverge()
	case m.Child == nil && m.S.Inherits():
		return WaitsToCreate
	case m.Child == nil || m.Child.Pending || m.Child.Refused == nil && !state.Ended(m.Rules.Handoff.CountsAs(m.Child.Status, m.more())):
		return waitsForChild
	default:
		m.readReport(&next)
	}
	m.learn(state.Fact{Child: &next})
	cause, host := m.loop.Child.EndCause(m.loop.ChainID)
	return m.chain(next.Phase.Last(), cause, func(p *event.HandoffPayload) {
		m.withChild(p)
		p.Error, p.CausationHostID = next.Error, host
	})
}

// readReport takes over how the child ended, and what is to be harvested of it.
func (m handoff) readReport(c *state.Child) {
	c.Remote = m.Child.Remote
	r := m.Child
	switch status := m.Rules.Handoff.CountsAs(r.Status, m.more()); {
	case r.Refused != nil: // the child of a branch that began after its creation
		c.Phase, c.Error = state.ChildFailed, r.Refused
	case status == openwopv1.RunStatusCompleted:
		c.Phase, c.Mark = state.ChildCompleted, r.Mark
	case status == openwopv1.RunStatusCancelled:
		c.Phase = state.ChildCancelled
	default:
		c.Phase = state.ChildFailed
		c.Error = codes.Failure(codes.Internal, "the child failed without an error")
		if r.Err != nil {
			c.Error = &event.Error{Code: r.Err.Code, Message: r.Err.Message, Details: r.Err.Details}
		}
	}
	c.Harvest = m.Rules.Handoff.Harvested(rules.Harvest{
		Child: c.Phase.Status(), Variables: r.Variables, First: c.Position == 0,
		Mapping: m.outputMapping(c.WorkerID), Maps: m.S.Program.MapsBack(),
	})
	if c.Harvest != nil && m.Attests {
		c.Checksum, m.Err = checksum(r.Outputs, m.Rules.Handoff.Canonical)
	}
}

// harvestNext writes the next of the parent's variables.
func (m handoff) harvestNext() Wait {
	name := slices.Sorted(maps.Keys(m.loop.Child.Harvest))[m.loop.Written]
	return m.setVariable(name, m.S.Program.Dispatcher().ID, m.loop.EndID, m.loop.Child.Harvest[name])
}

func (m handoff) childHarvested() Wait {
	return m.chain(event.OutputHarvested, m.loop.EndID, func(p *event.HandoffPayload) {
		m.withChild(p)
		p.HarvestedKeys = slices.Sorted(maps.Keys(m.loop.Child.Harvest))
		if sum := m.loop.Child.Checksum; sum != "" {
			p.Attestation = &event.Attestation{Checksum: sum,
				Algorithm: "sha256"}
		}
	})
}

func (m *Move) setVariable(name, nodeID, cause string, value any) Wait {
	return m.emit(event.VariableChanged, nodeID, cause, &event.VariableChangedPayload{
		Name: name, Next: m.encode(value), NodeID: &nodeID,
	})
}

// outputMapping is the mapping for a worker: parent variable to child variable.
func (m handoff) outputMapping(worker string) openwopv1.VariableMapping {
	d := m.S.Program.Dispatch
	return rules.OwnElseDefault(d.OutputMapping, d.PerWorkerOutputMappings[worker])
}

// MaxDepth bounds how deep children may dispatch children. A workflow that dispatches itself ends there.
const MaxDepth = 16

// WordRefusal words for the parent's log why a child was not created.
func WordRefusal(e *refusal.Error) *event.Error {
	code := e.Code
	if code == codes.NotFound {
		code = codes.UnknownWork
	}
	return &event.Error{Code: code, Message: e.Message, Details: e.Details}
}

// abroad is where the worker of that id runs, if that is a peer: NAME/WORKFLOW.
func (m handoff) abroad(workerID string) *state.Remote {
	name, _, ok := strings.Cut(workerID, "/")
	if !ok || !m.Peers(name) {
		return nil
	}
	return &state.Remote{Peer: name}
}

// abroad tells whether the child exists on another host, whatever has become of it since.
func (r *ChildReport) abroad() bool { return r.Remote != nil && r.Remote.RunID != "" }

// checksum is the SHA-256, in hex, over the outputs of a child as canonical JSON (RFC 8785). A child without outputs has the
// empty object.
func checksum(outputs map[string]any, canonical func([]byte) ([]byte, error)) (string, error) {
	if outputs == nil {
		outputs = map[string]any{}
	}
	encoded, err := json.Marshal(outputs)
	if err != nil {
		return "", fmt.Errorf("attest a child's outputs: %w", err)
	}
	if encoded, err = canonical(encoded); err != nil {
		return "", fmt.Errorf("attest a child's outputs: %w", err)
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:]), nil
}
