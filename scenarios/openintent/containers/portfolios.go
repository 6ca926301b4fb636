// Package containers asks what tasks, plans and portfolios show of an intent that waits.
package containers

import (
	"strings"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

func PortfoliosSuite() scenarios.Suite {
	return scenarios.Suite{
		ID: "portfolios", Title: "portfolios and workflows that watch a member that waits",
		Scenarios: []scenarios.Scenario{
			portfolioFlagged, portfolioCounts, portfolioTwice, portfolioLocal, portfolioAdded, portfolioCompleted, portfolioFailed, portfolioInProgress,
			portfolioEventSuspended, portfolioEventResumed, phasesListed,
		},
	}
}

const flagsThere = "has_suspended_members and suspended_member_count of a portfolio, at GET /portfolios/{id} (there or below aggregate_status)"

// flagged stops a judge where the portfolio has no flag.
func (o PortfolioObservation) flagged(j *scenarios.Judge, l host.Locator, id scenarios.RequirementID) {
	at := host.Locate(l, o.One.Docs())
	if !at.Present() {
		j.NotThere(o.One.Portfolio.Status, flagsThere)
	}
	at.Tell(j, id, l)
}

var portfolioFlagged = scenarios.Scenario{
	ID:     "openintent/portfolios/flag",
	Title:  "a portfolio says has_suspended_members while a member waits, and not before and after",
	Proves: scenarios.IDs{openintentv1.OIP0026R4B},
	Claim:  claims.Portfolio,
	Ask: scenarios.Ask(watched, func(o PortfolioObservation, j *scenarios.Judge) {
		o.flagged(j, host.PortfolioFlag, openintentv1.OIP0026R4B)
		for _, k := range []struct {
			seen host.Watched
			want bool
		}{{o.Before, false}, {o.One, true}, {o.Two, true}, {o.After, false}} {
			at := host.Locate(host.PortfolioFlag, k.seen.Docs())
			j.Check(openintentv1.OIP0026R4B, at.Value).To(check.Equal(k.want), "%s in %s", at.Told("has_suspended_members"), k.seen.Portfolio.Asked)
		}
	}),
}

// portfolioCounts lets the intent that is a member twice count once or twice: portfolioTwice asks that (OIP-R127).
var portfolioCounts = scenarios.Scenario{
	ID:     "openintent/portfolios/count",
	Title:  "a portfolio counts the members that wait",
	Proves: scenarios.IDs{openintentv1.OIP0026R4C},
	Claim:  claims.Portfolio,
	Ask: scenarios.Ask(watched, func(o PortfolioObservation, j *scenarios.Judge) {
		o.flagged(j, host.PortfolioCount, openintentv1.OIP0026R4C)
		before, one, two, after := count(o.Before), count(o.One), count(o.Two), count(o.After)
		j.Check(openintentv1.OIP0026R4C, before.Value).To(check.Equal(0), "%s in %s", before.Told("suspended_member_count"), o.Before.Portfolio.Asked)
		j.Check(openintentv1.OIP0026R4C, one.Value).To(check.Integer(1, 2), "%s in %s", one.Told("suspended_member_count"), o.One.Portfolio.Asked)
		j.Check(openintentv1.OIP0026R4C, two.Value).To(oneMoreThan(one.Value), "%s in %s", two.Told("suspended_member_count"), o.Two.Portfolio.Asked)
		j.Check(openintentv1.OIP0026R4C, after.Value).To(check.Equal(0), "%s in %s", after.Told("suspended_member_count"), o.After.Portfolio.Asked)
	}),
}

func count(w host.Watched) host.Located { return host.Locate(host.PortfolioCount, w.Docs()) }

func oneMoreThan(v wire.Value) check.Matcher {
	n, _ := v.Int()
	return check.Equal(n + 1)
}

var portfolioTwice = scenarios.Scenario{
	ID:     "openintent/portfolios/member-twice",
	Title:  "an intent that was added twice counts as one member that waits",
	Proves: scenarios.IDs{openintentv1.OIPREAD6},
	Claim:  claims.Portfolio,
	Ask: scenarios.Ask(watched, func(o PortfolioObservation, j *scenarios.Judge) {
		o.flagged(j, host.PortfolioCount, openintentv1.OIPREAD6)
		one := count(o.One)
		j.Check(openintentv1.OIPREAD6, one.Value).To(check.Equal(1), "%s in %s", one.Told("suspended_member_count"), o.One.Portfolio.Asked)
	}),
}

// portfolioLocal has a control: the portfolio lists the member as one that waits.
var portfolioLocal = scenarios.Scenario{
	ID:     "openintent/portfolios/intent-local",
	Title:  "a portfolio does not turn suspended because a member is",
	Proves: scenarios.IDs{openintentv1.OIP0026R1C},
	Claim:  claims.Portfolio,
	Ask: scenarios.Ask(watched, func(o PortfolioObservation, j *scenarios.Judge) {
		if !o.watches() {
			j.NotThere(o.Two.Members.Status, "a portfolio that lists a member as "+host.Suspended+" (GET /portfolios/{id}/intents), or flags it")
		}
		j.Need(openintentv1.OIP0025A15, o.Barrier.Sentinel)
		for _, seen := range []host.Watched{o.One, o.Two} {
			j.Check(openintentv1.OIP0026R1C, seen.Portfolio.Body.Key("status")).To(check.SameAs(o.Before.Portfolio.Body.Key("status")), "status of %s", seen.Portfolio.Asked)
			aggregate := host.Locate(host.PortfolioAggregate, seen.Docs())
			j.Check(openintentv1.OIP0026R1C, aggregate.Value).To(check.That("nothing that says suspended", func(v any) bool {
				s, _ := v.(string)
				return !strings.Contains(s, "suspended")
			}), "%s of %s", aggregate.Told("the aggregate"), seen.Portfolio.Asked)
		}
	}),
}

// watches says whether the portfolio shows its member waiting, in its list or by its flag.
func (o PortfolioObservation) watches() bool {
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
	Proves: scenarios.IDs{openintentv1.OIP0026L5},
	Claim:  claims.Portfolio,
	Ask: scenarios.Ask(watched, func(o PortfolioObservation, j *scenarios.Judge) {
		o.flagged(j, host.PortfolioFlag, openintentv1.OIP0026L5)
		j.Check(openintentv1.OIP0026L5, o.One.Portfolio.Body).To(allOf(o.Before.Portfolio.Body), "the portfolio")
		for _, member := range []string{"id", "name", "status"} {
			j.Check(openintentv1.OIP0026L5, o.One.Portfolio.Body.Key(member)).To(check.SameAs(o.Before.Portfolio.Body.Key(member)), "%s of the portfolio", member)
		}
	}),
}

// aggregate is a scenario about the aggregate status of a portfolio (OIP-R23).
func aggregate(name, title string, id scenarios.RequirementID, want string, of func(AggregatesObservation) []host.Reply) scenarios.Scenario {
	return scenarios.Scenario{
		ID: scenarios.ScenarioID("openintent/portfolios/" + name), Title: title, Proves: scenarios.IDs{id}, Claim: claims.Portfolio,
		Ask: scenarios.Ask(aggregates, func(o AggregatesObservation, j *scenarios.Judge) {
			if !o.aggregated() {
				j.NotThere(o.Completed.Status, "the aggregate status of a portfolio (completed, failed or in_progress), at GET /portfolios/{id}")
			}
			for _, r := range of(o) {
				at := host.Locate(host.PortfolioAggregate, host.Named("portfolio", r.Body))
				at.Tell(j, id, host.PortfolioAggregate)
				j.Check(id, at.Value).To(check.Equal(want), "%s of %s", at.Told("aggregate status"), r.Asked)
			}
		}),
	}
}

// aggregated says whether the target computes an aggregate at all: /status may be what its owner said.
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
	portfolioCompleted = aggregate("all-completed", "a portfolio whose members are all completed is completed", openintentv1.OIP0026R4D, "completed",
		func(o AggregatesObservation) []host.Reply { return []host.Reply{o.Completed} })
	portfolioFailed = aggregate("one-abandoned", "a portfolio with an abandoned member is failed, also while another one waits", openintentv1.OIP0026R4E, "failed",
		func(o AggregatesObservation) []host.Reply { return []host.Reply{o.Failed, o.Abandoned} })
	portfolioInProgress = aggregate("in-progress", "a portfolio with a member that waits is in progress", openintentv1.OIP0026R4F, "in_progress",
		func(o AggregatesObservation) []host.Reply { return []host.Reply{o.Progress} })
)

// memberEvents are the events of a type about the first member, wherever the target puts them: the same event may be in more
// than one place, and counts once in each.
func (o PortfolioObservation) memberEvents(t openintentv1.EventType) []wire.Found {
	about := func(e wire.Value) bool { return host.Tells(e, o.FirstID) }
	return []wire.Found{o.FolderLog.OfType(t).Where(about), o.MemberLog.OfType(t).Where(about), o.Stream.OfType(t).Where(about)}
}

// portfolioEvent takes the event in any of its places (OIP-R105).
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
				j.NotThere(o.FolderLog.Read, string(t)+" on the log of the portfolio or of the member, or on the stream of the portfolio")
			}
		}),
	}
}

var (
	portfolioEventSuspended = portfolioEvent("event-suspended", "one portfolio.member_suspended tells that a member waits", openintentv1.OIP0026X1, host.EventMemberSuspended)
	portfolioEventResumed   = portfolioEvent("event-resumed", "one portfolio.member_resumed tells that a member goes on", openintentv1.OIP0026X2, host.EventMemberResumed)
)

var phasesListed = scenarios.Scenario{
	ID:     "openintent/portfolios/suspended-phases",
	Title:  "a workflow lists a phase that waits in suspended_phases, with what there is to know, and not after the answer",
	Proves: scenarios.IDs{openintentv1.OIP0026R4I, openintentv1.OIP0026R4J},
	Claim:  claims.With(claims.Workflow, claims.Graph),
	Ask: scenarios.Ask(phases, func(o PhasesObservation, j *scenarios.Judge) {
		during := host.Locate(host.SuspendedPhases, o.During.Docs().And("workflow", o.Workflow.Body))
		after := host.Locate(host.SuspendedPhases, o.After.Docs().And("workflow", o.Ended.Body))
		if !during.Present() {
			j.NotThere(during.Value, "suspended_phases of a workflow, at GET /portfolios/{id} or GET /workflows/{id} (there or below progress)")
		}
		if ours, ok := listedOnce(j, openintentv1.OIP0026R4I, host.SuspendedPhases, during, after, "intent_id", o.IntentID); ok {
			j.Check(openintentv1.OIP0026R4J, ours.Key("phase_name")).To(check.OneOf(o.Names[0], o.Names[1]), "phase_name of the entry")
			entry(j, openintentv1.OIP0026R4J, ours, o.IntentID, o.Suspension)
		}
	}),
}
