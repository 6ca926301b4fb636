// Package graph asks what becomes of parents, siblings and dependents of an intent that waits.
package graph

import (
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "graph", Title: "parents, siblings and dependents of an intent that waits",
		Scenarios: []scenarios.Scenario{
			graphLocal, graphUnrelated, graphCounted, graphNotDone, graphParentGate,
			graphBlocked, graphNotOnResume, graphUnblocked, graphGate, graphDiamond, graphOrders,
		},
	}
}

// given stops a judge of a family unless the parent shows the child waiting: a parent that knows nothing of it absorbs
// nothing either.
func (o FamilyObservation) given(j *scenarios.Judge) {
	if o.Suspension.After.Body.Key("status").String() != host.Suspended {
		j.Block("set-up: the child is not suspended", "see the scenarios of the suite respond")
	}
	for _, list := range []wire.Value{o.Behind.Children.Body.Key("children"), o.Behind.Children.Body, o.Behind.Graph.Body.Key("nodes")} {
		for _, child := range list.Items() {
			if child.Key("id").String() == o.AID && child.Key("status").String() == host.Suspended {
				j.Need(openintentv1.OIP0025A15, o.Barrier.Sentinel)
				return
			}
		}
	}
	j.NotThere(o.Behind.Children.Status, "a parent that lists a child as "+host.Suspended+" (GET /intents/{id}/children or /graph)")
}

// graphLocal lets neither take the suspension over (OIP-R7).
var graphLocal = scenarios.Scenario{
	ID:     "openintent/graph/intent-local",
	Title:  "parent and sibling of an intent that waits keep their status",
	Proves: scenarios.IDs{openintentv1.OIP0026R1},
	Claim:  claims.Graph,
	Ask: scenarios.Ask(aFamily, func(o FamilyObservation, j *scenarios.Judge) {
		o.given(j)
		for _, seen := range []Family{o.During, o.Behind} {
			j.Check(openintentv1.OIP0026R1, seen.Parent.Body.Key("status")).To(check.SameAs(o.Before.Parent.Body.Key("status")), "status of %s", seen.Parent.Asked)
			j.Check(openintentv1.OIP0026R1, seen.B.Body.Key("status")).To(check.SameAs(o.Before.B.Body.Key("status")), "status of %s", seen.B.Asked)
		}
	}),
}

var graphUnrelated = scenarios.Scenario{
	ID:     "openintent/graph/unrelated",
	Title:  "an intent that depends on nothing suspended stays as it is",
	Proves: scenarios.IDs{openintentv1.OIP00024},
	Claim:  claims.Graph,
	Ask: scenarios.Ask(aFamily, func(o FamilyObservation, j *scenarios.Judge) {
		o.given(j)
		for _, seen := range []Family{o.During, o.Behind} {
			j.Check(openintentv1.OIP00024, seen.Stranger.Body.Key("status")).To(check.Equal(host.Active), "status of %s", seen.Stranger.Asked)
			j.Check(openintentv1.OIP00024, seen.B.Body.Key("status")).To(check.Equal(host.Active), "status of %s", seen.B.Asked)
		}
	}),
}

func (f Family) aggregate() host.Located {
	return host.Locate(host.ParentAggregate, host.Named("graph", f.Graph.Body).And("intent", f.Parent.Body))
}

// graphCounted asks under which status the child is counted, and graphNotDone under which it is not.
var graphCounted = scenarios.Scenario{
	ID:     "openintent/graph/counted",
	Title:  "the aggregate of a parent counts a child that waits, and no longer when it is answered",
	Proves: scenarios.IDs{openintentv1.OIP0026R4},
	Claim:  claims.Graph,
	Ask: scenarios.Ask(aFamily, func(o FamilyObservation, j *scenarios.Judge) {
		during, after := o.Behind.aggregate(), o.After.aggregate()
		if !during.Present() {
			j.NotThere(during.Value, "the aggregate_status of a parent, at GET /intents/{id}/graph or GET /intents/{id}")
		}
		during.Tell(j, openintentv1.OIP0026R4, host.ParentAggregate)
		count := during.At("/by_status/" + host.Suspended)
		j.Check(openintentv1.OIP0026R4, count).To(check.Equal(1), "%s, while a child waits", during.Told("by_status."+host.Suspended))
		j.Check(openintentv1.OIP0026R4, after.At("/by_status/"+host.Suspended)).To(noneOr(0), "%s, after the answer", after.Told("by_status."+host.Suspended))
	}),
}

// noneOr expects a number or nothing: a status that nobody has may be left out.
func noneOr(n int64) check.Matcher {
	return check.That(wire.Compact(n)+", or nothing", func(v any) bool { return v == nil || v == n })
}

// graphNotDone has one child completed, so that a server that counts nothing is found out.
var graphNotDone = scenarios.Scenario{
	ID:     "openintent/graph/not-done",
	Title:  "a child that waits is not counted as completed",
	Proves: scenarios.IDs{openintentv1.OIP00023},
	Claim:  claims.Graph,
	Ask: scenarios.Ask(aFamily, func(o FamilyObservation, j *scenarios.Judge) {
		before, during := o.Before.aggregate(), o.Behind.aggregate()
		if !during.Present() {
			j.NotThere(during.Value, "the aggregate_status of a parent, at GET /intents/{id}/graph or GET /intents/{id}")
		}
		j.Check(openintentv1.OIP00023, during.At("/by_status/completed")).To(check.Equal(1), "%s, while one child waits and another is completed", during.Told("by_status.completed"))
		if p := during.At("/completion_percentage"); p.Present() {
			j.Check(openintentv1.OIP00023, p).To(check.SameAs(before.At("/completion_percentage")), "%s, while a child waits", during.Told("completion_percentage"))
		}
	}),
}

// graphParentGate has no child that was abandoned (OIP-R122).
var graphParentGate = scenarios.Scenario{
	ID:     "openintent/graph/parent-gate",
	Title:  "a parent is not completed while a child waits, and is when its children are completed",
	Proves: scenarios.IDs{openintentv1.OIP00021},
	Claim:  claims.Graph,
	Ask: scenarios.Ask(aFamily, func(o FamilyObservation, j *scenarios.Judge) {
		j.Check(openintentv1.OIP00021, o.Completing.Status).To(check.Status(4), "%s", o.Completing.Asked)
		j.Check(openintentv1.OIP00021, o.Still.Body.Key("status")).NotTo(check.Equal(host.Completed), "status of %s", o.Still.Asked)
		if !o.Completing.Ok() && !o.Closing.Ok() {
			j.Block("set-up: the parent is not completed when its children are either: HTTP "+o.Closing.Status.JSON(), "have POST /intents/{id}/status complete a parent whose children are completed")
		}
	}),
}

// depends stops a judge where the dependent never was what the question is about.
func (o DependentObservation) depends(j *scenarios.Judge) {
	if o.Way == wayNeither {
		j.Block("set-up: an intent that depends on another one is "+o.Before.Body.Key("status").JSON()+" and cannot be activated", "have a dependent be active, or blocked")
	}
}

// blockedBy stops a judge for which a blocked dependent is the set-up.
func (o DependentObservation) blockedBy(j *scenarios.Judge) {
	o.depends(j)
	j.Need(openintentv1.OIP0026R2, o.Blocked)
}

// graphBlocked needs a dependent that was active before (OIP-R21).
var graphBlocked = scenarios.Scenario{
	ID:     "openintent/graph/blocked",
	Title:  "an active intent turns blocked when what it depends on is suspended",
	Proves: scenarios.IDs{openintentv1.OIP0026R2},
	Claim:  claims.Graph,
	Ask: scenarios.Ask(dependent, func(o DependentObservation, j *scenarios.Judge) {
		o.depends(j)
		if o.Way == wayBlocked {
			j.NotOffered("a dependent is blocked from the start on this server, so that an active one that turns blocked cannot be seen")
		}
		j.Check(openintentv1.OIP0026R2, o.Blocked).To(check.Reached(), "the dependent")
	}),
}

// graphNotOnResume has a control: the dependent turns active later, by the same means.
var graphNotOnResume = scenarios.Scenario{
	ID:     "openintent/graph/not-on-resume",
	Title:  "the answer alone does not unblock a dependent",
	Proves: scenarios.IDs{openintentv1.OIP0026R2C},
	Claim:  claims.Graph,
	Ask: scenarios.Ask(dependent, func(o DependentObservation, j *scenarios.Judge) {
		o.blockedBy(j)
		j.Need(openintentv1.OIP0025A15, o.Resumed)
		j.Need(openintentv1.OIP0025A15, o.Barrier.Sentinel)
		j.Check(openintentv1.OIP0026R2C, o.Behind.Body.Key("status")).To(check.Equal(host.Blocked), "status of %s", o.Behind.Asked)
		j.Need(openintentv1.OIP0026R2D, o.Unblocked)
	}),
}

var graphUnblocked = scenarios.Scenario{
	ID:     "openintent/graph/unblocked",
	Title:  "a dependent turns active by itself when what it depends on was resumed and is completed",
	Proves: scenarios.IDs{openintentv1.OIP0026R2D},
	Claim:  claims.Graph,
	Ask: scenarios.Ask(dependent, func(o DependentObservation, j *scenarios.Judge) {
		o.blockedBy(j)
		if !o.Finished.Ok() {
			j.Block("set-up: the upstream could not be completed after the answer: HTTP "+o.Finished.Status.JSON(), "have POST /intents/{id}/status complete an active intent")
		}
		j.Check(openintentv1.OIP0026R2D, o.Unblocked).To(check.Reached(), "the dependent")
	}),
}

// graphGate takes any 4xx (OIP-R107).
var graphGate = scenarios.Scenario{
	ID:     "openintent/graph/completion-gate",
	Title:  "an intent is not completed while what it depends on waits, and is when that is completed",
	Proves: scenarios.IDs{openintentv1.OIP0026R2B},
	Claim:  claims.Graph,
	Ask: scenarios.Ask(dependent, func(o DependentObservation, j *scenarios.Judge) {
		o.depends(j)
		j.Check(openintentv1.OIP0026R2B, o.Completing.Status).To(check.Status(4), "%s", o.Completing.Asked)
		j.Check(openintentv1.OIP0026R2B, o.Still.Body.Key("status")).NotTo(check.Equal(host.Completed), "status of %s", o.Still.Asked)
		if !o.Completing.Ok() {
			j.Need(openintentv1.OIP0026R2D, o.Unblocked)
			if !o.Closing.Ok() {
				j.Block("set-up: a dependent is not completed when its upstream is either: HTTP "+o.Closing.Status.JSON(), "have POST /intents/{id}/status complete an active intent")
			}
		}
	}),
}

var graphDiamond = scenarios.Scenario{
	ID:     "openintent/graph/diamond",
	Title:  "an intent that depends on two unblocks only when both are completed",
	Proves: scenarios.IDs{openintentv1.OIP00022},
	Claim:  claims.Graph,
	Ask: scenarios.Ask(diamond, func(o DiamondObservation, j *scenarios.Judge) {
		if o.Way == wayNeither {
			j.Block("set-up: an intent that depends on others can be neither active nor blocked", "have a dependent be active, or blocked")
		}
		j.Need(openintentv1.OIP0026R2, o.Blocked)
		j.Need(openintentv1.OIP0025A15, o.Barrier.Sentinel)
		if !o.First.Ok() || o.Second.Body.Key("status").String() != host.Suspended || !o.Finished.Ok() {
			j.Block("set-up: the upstreams could not be completed one after the other", "have POST /intents/{id}/status complete an answered intent")
		}
		j.Check(openintentv1.OIP00022, o.Between.Body.Key("status")).To(check.Equal(host.Blocked), "status of %s", o.Between.Asked)
		j.Need(openintentv1.OIP0026R2D, o.Unblocked)
	}),
}

// graphOrders has the status set first (OIP-R35).
var graphOrders = scenarios.Scenario{
	ID:     "openintent/graph/orders",
	Title:  "a dependent is blocked and unblocked as ever where the status was set before the record was written",
	Proves: scenarios.IDs{openintentv1.OIPREAD2},
	Claim:  claims.Graph,
	Ask: scenarios.Ask(dependentStatusFirst, func(o DependentObservation, j *scenarios.Judge) {
		o.depends(j)
		j.Need(openintentv1.OIP0026R2, o.Usual)
		if j.Check(openintentv1.OIPREAD2, o.Blocked).To(check.Reached(), "the dependent") {
			j.Check(openintentv1.OIPREAD2, o.Unblocked).To(check.Reached(), "the dependent")
		}
	}),
}
