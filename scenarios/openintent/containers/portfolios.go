// Package containers asks what tasks, plans and portfolios show of a suspended intent.
package containers

import (
	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// PortfoliosSuite returns the suite portfolios.
func PortfoliosSuite() scenarios.Suite {
	return scenarios.Suite{
		ID: "portfolios", Title: "portfolios and workflows that watch a member that waits",
		Scenarios: []scenarios.Scenario{
			portfolioFlagged, portfolioCounts, portfolioTwice, portfolioLocal, portfolioAdded, portfolioCompleted,
			portfolioFailed, portfolioInProgress, portfolioEventSuspended, portfolioEventResumed, phasesListed,
		},
	}
}

// givenFlag ends the judge unless the portfolio has the member that l locates.
func (o PortfolioObservation) givenFlag(j *scenarios.Judge, l host.Locator) {
	at := host.Locate(l, o.One.Docs())
	if !at.Present() {
		j.NotThere(o.One.Portfolio.Status, host.PortfolioFlagsThere)
	}
	at.Note(j, "OIP-R23", l)
}

var portfolioFlagged = scenarios.Scenario{
	ID:     "openintent/portfolios/flag",
	Title:  "a portfolio says has_suspended_members while a member waits, and not before and after",
	Proves: scenarios.IDs{openintent.OIP0026R4B},
	Claim:  claims.Portfolio,
	Ask: scenarios.Ask(watched, func(o PortfolioObservation, j *scenarios.Judge) {
		o.givenFlag(j, host.PortfolioFlag)
		for _, k := range []struct {
			seen host.Watched
			want bool
		}{{o.Before, false}, {o.One, true}, {o.Two, true}, {o.After, false}} {
			at := host.Locate(host.PortfolioFlag, k.seen.Docs())
			j.Check(openintent.OIP0026R4B, at.Value).
				To(check.Equal(k.want), "%s in %s", at.Label("has_suspended_members"), k.seen.Portfolio.Asked)
		}
	}),
}

// portfolioCounts lets the member that was added twice count once or twice (OIP-R127); portfolioTwice asks for once.
var portfolioCounts = scenarios.Scenario{
	ID:     "openintent/portfolios/count",
	Title:  "a portfolio counts the members that wait",
	Proves: scenarios.IDs{openintent.OIP0026R4C},
	Claim:  claims.Portfolio,
	Ask: scenarios.Ask(watched, func(o PortfolioObservation, j *scenarios.Judge) {
		o.givenFlag(j, host.PortfolioCount)
		one, _ := count(o.One).Int()
		for _, k := range []struct {
			seen host.Watched
			want check.Matcher
		}{{o.Before, check.Equal(0)}, {o.One, check.Integer(1, 2)}, {o.Two, check.Equal(one + 1)}, {o.After, check.Equal(0)}} {
			at := count(k.seen)
			j.Check(openintent.OIP0026R4C, at.Value).
				To(k.want, "%s in %s", at.Label("suspended_member_count"), k.seen.Portfolio.Asked)
		}
	}),
}

// count returns the number of suspended members that the portfolio shows.
func count(w host.Watched) host.Located { return host.Locate(host.PortfolioCount, w.Docs()) }

var portfolioTwice = scenarios.Scenario{
	ID:     "openintent/portfolios/member-twice",
	Title:  "an intent that was added twice counts as one member that waits",
	Proves: scenarios.IDs{openintent.OIPREAD6},
	Claim:  claims.Portfolio,
	Ask: scenarios.Ask(watched, func(o PortfolioObservation, j *scenarios.Judge) {
		o.givenFlag(j, host.PortfolioCount)
		one := count(o.One)
		j.Check(openintent.OIPREAD6, one.Value).
			To(check.Equal(1), "%s in %s", one.Label("suspended_member_count"), o.One.Portfolio.Asked)
	}),
}

// portfolioLocal has a control: the portfolio shows that the member is suspended.
var portfolioLocal = scenarios.Scenario{
	ID:     "openintent/portfolios/intent-local",
	Title:  "a portfolio does not turn suspended because a member is",
	Proves: scenarios.IDs{openintent.OIP0026R1C},
	Claim:  claims.Portfolio,
	Ask: scenarios.Ask(watched, func(o PortfolioObservation, j *scenarios.Judge) {
		if !o.showsMember() {
			j.NotThere(o.Two.Members.Status,
				"a portfolio that lists a member as "+host.Suspended+" (GET /portfolios/{id}/intents), or flags it")
		}
		j.Need(openintent.OIP0025A15, o.Barrier.Sentinel)
		if !o.Before.Portfolio.Body.Key("status").Present() && !host.Locate(host.PortfolioAggregate, o.Before.Docs()).Present() {
			j.Block("a portfolio shows no status of its own, so none that turns suspended",
				"show the status of a portfolio, or its aggregate status")
		}
		for _, seen := range []host.Watched{o.One, o.Two} {
			j.Check(openintent.OIP0026R1C, seen.Portfolio.Body.Key("status")).
				To(check.SameAs(o.Before.Portfolio.Body.Key("status")), "status of %s", seen.Portfolio.Asked)
			aggregate := host.Locate(host.PortfolioAggregate, seen.Docs())
			j.Check(openintent.OIP0026R1C, aggregate.Value).
				To(host.NotTakenOver(), "%s of %s", aggregate.Label("the aggregate"), seen.Portfolio.Asked)
		}
	}),
}

// showsMember reports whether the portfolio shows its suspended member, in its list or by its flag.
func (o PortfolioObservation) showsMember() bool {
	if flag, _ := host.Locate(host.PortfolioFlag, o.Two.Docs()).Bool(); flag {
		return true
	}
	list := o.Two.Members.Body
	if _, isObject := list.Actual().(map[string]any); isObject {
		list = list.Key("intents")
	}
	for _, m := range list.Items() {
		if m.Key("id").String() == o.FirstID && m.Key("status").String() == host.Suspended {
			return true
		}
	}
	return false
}

var portfolioAdded = scenarios.Scenario{
	ID:     "openintent/portfolios/added",
	Title:  "a portfolio with a member that waits still says all that it said before",
	Proves: scenarios.IDs{openintent.OIP0026L5},
	Claim:  claims.Portfolio,
	Ask: scenarios.Ask(watched, func(o PortfolioObservation, j *scenarios.Judge) {
		o.givenFlag(j, host.PortfolioFlag)
		j.Check(openintent.OIP0026L5, o.One.Portfolio.Body).To(allMembersOf(o.Before.Portfolio.Body), "the portfolio")
		for _, member := range []string{"id", "name", "status"} {
			j.Check(openintent.OIP0026L5, o.One.Portfolio.Body.Key(member)).
				To(check.SameAs(o.Before.Portfolio.Body.Key(member)), "%s of the portfolio", member)
		}
	}),
}

// aggregate returns a scenario about the aggregate status of a portfolio (OIP-R23).
func aggregate(
	name, title string, id scenarios.RequirementID, want string, of func(AggregatesObservation) []host.Reply,
) scenarios.Scenario {
	return scenarios.Scenario{
		ID: scenarios.ScenarioID("openintent/portfolios/" + name), Title: title, Proves: scenarios.IDs{id}, Claim: claims.Portfolio,
		Ask: scenarios.Ask(aggregates, func(o AggregatesObservation, j *scenarios.Judge) {
			if !o.aggregated() {
				j.NotThere(o.Completed.Status, host.PortfolioWordThere)
			}
			for _, r := range of(o) {
				at := host.Locate(host.PortfolioAggregate, host.Named("portfolio", r.Body))
				at.Note(j, "OIP-R23", host.PortfolioAggregate)
				j.Check(id, at.Value).To(check.Equal(want), "%s of %s", at.Label("aggregate status"), r.Asked)
			}
		}),
	}
}

// aggregated reports whether the target computes an aggregate at all: /status may be a status that the owner set.
func (o AggregatesObservation) aggregated() bool {
	seen := map[string]bool{}
	for _, r := range []host.Reply{o.Completed, o.Failed, o.Progress, o.Abandoned} {
		at := host.Locate(host.PortfolioAggregate, host.Named("portfolio", r.Body))
		if at.Place.Pointer != "/status" && at.Present() {
			return true
		}
		seen[at.String()] = true
	}
	return len(seen) > 1
}

var (
	portfolioCompleted = aggregate("all-completed", "a portfolio whose members are all completed is completed",
		openintent.OIP0026R4D, "completed",
		func(o AggregatesObservation) []host.Reply { return []host.Reply{o.Completed} })
	portfolioFailed = aggregate("one-abandoned",
		"a portfolio with an abandoned member is failed, also while another one waits",
		openintent.OIP0026R4E, "failed",
		func(o AggregatesObservation) []host.Reply { return []host.Reply{o.Failed, o.Abandoned} })
	portfolioInProgress = aggregate("in-progress", "a portfolio with a member that waits is in progress",
		openintent.OIP0026R4F, "in_progress",
		func(o AggregatesObservation) []host.Reply { return []host.Reply{o.Progress} })
)

// memberEvents returns the events of a type about the first member, for each place where a target may put them. The
// same event may be in several places.
func (o PortfolioObservation) memberEvents(t openintentv1.EventType) []wire.Found {
	about := func(e wire.Value) bool { return host.Contains(e, o.FirstID) }
	return []wire.Found{
		o.FolderLog.OfType(t).Where(about), o.MemberLog.OfType(t).Where(about), o.Stream.OfType(t).Where(about),
	}
}

// portfolioEvent returns a scenario about an event, which may be in any of its places (OIP-R105).
func portfolioEvent(name, title string, id scenarios.RequirementID, t openintentv1.EventType) scenarios.Scenario {
	return scenarios.Scenario{
		ID: scenarios.ScenarioID("openintent/portfolios/" + name), Title: title, Proves: scenarios.IDs{id}, Claim: claims.Portfolio,
		Ask: scenarios.Ask(watched, func(o PortfolioObservation, j *scenarios.Judge) {
			somewhere := false
			for _, found := range o.memberEvents(t) {
				if len(found.Values) > 0 {
					somewhere = true
					j.Check(id, found).To(check.Len(1), "%s about the first member, where there is one", t)
				}
			}
			if !somewhere {
				j.NotThere(o.FolderLog.Read,
					string(t)+" on the log of the portfolio or of the member, or on the stream of the portfolio")
			}
		}),
	}
}

var (
	portfolioEventSuspended = portfolioEvent("event-suspended", "one portfolio.member_suspended tells that a member waits",
		openintent.OIP0026X1, host.EventMemberSuspended)
	portfolioEventResumed = portfolioEvent("event-resumed", "one portfolio.member_resumed tells that a member goes on",
		openintent.OIP0026X2, host.EventMemberResumed)
)

var phasesListed = scenarios.Scenario{
	ID:     "openintent/portfolios/suspended-phases",
	Title:  "a workflow lists a phase that waits in suspended_phases, with what there is to know, and not after the answer",
	Proves: scenarios.IDs{openintent.OIP0026R4I, openintent.OIP0026R4J},
	Claim:  claims.With(claims.Workflow, claims.Graph),
	Ask: scenarios.Ask(phases, func(o PhasesObservation, j *scenarios.Judge) {
		during := host.Locate(host.SuspendedPhases, o.During.Docs().And("workflow", o.Workflow.Body))
		after := host.Locate(host.SuspendedPhases, o.After.Docs().And("workflow", o.Ended.Body))
		if !during.Present() {
			j.NotThere(during.Value,
				"suspended_phases of a workflow, at GET /portfolios/{id} or GET /workflows/{id} (there or below progress)")
		}
		o.After.Portfolio.Readable(j)
		ours, ok := entryOf(j, openintent.OIP0026R4I, host.SuspendedPhases, during, after, "intent_id", o.IntentID)
		if ok {
			j.Check(openintent.OIP0026R4J, ours.Key("phase_name")).
				To(check.OneOf(o.Names[0], o.Names[1]), "phase_name of the entry")
			checkEntry(j, openintent.OIP0026R4J, ours, o.IntentID, o.Suspension)
		}
	}),
}
