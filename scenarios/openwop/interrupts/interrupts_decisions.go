package interrupts

import (
	"net/http"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
)

// Answers to an approval: what right ones do, and what wrong ones must not do.

var gateAccepted = scenarios.Scenario{
	ID:     "openwop/interrupts/accepted",
	Title:  "an approval that is accepted lets the run go on",
	Proves: scenarios.IDs{openwop.OWPINT16},
	Claim:  claims.Approvals,
	Ask: scenarios.Ask(approvalAnswered, func(o ApprovalObservation, j *scenarios.Judge) {
		o.given(j)
		o.unspoilt(j, openwop.OWPINT20, o.Unoffered...)
		o.unspoilt(j, openwop.OWPINT14, o.Nowhere)
		o.unspoiltBehind(j, o.Later)
		if !j.Check(openwop.OWPINT16, o.Accepted.Status).To(check.Status(2), "%s", o.Accepted.Asked) || !j.Check(openwop.OWPINT16,
			o.End.Ended).To(check.Reached(), "after it was accepted") {
			return
		}
		o.End.Readable(j)
		j.Check(openwop.OWPINT16, o.End.Status()).To(check.Equal("completed"), "status of the run")
	}),
}

var gateRejected = scenarios.Scenario{
	ID:     "openwop/interrupts/rejected",
	Title:  "an approval that is rejected ends the wait, and the run shows that it was rejected",
	Proves: scenarios.IDs{openwop.OWPINT17},
	Claim:  claims.Approvals,
	Ask: scenarios.Ask(approvalRejected, func(o DecidedObservation, j *scenarios.Judge) {
		o.given(j)
		if j.Check(openwop.OWPINT17, o.Decided.Status).To(check.Status(2), "%s", o.Decided.Asked) {
			checkRejected(j, openwop.OWPINT17, o.Gate, o.End, "reject")
		}
	}),
}

var gateCarries = scenarios.Scenario{
	ID:     "openwop/interrupts/artifact",
	Title:  "a run whose approval was accepted goes on with the artifact that the approval was about, and with what was said",
	Proves: scenarios.IDs{openwop.OWPINT18},
	Claim:  claims.Approvals,
	Ask: scenarios.Ask(approvalAnswered, func(o ApprovalObservation, j *scenarios.Judge) {
		o.given(j)
		o.Accepted.accepted(j, openwop.OWPINT16, o.End)
		switch {
		case !o.Ours:
			j.Block("upstream's approval has no artifact", "offer assay-approval")
		default:
			if checkArtifact(j, o.End, o.Draft) {
				j.Check(openwop.OWPINT18, carried(o.End)).To(someHolding(o.Accepted.Marker), "what was said when it was accepted, as the run has it")
			}
		}
	}),
}

var gateEdited = scenarios.Scenario{
	ID:     "openwop/interrupts/edited",
	Title:  "an approval that is accepted with an edit lets the run go on with the edited artifact and not with the draft",
	Proves: scenarios.IDs{openwop.OWPINT18},
	Claim:  claims.Approvals,
	Ask: scenarios.Ask(approvalEdited, func(o DecidedObservation, j *scenarios.Judge) {
		o.given(j)
		if !j.Check(openwop.OWPINT18, o.Decided.Status).To(check.Status(2), "%s", o.Decided.Asked) || !j.Check(openwop.OWPINT18,
			o.End.Ended).To(check.Reached(), "after it was accepted") {
			return
		}
		o.End.Readable(j)
		j.Check(openwop.OWPINT18, o.End.Status()).To(check.Equal("completed"), "status of the run")
		checkArtifact(j, o.End, o.Decided.Marker)
	}),
}

// The control is the acceptance: the gate could be passed.
var gateQuestioned = scenarios.Scenario{
	ID:     "openwop/interrupts/asked",
	Title:  "a question about an approval decides nothing, and the gate can be accepted afterwards",
	Proves: scenarios.IDs{openwop.OWPINT19},
	Claim:  claims.Approvals,
	Ask: scenarios.Ask(approvalAskedAbout, func(o AskedAboutObservation, j *scenarios.Judge) {
		o.given(j)
		if len(suspensions(o.Log, o.Node).Values) == 0 {
			j.Violates(openwop.OWPINT8, o.Log.All(), "setup failed: the log does not show when the gate waits, or waits again")
		}
		if !j.Check(openwop.OWPINT19, o.Asked.Status).To(check.Status(2), "%s", o.Asked.Asked) ||
			!o.leftOpen() && !j.Check(openwop.OWPINT19, o.Again).To(check.Reached(), "after the question") {
			return
		}
		o.Between.Readable(j)
		j.Check(openwop.OWPINT19, o.Between.Status()).To(host.Waiting(),
			"status of the run after the question")
		completed := o.Between.OfType(dialect.NodeCompleted)
		j.Check(openwop.OWPINT19, completed).To(check.Len(0), "nodes that are completed after the question")
		o.Accepted.taken(j)
		j.Check(openwop.OWPINT19, o.End.Ended).To(check.Reached(), "after it was accepted")
		j.Check(openwop.OWPINT19, o.End.Status()).To(check.Equal("completed"), "status of the run after it was accepted")
	}),
}

var gateUnoffered = scenarios.Scenario{
	ID:     "openwop/interrupts/action-not-offered",
	Title:  "an action that an approval does not offer is refused and moves nothing",
	Proves: scenarios.IDs{openwop.OWPINT13, openwop.OWPINT20},
	Claim:  claims.Approvals,
	Ask: scenarios.Ask(approvalAnswered, func(o ApprovalObservation, j *scenarios.Judge) {
		o.given(j)
		for _, a := range o.Unoffered {
			o.checkRefused(j, openwop.OWPINT20, a, http.StatusBadRequest, http.StatusUnprocessableEntity)
		}
		if !moved(o.Log, o.unoffered()) {
			o.unspoilt(j, openwop.OWPINT14, o.Nowhere)
		}
		o.checkBehind(j, o.Barrier, o.Later)
		o.Accepted.accepted(j, openwop.OWPINT16, o.End)
		checkNoTrace(j, openwop.OWPINT13, o.End, o.Unoffered...)
	}),
}

// unoffered returns the run after the last action that is not on offer.
func (o ApprovalObservation) unoffered() host.RunLog {
	if len(o.Unoffered) == 0 {
		return o.Log
	}
	return o.Unoffered[len(o.Unoffered)-1].After
}

var gateNowhere = scenarios.Scenario{
	ID:     "openwop/interrupts/unknown-node",
	Title:  "an answer to a node that the run does not have is refused with 404 and moves nothing",
	Proves: scenarios.IDs{openwop.OWPINT13, openwop.OWPINT14},
	Claim:  claims.Approvals,
	Ask: scenarios.Ask(approvalAnswered, func(o ApprovalObservation, j *scenarios.Judge) {
		o.given(j)
		o.unspoilt(j, openwop.OWPINT20, o.Unoffered...)
		o.checkRefused(j, openwop.OWPINT14, o.Nowhere, http.StatusNotFound)
		o.checkBehind(j, o.Barrier, o.Later)
		o.Accepted.accepted(j, openwop.OWPINT16, o.End)
		checkNoTrace(j, openwop.OWPINT13, o.End, o.Nowhere)
	}),
}

var gateAnsweredTwice = scenarios.Scenario{
	ID:     "openwop/interrupts/answered-twice",
	Title:  "an approval that was accepted cannot be rejected afterwards, and the attempt changes nothing",
	Proves: scenarios.IDs{openwop.OWPINT2},
	Claim:  claims.Approvals,
	Ask: scenarios.Ask(approvalAnswered, func(o ApprovalObservation, j *scenarios.Judge) {
		o.given(j)
		o.Accepted.accepted(j, openwop.OWPINT16, o.End)
		j.Check(openwop.OWPINT2, o.Again.Status).To(check.Status(http.StatusNotFound, http.StatusConflict, http.StatusGone),
			"%s, when it was accepted", o.Again.Asked)
		checkUntouched(j, openwop.OWPINT2, o.End, o.Again.After, "the second answer")
		checkNoTrace(j, openwop.OWPINT2, o.Again.After, o.Again)
	}),
}
