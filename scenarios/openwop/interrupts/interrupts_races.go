package interrupts

import (
	"net/http"
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Simultaneous answers, and answers after the run has ended.

var gateRivals = scenarios.Scenario{
	ID:     "openwop/interrupts/rivals",
	Title:  "of six who accept an approval at once, by its node and by its token, one wins, and the run goes on once, with that answer",
	Proves: scenarios.IDs{openwop.OWPINT3},
	Claim:  claims.Approvals,
	Ask: scenarios.Ask(approvalRaced, func(o ApprovalRaceObservation, j *scenarios.Judge) {
		o.given(j)
		statuses := wire.Values{}
		late := true
		for _, r := range o.Rivals {
			statuses = append(statuses, r.Status)
			late = late && host.RefusesAnswer(r.Status)
		}
		if late { // nobody won, so the host takes no answers at all
			o.Rivals[0].taken(j)
			return
		}
		if !j.Check(openwop.OWPINT3, statuses).To(host.OneSucceeded(), "replies to six answers at once") || !j.Check(openwop.OWPINT3,
			o.End.Ended).To(check.Reached(), "after the answer") {
			return
		}
		o.End.Readable(j)
		for _, t := range []dialect.Event{dialect.InterruptResolved, dialect.NodeResumed} {
			j.Check(openwop.OWPINT3, o.End.OfType(t).Each("/nodeId")).To(host.NoMoreThan(1), "%s", t)
		}
		completed := o.End.OfType(dialect.NodeCompleted).Where(func(e wire.Value) bool { return isOf(e, o.Node) })
		j.Check(openwop.OWPINT3, completed).To(check.Len(1), "completions of the node")
		j.Check(openwop.OWPINT3, o.End.Terminals()).To(check.Len(1), "events that end the run")
		winner := o.winners()[0]
		if len(showing(shows(o.End), winner.Marker).Values) == 0 {
			if o.Ours {
				j.Check(openwop.OWPINT3, carried(o.End)).To(someHolding(winner.Marker), "what the run was given, by who won")
			} else {
				j.Find("", "nothing in the run shows the answer, so the winner's cannot be told from the others")
			}
		}
		for _, r := range o.Rivals {
			if r.Marker != winner.Marker {
				checkNoTrace(j, openwop.OWPINT3, o.End, r)
			}
		}
		host.SentinelEnded(j, o.Barrier)
		checkUntouched(j, openwop.OWPINT3, o.End, o.Later, "its end")
	}),
}

// closed lists the statuses for an answer to a run that no longer waits.
var closed = []int{http.StatusNotFound, http.StatusConflict, http.StatusGone, http.StatusUnprocessableEntity}

// The control is the run itself, which waited until it was cancelled.
var gateClosed = scenarios.Scenario{
	ID:     "openwop/interrupts/cancelled",
	Title:  "a run that was cancelled while it waited takes no answer any more",
	Proves: scenarios.IDs{openwop.OWPINT46},
	Claim:  claims.Approvals,
	Ask: scenarios.Ask(gateCancelled, func(o GateCancelledObservation, j *scenarios.Judge) {
		o.given(j)
		if !host.Succeeded(o.Cancel.Status) || !o.End.Ended.Reached || o.End.Status().String() != "cancelled" {
			j.Block("setup failed: the waiting run cannot be cancelled: HTTP "+o.Cancel.Status.JSON()+", status "+o.End.Status().JSON(),
				"serve {cancel run}")
		}
		j.Check(openwop.OWPINT46, o.AtNode.Status).To(check.Status(closed...), "%s, when the run was cancelled", o.AtNode.Asked)
		checkUntouched(j, openwop.OWPINT46, o.End, o.AtNode.After, "the answer")
		host.SentinelEnded(j, o.Barrier)
		checkUntouched(j, openwop.OWPINT46, o.End, o.Later, "the answer, when another run had ended")
		checkNoTrace(j, openwop.OWPINT46, o.Later, o.AtNode)
	}),
}

// The answer may win and the cancel follow: then both were in time, and the log
// has both in this order.
var gateOrCancel = scenarios.Scenario{
	ID:     "openwop/interrupts/cancel-or-answer",
	Title:  "of a cancel and an answer that come at once the run shows one outcome, and both are answered in keeping with it",
	Proves: scenarios.IDs{openwop.OWPINT47},
	Claim:  claims.Approvals,
	Ask: scenarios.Ask(approvalOrCancel, func(o CancelRaces, j *scenarios.Judge) {
		for _, race := range o.Races {
			race.given(j)
			if refused := race.Accepted.HTTPStatus(); refused == http.StatusBadRequest || refused == http.StatusForbidden {
				race.Accepted.taken(j)
				return
			}
			j.Part(func() { race.judge(j) })
		}
	}),
}

func (o CancelRaceObservation) judge(j *scenarios.Judge) {
	const id = openwop.OWPINT47
	if !j.Check(id, o.Accepted.Status).To(check.Status(append([]int{2}, closed...)...), "%s", o.Accepted.Asked) ||
		!j.Check(id, o.Cancel.Status).To(check.Status(2, http.StatusConflict), "%s", o.Cancel.Asked) ||
		!j.Check(id, o.End.Ended).To(check.Reached(), "after an answer and a cancel") {
		return
	}
	o.End.Readable(j)
	j.Check(id, o.End.Terminals()).To(check.Len(1), "events that end the run")
	status := o.End.Status().String()
	j.Check(id, o.End.Terminals().Last().Key("type")).To(dialect.Type(dialect.Ended(status)),
		"the event that ends a run whose status is %s", status)
	if !host.Succeeded(o.Accepted.Status) {
		j.Check(id, o.End.Status()).To(check.Equal("cancelled"), "status of a run whose answer came too late")
		checkNoTrace(j, id, o.End, o.Accepted)
	}
	if host.Succeeded(o.Accepted.Status) {
		resolved := o.End.All().Where(func(e wire.Value) bool { return showsResolution(e, o.Node) })
		j.Check(id, resolved.Each("/type")).To(check.Each(check.Text()), "what shows that the answer was taken")
	}
	if o.Cancel.Body.Key("status").String() == "cancelled" && host.Succeeded(o.Cancel.Status) {
		j.Check(id, o.End.Status()).To(check.Equal("cancelled"), "status of a run that is said to be cancelled")
	}
	host.SentinelEnded(j, o.Barrier)
	checkUntouched(j, id, o.End, o.Later, "its end")
}

// showsResolution reports whether an event shows that an interrupt of the node was
// resolved. Hosts have their own names for such events (OWP-R17).
func showsResolution(e wire.Value, node string) bool {
	t := dialect.EventOf(e)
	return moveOf(e, node) > 1 || t == dialect.RunResumed || strings.HasSuffix(string(t), ".resolved")
}

var gateCascade = scenarios.Scenario{
	ID:     "openwop/interrupts/cascade",
	Title:  "who cancels a run cancels the child that waits for an answer with it, and closes its interrupt",
	Proves: scenarios.IDs{openwop.OWPINT48},
	Claim:  claims.Cascade,
	Ask: scenarios.Ask(cascaded, func(o CascadeObservation, j *scenarios.Judge) {
		switch {
		case !host.Succeeded(o.Created.Status):
			reason := "setup failed: " + o.Created.Asked + " is refused with HTTP " + o.Created.Status.JSON()
			if host.NotThere(o.Created.HTTPStatus()) {
				j.Violates(openwop.OWPCAP19, o.Created.Status, reason)
			}
			j.Block(reason, fixture.Load)
		case !o.Child.Suspended.Reached:
			j.Block("setup failed: no child of the run waits for an approval",
				"show the child in childRuns of the snapshot, or with node.dispatched on the log, and run "+o.Child.Way)
		case !host.Succeeded(o.Cancel.Status):
			j.Block("setup failed: the parent cannot be cancelled: HTTP "+o.Cancel.Status.JSON(), "serve {cancel run}")
		}
		if !j.Check(openwop.OWPINT48, o.End.Ended).To(check.Reached(), "the child, when its parent was cancelled") {
			return
		}
		o.End.Readable(j)
		j.Check(openwop.OWPINT48, o.End.Status()).To(check.Equal("cancelled"), "status of the child")
		if reason := o.End.Terminals().Last().At("/payload/reason"); reason.String() != "parent-cancelled" {
			j.Find("", "the reason of the child's run.cancelled is %s, and not parent-cancelled", reason.JSON())
		}
		j.Check(openwop.OWPINT48, o.Late.Status).To(check.Status(closed...), "%s at the child", o.Late.Asked)
		host.SentinelEnded(j, o.Barrier)
		checkUntouched(j, openwop.OWPINT48, o.End, o.Later, "the answer")
	}),
}
