package interrupts

import (
	"context"
	"fmt"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

const (
	giveVoterKeys = "give the keys of further principals of the same tenant, which may answer interrupts, with --voter-key " +
		"(repeatable) or ASSAY_VOTER_KEYS"
	giveLowScope = "give a key of the same tenant that may make and read runs and not answer interrupts, with " +
		"--low-scope-key or ASSAY_LOW_SCOPE_KEY"
)

// Ballot is a gate at which several people voted, one after the other.
type Ballot struct {
	Gate
	Required int         `json:"required"`
	Votes    []Response  `json:"votes"` // each but the last with the run as it stood then
	End      host.RunLog `json:"end"`   // where the last vote was taken
}

// QuorumObservation is two gates: one voter tried to fill the first alone, and
// others came in the end; at the second each voted once.
type QuorumObservation struct {
	Alone   Ballot      `json:"alone"`
	Repeats int         `json:"repeats"` // of the votes of the first gate, by one voter
	Barrier wire.Wait   `json:"barrier"` // behind these
	Later   host.RunLog `json:"later"`
	All     Ballot      `json:"all"`
}

// voters are the target's own key and those of further principals.
func voters(h host.Host) []*scenarios.Conn {
	out := []*scenarios.Conn{h.Conn}
	for {
		v, ok := h.Voter(len(out) - 1)
		if !ok {
			return out
		}
		out = append(out, v)
	}
}

// quorumWay is a gate that asks for no more votes than there are voters.
func quorumWay(h host.Host, policy dialect.ApprovalDataRejectionPolicy) (way gateWay, required int) {
	const upstreamAsks, most = 3, 5 // of the voters that may have been given
	there := len(voters(h))
	if there == 1 {
		scenarios.End(scenarios.Block("there is nobody else to vote: no key was given with --voter-key", giveVoterKeys))
	}
	ours := gateWay{fixture: fixture.Quorum, node: "gate"}
	if h.Offers(fixture.Quorum) {
		required = h.Between(2, min(there, most))
		ours.inputs = map[string]any{"requiredApprovals": required, "rejectionPolicy": policy}
		way = gateOfOurs(h, ours)
		return way, required
	}
	if there < upstreamAsks || policy != dialect.ApprovalDataRejectionPolicyMajority {
		scenarios.End(scenarios.Block(fmt.Sprintf("upstream's quorum asks for %d votes and lets the majority decide, and there "+
			"are %d voters", upstreamAsks, there),
			"offer assay-quorum, or "+giveVoterKeys))
	}
	way = gateOf(h, ours, gateWay{fixture: fixture.UpstreamQuorum, node: "gate"})
	return way, upstreamAsks
}

// poll waits at a gate that asks for votes.
func poll(ctx context.Context, h host.Host, policy dialect.ApprovalDataRejectionPolicy) (*Waiting, Ballot) {
	way, required := quorumWay(h, policy)
	w := wait(ctx, h, way)
	return w, Ballot{Gate: w.Gate, Required: required}
}

// vote has each of these voters vote once, and looks at the run after each but
// the last, with which it ends.
func (w *Waiting) vote(ctx context.Context, b *Ballot, action dialect.ApprovalAction, voters ...*scenarios.Conn) {
	for i, v := range voters {
		a := w.by(v).decides(ctx, action)
		if i < len(voters)-1 {
			a = w.looked(ctx, a)
		}
		b.Votes = append(b.Votes, a)
	}
	b.End = w.ends(ctx, b.Votes[len(b.Votes)-1])
}

// quorumFilled has one voter vote again and again, and has as many vote as are asked for.
var quorumFilled = &scenarios.Drive[QuorumObservation]{
	ID: "openwop/quorum-filled",
	Title: "has one principal accept as often as a quorum asks for, runs a sentinel, and has others accept; and has as many " +
		"principals as another quorum asks for accept, one after the other",
	Sends: []string{sendsGate + ", twice", "{read run}", "{poll log}", "{answer node}, as each voter", "{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *QuorumObservation) {
		h := host.Host{Conn: c}
		w, alone := poll(ctx, h, dialect.ApprovalDataRejectionPolicyMajority)
		o.Alone = alone
		if w.waits() {
			w.fillAlone(ctx, o)
		}
		w, all := poll(ctx, h, dialect.ApprovalDataRejectionPolicyMajority)
		if o.All = all; !w.waits() {
			return
		}
		w.vote(ctx, &o.All, dialect.ApprovalActionAccept, voters(h)[:all.Required]...)
	},
}

// fillAlone has the first voter accept as often as is asked for, and once
// more, and looks at the run after the first of these; then the others do.
func (w *Waiting) fillAlone(ctx context.Context, o *QuorumObservation) {
	for i := range o.Alone.Required + 1 {
		a := w.decides(ctx, dialect.ApprovalActionAccept)
		if i == 0 {
			a = w.looked(ctx, a)
		}
		o.Alone.Votes = append(o.Alone.Votes, a)
	}
	o.Repeats = len(o.Alone.Votes)
	w.settled(ctx, &o.Barrier, &o.Later)
	w.vote(ctx, &o.Alone, dialect.ApprovalActionAccept, voters(w.Run.Host)[1:o.Alone.Required]...)
}

// VetoObservation is a gate that enough voters rejected.
type VetoObservation struct {
	Ballot
}

// quorumRejected has just so many reject that the majority does.
var quorumRejected = &scenarios.Drive[VetoObservation]{
	ID:    "openwop/quorum-rejected",
	Title: "has just as many principals reject a quorum as are more than half of it, one after the other",
	Sends: []string{sendsGate, "{read run}", "{poll log}", "{answer node}, as each voter"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *VetoObservation) {
		h := host.Host{Conn: c}
		w, ballot := poll(ctx, h, dialect.ApprovalDataRejectionPolicyMajority)
		if o.Ballot = ballot; !w.waits() {
			return
		}
		w.vote(ctx, &o.Ballot, dialect.ApprovalActionReject, voters(h)[:ballot.Required/2+1]...)
	},
}

// quorumVetoed has one accept and another reject where one rejection is enough.
var quorumVetoed = &scenarios.Drive[VetoObservation]{
	ID:    "openwop/quorum-vetoed",
	Title: "has one principal accept a quorum in which each has a veto, and another reject it",
	Sends: []string{"{create run} (assay-quorum)", "{read run}", "{poll log}", "{answer node}, as two voters"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *VetoObservation) {
		h := host.Host{Conn: c}
		w, ballot := poll(ctx, h, dialect.ApprovalDataRejectionPolicySingleVeto)
		if o.Ballot = ballot; !w.waits() {
			return
		}
		o.Votes = append(o.Votes, w.looked(ctx, w.decides(ctx, dialect.ApprovalActionAccept)))
		w.vote(ctx, &o.Ballot, dialect.ApprovalActionReject, voters(h)[1])
	},
}

// ScopeObservation is an approval that somebody without the scope would have answered.
type ScopeObservation struct {
	Gate
	Read     host.Answered `json:"read"` // of the run, by who may not answer
	Low      Response      `json:"low"`
	Barrier  wire.Wait     `json:"barrier"`
	Later    host.RunLog   `json:"later"`
	Accepted Response      `json:"accepted"` // by the target's own key
	End      host.RunLog   `json:"end"`
}

// answeredWithoutScope has a credential answer that may not.
var answeredWithoutScope = &scenarios.Drive[ScopeObservation]{
	ID:    "openwop/answered-without-scope",
	Title: "has a run wait for an approval, has a credential without approvals:respond read it and accept, runs a sentinel, and accepts",
	Sends: []string{sendsGate, "{read run}, also with the low-scope key", "{poll log}",
		"{answer node}, with the low-scope key and with the key", "{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *ScopeObservation) {
		h := host.Host{Conn: c}
		low, ok := h.LowScope()
		if !ok {
			scenarios.End(scenarios.Block("there is nobody who may not answer: no key was given with --low-scope-key", giveLowScope))
		}
		way, err := scenarios.Attempt(func() gateWay { return approvalGate(h) })
		if h.Offers(fixture.UpstreamAuth) && h.Between(0, 1) == 0 {
			way, err = gateWay{fixture: fixture.UpstreamAuth, node: "gate"}, nil
		}
		scenarios.End(err)
		w := wait(ctx, h, way)
		if o.Gate = w.Gate; !w.waits() {
			return
		}
		o.Read = w.by(low).readAs(ctx)
		o.Low = w.by(low).decides(ctx, dialect.ApprovalActionAccept)
		w.settled(ctx, &o.Barrier, &o.Later)
		o.Accepted = w.decides(ctx, dialect.ApprovalActionAccept)
		o.End = w.ends(ctx, o.Accepted)
	},
}

// readAs reads a run. Any status is an answer.
func (w *Waiting) readAs(ctx context.Context) host.Answered {
	const what = "the run, read with the low-scope key"
	reply := w.Do(ctx, wire.Call{Operation: dialect.ReadRun.Of(w.ID), Label: what, Secrets: host.InterruptTokens})
	return host.AnsweredBy(what, reply)
}
