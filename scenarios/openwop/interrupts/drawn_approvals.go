package interrupts

import (
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Approvals of drawn rounds: what holds for the first question, answer and key holds for each.

var drawnRefused = scenarios.Scenario{
	ID: "openwop/interrupts/near-misses-refused",
	Title: "whatever is close to an answer that an approval takes is refused and moves nothing, however often the approval was asked " +
		"about before",
	Proves: scenarios.IDs{openwop.OWPINT13, openwop.OWPINT14, openwop.OWPINT20},
	Claim:  claims.Approvals,
	Ask: ofEachApproval(func(o DrawnApproval, j *scenarios.Judge) {
		for i, r := range o.Rounds {
			tokens := slices.DeleteFunc(slices.Clone(r.Wrong), func(w Wrong) bool { return w.Miss != wrongToken && w.Miss != spentToken })
			spoilt(j, Round{Wrong: tokens}, map[miss]scenarios.RequirementID{wrongToken: openwop.OWPINT39, spentToken: openwop.OWPINT38})
			r.checkRefused(j, i, func(m miss) (scenarios.RequirementID, []int) {
				switch m {
				case wrongAnswer:
					return openwop.OWPINT20, []int{http.StatusBadRequest, http.StatusUnprocessableEntity}
				case noNode:
					return openwop.OWPINT14, []int{http.StatusNotFound}
				case idleNode:
					return openwop.OWPINT14, []int{4}
				case atNode, wrongToken, spentToken:
				}
				return "", nil
			})
		}
		o.Decided.taken(j)
		for _, w := range o.wrong() {
			checkNoTrace(j, openwop.OWPINT13, o.End, w.Response)
		}
	}),
}

var drawnTokens = scenarios.Scenario{
	ID:     "openwop/interrupts/tokens-of-each-round",
	Title:  "a token that is close to that of an approval, and one of the round before, answers nothing",
	Proves: scenarios.IDs{openwop.OWPINT38, openwop.OWPINT39},
	Claim:  claims.AnsweredByToken,
	Ask: scenarios.Ask(drawnApprovals, func(o DrawnApprovalsObservation, j *scenarios.Judge) {
		wrong, spent := 0, 0
		for _, a := range o.Approvals {
			a.given(j)
			for _, w := range a.wrong() {
				switch w.Miss {
				case wrongToken:
					wrong++
					j.Check(openwop.OWPINT39, w.Status).To(check.Status(4), "%s", w.Asked)
				case spentToken:
					spent++
					j.Check(openwop.OWPINT38, w.Status).To(check.Status(4), "%s", w.Asked)
				case wrongAnswer, atNode, noNode, idleNode:
				}
			}
			for _, late := range a.Spent {
				spent++
				j.Check(openwop.OWPINT38, late.Status).To(check.Status(4), "%s", late.Asked)
			}
		}
		if wrong == 0 || spent == 0 {
			j.Block("no snapshot of a run that waits for an approval shows an interruptToken", showTokens)
		}
	}),
}

var drawnAsked = scenarios.Scenario{
	ID:     "openwop/interrupts/asked-each-time",
	Title:  "a question about an approval decides nothing, however many were asked before, and the gate can be decided afterwards",
	Proves: scenarios.IDs{openwop.OWPINT19},
	Claim:  claims.Approvals,
	Ask: scenarios.Ask(drawnApprovals, func(o DrawnApprovalsObservation, j *scenarios.Judge) {
		o.unasked(j)
		asked := false
		for _, a := range o.Approvals {
			a.given(j)
			a.told(j)
			a.unspoilt(j)
			asked = asked || a.Asks > 0
			a.checkAsked(j)
		}
		if !asked {
			j.Block("the approval on offer cannot be asked about", "offer assay-approval or assay-scripted-approval")
		}
	}),
}

var drawnKeys = scenarios.Scenario{
	ID:     "openwop/interrupts/keys-differ-each-time",
	Title:  "each suspension of a run has a key of its own, however many there are",
	Proves: scenarios.IDs{openwop.OWPINT9},
	Claim:  claims.Approvals,
	Ask: ofEachApproval(func(o DrawnApproval, j *scenarios.Judge) {
		o.unspoilt(j)
		found := keys(o.Rounds[len(o.Rounds)-1].Log)
		if len(found.Values) == 0 {
			j.Block("no event of a suspension shows its key", "emit node.suspended or interrupt.requested with the key of the interrupt")
		}
		j.Check(openwop.OWPINT9, found).To(check.Distinct(), "keys of %d suspensions", len(o.Rounds))
	}),
}

var drawnDecided = scenarios.Scenario{
	ID: "openwop/interrupts/decided-exactly",
	Title: "a run whose approval was accepted goes on with the artifact to the last member, or with the edited one, whatever came before; " +
		"one that was rejected shows it",
	Proves: scenarios.IDs{openwop.OWPINT16, openwop.OWPINT17, openwop.OWPINT18},
	Claim:  claims.Approvals,
	Ask: ofEachApproval(func(o DrawnApproval, j *scenarios.Judge) {
		o.unspoilt(j)
		o.asked(j)
		if o.Asks > 0 && o.Action != dialect.ApprovalActionReject { // another scenario says what questions do to the decision
			o.Decided.accepted(j, openwop.OWPINT19, o.End)
		}
		if o.Action == dialect.ApprovalActionReject {
			if j.Check(openwop.OWPINT17, o.Decided.Status).To(check.Status(2), "%s", o.Decided.Asked) {
				checkRejected(j, openwop.OWPINT17, o.Gate, o.End, "reject")
			}
			return
		}
		if !j.Check(openwop.OWPINT16, o.Decided.Status).To(check.Status(2), "%s", o.Decided.Asked) || !j.Check(openwop.OWPINT16,
			o.End.Ended).To(check.Reached(), "when it was decided") {
			return
		}
		o.End.Readable(j)
		j.Check(openwop.OWPINT16, o.End.Status()).To(check.Equal("completed"), "status of the run")
		o.checkArtifacts(j)
	}),
}

var drawnOver = scenarios.Scenario{
	ID:     "openwop/interrupts/over-for-good",
	Title:  "an approval that was decided, however, takes no other answer, by its node or by its token",
	Proves: scenarios.IDs{openwop.OWPINT2},
	Claim:  claims.Approvals,
	Ask: ofEachApproval(func(o DrawnApproval, j *scenarios.Judge) {
		o.unspoilt(j)
		o.asked(j)
		o.Decided.taken(j)
		if !o.End.Ended.Reached {
			j.Block("setup failed: the run did not end when its approval was decided: its status is "+o.End.Status().JSON(),
				"have the run of the fixture end once it is answered")
		}
		for _, late := range o.Late {
			j.Check(openwop.OWPINT2, late.Status).To(check.Status(http.StatusNotFound, http.StatusConflict, http.StatusGone),
				"%s, when it was decided: %s", late.Asked, o.Decided.Asked)
		}
		checkUntouched(j, openwop.OWPINT2, o.End, o.Later, "further answers")
		checkNoTrace(j, openwop.OWPINT2, o.Later, o.Late...)
	}),
}

// ofEachApproval asks one question about every approval.
func ofEachApproval(judge func(DrawnApproval, *scenarios.Judge)) scenarios.Question {
	return scenarios.Ask(drawnApprovals, func(o DrawnApprovalsObservation, j *scenarios.Judge) {
		for _, a := range o.Approvals {
			a.given(j)
			judge(a, j)
		}
	})
}

// wrong are the answers that had to be refused.
func (o DrawnApproval) wrong() (out []Wrong) {
	for _, r := range o.Rounds {
		out = append(out, r.Wrong...)
	}
	return out
}

// checkAsked checks that each question about the approval was taken and left it open, and that it was decided behind them.
func (o DrawnApproval) checkAsked(j *scenarios.Judge) {
	for i, r := range o.Rounds {
		if r.Asked == nil {
			continue
		}
		if !j.Check(openwop.OWPINT19, r.Asked.Status).To(check.Status(2), "%s, for the %d. time", r.Asked.Asked, i+1) || i+1 == len(o.Rounds) {
			return
		}
		next := o.Rounds[i+1]
		if !j.Check(openwop.OWPINT19, next.Waits).To(check.Reached(), "after question %d", i+1) {
			return
		}
		next.Log.Readable(j)
		j.Check(openwop.OWPINT19, next.Log.Status()).To(host.Waiting(), "status of the run after question %d", i+1)
		j.Check(openwop.OWPINT19, next.Log.OfType(dialect.NodeCompleted)).To(check.Len(0), "nodes that are completed after question %d", i+1)
	}
	if o.Asks > 0 {
		j.Check(openwop.OWPINT19, o.Decided.Status).To(check.Status(2), "%s, when it was asked about %d times", o.Decided.Asked, o.Asks)
		if j.Check(openwop.OWPINT19, o.End.Ended).To(check.Reached(), "when it was decided") && o.Action != dialect.ApprovalActionReject {
			j.Check(openwop.OWPINT19, o.End.Status()).To(check.Equal("completed"), "status of the run when it was decided: %s", o.Decided.Asked)
		}
	}
}

// unasked blocks the judge unless the approval that nobody asked about came to its end: then what happens to another is no matter of
// the questions about it.
func (o DrawnApprovalsObservation) unasked(j *scenarios.Judge) {
	first := o.Approvals[0]
	first.given(j)
	first.unspoilt(j)
	first.Decided.accepted(j, openwop.OWPINT16, first.End)
}

// told blocks the judge unless the log shows when the gate waits.
func (o DrawnApproval) told(j *scenarios.Judge) {
	if o.Asks > 0 && len(suspensions(o.Log, o.Node).Values) == 0 {
		j.Violates(openwop.OWPINT8, o.Log.All(), "setup failed: the log does not show when the gate waits, or waits again")
		j.Block("setup failed: the log does not show when the gate waits", "emit node.suspended or interrupt.requested")
	}
}

// unspoilt blocks the judge if an answer that had to be refused was taken, or moved the run.
func (o DrawnApproval) unspoilt(j *scenarios.Judge) {
	rules := map[miss]scenarios.RequirementID{wrongAnswer: openwop.OWPINT20, noNode: openwop.OWPINT14, idleNode: openwop.OWPINT14,
		wrongToken: openwop.OWPINT39, spentToken: openwop.OWPINT38}
	for _, r := range o.Rounds {
		spoilt(j, r, rules)
	}
}

// spoilt blocks the judge if a wrong answer of the round was taken, or moved the run. rules say by what such answers are refused.
func spoilt(j *scenarios.Judge, r Round, rules map[miss]scenarios.RequirementID) {
	for _, w := range r.Wrong {
		if host.Succeeded(w.Status) {
			reason := "setup failed: an answer that had to be refused was taken: " + w.Asked
			j.Violates(rules[w.Miss], w.Status, reason)
			j.Block(reason, "refuse the answer, and leave the run as it is")
		}
	}
	if moved(r.Log, r.After) {
		const reason = "setup failed: an answer that was refused moved the run"
		j.Violates(openwop.OWPINT13, host.Steps(r.After).Each("/type"), reason)
		j.Block(reason, "leave the run as it is")
	}
}

// checkRefused checks that all that was wrong in the nth round, from 0, was refused, as rule says, and moved nothing. Behind what did
// move the run, or was taken, no other refusal says anything.
func (r Round) checkRefused(j *scenarios.Judge, n int, rule func(miss) (scenarios.RequirementID, []int)) {
	taken := slices.IndexFunc(r.Wrong, func(w Wrong) bool { return host.Succeeded(w.Status) })
	when := "what was refused"
	if n > 0 {
		when += ", behind a question about it"
	}
	if taken < 0 && len(r.Wrong) > 0 {
		r.After.Readable(j)
		j.Require(j.Check(openwop.OWPINT13, host.Steps(r.After).Each("/eventId")).To(check.SameAs(host.Steps(r.Log).Each("/eventId")),
			"steps of the run after %s", when))
		j.Check(openwop.OWPINT13, r.After.Status()).To(check.SameAs(r.Waits.Last.Key("status")), "status of the run after %s", when)
	}
	for i, w := range r.Wrong {
		if id, statuses := rule(w.Miss); id != "" && (taken < 0 || i <= taken) {
			j.Check(id, w.Status).To(check.Status(statuses...), "%s", w.Asked)
		}
	}
	if taken >= 0 {
		j.End()
	}
}

// asked blocks the judge unless every question about the approval was taken and left it open.
func (o DrawnApproval) asked(j *scenarios.Judge) {
	o.told(j)
	for i, r := range o.Rounds {
		if r.Asked != nil && (i+1 == len(o.Rounds) || !o.Rounds[i+1].Waits.Reached) {
			const reason = "setup failed: a question about the approval left it no longer open"
			j.Violates(openwop.OWPINT19, r.Asked.Status, reason)
			j.Block(reason, "take the question, and have the gate wait again")
		}
	}
}

// checkArtifacts compares the artifact with which the run went on, and what was said, wherever the run shows them.
func (o DrawnApproval) checkArtifacts(j *scenarios.Judge) {
	shown := products(o.End)
	if len(shown.Values) == 0 {
		j.Block("the run shows neither its variables nor the outputs of its nodes, so the artifact cannot be checked",
			"show the variables of a run, or put the outputs of its nodes on the log")
	}
	want := o.Draft
	if o.Edited != nil {
		want = o.Edited
	}
	if !o.Ours || want == nil {
		j.Block("what the run shows behind its gate has no artifact of ours", "offer assay-approval")
	}
	j.Check(openwop.OWPINT18, shown.Each("/artifact").Where(wire.Value.Present)).To(check.Each(check.Equal(want)),
		"the artifact as it was accepted, wherever the run shows it")
	j.Check(openwop.OWPINT18, shown.Each("/answer/comment").Where(wire.Value.Present)).To(check.Each(check.Equal(o.Decided.Marker)),
		"what was said when it was accepted, wherever the run shows it")
}
