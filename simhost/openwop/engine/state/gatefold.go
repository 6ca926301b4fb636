package state

import (
	"encoding/json"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// GateAt is the gate that is under way, if that is the node with this id.
func (s *State) GateAt(nodeID string) *Gate {
	if i, ok := s.Program.ByID[nodeID]; ok && s.Program.Nodes[i].IsGate() {
		return &s.Gate
	}
	return nil
}

// gateUnderWay tells whether a variable that is set now is a result of a gate.
func (s *State) gateUnderWay() bool { return s.Gate.Phase == GateResolved }

func (g *Gate) raise(a Asked) {
	*g = Gate{Phase: GateSuspended, Asked: a, Comment: g.Comment, Rounds: g.Rounds}
}

func (g *Gate) request(event openwopv1.RunEvent, p *openwopv1.SuspendRequest) {
	g.Phase = GateOpen
	g.Asked.Data, g.Asked.RequestedID = p.Data, event.EventID
	if p.Kind != openwopv1.InterruptKindApproval {
		return
	}
	var data openwopv1.ApprovalData
	if json.Unmarshal(p.Data, &data) == nil { // it was checked before it was written
		g.Quorum = workflow.QuorumOf(data)
	}
}

func (g *Gate) resolve(event openwopv1.RunEvent, p *openwopv1.InterruptResolvedPayload) {
	g.Phase = GateResolved
	g.Asked.ResolvedID, g.Asked.Value = event.EventID, p.ResumeValue
	if p.Kind == openwopv1.InterruptKindApproval {
		g.Action, _ = workflow.ReadAction(p.ResumeValue) // it was checked before it was written
	}
}

func (g *Gate) resume() {
	if g.AsksAgain() {
		*g = Gate{Comment: CommentOf(g.Asked.Value), Rounds: g.Rounds + 1}
		return
	}
	g.Phase = gateResumed
	g.Resumed++
}

// voted folds approval.granted and approval.rejected.
func (s *State) voted() {
	if v := s.Gate.vote; v != nil {
		s.Gate.votes, s.Gate.vote = append(s.Gate.votes, *v), nil
	}
}

func (s *State) expire(nodeID string) {
	s.Gate.Expired = true
	if n := s.Node(nodeID); n != nil {
		n.Expired = true
	}
	if i := s.LastInterrupt(); i != nil {
		i.Expired = true
	}
}

// CommentOf is what somebody said who asked about an artifact.
func CommentOf(value json.RawMessage) string {
	for _, key := range []string{"comment", "feedback", "refineFeedback"} {
		var said string
		if json.Unmarshal(workflow.Member(value, key), &said) == nil && said != "" {
			return said
		}
	}
	return ""
}
