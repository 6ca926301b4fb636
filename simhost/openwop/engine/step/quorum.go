package step

import (
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/state"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

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
