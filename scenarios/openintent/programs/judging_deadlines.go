package programs

import (
	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

var deadlineScenarios = []scenarios.Scenario{
	{
		ID:     "openintent/programs/dated-abandoned",
		Title:  "a deadline abandons each member that waits, whatever its record and its other portfolios, and no fallback is applied",
		Proves: scenarios.IDs{openintent.OIP0026R5, openintent.OIP0026R5B, openintent.OIP0026R5C, openintent.OIP0026R5D},
		Claim:  inDeadlines, Ask: ofDeadlines(DeadlinesObservation.judgeAbandoned),
	},
	{
		ID:     "openintent/programs/dated-failed",
		Title:  "each portfolio of a member that a deadline abandoned has failed, and counts it no more",
		Proves: scenarios.IDs{openintent.OIP0026R4C, openintent.OIP0026R4E}, Claim: inDeadlines,
		Ask: ofDeadlines(DeadlinesObservation.judgeFailed),
	},
}

// What the drive needs beside what a scenario is about.
var inDeadlines = claims.With(claims.Deadline, claims.Core, claims.Portfolio)

// ofDeadlines judges a deadline that had an effect: another suite asks whether a server has deadlines.
func ofDeadlines(judge func(DeadlinesObservation, *scenarios.Judge)) scenarios.Question {
	return scenarios.Ask(drawnDeadlines, func(o DeadlinesObservation, j *scenarios.Judge) {
		for _, d := range o.Members {
			if d.Before.Body.Key("status").String() != host.Suspended {
				j.Block("setup failed: before the deadline a member is "+d.Before.Body.Key("status").JSON(),
					"keep an intent suspended until it is answered or its window ends")
			}
		}
		j.NeedThere(openintent.OIP0026R5, o.Ended, "a deadline of a portfolio that ends its members (governance_policy.deadline)")
		judge(o, j)
	})
}

func (o DeadlinesObservation) judgeAbandoned(j *scenarios.Judge) {
	for n, d := range o.Members {
		now := d.After.Intent.Body
		if !j.Check(openintent.OIP0026R5, now.Key("status")).
			To(check.Equal(host.Abandoned), "status of member %d after the deadline, %s", n+1, o.Deadline) {
			continue
		}
		value := d.Suspension.SentMember("fallback_value")
		if response := now.At("/state/_suspension/response"); value != nil {
			j.Check(openintent.OIP0026R5B, response).NotTo(check.Equal(value), "response of member %d", n+1)
		}
		j.Check(openintent.OIP0026R5B, d.Late.Status).To(check.Status(4), "%s", d.Late.Asked)
		j.Check(openintent.OIP0026R5B, d.Still.Body.Key("status")).To(check.Equal(host.Abandoned), "status of %s", d.Still.Asked)
		ends := d.After.Log.All().Where(func(e wire.Value) bool { // the reason of the expiry is another member (OIP-R9)
			t := openintentv1.EventType(e.Key("event_type").String())
			return t != host.EventExpired && host.Contains(e.Key("payload"), host.Abandoned)
		})
		reason := host.Locate(host.AbandonmentReason, host.Named("intent", now).And("event", ends.Values...))
		j.Check(openintent.OIP0026R5C, reason.Value).
			To(check.Equal("portfolio_deadline_exceeded"), "%s of member %d", reason.Label("abandonment_reason"), n+1)
		expired := d.After.Log.Of(host.EventExpired, d.Suspension.ID)
		earlier := len(d.Earlier.Of(host.EventExpired, d.Suspension.ID).Values) // these need not name the earlier suspension
		if j.Check(openintent.OIP0026R5D, expired).To(check.Len(1+earlier), "%s of member %d", host.EventExpired, n+1) {
			j.Check(openintent.OIP0026R5D, expired.Last().At("/payload/reason")).To(check.Equal("portfolio_deadline"), "reason of member %d", n+1)
		}
	}
	j.Check(openintent.OIP0026R5, o.Other.Body.Key("status")).To(check.Equal(host.Suspended), "status of %s", o.Other.Asked)
}

// judgeFailed leaves portfolios out in which nobody was abandoned: each has one by what the drive draws.
func (o DeadlinesObservation) judgeFailed(j *scenarios.Judge) {
	for n, f := range o.After {
		docs := host.Named("portfolio", f.Body)
		word, count := host.Locate(host.PortfolioAggregate, docs), host.Locate(host.PortfolioCount, docs)
		if !word.Present() || word.Place.Pointer == "/status" || !count.Present() {
			j.NotThere(f.Status, "the aggregate status of a portfolio and its flags, at GET /portfolios/{id}")
		}
		j.Check(openintent.OIP0026R4E, word.Value).To(check.Equal("failed"), "%s in %s", word.Label("aggregate status"), f.Asked)
		waiting := 0
		if n == 0 && o.Other.Body.Key("status").String() == host.Suspended {
			waiting = 1
		}
		j.Check(openintent.OIP0026R4C, count.Value).To(check.Equal(waiting), "%s in %s", count.Label("suspended_member_count"), f.Asked)
	}
}
