package interrupts

import (
	"context"
	"fmt"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

const (
	giveVoterKeys = "give keys of other principals of the same tenant that may answer interrupts, with --voter-key " +
		"(repeatable) or ASSAY_VOTER_KEYS"
	giveLowScope = "give a key of the same tenant that may make and read runs and not answer interrupts, with " +
		"--low-scope-key or ASSAY_LOW_SCOPE_KEY"
)

// Ballot is a gate at which several principals voted, one after the other.
type Ballot struct {
	Gate
	Required int         `json:"required"`
	Named    bool        `json:"named,omitempty"` // the answers name their voters, who have one key
	Votes    []Response  `json:"votes"`           // with the run after each but the last
	End      host.RunLog `json:"end"`             // if the last vote was taken

	voters []voter // as many as it asks for
}

// QuorumObservation is two gates. At the first, one voter voted repeatedly
// before others did; at the second, each voted once.
type QuorumObservation struct {
	Alone   Ballot      `json:"alone"`
	Repeats int         `json:"repeats"` // how many of the first gate's votes came from one voter
	Barrier wire.Wait   `json:"barrier"` // after these
	Later   host.RunLog `json:"later"`
	All     Ballot      `json:"all"`
	// At two more gates the first voter votes twice, otherwise the second time, and each other voter accepts. Whichever of the two votes
	// a host counts, one of these gates lacks a vote.
	Changed []Ballot `json:"changed,omitempty"`
	// Mixed is a gate at which one rejected and the others accepted, as many as it asks for, the last of them an acceptance.
	Mixed Ballot `json:"mixed,omitzero"`
	// Replayed is a replay of the run at the second gate. Zero at quick, or where the host makes none.
	Replayed host.RunLog `json:"replayed,omitzero"`
}

// A voter is a principal with a key of its own, or one that the answer names beside the target's own key: hosts go by the one or
// the other.
type voter struct {
	*scenarios.Conn
	name string // resumeValue.voter; "" if the key says who it is
}

// keyed returns the target's own key and every --voter-key.
func keyed(h host.Host) []voter {
	out := []voter{{Conn: h.Conn}}
	for {
		v, ok := h.Voter(len(out) - 1)
		if !ok {
			return out
		}
		out = append(out, voter{Conn: v})
	}
}

// voters returns this many voters: those with keys, or by name if there are too few keys.
func voters(h host.Host, n int) (out []voter, named bool) {
	if with := keyed(h); len(with) >= n {
		return with[:n], false
	}
	for range n {
		out = append(out, voter{h.Conn, h.Name("voter")})
	}
	return out, true
}

// namedPatience is how long a run is followed whose voters have one key, beside what a few runs take on this host. A host that is
// slower than that is not blamed.
const namedPatience = 500 * time.Millisecond

const (
	upstreamAsks = 3 // votes, as assay-scripted-veto does
	mostVotes    = 5
)

// quorumWay returns a gate that requires no more votes than the operator gave keys, unless that is only one.
func quorumWay(h host.Host, policy dialect.ApprovalDataRejectionPolicy) (way gateWay, required int) {
	if h.Offers(fixture.Quorum) {
		there := len(keyed(h))
		if there == 1 {
			there = mostVotes
		}
		required = h.Between(2, min(there, mostVotes))
		return quorumOf(h, required, policy), required
	}
	if veto := policy == dialect.ApprovalDataRejectionPolicySingleVeto; veto && h.Offers(fixture.ScriptedVeto) {
		return gateWay{fixture: fixture.ScriptedVeto, node: "gate"}, upstreamAsks
	} else if veto {
		h.Lacks(fmt.Sprintf("upstream's quorum asks for %d votes and lets the majority decide", upstreamAsks), fixture.Quorum)
	}
	way = gateOf(h, gateWay{fixture: fixture.Quorum, node: "gate"}, gateWay{fixture: fixture.UpstreamQuorum, node: "gate"})
	return way, upstreamAsks
}

// quorumOf returns our gate that asks for this many votes.
func quorumOf(h host.Host, required int, policy dialect.ApprovalDataRejectionPolicy) gateWay {
	return ourGate(h, gateWay{fixture: fixture.Quorum, node: "gate", inputs: map[string]any{"requiredApprovals": required,
		"rejectionPolicy": policy}})
}

// poll waits at a gate that needs several votes.
func poll(ctx context.Context, h host.Host, policy dialect.ApprovalDataRejectionPolicy) (*Waiting, Ballot) {
	way, required := quorumWay(h, policy)
	return pollAt(ctx, h, way, required)
}

// pollAt waits at a gate that needs this many votes.
func pollAt(ctx context.Context, h host.Host, way gateWay, required int) (*Waiting, Ballot) {
	w := wait(ctx, h, way)
	b := Ballot{Gate: w.Gate, Required: required}
	b.voters, b.Named = voters(h, required)
	return w, b
}

// vote has each voter vote once. It reads the run after each vote but the last,
// and then follows it to its end.
func (w *Waiting) vote(ctx context.Context, b *Ballot, action dialect.ApprovalAction, voters ...voter) {
	for i, v := range voters {
		a := w.voteOf(ctx, v, action)
		if i < len(voters)-1 {
			a = w.withLog(ctx, a)
		}
		b.Votes = append(b.Votes, a)
	}
	last := *w
	if b.Named { // a host that counts them as one leaves the run waiting, and is not blamed
		hurried := *w.Conn
		hurried.Patience = min(hurried.Patience, namedPatience+3*(w.Pace.Turn()+w.Pace.Run()))
		last.Run = &host.Run{Host: host.Host{Conn: &hurried}, ID: w.ID, Created: w.Created, Gone: w.Gone}
	}
	b.End = last.finishAfter(ctx, b.Votes[len(b.Votes)-1])
}

// voteOf answers as a voter.
func (w *Waiting) voteOf(ctx context.Context, v voter, action dialect.ApprovalAction) Response {
	if v.name == "" {
		return w.by(v.Conn).decide(ctx, action)
	}
	marker := w.Marker()
	value := decision(action, marker)
	value["voter"] = v.name
	return w.answer(ctx, "to "+string(action)+" as "+v.name, marker, value)
}

// quorumFilled has one voter vote repeatedly at one gate, and enough voters vote at another.
var quorumFilled = &scenarios.Drive[QuorumObservation]{
	ID: "openwop/quorum-filled",
	Title: "has one principal accept as often as a quorum asks for, runs a sentinel, and has others accept; and has as many " +
		"principals as another quorum asks for accept, one after the other; at two more, one votes, votes otherwise, and the others accept; " +
		"at the last, one rejects and the others accept; beyond quick, the first votes by node and by token, and the second gate is replayed",
	Sends: []string{sendsGate + ", five times", "{read run}", "{poll log}", "{answer node}, as each voter", "{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *QuorumObservation) {
		h := host.Host{Conn: c}
		w, alone := poll(ctx, h, dialect.ApprovalDataRejectionPolicyMajority)
		o.Alone = alone
		if w.isWaiting() {
			w.fillAlone(ctx, o)
		}
		if alone.Named && host.IsWaiting(o.Alone.End.Status().String()) {
			return // its votes count as one, so there is nothing to see at another gate
		}
		w, all := poll(ctx, h, dialect.ApprovalDataRejectionPolicyMajority)
		if o.All = all; !w.isWaiting() {
			return
		}
		w.vote(ctx, &o.All, dialect.ApprovalActionAccept, all.voters...)
		if !o.All.Named && o.All.End.Ended.Reached {
			o.Changed = changedVotes(ctx, h)
			mixedVotes(ctx, h, o)
			if _, claimed := claims.ForkReplay.Look(h.Discovery); claimed && h.Depth > scenarios.Quick {
				if fork := h.Fork(ctx, w.Run); fork.ID != "" {
					o.Replayed = fork.Settle(ctx, "log of the replay of the votes")
				}
			}
		}
	},
}

// mixedVotes has one voter reject and the others accept, as many as the gate asks for.
func mixedVotes(ctx context.Context, h host.Host, o *QuorumObservation) {
	w, b := poll(ctx, h, dialect.ApprovalDataRejectionPolicyMajority)
	if o.Mixed = b; !w.isWaiting() {
		return
	}
	rejects := h.Between(0, b.Required-2) // not the last: an acceptance could be taken for enough
	for i, v := range keyed(h)[:b.Required] {
		action := dialect.ApprovalActionAccept
		if i == rejects {
			action = dialect.ApprovalActionReject
		}
		o.Mixed.Votes = append(o.Mixed.Votes, w.withLog(ctx, w.voteOf(ctx, v, action)))
	}
	w.Stop(ctx, "to cancel the run at which one rejected")
}

// changedVotes has a voter reject and then accept, and one accept and then reject, and has the others accept.
func changedVotes(ctx context.Context, h host.Host) []Ballot {
	out := make([]Ballot, 2)
	minds := [][]dialect.ApprovalAction{{dialect.ApprovalActionReject, dialect.ApprovalActionAccept},
		{dialect.ApprovalActionAccept, dialect.ApprovalActionReject}}
	for i, mind := range minds {
		w, b := poll(ctx, h, dialect.ApprovalDataRejectionPolicyMajority)
		if w.isWaiting() {
			for _, action := range mind {
				b.Votes = append(b.Votes, w.voteOf(ctx, b.voters[0], action))
			}
			for _, v := range b.voters[1:] {
				b.Votes = append(b.Votes, w.voteOf(ctx, v, dialect.ApprovalActionAccept))
			}
			var barrier wire.Wait
			w.settle(ctx, &barrier, &b.End)
			w.Stop(ctx, "to cancel the run whose voter changed its mind")
		}
		out[i] = b
	}
	return out
}

// fillAlone has the first voter accept once more often than the quorum requires,
// and then has the others accept. It reads the run after the first vote.
func (w *Waiting) fillAlone(ctx context.Context, o *QuorumObservation) {
	for i := range o.Alone.Required + 1 {
		vote := func() Response { return w.voteOf(ctx, o.Alone.voters[0], dialect.ApprovalActionAccept) }
		if i%2 == 1 && w.Depth > scenarios.Quick && w.token != "" && !o.Alone.Named {
			vote = func() Response { return w.voteByToken(ctx, o.Alone.voters[0]) }
		}
		a := vote()
		if i == 0 {
			a = w.withLog(ctx, a)
		}
		o.Alone.Votes = append(o.Alone.Votes, a)
	}
	o.Repeats = len(o.Alone.Votes)
	w.settle(ctx, &o.Barrier, &o.Later)
	w.vote(ctx, &o.Alone, dialect.ApprovalActionAccept, o.Alone.voters[1:]...)
}

// voteByToken accepts with the token and the credential of a voter, who is the same principal as at the node.
func (w *Waiting) voteByToken(ctx context.Context, v voter) Response {
	marker := w.Marker()
	return w.tokenFrom(ctx, v.Conn, false, w.token, "to accept with the token and the key of who voted before", marker,
		decision(dialect.ApprovalActionAccept, marker))
}

// VetoObservation is a gate that enough voters rejected.
type VetoObservation struct {
	Ballot
	// Others are gates that ask for other numbers of votes, even and odd, as many as there are keys for. None at quick.
	Others []Ballot `json:"others,omitempty"`
}

// quorumRejected has the smallest majority reject.
var quorumRejected = &scenarios.Drive[VetoObservation]{
	ID: "openwop/quorum-rejected",
	Title: "has just as many principals reject a quorum as are more than half of it, one after the other; beyond quick at quorums of " +
		"other numbers, too",
	Sends: []string{sendsGate, "{read run}", "{poll log}", "{answer node}, as each voter"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *VetoObservation) {
		h := host.Host{Conn: c}
		w, ballot := poll(ctx, h, dialect.ApprovalDataRejectionPolicyMajority)
		if o.Ballot = ballot; !w.isWaiting() {
			return
		}
		w.vote(ctx, &o.Ballot, dialect.ApprovalActionReject, ballot.voters[:ballot.Required/2+1]...)
		if h.Depth > scenarios.Quick && !ballot.Named && h.Offers(fixture.Quorum) {
			o.rejectOthers(ctx, h)
		}
	},
}

// rejectOthers has gates rejected that ask for other numbers of votes: half of an even number is not more than half.
func (o *VetoObservation) rejectOthers(ctx context.Context, h host.Host) {
	const policy = dialect.ApprovalDataRejectionPolicyMajority
	for required := 2; required <= min(len(keyed(h)), mostVotes); required++ {
		if required == o.Required {
			continue
		}
		w, b := pollAt(ctx, h, quorumOf(h, required, policy), required)
		if w.isWaiting() {
			w.vote(ctx, &b, dialect.ApprovalActionReject, b.voters[:required/2+1]...)
		}
		o.Others = append(o.Others, b)
	}
}

// quorumVetoed has one voter accept and another reject where a single rejection decides.
var quorumVetoed = &scenarios.Drive[VetoObservation]{
	ID:    "openwop/quorum-vetoed",
	Title: "has one principal accept a quorum in which each has a veto, and another reject it",
	Sends: []string{"{create run} (assay-quorum, else assay-scripted-veto)", "{read run}", "{poll log}", "{answer node}, as two voters"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *VetoObservation) {
		h := host.Host{Conn: c}
		w, ballot := poll(ctx, h, dialect.ApprovalDataRejectionPolicySingleVeto)
		if o.Ballot = ballot; !w.isWaiting() {
			return
		}
		o.Votes = append(o.Votes, w.withLog(ctx, w.voteOf(ctx, ballot.voters[0], dialect.ApprovalActionAccept)))
		w.vote(ctx, &o.Ballot, dialect.ApprovalActionReject, ballot.voters[1])
	},
}

// ScopeObservation is an approval that a credential without the scope tried to answer.
type ScopeObservation struct {
	Gate
	Read     host.Answered `json:"read"` // the run, read with the low-scope key
	Low      Response      `json:"low"`
	Barrier  wire.Wait     `json:"barrier"`
	Later    host.RunLog   `json:"later"`
	Accepted Response      `json:"accepted"` // by the target's own key
	End      host.RunLog   `json:"end"`
	// Nowhere is the answer of the low-scope key to a run that never was.
	Nowhere host.Answered `json:"nowhere,omitzero"`
	// Beside is an approval that asks for a credential, answered with its token and the low-scope key.
	Beside Gate     `json:"beside,omitzero"`
	Token  Response `json:"token,omitzero"` // with the run after it
}

// answeredWithoutScope answers with a credential that lacks the scope, then with the key.
var answeredWithoutScope = &scenarios.Drive[ScopeObservation]{
	ID: "openwop/answered-without-scope",
	Title: "has a run wait for an approval, has a credential without approvals:respond read it and accept, runs a sentinel, and accepts; " +
		"sends that credential beside the token of an approval that asks for one",
	Sends: []string{sendsGate, "{read run}, also with the low-scope key", "{poll log}",
		"{answer node}, with the low-scope key and with the key", "{use token} with the low-scope key", "{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *ScopeObservation) {
		h := host.Host{Conn: c}
		low, ok := h.LowScope()
		if !ok {
			scenarios.End(scenarios.Block("this takes a key that may not answer, and no key was given with --low-scope-key", giveLowScope))
		}
		way, err := scenarios.Attempt(func() gateWay { return approvalGate(h) })
		if h.Offers(fixture.UpstreamAuth) && h.Between(0, 1) == 0 {
			way, err = gateWay{fixture: fixture.UpstreamAuth, node: "gate"}, nil
		}
		scenarios.End(err)
		w := wait(ctx, h, way)
		if o.Gate = w.Gate; !w.isWaiting() {
			return
		}
		o.Read = w.by(low).readAs(ctx)
		o.Low = w.by(low).decide(ctx, dialect.ApprovalActionAccept)
		never := w.by(low)
		never.Run = &host.Run{Host: host.Host{Conn: low}, ID: host.StrangerOf(w.ID), Created: w.Created, Gone: w.Gone}
		o.Nowhere = never.decide(ctx, dialect.ApprovalActionAccept).Answered
		w.settle(ctx, &o.Barrier, &o.Later)
		o.Accepted = w.decide(ctx, dialect.ApprovalActionAccept)
		o.End = w.finishAfter(ctx, o.Accepted)
		if h.Offers(fixture.UpstreamAuth) {
			o.answerBeside(ctx, h, low)
		}
	},
}

// answerBeside accepts with a token beside which low is the credential.
func (o *ScopeObservation) answerBeside(ctx context.Context, h host.Host, low *scenarios.Conn) {
	w := wait(ctx, h, gateWay{fixture: fixture.UpstreamAuth, node: "gate"})
	o.Beside = w.Gate
	if !w.isWaiting() {
		return
	}
	if w.token != "" {
		marker := h.Marker()
		o.Token = w.withLog(ctx, w.tokenFrom(ctx, low, false, w.token, "to accept with the token and the low-scope key", marker,
			decision(dialect.ApprovalActionAccept, marker)))
	}
	w.Stop(ctx, "to cancel the run that asked for a credential")
}

// readAs reads the run. Any status is accepted.
func (w *Waiting) readAs(ctx context.Context) host.Answered {
	const what = "the run, read with the low-scope key"
	reply := w.Do(ctx, wire.Call{Operation: dialect.ReadRun.Of(w.ID), Label: what, Secrets: host.InterruptTokens})
	return host.AnsweredBy(what, reply)
}
