package retry

import (
	"fmt"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// StorySuite returns the suite story.
func StorySuite() scenarios.Suite {
	all := scenarios.IDs{
		openintent.OIP0026T1, openintent.OIP0026T2, openintent.OIP0026T3, openintent.OIP0026T5, openintent.OIP0026T6,
		openintent.OIP0026T7, openintent.OIP0026T8, openintent.OIP0026T9, openintent.OIP0026T10,
		openintent.OIP0026T11, openintent.OIP0026T12, openintent.OIP0026T13, openintent.OIP0026T14,
		openintent.OIP0026T15,
	}
	return scenarios.Suite{
		ID: "story", Title: "the example of RFC-0026 section 9, from the suspension to the end of the workflow",
		Scenarios: []scenarios.Scenario{
			{
				ID: "openintent/story/compliance-review", Title: "a phase waits, is reminded of, is answered, and the workflow goes on to its end",
				Proves: all, Claim: claims.Example, Ask: scenarios.Ask(story, StoryObservation.judge),
			},
			{
				ID: "openintent/story/compliance-review-real-time", Title: "the same, by the timer of the server",
				Proves: all, Claim: claims.Example, Ask: scenarios.Ask(storyRealTime, StoryObservation.judge),
			},
		},
	}
}

// judge follows the table of the text: its checks are in the order of the events, each with its time. Where the story broke off, an
// earlier check says why.
func (o StoryObservation) judge(j *scenarios.Judge) {
	t := func(intervals float64) string { return fmt.Sprintf("T+%g", intervals*float64(o.Interval)) }
	event := func(what openintentv1.EventType) wire.Found {
		return o.Reminded.Log.OfType(what).Where(func(e wire.Value) bool { return host.AttemptOf(e) == 2 })
	}
	j.Check(openintent.OIP0026T1, o.Suspension.After.Body.Key("status")).To(check.Equal(host.Suspended), "%s intent 2", t(0))
	host.Turned(j, openintent.OIP0026T2, o.Task2Blocked, host.Blocked, "%s task 2", t(0))
	j.Check(openintent.OIP0026T2, o.Task2.Body.Key("blocked_reason")).
		To(check.Equal("intent_suspended"), "%s blocked_reason of task 2", t(0))
	host.Turned(j, openintent.OIP0026T3, o.Phase3Blocked, host.Blocked, "%s intent 3", t(0))
	if o.Reminder.What == "" {
		return
	}
	docs := o.Waiting.Docs()
	j.Check(openintent.OIP0026T5, host.Locate(host.PortfolioFlag, docs).Value).
		To(check.Equal(true), "%s has_suspended_members of the portfolio", t(0))
	j.Check(openintent.OIP0026T5, host.Locate(host.PortfolioCount, docs).Value).
		To(check.Equal(1), "%s suspended_member_count of the portfolio", t(0))
	j.Check(openintent.OIP0026T15, o.Refused.Status).To(check.Status(4), "%s a claim of phase 3", t(0))

	j.Check(openintent.OIP0026T6, o.Reminder).To(check.Reached(), "%s attempt 2", t(1))
	reminder, escalation := event(host.EventRenotified), event(host.EventEscalated)
	j.Check(openintent.OIP0026T6, reminder).To(check.Len(1), "%s %s of attempt 2", t(1), host.EventRenotified)
	if len(reminder.Values) > 0 {
		j.Check(openintent.OIP0026T7, reminder.Each("/payload/channel_hint")).
			To(check.Each(check.Equal("email")), "%s channel_hint of attempt 2", t(1))
	}
	j.Check(openintent.OIP0026T8, escalation).To(check.Len(1), "%s %s of attempt 2", t(1), host.EventEscalated)

	if o.Answer.Asked == "" {
		return
	}
	j.Check(openintent.OIP0026T9, o.Answer.Status).To(check.Status(2), "%s the answer", t(1.5))
	for _, s := range []struct {
		id     scenarios.RequirementID
		wait   wire.Wait
		status string
	}{
		{openintent.OIP0026T10, o.Phase2Active, host.Active}, {openintent.OIP0026T11, o.Task2Running, "running"},
		{openintent.OIP0026T10, o.Phase2Done, host.Completed}, {openintent.OIP0026T11, o.Task2Done, host.Completed},
		{openintent.OIP0026T12, o.Phase3Active, host.Active},
	} {
		if s.wait.What == "" {
			return
		}
		host.Turned(j, s.id, s.wait, s.status, "%s", t(1.5))
	}
	if !o.Phase3Active.Reached {
		return
	}
	if o.Granted.Asked == "" {
		j.Block("setup failed: the server takes no lease of a minute", "take a lease with duration_seconds 60")
	}
	j.Check(openintent.OIP0026T13, o.Granted.Status).
		To(check.Status(2), "%s the claim of phase 3 with the outputs of phase 2", t(1.5))
	host.Turned(j, openintent.OIP0026T14, o.Phase3Done, host.Completed, "in the end phase 3")
	j.Check(openintent.OIP0026T14, host.Locate(host.PortfolioAggregate, o.Ended.Docs()).Value).
		To(check.Equal(host.Completed), "in the end the workflow")
	o.Log.Readable(j)
	j.Check(openintent.OIP0026T15, o.Log.OfType(host.EventExpired)).
		To(check.Len(0), "what did not happen: %s", host.EventExpired)
}
