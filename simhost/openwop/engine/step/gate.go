package step

import (
	"encoding/json"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/codes"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/openwop/rules"
)

const (
	gateReady state.GatePhase = "" // the node is started, or goes on after a question
)

// next does the next thing about a gate that is started.
func (m gate) next() Wait {
	switch m.g.Phase {
	case gateReady, state.GateSuspended:
		r, wrong := readGate(m.S, m.n)
		if wrong != nil {
			return m.failNode(m.n.ID, wrong)
		}
		if m.g.Phase == gateReady {
			return m.suspend(r.Kind)
		}
		return m.request(r)
	case state.GateOpen:
		return m.await()
	case state.GateResolved:
		return m.takeUp()
	default:
		return m.end()
	}
}

func (m gate) suspend(kind event.Interrupt) Wait {
	suspended := m.suspension(m.n, kind)
	return m.emit(event.NodeSuspended, m.n.ID, workflow.EventID(m.S.RunID, m.S.Next-1), &suspended)
}

// request says what the suspension is about. From here on its time runs.
func (m gate) request(r workflow.GateRequest) Wait {
	request := &event.InterruptRequestedPayload{Kind: r.Kind, Key: m.g.Asked.Key, Data: m.encode(r.Data)}
	if r.Expires {
		m.learn(state.Fact{Timer: &state.Timer{NodeID: m.n.ID, Due: m.Rules.Gates.Due(m.Now, r.Timeout, m.g.Rounds)}})
		request.TimeoutMs = new(r.Timeout.Milliseconds())
	}
	return m.emit(event.InterruptRequested, m.n.ID, workflow.EventID(m.S.RunID, m.S.Next-1), request)
}

// await resolves the interrupt once there is an answer, or enough votes, or when it is too late for either.
func (m gate) await() Wait {
	switch {
	case m.g.Expired:
		return m.expire()
	case m.S.Decision() != nil:
		return m.resolve(m.S.Decision().Value)
	case m.replaying():
		return m.replayAnswer()
	case m.overdue():
		return m.learn(state.Fact{Expired: &state.Expired{NodeID: m.n.ID}})
	case m.Answer == nil:
		return WaitsForAnswer
	}
	answer := m.Answer
	m.Answer = nil
	if m.g.Counts(answer) {
		return m.castVote(state.Vote{Principal: m.Principal, Value: answer})
	}
	return m.resolve(answer)
}

// replayAnswer does what the source has next, word for word.
func (m gate) replayAnswer() Wait {
	for _, f := range m.recordedFacts() {
		switch {
		case f.Expired != nil:
			return m.learn(state.Fact{Expired: &state.Expired{NodeID: m.n.ID}})
		case f.Vote != nil:
			return m.castVote(*f.Vote)
		}
	}
	answer, ok := m.recordedAnswer()
	if !ok {
		return m.diverge()
	}
	return m.resolve(answer)
}

func (m gate) resolve(answer json.RawMessage) Wait {
	a := &m.g.Asked
	return m.emit(event.InterruptResolved, m.n.ID, a.RequestedID, &event.InterruptResolvedPayload{
		InterruptID: a.InterruptID, Kind: a.Kind, NodeID: m.n.ID, ResumeValue: answer,
	})
}

// takeUp lets the node go on after the answer, which variables keep; a question is no answer.
func (m gate) takeUp() Wait {
	if !m.g.AsksAgain() {
		if results := m.results(); m.g.Written < len(results) {
			r := results[m.g.Written]
			return m.setVariable(r.name, m.n.ID, m.g.Asked.ResolvedID, r.value)
		}
	}
	return m.resume()
}

func (m gate) resume() Wait {
	return m.emit(event.NodeResumed, m.n.ID, m.g.Asked.ResolvedID, &event.NodeResumedPayload{
		NodeID: m.n.ID, InterruptID: &m.g.Asked.InterruptID, ResumeValue: m.g.Asked.Value,
	})
}

// end ends the node with what was answered.
func (m gate) end() Wait {
	if !m.Rules.Gates.Passes(m.g.Action, m.g.Rounds, m.g.Quorum.Several()) {
		return m.failNode(m.n.ID, codes.Failure(codes.Rejected, "what node %q asked was rejected", m.n.ID))
	}
	outputs := map[string]any{}
	for _, r := range m.results() {
		outputs[r.name] = r.value
	}
	return m.completeNode(m.n.ID, "", outputs)
}

// result is an output of a gate, and the variable of that name.
type result struct {
	name  string
	value any
}

// results are what comes of the answer.
func (m gate) results() []result {
	a := &m.g.Asked
	answer, artifact := m.Rules.Gates.HandsOn(rules.Resolution{Kind: a.Kind, Answer: a.Value, Action: m.g.Action,
		Shown: workflow.Member(a.Data, "artifactData"), Edited: workflow.Member(a.Value, state.KeyEdited)})
	results := []result{{workflow.AnswerVariable, m.decode(answer)}}
	if len(artifact) > 0 {
		results = append(results, result{workflow.ArtifactVariable, m.decode(artifact)})
	}
	return results
}

// decode is json.Unmarshal for a step; what it is given was checked before it was written.
func (m gate) decode(raw json.RawMessage) (v any) {
	if err := json.Unmarshal(raw, &v); err != nil {
		m.Err = err
	}
	return v
}

// readGate reads what a gate asks now.
func readGate(s *state.State, n *workflow.Node) (workflow.GateRequest, *event.Error) {
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
func (m gate) castVote(v state.Vote) Wait {
	granted, _ := m.g.Tally()
	with := int64(granted) + 1
	m.learn(state.Fact{Vote: &v})
	if v.Rejects() {
		p := &event.ApprovalRejectedPayload{GateID: m.n.ID, Principal: v.Principal}
		if reason := state.CommentOf(v.Value); reason != "" {
			p.Reason = &reason
		}
		return m.emit(event.ApprovalRejected, m.n.ID, m.g.Asked.RequestedID, p)
	}
	return m.emit(event.ApprovalGranted, m.n.ID, m.g.Asked.RequestedID, &event.ApprovalGrantedPayload{
		GateID: m.n.ID, Principal: v.Principal,
		QuorumProgress: &event.Quorum{Granted: &with, Required: new(int64(m.g.Quorum.Required))},
	})
}

// overdue tells whether the time is over in which a gate can be answered.
func (m gate) overdue() bool {
	due := m.S.Node(m.n.ID).Due
	return !due.IsZero() && !m.Now.Before(due)
}

// expire ends a gate that nobody answered in time: an approval is rejected by itself, any other gate fails.
func (m gate) expire() Wait {
	if m.g.Asked.Kind == event.Approval {
		return m.resolve(m.Rules.Gates.Lapses())
	}
	return m.failNode(m.n.ID, codes.Failure(codes.Expired, "nobody answered node %q in time", m.n.ID))
}
