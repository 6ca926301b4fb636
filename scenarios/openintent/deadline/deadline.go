// Package deadline asks what the deadline of a portfolio does to a suspended member.
package deadline

import (
	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Suite returns the suite deadline.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "deadline", Title: "the deadline of a portfolio, which comes before the window of a member that waits",
		Scenarios: []scenarios.Scenario{deadlineAbandons, deadlineBypasses, deadlineReason, deadlineAudited},
	}
}

const deadlineThere = "a deadline of a portfolio that ends its members (governance_policy.deadline)"

// givenSuspended blocks the judge unless the member was suspended before the deadline, and one without a deadline still
// is.
func (o DeadlineObservation) givenSuspended(j *scenarios.Judge) {
	if status := o.Before.Body.Key("status"); status.String() != host.Suspended {
		j.Block("setup failed: before the deadline the member is "+status.JSON()+", not suspended",
			"keep an intent suspended until it is answered or its window ends")
	}
	j.Reach(o.Control, "keep a suspended member of a portfolio without a deadline suspended until it is answered or its window ends")
}

// ineffective reports whether the deadline had no effect: the member is still suspended, and no event says that it
// expired.
func (o DeadlineObservation) ineffective() bool {
	return o.Then.Body.Key("status").String() == host.Suspended && len(o.Log.OfType(host.EventExpired).Values) == 0
}

// givenAbandoned ends the judge unless the deadline abandoned the member.
func (o DeadlineObservation) givenAbandoned(j *scenarios.Judge) {
	o.givenSuspended(j)
	j.NeedThere(openintent.OIP0026R5, o.Ended, deadlineThere)
}

var deadlineAbandons = scenarios.Scenario{
	ID:     "openintent/deadline/abandons",
	Title:  "a member that waits is abandoned when the deadline of its portfolio passes, and another one waits on",
	Proves: scenarios.IDs{openintent.OIP0026R5},
	Claim:  claims.Deadline,
	Ask: scenarios.Ask(pastTheDeadline, func(o DeadlineObservation, j *scenarios.Judge) {
		o.givenSuspended(j)
		if o.ineffective() {
			j.NotThere(o.Then.Status, deadlineThere)
		}
		host.Turned(j, openintent.OIP0026R5, o.Ended, host.Abandoned, "the member, whose own window has long to go")
	}),
}

var deadlineBypasses = scenarios.Scenario{
	ID:     "openintent/deadline/bypasses-fallback",
	Title:  "the deadline applies no fallback, and no answer is taken after it",
	Proves: scenarios.IDs{openintent.OIP0026R5B},
	Claim:  claims.Deadline,
	Ask: scenarios.Ask(pastTheDeadline, func(o DeadlineObservation, j *scenarios.Judge) {
		o.givenAbandoned(j)
		for _, seen := range []wire.Value{o.Then.Body, o.After.Body} {
			j.Check(openintent.OIP0026R5B, seen.At("/state/_suspension/response")).NotTo(check.Equal(o.Fallback), "response in the record")
			j.Check(openintent.OIP0026R5B, seen.Key("status")).To(check.Equal(host.Abandoned), "status of the member")
		}
		j.Check(openintent.OIP0026R5B, o.Late.Status).To(check.Status(4), "%s", o.Late.Asked)
	}),
}

var deadlineReason = scenarios.Scenario{
	ID:     "openintent/deadline/reason",
	Title:  "a member that the deadline abandons says so: portfolio_deadline_exceeded",
	Proves: scenarios.IDs{openintent.OIP0026R5C},
	Claim:  claims.Deadline,
	Ask: scenarios.Ask(pastTheDeadline, func(o DeadlineObservation, j *scenarios.Judge) {
		o.givenAbandoned(j)
		// The reason of the expiry, portfolio_deadline, is another member (OIP-R9).
		ends := o.Log.All().Where(func(e wire.Value) bool {
			t := openintentv1.EventType(e.Key("event_type").String())
			return t != host.EventExpired && host.Contains(e.Key("payload"), host.Abandoned)
		})
		reason := host.Locate(host.AbandonmentReason, host.Named("intent", o.Then.Body).And("event", ends.Values...))
		reason.Note(j, "OIP-R9", host.AbandonmentReason)
		j.Check(openintent.OIP0026R5C, reason.Value).To(check.Equal("portfolio_deadline_exceeded"), "%s", reason.Label("abandonment_reason"))
	}),
}

var deadlineAudited = scenarios.Scenario{
	ID:     "openintent/deadline/audited",
	Title:  "the deadline leaves one intent.suspension_expired with the reason portfolio_deadline",
	Proves: scenarios.IDs{openintent.OIP0026R5D},
	Claim:  claims.Deadline,
	Ask: scenarios.Ask(pastTheDeadline, func(o DeadlineObservation, j *scenarios.Judge) {
		o.givenAbandoned(j)
		o.Log.Readable(j)
		expired := o.Log.OfType(host.EventExpired)
		if j.Check(openintent.OIP0026R5D, expired).To(check.Len(1), "intent.suspension_expired on the log") {
			j.Check(openintent.OIP0026R5D, expired.Last().At("/payload/reason")).To(check.Equal("portfolio_deadline"),
				"reason of intent.suspension_expired")
		}
	}),
}
