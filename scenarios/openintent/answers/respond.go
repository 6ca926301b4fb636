// Package answers asks who may answer a suspended intent, which answers count, and what the server keeps of them.
package answers

import (
	"net/http"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Suite returns the suite respond.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "respond", Title: "answers: who may, which count, and what stays of them",
		Scenarios: []scenarios.Scenario{
			respondKeyless, respondNameless, respondNowhere, respondIdle, respondAnother, respondNotTold, respondChoice,
			respondConfirm, respondReply, respondPersisted, respondResumed, respondOnce, respondRace, respondStale,
			respondBroken, respondEmpty, respondAllowed, respondOrders, respondKept, respondSuspendedOnce,
		},
	}
}

var respondReply = scenarios.Scenario{
	ID:     "openintent/respond/reply",
	Title:  "a valid choice makes the intent active, and the reply tells what was chosen, by whom and when",
	Proves: scenarios.IDs{openintent.OIP0025A11, openintent.OIP0025A12, openintent.OIP0025A15},
	Claim:  claims.Core,
	Ask: scenarios.Ask(answered, func(o AnsweredObservation, j *scenarios.Judge) {
		j.Check(openintent.OIP0025A15, o.Answer.Status).To(check.Status(2), "a valid choice")
		j.Check(openintent.OIP0025A15, o.After.Body.Key("status")).To(check.Equal(host.Active), "status of the intent after the answer")
		if !o.Answer.Ok() {
			return
		}
		body := o.Answer.Body
		for _, m := range []struct {
			member string
			want   check.Matcher
		}{
			{"intent_id", check.Text()}, {"suspension_id", check.Equal(o.Suspension.ID)}, {"resolution", check.Equal("responded")},
			{"value", check.Equal(o.Chosen.Value)}, {"responded_by", check.Text()}, {"responded_at", host.Moment()},
		} {
			j.Check(openintent.OIP0025A11, body.Key(m.member)).To(m.want, "%s of the reply", m.member)
		}
		CheckChosen(j, body, o.Chosen.Label, o.Chosen.Description)
		if o.Bare.Ok() {
			CheckChosen(j, o.Bare.Body, o.Other.Label, "")
		}
	}),
}

// CheckChosen checks what the reply to an answer tells of the choice. A choice may have no description (OIP-R118).
func CheckChosen(j *scenarios.Judge, reply wire.Value, label, description string) {
	what, described := "choice_label of the reply", reply.Key("choice_description")
	if description != "" {
		j.Check(openintent.OIP0025A12, reply.Key("choice_label")).To(check.Equal(label), "%s", what)
		j.Check(openintent.OIP0025A12, described).To(check.Equal(description), "choice_description of the reply")
		return
	}
	j.Check(openintent.OIP0025A12, reply.Key("choice_label")).To(check.Equal(label), "%s to a choice without description", what)
	j.Check(openintent.OIP0025A12, described).To(check.That("none", host.IsNone), "choice_description of a choice without one")
}

// respondPersisted judges the intent as it was read again: the reply does not show that the answer was kept.
var respondPersisted = scenarios.Scenario{
	ID:     "openintent/respond/persisted",
	Title:  "the record keeps the answer: response, resolution and responded_at, and all else as it was",
	Proves: scenarios.IDs{openintent.OIP0025A13},
	Claim:  claims.Core,
	Ask: scenarios.Ask(answered, func(o AnsweredObservation, j *scenarios.Judge) {
		o.Answer.Taken(j)
		checkPersisted(j, openintent.OIP0025A13, o.Suspension, o.After, o.Chosen.Value)
	}),
}

// checkPersisted checks that the record holds the answer, and everything that was written when the intent was
// suspended.
func checkPersisted(
	j *scenarios.Judge, id scenarios.RequirementID, sus host.Suspension, after host.Reply, value any,
) {
	record := after.Body.At("/state/_suspension")
	j.Check(id, record.Key("response")).To(check.Equal(value), "response in the record")
	j.Check(id, record.Key("resolution")).To(check.Equal("responded"), "resolution in the record")
	j.Check(id, record.Key("responded_at")).To(host.Moment(), "responded_at in the record")
	for _, member := range []string{
		"id", "question", "response_type", "choices", "context", "suspended_at", "confidence_at_suspension",
	} {
		if want := sus.SentMember(member); want != nil {
			j.Check(id, record.Key(member)).To(host.AsSent(want), "%s in the record", member)
		}
	}
}

// respondResumed accepts a status_changed beside the event (OIP-R123).
var respondResumed = scenarios.Scenario{
	ID:     "openintent/respond/resumed-once",
	Title:  "an answer leaves one intent.resumed with the id of the suspension",
	Proves: scenarios.IDs{openintent.OIP0025A14},
	Claim:  claims.Core,
	Ask: scenarios.Ask(answered, func(o AnsweredObservation, j *scenarios.Judge) {
		o.Answer.Taken(j)
		o.Log.Readable(j)
		resumed := o.Log.OfType(host.EventResumed)
		j.Check(openintent.OIP0025A14, resumed).To(check.Len(1), "intent.resumed on the log")
		if len(resumed.Values) == 1 {
			j.Check(openintent.OIP0025A14, resumed.Last().At("/payload/suspension_id")).
				To(check.Equal(o.Suspension.ID), "suspension_id of intent.resumed")
		}
	}),
}

// respondOnce accepts any 4xx (OIP-R30). respondPersisted asks whether the first answer was kept.
var respondOnce = scenarios.Scenario{
	ID:     "openintent/respond/once",
	Title:  "answers after the first are refused and change nothing, the same value as well as another",
	Proves: scenarios.IDs{openintent.OIP0026K4},
	Claim:  claims.Core,
	Ask: scenarios.Ask(answered, func(o AnsweredObservation, j *scenarios.Judge) {
		o.Answer.Taken(j)
		o.Log.Readable(j)
		o.LogAgain.Readable(j)
		o.After.Readable(j)
		o.AfterAgain.Readable(j)
		for _, again := range o.Again {
			j.Check(openintent.OIP0026K4, again.Status).To(check.Status(4), "%s", again.Asked)
			if code := again.Code(); code != 409 && code/100 == 4 {
				j.Find("", "%s was refused with HTTP %d: 409 is expected (OIP-R30)", again.Asked, code)
			}
		}
		for _, pointer := range []string{"/state/_suspension", "/version", "/status"} {
			j.Check(openintent.OIP0026K4, o.AfterAgain.Body.At(pointer)).
				To(check.SameAs(o.After.Body.At(pointer)), "%s after the later answers", pointer)
		}
		j.Check(openintent.OIP0026K4, o.LogAgain.OfType(host.EventResumed)).
			To(check.Len(len(o.Log.OfType(host.EventResumed).Values)), "intent.resumed after the later answers")
	}),
}

var respondRace = scenarios.Scenario{
	ID:     "openintent/respond/race",
	Title:  "of answers that come at once one is taken, and its value is the one that is kept",
	Proves: scenarios.IDs{openintent.OIPREAD1},
	Claim:  claims.Core,
	Ask: scenarios.Ask(raced, func(o RacedObservation, j *scenarios.Judge) {
		o.judge(j)
		if o.Noted != nil {
			j.Part(func() { o.Noted.judge(j) })
		}
	}),
}

func (o *RacedObservation) judge(j *scenarios.Judge) {
	winners := wire.Values{}
	value := ""
	all, arrived := wire.Values{}, map[string]bool{}
	for n, r := range o.Replies {
		if r.Ok() {
			winners, value = append(winners, r.Status), o.Values[n]
		}
		if code := r.Code(); r.Excused() && code != http.StatusInternalServerError { // it was turned away unread
			continue
		}
		all = append(all, r.Status)
		arrived[o.Values[n]] = true
	}
	if len(winners) < 2 && len(arrived) < 2 {
		j.Block("the answers did not meet: those with one of the two values were turned away unread",
			"give a key that may answer, and let eight requests in at once")
	}
	o.Log.Readable(j)
	j.Check(openintent.OIPREAD1, wire.Found{Values: winners, In: o.After.Body.Ref()}).To(check.Len(1), "answers that were taken")
	j.Check(openintent.OIPREAD1, all).To(check.Each(check.Status(2, 4)), "all answers")
	j.Check(openintent.OIPREAD1, o.Log.OfType(host.EventResumed)).To(check.Len(1), "intent.resumed on the log")
	kept := o.After.Body.At("/state/_suspension/response")
	if kept.Present() && len(winners) == 1 { // respondPersisted finds a lost answer
		j.Check(openintent.OIPREAD1, kept).To(check.Equal(value), "response in the record")
	}
}

// respondOrders asks about an intent whose status was set first (OIP-R35).
var respondOrders = scenarios.Scenario{
	ID:     "openintent/respond/orders",
	Title:  "an intent whose status was set before its record was written is answered like any other",
	Proves: scenarios.IDs{openintent.OIPREAD2},
	Claim:  claims.Core,
	Ask: scenarios.Ask(answeredStatusFirst, func(o AnsweredObservation, j *scenarios.Judge) {
		o.Usual.Taken(j)
		j.Check(openintent.OIPREAD2, o.Suspension.After.Body.Key("status")).
			To(check.Equal(host.Suspended), "status of the intent, suspended status-first")
		j.Check(openintent.OIPREAD2, o.Suspension.Shown().Key("id")).To(check.Equal(o.Suspension.ID), "id of the record")
		j.Check(openintent.OIPREAD2, o.Answer.Status).To(check.Status(2), "a valid choice")
		j.Check(openintent.OIPREAD2, o.After.Body.Key("status")).To(check.Equal(host.Active), "status of the intent after the answer")
		o.Log.Readable(j)
		j.Check(openintent.OIPREAD2, o.Log.OfType(host.EventResumed)).To(check.Len(1), "intent.resumed on the log")
	}),
}

var respondKept = scenarios.Scenario{
	ID:     "openintent/respond/record-kept",
	Title:  "a record is taken with a retry policy, which is kept as it was written, and without one",
	Proves: scenarios.IDs{openintent.OIP0026X3, openintent.OIP0026L1},
	Claim:  claims.Core,
	Ask: scenarios.Ask(kept, func(o KeptObservation, j *scenarios.Judge) {
		for _, taken := range o.Taken {
			taken.Taken(j)
		}
		j.Check(openintent.OIP0026X3, o.With.Shown().Key("retry_policy")).
			To(host.AsSent(o.With.SentMember("retry_policy")), "retry_policy of the record")
		j.Check(openintent.OIP0026L1, o.Without.Shown().Key("id")).To(check.Equal(o.Without.ID), "id of the record without retry_policy")
		j.Check(openintent.OIP0026L1, o.Without.Shown().Key("fallback_policy")).
			To(host.AsSent(o.Without.SentMember("fallback_policy")), "fallback_policy of the record without retry_policy")
	}),
}

// respondSuspendedOnce leaves open who emits intent.suspended (OIP-R19). The suite itself does not, so of a server that
// leaves it to the agent nothing is seen.
var respondSuspendedOnce = scenarios.Scenario{
	ID:     "openintent/respond/suspended-once",
	Title:  "a suspension leaves at most one intent.suspended, and a reader of the log finds the suspension on it",
	Proves: scenarios.IDs{openintent.OIPREAD7},
	Claim:  claims.Core,
	Ask: scenarios.Ask(kept, func(o KeptObservation, j *scenarios.Judge) {
		o.Log.Readable(j)
		if len(o.Log.Events) == 0 {
			j.Block("the log of an intent that was made, activated and suspended is empty",
				"make GET /intents/{id}/events list the events of the intent")
		}
		emitted := o.Log.Of(host.EventSuspended, o.With.ID)
		if len(emitted.Values) == 0 {
			j.NotOffered("the server emits no intent.suspended by itself, so none twice")
		}
		j.Check(openintent.OIPREAD7, emitted).To(check.Len(1), "intent.suspended on the log")
	}),
}
