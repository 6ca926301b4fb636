package step

import (
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// lowConfidenceSuspended is the payload of node.suspended where an agent was not sure; it says more than others.
type lowConfidenceSuspended struct {
	event.NodeSuspendedPayload
	Reason    string  `json:"reason"`
	AgentID   string  `json:"agentId"`
	Threshold float64 `json:"threshold"`
	Observed  float64 `json:"observed"`
}

// suspension says which interrupt a node raises now.
func (m *Move) suspension(n *workflow.Node, kind event.Interrupt) event.NodeSuspendedPayload {
	suspended := event.NodeSuspendedPayload{
		NodeID:      n.ID,
		InterruptID: workflow.InterruptID(workflow.EventID(m.S.RunID, m.S.Next)),
		Kind:        kind,
		Key:         m.Rules.Gates.Key(rules.Suspension{RunID: m.S.RunID, NodeID: n.ID, Kind: kind, Place: m.S.Next}),
	}
	if id, ok := m.recordedInterrupt(); ok {
		suspended.InterruptID = id
	}
	return suspended
}

// suspend suspends the supervisor's node.
func (m turn) suspend(kind event.Interrupt) Wait {
	n := m.S.Program.Supervisor()
	suspended := m.suspension(n, kind)
	cause := m.loop.DecidedID
	if m.loop.Phase != state.PhaseDecided && m.S.Next > 0 {
		cause = workflow.EventID(m.S.RunID, m.S.Next-1)
	}
	if kind == event.LowConfidence {
		data := m.lowConfidence()
		return m.emitAs(event.NodeSuspended, n.ID, cause, &lowConfidenceSuspended{
			NodeSuspendedPayload: suspended,
			Reason:               string(kind),
			AgentID:              data.AgentID,
			Threshold:            data.Threshold,
			Observed:             data.Observed,
		}, &suspended)
	}
	return m.emit(event.NodeSuspended, n.ID, cause, &suspended)
}

func (m turn) lowConfidence() openwopv1.LowConfidenceData {
	config := m.S.Program.Supervisor().Config
	observed, _ := config[workflow.KeyConfidence].(float64)
	return openwopv1.LowConfidenceData{
		AgentID:   m.S.Program.Agent.AgentID,
		Threshold: m.S.Created.AgentThreshold,
		Observed:  observed,
		Decision:  m.encode(config[workflow.KeyPending]),
	}
}

// request says what the suspension is about.
func (m turn) request() Wait {
	a := m.loop.Asked
	return m.emit(event.InterruptRequested, m.S.Program.Supervisor().ID, workflow.EventID(m.S.RunID, m.S.Next-1),
		&event.InterruptRequestedPayload{Kind: a.Kind, Key: a.Key, Data: m.encode(m.asks(a.Kind))})
}

func (m turn) asks(kind event.Interrupt) any {
	d := m.loop.Decision
	switch kind {
	case event.LowConfidence:
		return m.lowConfidence()
	case event.Approval:
		return openwopv1.ApprovalData{
			ArtifactID:   m.loop.DecidedID,
			ArtifactType: "orchestrator-decision",
			Title:        "Carry out this decision?",
			ArtifactData: m.encode(d.Wire),
			Actions:      []openwopv1.ApprovalAction{openwopv1.ApprovalActionAccept, openwopv1.ApprovalActionReject},
		}
	default:
		ask := d.Prompt
		if d.Kind != workflow.AskUser {
			ask = fmt.Sprintf("The supervisor is not sure about its decision (%s), which is carried out after your answer. "+
				"What should the run know?", d.Kind)
		}
		return openwopv1.ClarificationData{Questions: []openwopv1.ClarificationQuestion{
			{ID: workflow.Question, Question: ask, Schema: m.S.Program.Answer.Document},
		}}
	}
}

// await resolves the interrupt, once there is an answer.
func (m turn) await() Wait {
	if m.replaying() {
		answer, ok := m.recordedAnswer()
		if !ok {
			return m.diverge()
		}
		m.Answer = answer
	}
	if m.Answer == nil {
		return WaitsForAnswer
	}
	a, id := m.loop.Asked, m.S.Program.Supervisor().ID
	answer := m.Answer
	m.Answer = nil
	return m.emit(event.InterruptResolved, id, a.RequestedID, &event.InterruptResolvedPayload{
		InterruptID: a.InterruptID, Kind: a.Kind, NodeID: id, ResumeValue: answer,
	})
}

// takeUp lets the node go on after the answer, which a variable keeps.
func (m turn) takeUp() Wait {
	a, id := m.loop.Asked, m.S.Program.Supervisor().ID
	if m.loop.Phase == state.PhaseAnswered && a.Kind == event.Clarification {
		answers, err := workflow.ReadAnswers(a.Value)
		if err != nil {
			m.Err = err // it was checked before it was written
			return goesOn
		}
		return m.setVariable(workflow.AnswerVariable, id, a.ResolvedID, answers[workflow.Question])
	}
	return m.emit(event.NodeResumed, id, a.ResolvedID, &event.NodeResumedPayload{
		NodeID: id, InterruptID: &a.InterruptID, ResumeValue: a.Value,
	})
}
