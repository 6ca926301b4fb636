package interrupts

import (
	"net/http"
	"strconv"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Who may answer, and how many it takes.

// counted blocks the judge if the host refused a vote: keys that it does not know
// show nothing about quorums.
func counted(j *scenarios.Judge, votes []Response) {
	for _, v := range votes {
		if !host.Succeeded(v.Status) {
			j.Block("setup failed: a principal's first vote is refused with HTTP "+v.Status.JSON(), giveVoterKeys)
		}
	}
}

// heard blocks the judge if named votes left the run waiting: a host may take all that comes with one key for one principal's.
func (b Ballot) heard(j *scenarios.Judge, after host.RunLog) {
	if b.Named && host.IsWaiting(after.Status().String()) {
		j.Block("a quorum takes a second voter: no key was given with --voter-key, and the host counts what comes with one key as "+
			"one principal's, whoever resumeValue.voter names",
			giveVoterKeys)
	}
}

// checkPartial checks that no vote but the last moved the run.
func (b Ballot) checkPartial(j *scenarios.Judge, id scenarios.RequirementID) {
	for i, v := range b.Votes[:len(b.Votes)-1] {
		b.checkUnmoved(j, id, v.After, "vote "+strconv.Itoa(i+1)+" of those that it takes")
	}
}

// principals are those of the votes that a log tells of.
func principals(l host.RunLog) wire.Found {
	return l.OfType(dialect.ApprovalGranted).Each("/payload/principal").Where(func(p wire.Value) bool { return p.Present() })
}

var quorumOfDistinct = scenarios.Scenario{
	ID:     "openwop/interrupts/quorum",
	Title:  "a quorum is filled by as many different principals as it asks for, and not by fewer",
	Proves: scenarios.IDs{openwop.OWPINT27}, Watches: scenarios.IDs{openwop.OWPRPL4},
	Claim: claims.Quorums,
	Ask: scenarios.Ask(quorumFilled, func(o QuorumObservation, j *scenarios.Judge) {
		o.Alone.heard(j, o.Alone.End)
		b := o.All
		b.given(j)
		b.checkPartial(j, openwop.OWPINT27)
		counted(j, b.Votes)
		b.heard(j, b.End)
		if j.Check(openwop.OWPINT27, b.End.Ended).To(check.Reached(), "after %d votes", b.Required) {
			b.End.Readable(j)
			j.Check(openwop.OWPINT27, b.End.Status()).To(check.Equal("completed"), "status of the run after %d votes", b.Required)
		}
		// A replay may take what came of the gate as a whole, and tell of no vote.
		if granted, again := principals(b.End), principals(o.Replayed); len(granted.Values) > 0 && len(again.Values) > 0 {
			j.Check(openwop.OWPRPL4, again).To(check.SameAs(granted), "principals of the votes in a replay")
		}
	}),
}

// rejectionsFill reports whether the host takes who rejects for one of those that a quorum asks for (OWP-R230).
func (o QuorumObservation) rejectionsFill() bool {
	votes := o.Mixed.Votes
	return len(votes) > 0 && host.IsTerminal(votes[len(votes)-1].After.Status().String())
}

// The control is the same gate, which the other voters then fill.
var quorumOneVote = scenarios.Scenario{
	ID:     "openwop/interrupts/one-vote-each",
	Title:  "one principal does not fill a quorum alone, however often it votes",
	Proves: scenarios.IDs{openwop.OWPINT28},
	Claim:  claims.Quorums,
	Ask: scenarios.Ask(quorumFilled, func(o QuorumObservation, j *scenarios.Judge) {
		b := o.Alone
		b.given(j)
		counted(j, b.Votes[:1])
		host.SentinelEnded(j, o.Barrier)
		if status := b.Votes[0].After.Status(); moved(b.Log, b.Votes[0].After) && host.IsTerminal(status.String()) {
			if status.String() == "completed" {
				j.Violates(openwop.OWPINT27, status, "setup failed: one vote filled the quorum")
			}
			j.Block("setup failed: the run is "+status.String()+" after one vote", "have the run wait until its quorum is filled")
		}
		for _, v := range b.Votes[1:o.Repeats] {
			j.Check(openwop.OWPINT28, v.Status).To(check.Status(2, 4), "another vote of the same principal")
		}
		if !b.checkUnmoved(j, openwop.OWPINT28, o.Later, "one principal had voted again and again") {
			return
		}
		counted(j, b.Votes[o.Repeats:])
		b.heard(j, b.End)
		j.Reach(b.End.Ended, giveVoterKeys) // two keys may be of one principal
		o.checkChanged(j)
	}),
}

// checkChanged expects that of two gates, at each of which one vote is missing if one principal has one vote, whether it is the first or
// the last that it cast, at most one was passed. Where who rejects fills a quorum, too, none is missing.
func (o QuorumObservation) checkChanged(j *scenarios.Judge) {
	if o.rejectionsFill() {
		return
	}
	passed := wire.Found{In: o.Alone.End.Status().Ref()}
	for _, b := range o.Changed {
		b.given(j)
		if status := b.End.Status(); status.String() == "completed" {
			passed.Values = append(passed.Values, status)
		}
	}
	if len(o.Changed) == 2 {
		passed.In = o.Changed[1].End.Status().Ref()
		j.Check(openwop.OWPINT28, passed).To(check.That("at most one", func(v any) bool {
			list, _ := v.([]any)
			return len(list) < 2
		}), "gates passed at which one principal had voted twice, and not for the same")
	}
}

var quorumMajority = scenarios.Scenario{
	ID:     "openwop/interrupts/majority-rejects",
	Title:  "where the majority decides, a gate is rejected by more than half of the votes and not by fewer",
	Proves: scenarios.IDs{openwop.OWPINT29},
	Claim:  claims.Quorums,
	Ask: scenarios.Ask(quorumRejected, func(o VetoObservation, j *scenarios.Judge) {
		for _, b := range append([]Ballot{o.Ballot}, o.Others...) {
			b.given(j)
			b.checkPartial(j, openwop.OWPINT29)
			counted(j, b.Votes)
			b.heard(j, b.End)
			checkRejected(j, openwop.OWPINT29, b.Gate, b.End, "reject")
		}
	}),
}

var quorumVeto = scenarios.Scenario{
	ID:     "openwop/interrupts/single-veto",
	Title:  "where each has a veto, the first rejection rejects the gate, whoever accepted before",
	Proves: scenarios.IDs{openwop.OWPINT30},
	Claim:  claims.Quorums,
	Ask: scenarios.Ask(quorumVetoed, func(o VetoObservation, j *scenarios.Judge) {
		o.given(j)
		o.checkPartial(j, openwop.OWPINT30)
		counted(j, o.Votes)
		o.heard(j, o.End)
		checkRejected(j, openwop.OWPINT30, o.Gate, o.End, "reject")
	}),
}

// The control is the key, which the host accepts for the same run.
var credentialNeeded = scenarios.Scenario{
	ID:     "openwop/interrupts/credential-needed",
	Title:  "an approval that asks for a credential is not answered by its token alone",
	Proves: scenarios.IDs{openwop.OWPINT31},
	Claim:  claims.AuthRequired,
	Ask: scenarios.Ask(tokenAlone, func(o TokenAloneObservation, j *scenarios.Judge) {
		o.given(j)
		j.Check(openwop.OWPINT31, o.Token.Status).To(check.Status(http.StatusUnauthorized, http.StatusForbidden), "%s", o.Token.Asked)
		host.SentinelEnded(j, o.Barrier)
		if !o.checkUnmoved(j, openwop.OWPINT31, o.Later, o.Token.Asked) {
			return
		}
		o.Accepted.accepted(j, openwop.OWPINT16, o.End)
		checkNoTrace(j, openwop.OWPINT31, o.End, o.Token)
	}),
}

// The controls are a read with the same credential, and an answer with the key.
var scopeNeeded = scenarios.Scenario{
	ID:     "openwop/interrupts/scope-needed",
	Title:  "a credential without the scope to answer interrupts is refused with 403 and moves nothing",
	Proves: scenarios.IDs{openwop.OWPINT32},
	Claim:  claims.ApprovalScopes,
	Ask: scenarios.Ask(answeredWithoutScope, func(o ScopeObservation, j *scenarios.Judge) {
		o.given(j)
		if !host.Succeeded(o.Read.Status) {
			j.Block("setup failed: the credential cannot read the run: HTTP "+o.Read.Status.JSON(), giveLowScope)
		}
		j.Check(openwop.OWPINT32, o.Low.Status).To(check.Status(http.StatusForbidden), "%s", o.Low.Asked)
		if o.Nowhere.Asked != "" { // who may not answer is told so before anybody looks for the run
			j.Check(openwop.OWPINT32, o.Nowhere.Status).To(check.Status(http.StatusForbidden), "%s, of a run that never was", o.Nowhere.Asked)
		}
		host.SentinelEnded(j, o.Barrier)
		if !o.checkUnmoved(j, openwop.OWPINT32, o.Later, o.Low.Asked) {
			return
		}
		o.Accepted.accepted(j, openwop.OWPINT16, o.End)
		checkNoTrace(j, openwop.OWPINT32, o.End, o.Low)
		if o.Token.Asked != "" {
			j.Check(openwop.OWPINT32, o.Token.Status).To(check.Status(http.StatusUnauthorized, http.StatusForbidden), "%s", o.Token.Asked)
			o.Beside.checkUnmoved(j, openwop.OWPINT32, o.Token.After, o.Token.Asked)
		}
	}),
}
