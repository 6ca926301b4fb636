// Package graph asks what a suspended intent does to its parent, siblings and dependents.
package graph

import (
	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Suite returns the suite graph.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "graph", Title: "parents, siblings and dependents of an intent that waits",
		Scenarios: []scenarios.Scenario{
			graphLocal, graphUnrelated, graphCounted, graphNotDone, graphParentGate,
			graphBlocked, graphNotOnResume, graphUnblocked, graphGate, graphDiamond, graphOrders,
			graphCircles, graphFreed,
		},
	}
}

// given ends the judge unless the parent shows that the child is suspended: otherwise an unchanged parent proves
// nothing.
func (o FamilyObservation) given(j *scenarios.Judge) {
	if o.Suspension.After.Body.Key("status").String() != host.Suspended {
		j.Block("setup failed: the child is not suspended", "suspend it; the suite respond tests that")
	}
	for _, list := range []wire.Value{
		o.Behind.Children.Body.Key("children"), o.Behind.Children.Body, o.Behind.Graph.Body.Key("nodes"),
	} {
		for _, child := range list.Items() {
			if child.Key("id").String() == o.AID && child.Key("status").String() == host.Suspended {
				j.Need(openintent.OIP0025A15, o.Barrier.Sentinel)
				return
			}
		}
	}
	j.NotThere(o.Behind.Children.Status,
		"a parent that lists a child as "+host.Suspended+" (GET /intents/{id}/children or /graph)")
}

// graphLocal allows neither to become suspended (OIP-R7).
var graphLocal = scenarios.Scenario{
	ID:     "openintent/graph/intent-local",
	Title:  "parent and sibling of an intent that waits keep their status",
	Proves: scenarios.IDs{openintent.OIP0026R1},
	Claim:  claims.Graph,
	Ask: scenarios.Ask(aFamily, func(o FamilyObservation, j *scenarios.Judge) {
		o.given(j)
		o.Before.Parent.HasStatus(j)
		o.Before.B.HasStatus(j)
		for _, seen := range []Family{o.During, o.Behind} {
			j.Check(openintent.OIP0026R1, seen.Parent.Body.Key("status")).
				To(check.SameAs(o.Before.Parent.Body.Key("status")), "status of %s", seen.Parent.Asked)
			j.Check(openintent.OIP0026R1, seen.B.Body.Key("status")).
				To(check.SameAs(o.Before.B.Body.Key("status")), "status of %s", seen.B.Asked)
		}
	}),
}

var graphUnrelated = scenarios.Scenario{
	ID:     "openintent/graph/unrelated",
	Title:  "an intent that depends on nothing suspended stays as it is",
	Proves: scenarios.IDs{openintent.OIP00024},
	Claim:  claims.Graph,
	Ask: scenarios.Ask(aFamily, func(o FamilyObservation, j *scenarios.Judge) {
		o.given(j)
		for _, seen := range []Family{o.During, o.Behind} {
			j.Check(openintent.OIP00024, seen.Stranger.Body.Key("status")).To(check.Equal(host.Active), "status of %s", seen.Stranger.Asked)
			j.Check(openintent.OIP00024, seen.B.Body.Key("status")).To(check.Equal(host.Active), "status of %s", seen.B.Asked)
		}
	}),
}

// aggregate returns the aggregate that the parent shows of its children.
func (f Family) aggregate() host.Located {
	return host.Locate(host.ParentAggregate, host.Named("graph", f.Graph.Body).And("intent", f.Parent.Body))
}

// graphCounted asks for the right status of the child, graphNotDone against a wrong one.
var graphCounted = scenarios.Scenario{
	ID:     "openintent/graph/counted",
	Title:  "the aggregate of a parent counts a child that waits, and no longer when it is answered",
	Proves: scenarios.IDs{openintent.OIP0026R4},
	Claim:  claims.Graph,
	Ask: scenarios.Ask(aFamily, func(o FamilyObservation, j *scenarios.Judge) {
		during, after := o.Behind.aggregate(), o.After.aggregate()
		if !during.Present() {
			j.NotThere(during.Value, host.ParentAggregateThere)
		}
		during.Note(j, "OIP-R23", host.ParentAggregate)
		if !after.Present() {
			j.Block("the aggregate of the parent is gone after the answer", "show the aggregate of a parent, whether a child waits or not")
		}
		const pointer, member = "/by_status/" + host.Suspended, "by_status." + host.Suspended
		j.Check(openintent.OIP0026R4, during.At(pointer)).
			To(check.Equal(1), "%s, while a child waits", during.Label(member))
		j.Check(openintent.OIP0026R4, after.At(pointer)).
			To(zeroOrAbsent(), "%s, after the answer", after.Label(member))
	}),
}

// zeroOrAbsent expects 0 or nothing: an aggregate may leave out a status that no child has.
func zeroOrAbsent() check.Matcher {
	return check.That("0, or nothing", func(v any) bool { return v == nil || v == int64(0) })
}

// graphNotDone has a completed child, so that a server that counts nothing fails.
var graphNotDone = scenarios.Scenario{
	ID:     "openintent/graph/not-done",
	Title:  "a child that waits is not counted as completed",
	Proves: scenarios.IDs{openintent.OIP00023},
	Claim:  claims.Graph,
	Ask: scenarios.Ask(aFamily, func(o FamilyObservation, j *scenarios.Judge) {
		before, during := o.Before.aggregate(), o.Behind.aggregate()
		if !during.Present() {
			j.NotThere(during.Value, host.ParentAggregateThere)
		}
		j.Check(openintent.OIP00023, during.At("/by_status/completed")).To(check.Equal(1),
			"%s, while one child waits and another is completed", during.Label("by_status.completed"))
		if p := during.At("/completion_percentage"); p.Present() {
			j.Check(openintent.OIP00023, p).To(check.SameAs(before.At("/completion_percentage")),
				"%s, while a child waits", during.Label("completion_percentage"))
		}
	}),
}

// graphParentGate leaves abandoned children out (OIP-R122).
var graphParentGate = scenarios.Scenario{
	ID:     "openintent/graph/parent-gate",
	Title:  "a parent is not completed while a child waits, and is when its children are completed",
	Proves: scenarios.IDs{openintent.OIP00021},
	Claim:  claims.Graph,
	Ask: scenarios.Ask(aFamily, func(o FamilyObservation, j *scenarios.Judge) {
		j.Check(openintent.OIP00021, o.Completing.Status).To(check.Status(4), "%s", o.Completing.Asked)
		j.Check(openintent.OIP00021, o.Still.Body.Key("status")).NotTo(check.Equal(host.Completed), "status of %s", o.Still.Asked)
		if o.Drafted.Asked != "" {
			j.Check(openintent.OIP00021, o.Drafted.Status).To(check.Status(4), "%s", o.Drafted.Asked)
			j.Check(openintent.OIP00021, o.Undone.Body.Key("status")).NotTo(check.Equal(host.Completed), "status of %s", o.Undone.Asked)
		}
		if !o.Completing.Ok() && !o.Closing.Ok() {
			j.Block("setup failed: completing the parent after its children was answered with HTTP "+o.Closing.Status.JSON(),
				"make POST /intents/{id}/status complete a parent whose children are completed")
		}
	}),
}

// givenDependent blocks the judge unless the dependent could be active or blocked.
func (o DependentObservation) givenDependent(j *scenarios.Judge) {
	if o.Way == wayNeither {
		j.Block("setup failed: an intent that depends on another one is "+o.Before.Body.Key("status").JSON()+
			" and cannot be activated", unblockDependent)
	}
}

const unblockDependent = "allow an intent that depends on another one to be active, or blocked"

// givenBlocked blocks the judge unless the suspension blocked the dependent.
func (o DependentObservation) givenBlocked(j *scenarios.Judge) {
	o.givenDependent(j)
	needBlocked(j, o.Way, o.Blocked)
}

// needBlocked ends the judge unless the dependent is blocked. One that was blocked from the start did not turn so (OIP-R21).
func needBlocked(j *scenarios.Judge, way string, blocked wire.Wait) {
	if way == wayBlocked {
		j.Reach(blocked, "keep a dependent blocked while what it depends on waits")
		return
	}
	j.Need(openintent.OIP0026R2, blocked)
}

// needUnblocked ends the judge unless the dependent turned active by itself when its upstream, whose answer made it active,
// was completed. finished is the reply to completing it, which a server may refuse.
func needUnblocked(j *scenarios.Judge, finished host.Reply, unblocked wire.Wait) {
	givenFinished(j, finished)
	j.Need(openintent.OIP0026R2D, unblocked)
}

// givenFinished blocks the judge unless the upstream was completed.
func givenFinished(j *scenarios.Judge, finished host.Reply) {
	if status := finished.Body.Key("status"); !finished.Ok() || status.Present() && status.String() != host.Completed {
		j.Block("setup failed: completing the upstream after the answer was answered with HTTP "+finished.Status.JSON()+
			" and the status "+status.JSON(), unblockCompletion)
	}
}

// graphBlocked needs a dependent that was active before (OIP-R21).
var graphBlocked = scenarios.Scenario{
	ID:     "openintent/graph/blocked",
	Title:  "an active intent turns blocked when what it depends on is suspended",
	Proves: scenarios.IDs{openintent.OIP0026R2},
	Claim:  claims.Graph,
	Ask: scenarios.Ask(dependent, func(o DependentObservation, j *scenarios.Judge) {
		o.givenDependent(j)
		if o.Way == wayBlocked {
			j.NotOffered("on this server a dependent is blocked from the start, so none can turn from active to blocked")
		}
		host.Turned(j, openintent.OIP0026R2, o.Blocked, host.Blocked, "the dependent")
	}),
}

// graphNotOnResume has a control: the dependent turns active later.
var graphNotOnResume = scenarios.Scenario{
	ID:     "openintent/graph/not-on-resume",
	Title:  "the answer alone does not unblock a dependent",
	Proves: scenarios.IDs{openintent.OIP0026R2C},
	Claim:  claims.Graph,
	Ask: scenarios.Ask(dependent, func(o DependentObservation, j *scenarios.Judge) {
		o.givenBlocked(j)
		j.Need(openintent.OIP0025A15, o.Resumed)
		j.Need(openintent.OIP0025A15, o.Barrier.Sentinel)
		j.Check(openintent.OIP0026R2C, o.Behind.Body.Key("status")).To(check.Equal(host.Blocked), "status of %s", o.Behind.Asked)
		needUnblocked(j, o.Finished, o.Unblocked)
	}),
}

var graphUnblocked = scenarios.Scenario{
	ID:     "openintent/graph/unblocked",
	Title:  "a dependent turns active by itself when what it depends on was resumed and is completed",
	Proves: scenarios.IDs{openintent.OIP0026R2D},
	Claim:  claims.Graph,
	Ask: scenarios.Ask(dependent, func(o DependentObservation, j *scenarios.Judge) {
		o.givenBlocked(j)
		givenFinished(j, o.Finished)
		host.Turned(j, openintent.OIP0026R2D, o.Unblocked, host.Active, "the dependent")
	}),
}

const unblockCompletion = "make POST /intents/{id}/status complete an active intent"

// graphGate accepts any 4xx (OIP-R107).
var graphGate = scenarios.Scenario{
	ID:     "openintent/graph/completion-gate",
	Title:  "an intent is not completed while what it depends on waits, and is when that is completed",
	Proves: scenarios.IDs{openintent.OIP0026R2B},
	Claim:  claims.Graph,
	Ask: scenarios.Ask(dependent, func(o DependentObservation, j *scenarios.Judge) {
		o.givenDependent(j)
		j.Check(openintent.OIP0026R2B, o.Completing.Status).To(check.Status(4), "%s", o.Completing.Asked)
		j.Check(openintent.OIP0026R2B, o.Still.Body.Key("status")).NotTo(check.Equal(host.Completed), "status of %s", o.Still.Asked)
		if !o.Completing.Ok() {
			needUnblocked(j, o.Finished, o.Unblocked)
			if !o.Closing.Ok() {
				j.Block("setup failed: completing a dependent after its upstream was answered with HTTP "+
					o.Closing.Status.JSON(), unblockCompletion)
			}
		}
	}),
}

var graphDiamond = scenarios.Scenario{
	ID:     "openintent/graph/diamond",
	Title:  "an intent that depends on two unblocks only when both are completed",
	Proves: scenarios.IDs{openintent.OIP00022},
	Claim:  claims.Graph,
	Ask: scenarios.Ask(diamond, func(o DiamondObservation, j *scenarios.Judge) {
		if o.Way == wayNeither {
			j.Block("setup failed: an intent that depends on others can be neither active nor blocked", unblockDependent)
		}
		needBlocked(j, o.Way, o.Blocked)
		j.Need(openintent.OIP0025A15, o.Barrier.Sentinel)
		if !o.First.Ok() || o.Second.Body.Key("status").String() != host.Suspended || !o.Finished.Ok() {
			j.Block("setup failed: the upstreams could not be completed one after the other", unblockCompletion)
		}
		j.Check(openintent.OIP00022, o.Between.Body.Key("status")).To(check.Equal(host.Blocked), "status of %s", o.Between.Asked)
		needUnblocked(j, o.Finished, o.Unblocked)
	}),
}

// graphOrders asks about an upstream whose status was set first (OIP-R35).
var graphOrders = scenarios.Scenario{
	ID:     "openintent/graph/orders",
	Title:  "a dependent is blocked and unblocked as ever where the status was set before the record was written",
	Proves: scenarios.IDs{openintent.OIPREAD2},
	Claim:  claims.Graph,
	Ask: scenarios.Ask(dependentStatusFirst, func(o DependentObservation, j *scenarios.Judge) {
		o.givenDependent(j)
		needBlocked(j, o.Way, o.Usual)
		if host.Turned(j, openintent.OIPREAD2, o.Blocked, host.Blocked, "the dependent") {
			givenFinished(j, o.Finished)
			host.Turned(j, openintent.OIPREAD2, o.Unblocked, host.Active, "the dependent")
		}
	}),
}
