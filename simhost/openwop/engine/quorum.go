package engine

import (
	"encoding/json"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// quorum is how many must say what for an approval to be resolved. The zero value is for interrupts that one answer resolves.
type quorum struct {
	required int
	majority bool // rejections count, too; otherwise the first one decides
}

func quorumOf(data openwopv1.ApprovalData) (q quorum) {
	if r := data.RequiredApprovals; r != nil {
		q = quorum{int(*r), data.RejectionPolicy == openwopv1.ApprovalDataRejectionPolicyMajority}
	}
	return q
}

// several tells whether one answer is not enough.
func (q quorum) several() bool { return q.required > 1 }

// counts tells whether an answer is a vote, of which it takes several.
func (g *gate) counts(answer json.RawMessage) bool {
	if !g.quorum.several() {
		return false
	}
	action, err := readAction(answer)
	return err == nil && (action == openwopv1.ApprovalActionAccept || action == openwopv1.ApprovalActionReject)
}

// votesOf counts how often somebody has voted in this round.
func (g *gate) votesOf(principal string) (votes int) {
	for _, v := range g.votes {
		if v.Principal == principal {
			votes++
		}
	}
	return votes
}

// tally counts the votes that are on the log.
func (g *gate) tally() (granted, rejected int) {
	for _, v := range g.votes {
		if v.rejects() {
			rejected++
		} else {
			granted++
		}
	}
	return granted, rejected
}

// decision is the vote that decided at the gate under way, nil as long as none has.
func (s *State) decision() *Vote {
	g := &s.gate
	if len(g.votes) == 0 {
		return nil
	}
	granted, rejected := g.tally()
	if s.rules.Answers.Decided(rules.Tally{Granted: granted, Rejected: rejected, Required: g.quorum.required, Majority: g.quorum.majority}) {
		return &g.votes[len(g.votes)-1]
	}
	return nil
}

func (v Vote) rejects() bool { return isRejection(openwopv1.InterruptKindApproval, v.Value) }

// castVote puts a vote on the log: who voted what is public, the rest of the answer is not before the last vote.
func (m *move) castVote(n *node, v Vote) wait {
	g := &m.s.gate
	granted, _ := g.tally()
	with := int64(granted) + 1
	m.learn(Fact{Vote: &v})
	if v.rejects() {
		p := &openwopv1.ApprovalRejectedPayload{GateID: n.ID, Principal: v.Principal}
		if reason := commentOf(v.Value); reason != "" {
			p.Reason = &reason
		}
		return m.emit(openwopv1.RunEventTypeApprovalRejected, n.ID, g.asked.requestedID, p)
	}
	return m.emit(openwopv1.RunEventTypeApprovalGranted, n.ID, g.asked.requestedID, &openwopv1.ApprovalGrantedPayload{
		GateID: n.ID, Principal: v.Principal,
		QuorumProgress: &openwopv1.ApprovalGrantedPayloadQuorumProgress{Granted: &with, Required: new(int64(g.quorum.required))},
	})
}
