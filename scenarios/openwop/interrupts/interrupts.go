// Package interrupts tests who may answer a waiting run, and what an answer changes.
package interrupts

import (
	"github.com/onsi/gomega/types"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Suite returns the scenarios about runs that wait for people and events.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "interrupts", Title: "runs that wait for people and for events: who may answer, what an answer does, and what it must not do",
		Scenarios: []scenarios.Scenario{
			gateWaits, gateOrder, gateNamed, gateKeys, gateReplays,
			gateAccepted, gateRejected, gateCarries, gateEdited, gateQuestioned, gateUnoffered, gateNowhere, gateAnsweredTwice,
			questionsReach, questionsFit, questionsLeftOpen, questionsForms,
			eventReaches, eventMismatch,
			quorumOfDistinct, quorumOneVote, quorumMajority, quorumVeto,
			credentialNeeded, scopeNeeded,
			tokenShows, tokenAnswers, tokenSpent, tokenOwn, tokenLife,
			gateExpires, gateExpired,
			gateRivals, gateClosed, gateOrCancel, gateCascade,
			drawnRefused, drawnTokens, drawnAsked, drawnKeys, drawnDecided, drawnOver,
			drawnFits, drawnReaches, drawnMismatch, drawnMatch,
		},
	}
}

// A run that ends without waiting is the violation. A run that fails only shows
// that the host cannot run the fixture.
var gateWaits = scenarios.Scenario{
	ID:     "openwop/interrupts/waits",
	Title:  "a run that needs an approval waits for it: the status, the node and the log say so",
	Proves: scenarios.IDs{openwop.OWPINT6, openwop.OWPINT7, openwop.OWPINT8},
	Claim:  claims.Approvals,
	Ask: scenarios.Ask(approvalAnswered, func(o ApprovalObservation, j *scenarios.Judge) {
		o.Log.Exists(j, openwop.OWPCAP19)
		o.Log.Readable(j)
		o.ran(j)
		last := o.Suspended.Last
		if !j.Check(openwop.OWPINT6, o.Suspended).To(check.Reached(), "a run of %s", o.Way) {
			return
		}
		if status := last.Key("status"); status.String() != "waiting-approval" {
			j.Find("", "the status of a run that waits for an approval is %s, not waiting-approval", status.JSON())
		}
		j.Check(openwop.OWPINT7, last.Key("currentNodeId")).To(check.Equal(o.Node), "currentNodeId of the run")
		found := suspensions(o.Log, o.Node)
		if j.Check(openwop.OWPINT8, found).To(check.Len(1), "suspensions of the node on the log") &&
			dialect.EventOf(found.Values[0]) == dialect.NodeSuspended {
			for _, member := range []string{"interruptId", "kind", "key"} {
				if e := found.Values[0]; !e.At("/payload/" + member).Present() {
					j.Find(openwop.OWPEVT8, "the payload of node.suspended has no %s", member)
				}
			}
		}
	}),
}

// A host may leave events out; those it writes must be in order.
var gateOrder = scenarios.Scenario{
	ID:     "openwop/interrupts/in-order",
	Title:  "on the log an approval is suspended, resolved, resumed and completed, each once and in this order",
	Proves: scenarios.IDs{openwop.OWPINT11},
	Claim:  claims.Approvals,
	Ask: scenarios.Ask(approvalAnswered, func(o ApprovalObservation, j *scenarios.Judge) {
		o.given(j)
		o.Accepted.accepted(j, openwop.OWPINT16, o.End)
		CheckCourse(j, o.End, o.Node)
	}),
}

// CheckCourse checks the course of the only interrupt of a run, which is a node's.
func CheckCourse(j *scenarios.Judge, l host.RunLog, node string) {
	moves := l.All().Where(func(e wire.Value) bool { return moveOf(e, node) > 0 })
	j.Check(openwop.OWPINT11, moves.Each("/type")).To(inOrder(), "what became of the interrupt, in order")
}

// inOrder matches the event types of an interrupt's course: a suspension first, a
// completion last, no type twice and none out of order.
func inOrder() dialect.Spelled {
	return dialect.Spelling(func(d *dialect.Dialect) types.GomegaMatcher { return movesInOrder(d) })
}

func movesInOrder(d *dialect.Dialect) check.Matcher {
	place := map[dialect.Event]int{
		dialect.NodeSuspended: 1, dialect.InterruptRequested: 1, dialect.InterruptResolved: 2, dialect.NodeResumed: 3, dialect.NodeCompleted: 4,
	}
	return check.That("a suspension, what resolved it, what resumed it and the completion of the node, none twice", func(v any) bool {
		list, _ := v.([]any)
		seen, last := map[any]bool{}, 0
		for i, t := range list {
			name, _ := t.(string)
			at := place[d.Event(name)]
			if at < last || seen[t] || i == 0 && at != 1 {
				return false
			}
			seen[t], last = true, at
		}
		return last == 4
	})
}

var gateNamed = scenarios.Scenario{
	ID:     "openwop/interrupts/named",
	Title:  "the log has interrupt.requested and interrupt.resolved with what it was resolved with, and the reply says where the run stands",
	Proves: scenarios.IDs{openwop.OWPINT12, openwop.OWPINT15},
	Claim:  claims.Approvals,
	Ask: scenarios.Ask(approvalAnswered, func(o ApprovalObservation, j *scenarios.Judge) {
		o.given(j)
		o.Accepted.accepted(j, openwop.OWPINT16, o.End)
		j.Check(openwop.OWPINT12, o.End.OfType(dialect.InterruptRequested)).To(check.Len(1), "%s", dialect.InterruptRequested)
		resolved := o.End.OfType(dialect.InterruptResolved)
		j.Check(openwop.OWPINT12, resolved).To(check.Len(1), "%s", dialect.InterruptResolved)
		j.Check(openwop.OWPINT12, resolved.Each("/payload/resumeValue")).To(someHolding(o.Accepted.Marker), "resumeValue of interrupt.resolved")
		j.Check(openwop.OWPINT15, o.Accepted.Body.Key("runId")).To(check.Equal(o.End.RunID), "runId in the reply to the answer")
		j.Check(openwop.OWPINT15, o.Accepted.Body.Key("nodeId")).To(check.Equal(o.Node), "nodeId in the reply to the answer")
		j.Check(openwop.OWPINT15, o.Accepted.Body.Key("status")).To(check.Text(), "status in the reply to the answer")
	}),
}

// Both suspensions are of the same run and node, so only the suspension can tell
// their keys apart.
var gateKeys = scenarios.Scenario{
	ID:     "openwop/interrupts/keys-differ",
	Title:  "each suspension of a run has a key of its own",
	Proves: scenarios.IDs{openwop.OWPINT9},
	Claim:  claims.Approvals,
	Ask: scenarios.Ask(approvalAskedAbout, func(o AskedAboutObservation, j *scenarios.Judge) {
		o.given(j)
		o.Asked.taken(j)
		if status := o.Again.Last.Key("status"); status.String() == "completed" {
			j.Violates(openwop.OWPINT19, status, "setup failed: a question about the approval decided it")
		}
		j.Reach(o.Again, "have the gate of assay-approval wait again when it was asked about (docs/seams.md)")
		o.Between.Readable(j)
		found := keys(o.Between)
		if len(found.Values) == 0 {
			j.Block("no event of a suspension shows its key", "emit node.suspended or interrupt.requested with the key of the interrupt")
		}
		j.Check(openwop.OWPINT9, found).To(check.Distinct(), "keys of the suspensions")
		j.Check(openwop.OWPINT9, found).To(check.Each(aKey), "keys of the suspensions")
	}),
}

var aKey = check.That("a text of 1 to 256 characters", func(v any) bool {
	s, ok := v.(string)
	return ok && s != "" && len([]rune(s)) <= 256
})

var gateReplays = scenarios.Scenario{
	ID:     "openwop/interrupts/keys-replayed",
	Title:  "a replay raises the interrupts of its source under the same keys",
	Proves: scenarios.IDs{openwop.OWPINT10},
	Claim:  claims.ApprovalsReplay,
	Ask: scenarios.Ask(gateReplayed, func(o GateReplayedObservation, j *scenarios.Judge) {
		o.given(j)
		o.Accepted.accepted(j, openwop.OWPINT16, o.End)
		o.Replayed.GivenFork(j)
		source, copied := keys(o.End), keys(o.Replayed)
		switch {
		case len(source.Values) == 0:
			j.Block("no event of a suspension shows its key", "emit node.suspended or interrupt.requested with the key of the interrupt")
		case len(copied.Values) == 0:
			j.Block("the replay raises no interrupt and so shows no key", "replay the events of the interrupt")
		default:
			j.Check(openwop.OWPINT10, copied).To(sameKeys(source, o.End.RunID, o.Replayed.RunID), "keys of the suspensions in the replay")
		}
	}),
}
