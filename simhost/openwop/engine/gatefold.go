package engine

import (
	"encoding/json"

	"github.com/openassay/assay/gen/openwopv1"
)

// gateAt is the gate that is under way, if that is the node with this id.
func (s *State) gateAt(nodeID string) *gate {
	if i, ok := s.program.byID[nodeID]; ok && s.program.nodes[i].isGate() {
		return &s.gate
	}
	return nil
}

// gateUnderWay tells whether a variable that is set now is a result of a gate.
func (s *State) gateUnderWay() bool { return s.gate.phase == gateResolved }

func (g *gate) raise(a asked) {
	*g = gate{phase: gateSuspended, asked: a, comment: g.comment, rounds: g.rounds}
}

func (g *gate) request(event openwopv1.RunEvent, p *openwopv1.SuspendRequest) {
	g.phase = gateOpen
	g.asked.data, g.asked.requestedID = p.Data, event.EventID
	if p.Kind != openwopv1.InterruptKindApproval {
		return
	}
	var data openwopv1.ApprovalData
	if json.Unmarshal(p.Data, &data) == nil { // it was checked before it was written
		g.quorum = quorumOf(data)
	}
}

func (g *gate) resolve(event openwopv1.RunEvent, p *openwopv1.InterruptResolvedPayload) {
	g.phase = gateResolved
	g.asked.resolvedID, g.asked.value = event.EventID, p.ResumeValue
	if p.Kind == openwopv1.InterruptKindApproval {
		g.action, _ = readAction(p.ResumeValue) // it was checked before it was written
	}
}

func (g *gate) resume() {
	if g.asksAgain() {
		*g = gate{comment: commentOf(g.asked.value), rounds: g.rounds + 1}
		return
	}
	g.phase = gateResumed
	g.resumed++
}

// voted folds approval.granted and approval.rejected.
func (s *State) voted() {
	if v := s.gate.vote; v != nil {
		s.gate.votes, s.gate.vote = append(s.gate.votes, *v), nil
	}
}

func (s *State) expire(nodeID string) {
	s.gate.expired = true
	if n := s.node(nodeID); n != nil {
		n.expired = true
	}
	if i := s.lastInterrupt(); i != nil {
		i.Expired = true
	}
}

// commentOf is what somebody said who asked about an artifact.
func commentOf(value json.RawMessage) string {
	for _, key := range []string{"comment", "feedback", "refineFeedback"} {
		var said string
		if json.Unmarshal(member(value, key), &said) == nil && said != "" {
			return said
		}
	}
	return ""
}
