package state

import (
	"encoding/json"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// Counts tells whether an answer is a vote, of which it takes several.
func (g *Gate) Counts(answer json.RawMessage) bool {
	if !g.Quorum.Several() {
		return false
	}
	action, err := workflow.ReadAction(answer)
	return err == nil && (action == openwopv1.ApprovalActionAccept || action == openwopv1.ApprovalActionReject)
}

// votesOf counts how often somebody has voted in this round.
func (g *Gate) votesOf(principal string) (votes int) {
	for _, v := range g.votes {
		if v.Principal == principal {
			votes++
		}
	}
	return votes
}

// Tally counts the votes that are on the log.
func (g *Gate) Tally() (granted, rejected int) {
	for _, v := range g.votes {
		if v.Rejects() {
			rejected++
		} else {
			granted++
		}
	}
	return granted, rejected
}

// Decision is the vote that decided at the gate under way, nil as long as none has.
func (s *State) Decision() *Vote {
	g := &s.Gate
	if len(g.votes) == 0 {
		return nil
	}
	granted, rejected := g.Tally()
	if s.Rules.Answers.Decided(rules.Tally{Granted: granted, Rejected: rejected, Required: g.Quorum.Required, Majority: g.Quorum.Majority}) {
		return &g.votes[len(g.votes)-1]
	}
	return nil
}

func (v Vote) Rejects() bool { return isRejection(openwopv1.InterruptKindApproval, v.Value) }
