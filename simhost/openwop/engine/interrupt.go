package engine

import (
	"fmt"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// answerVariable takes the answer to the question of a clarification.
const answerVariable = "answer"

// question is the id of the one question that a clarification of this engine asks.
const question = "q1"

// lowConfidenceSuspended is the payload of node.suspended where an agent was not sure; it says more than others.
type lowConfidenceSuspended struct {
	openwopv1.NodeSuspendedPayload
	Reason    string  `json:"reason"`
	AgentID   string  `json:"agentId"`
	Threshold float64 `json:"threshold"`
	Observed  float64 `json:"observed"`
}

// suspension says which interrupt a node raises now.
func (m *move) suspension(n *node, kind openwopv1.InterruptKind) openwopv1.NodeSuspendedPayload {
	suspended := openwopv1.NodeSuspendedPayload{
		NodeID:      n.ID,
		InterruptID: interruptID(eventID(m.s.runID, m.s.next)),
		Kind:        kind,
		Key:         m.rules.Gates.Key(rules.Suspension{RunID: m.s.runID, NodeID: n.ID, Kind: kind, Place: m.s.next}),
	}
	if id, ok := m.recordedInterrupt(); ok {
		suspended.InterruptID = id
	}
	return suspended
}

// suspend suspends the supervisor's node.
func (m *move) suspend(kind openwopv1.InterruptKind) wait {
	n := m.s.program.supervisor()
	suspended := m.suspension(n, kind)
	cause := m.s.loop.decidedID
	if m.s.loop.phase != phaseDecided && m.s.next > 0 {
		cause = eventID(m.s.runID, m.s.next-1)
	}
	if kind == openwopv1.InterruptKindLowConfidence {
		data := m.lowConfidence()
		return m.emitAs(openwopv1.RunEventTypeNodeSuspended, n.ID, cause, &lowConfidenceSuspended{
			NodeSuspendedPayload: suspended,
			Reason:               string(kind),
			AgentID:              data.AgentID,
			Threshold:            data.Threshold,
			Observed:             data.Observed,
		}, &suspended)
	}
	return m.emit(openwopv1.RunEventTypeNodeSuspended, n.ID, cause, &suspended)
}

func (m *move) lowConfidence() openwopv1.LowConfidenceData {
	config := m.s.program.supervisor().Config
	observed, _ := config[keyConfidence].(float64)
	return m.rules.Confidence.UnsureTold(openwopv1.LowConfidenceData{
		AgentID:   m.s.program.agent.AgentID,
		Threshold: m.s.created.AgentThreshold,
		Observed:  observed,
		Decision:  m.encode(config[keyPending]),
	})
}

// request says what the suspension is about.
func (m *move) request() wait {
	a := m.s.loop.asked
	return m.emit(openwopv1.RunEventTypeInterruptRequested, m.s.program.supervisor().ID, eventID(m.s.runID, m.s.next-1),
		&openwopv1.SuspendRequest{Kind: a.kind, Key: a.key, Data: m.encode(m.asks(a.kind))})
}

func (m *move) asks(kind openwopv1.InterruptKind) any {
	d := m.s.loop.decision
	switch kind {
	case openwopv1.InterruptKindLowConfidence:
		return m.lowConfidence()
	case openwopv1.InterruptKindApproval:
		return openwopv1.ApprovalData{
			ArtifactID:   m.s.loop.decidedID,
			ArtifactType: "orchestrator-decision",
			Title:        "Carry out this decision?",
			ArtifactData: m.encode(d.wire),
			Actions:      []openwopv1.ApprovalAction{openwopv1.ApprovalActionAccept, openwopv1.ApprovalActionReject},
		}
	default:
		ask := d.prompt
		if d.kind != askUser {
			ask = fmt.Sprintf("The supervisor is not sure about its decision (%s), which is carried out after your answer. "+
				"What should the run know?", d.kind)
		}
		return openwopv1.ClarificationData{Questions: []openwopv1.ClarificationQuestion{
			{ID: question, Question: ask, Schema: m.s.program.answer.document},
		}}
	}
}

// await resolves the interrupt, once there is an answer.
func (m *move) await() wait {
	if m.replaying() {
		answer, ok := m.recordedAnswer()
		if !ok {
			return m.diverge()
		}
		m.answer = answer
	}
	if m.answer == nil {
		return waitsForAnswer
	}
	a, id := m.s.loop.asked, m.s.program.supervisor().ID
	answer := m.answer
	m.answer = nil
	return m.emit(openwopv1.RunEventTypeInterruptResolved, id, a.requestedID, &openwopv1.InterruptResolvedPayload{
		InterruptID: a.interruptID, Kind: a.kind, NodeID: id, ResumeValue: answer,
	})
}

// takeUp lets the node go on after the answer, which a variable keeps.
func (m *move) takeUp() wait {
	a, id := m.s.loop.asked, m.s.program.supervisor().ID
	if m.s.loop.phase == phaseAnswered && a.kind == openwopv1.InterruptKindClarification {
		answers, err := readAnswers(a.value, true)
		if err != nil {
			m.err = err // it was checked before it was written
			return goesOn
		}
		return m.setVariable(answerVariable, id, a.resolvedID, answers[question])
	}
	return m.emit(openwopv1.RunEventTypeNodeResumed, id, a.resolvedID, &openwopv1.NodeResumedPayload{
		NodeID: id, InterruptID: &a.interruptID, ResumeValue: a.value,
	})
}
