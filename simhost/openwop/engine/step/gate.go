package step

import (
	"encoding/json"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

const (
	gateReady state.GatePhase = "" // the node is started, or goes on after a question
)

// runGate does the next thing about a gate that is started.
func (m *Move) runGate(n *workflow.Node) Wait {
	g := &m.S.Gate
	switch g.Phase {
	case gateReady, state.GateSuspended:
		r, wrong := readGate(m.S, n)
		if wrong != nil {
			return m.failNode(n.ID, wrong)
		}
		if g.Phase == gateReady {
			return m.suspendGate(n, r.Kind)
		}
		return m.requestGate(n, r)
	case state.GateOpen:
		return m.awaitGate(n)
	case state.GateResolved:
		return m.takeUpGate(n)
	default:
		if g.Resumed < m.Rules.Gates.Resumptions(g.Asked.Kind) {
			return m.resumeGate(n)
		}
		return m.endGate(n)
	}
}

func (m *Move) suspendGate(n *workflow.Node, kind openwopv1.InterruptKind) Wait {
	suspended := m.suspension(n, kind)
	return m.emit(openwopv1.RunEventTypeNodeSuspended, n.ID, workflow.EventID(m.S.RunID, m.S.Next-1), &suspended)
}

// requestGate says what the suspension is about. From here on its time runs.
func (m *Move) requestGate(n *workflow.Node, r workflow.GateRequest) Wait {
	request := &openwopv1.SuspendRequest{Kind: r.Kind, Key: m.S.Gate.Asked.Key, Data: m.encode(r.Data)}
	if r.Expires {
		m.learn(state.Fact{Timer: &state.Timer{NodeID: n.ID, Due: m.Rules.Gates.Due(m.Now, r.Timeout)}})
		request.TimeoutMs = new(r.Timeout.Milliseconds())
	}
	return m.emit(openwopv1.RunEventTypeInterruptRequested, n.ID, workflow.EventID(m.S.RunID, m.S.Next-1), request)
}

// awaitGate resolves the interrupt once there is an answer, or enough votes, or when it is too late for either.
func (m *Move) awaitGate(n *workflow.Node) Wait {
	g := &m.S.Gate
	switch {
	case g.Expired:
		return m.expireGate(n)
	case m.S.Decision() != nil:
		return m.resolveGate(n, m.S.Decision().Value)
	case m.replaying():
		return m.replayGate(n)
	case m.overdue(n):
		return m.learn(state.Fact{Expired: &state.Expired{NodeID: n.ID}})
	case m.Answer == nil:
		return WaitsForAnswer
	}
	answer := m.Answer
	m.Answer = nil
	if g.Counts(answer) {
		return m.castVote(n, state.Vote{Principal: m.Principal, Value: answer})
	}
	return m.resolveGate(n, answer)
}

// replayGate does what the source has next, word for word.
func (m *Move) replayGate(n *workflow.Node) Wait {
	for _, f := range m.recordedFacts() {
		switch {
		case f.Expired != nil:
			return m.learn(state.Fact{Expired: &state.Expired{NodeID: n.ID}})
		case f.Vote != nil:
			return m.castVote(n, *f.Vote)
		}
	}
	answer, ok := m.recordedAnswer()
	if !ok {
		return m.diverge()
	}
	return m.resolveGate(n, answer)
}

func (m *Move) resolveGate(n *workflow.Node, answer json.RawMessage) Wait {
	a := &m.S.Gate.Asked
	return m.emit(openwopv1.RunEventTypeInterruptResolved, n.ID, a.RequestedID, &openwopv1.InterruptResolvedPayload{
		InterruptID: a.InterruptID, Kind: a.Kind, NodeID: n.ID, ResumeValue: answer,
	})
}

// takeUpGate lets the node go on after the answer, which variables keep; a question is no answer.
func (m *Move) takeUpGate(n *workflow.Node) Wait {
	g := &m.S.Gate
	if !g.AsksAgain() {
		if results := m.results(); g.Written < len(results) {
			r := results[g.Written]
			return m.setVariable(r.name, n.ID, g.Asked.ResolvedID, r.value)
		}
	}
	return m.resumeGate(n)
}

func (m *Move) resumeGate(n *workflow.Node) Wait {
	g := &m.S.Gate
	return m.emit(openwopv1.RunEventTypeNodeResumed, n.ID, g.Asked.ResolvedID, &openwopv1.NodeResumedPayload{
		NodeID: n.ID, InterruptID: &g.Asked.InterruptID, ResumeValue: g.Asked.Value,
	})
}

// endGate ends the node with what was answered.
func (m *Move) endGate(n *workflow.Node) Wait {
	if g := &m.S.Gate; !m.Rules.Gates.Passes(g.Action, g.Rounds, g.Quorum.Several()) {
		return m.failNode(n.ID, codes.Failure(codes.Rejected, "what node %q asked was rejected", n.ID))
	}
	outputs := map[string]any{}
	for _, r := range m.results() {
		outputs[r.name] = r.value
	}
	return m.completeNode(n.ID, "", outputs)
}

// result is an output of a gate, and the variable of that name.
type result struct {
	name  string
	value any
}

// results are what comes of the answer.
func (m *Move) results() []result {
	a := &m.S.Gate.Asked
	results := []result{{workflow.AnswerVariable, m.decode(m.Rules.Gates.HandsOn(a.Kind, a.Value))}}
	artifact := m.Rules.Gates.Artifact(m.S.Gate.Action, workflow.Member(a.Data, "artifactData"), workflow.Member(a.Value, state.KeyEdited))
	if len(artifact) > 0 {
		results = append(results, result{workflow.ArtifactVariable, m.decode(artifact)})
	}
	return results
}

// decode is json.Unmarshal for a step; what it is given was checked before it was written.
func (m *Move) decode(raw json.RawMessage) (v any) {
	if err := json.Unmarshal(raw, &v); err != nil {
		m.Err = err
	}
	return v
}

// readGate reads what a gate asks now.
func readGate(s *state.State, n *workflow.Node) (workflow.GateRequest, *openwopv1.EventError) {
	values, missing := s.PortValues(n)
	if missing != nil {
		return workflow.GateRequest{}, missing
	}
	r, wrong := n.ReadGate(values)
	if wrong != nil {
		return r, codes.Failure(codes.Gate, "node %q cannot ask: %s: %s", n.ID, wrong.At, wrong.Says)
	}
	if data, ok := r.Data.(openwopv1.ApprovalData); ok && s.Gate.Comment != "" {
		data.Description = &s.Gate.Comment
		r.Data = data
	}
	return r, nil
}

// castVote puts a vote on the log: who voted what is public, the rest of the answer is not before the last vote.
func (m *Move) castVote(n *workflow.Node, v state.Vote) Wait {
	g := &m.S.Gate
	granted, _ := g.Tally()
	with := int64(granted) + 1
	m.learn(state.Fact{Vote: &v})
	if v.Rejects() {
		p := &openwopv1.ApprovalRejectedPayload{GateID: n.ID, Principal: v.Principal}
		if reason := state.CommentOf(v.Value); reason != "" {
			p.Reason = &reason
		}
		return m.emit(openwopv1.RunEventTypeApprovalRejected, n.ID, g.Asked.RequestedID, p)
	}
	return m.emit(openwopv1.RunEventTypeApprovalGranted, n.ID, g.Asked.RequestedID, &openwopv1.ApprovalGrantedPayload{
		GateID: n.ID, Principal: v.Principal,
		QuorumProgress: &openwopv1.ApprovalGrantedPayloadQuorumProgress{Granted: &with, Required: new(int64(g.Quorum.Required))},
	})
}

// overdue tells whether the time is over in which a gate can be answered.
func (m *Move) overdue(n *workflow.Node) bool {
	due := m.S.Node(n.ID).Due
	return !due.IsZero() && !m.Now.Before(due)
}

// expireGate ends a gate that nobody answered in time: an approval is rejected by itself, any other gate fails.
func (m *Move) expireGate(n *workflow.Node) Wait {
	if m.S.Gate.Asked.Kind == openwopv1.InterruptKindApproval {
		return m.resolveGate(n, m.Rules.Gates.Lapses())
	}
	return m.failNode(n.ID, codes.Failure(codes.Expired, "nobody answered node %q in time", n.ID))
}
