package openintent

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Family is a parent and its children as they stood.
type Family struct {
	Parent   Reply `json:"parent"`
	Graph    Reply `json:"graph"`
	Children Reply `json:"children"` // the list of the parent
	A        Reply `json:"a"`        // the child that is suspended
	B        Reply `json:"b"`        // its sibling
	Stranger Reply `json:"stranger"` // an intent that has nothing to do with them
}

// family are the intents of a [Family].
type family struct {
	*server
	parent, a, b, done, stranger *intent
}

// family makes a parent with two active children and one that is completed.
func (s *server) family(ctx context.Context) (f family) {
	f.server = s
	f.parent = s.mk(ctx, "parent", active, nil)
	for _, kid := range []**intent{&f.a, &f.b, &f.done} {
		*kid = f.parent.kid(ctx, "child")
	}
	f.done.finish(ctx)
	f.stranger = s.mk(ctx, "stranger", active, nil)
	return f
}

func (f family) look(ctx context.Context, when string) (o Family) {
	for _, k := range []struct {
		path string
		into *Reply
		what string
	}{
		{at("/intents/%s", f.parent.ID), &o.Parent, "the parent "}, {at("/intents/%s/graph", f.parent.ID), &o.Graph, "the graph of the parent "},
		{at("/intents/%s/children", f.parent.ID), &o.Children, "the children of the parent "},
		{at("/intents/%s", f.a.ID), &o.A, "the child that was suspended "}, {at("/intents/%s", f.b.ID), &o.B, "its sibling "}, {at("/intents/%s", f.stranger.ID), &o.Stranger, "an intent apart "},
	} {
		*k.into = f.get(ctx, k.what+when, k.path)
	}
	return o
}

// FamilyObservation is a child that waits and is answered, and what its parent and sibling made of it.
type FamilyObservation struct {
	AID        string     `json:"aId"`
	Before     Family     `json:"before"`
	Suspension Suspension `json:"suspension"`
	During     Family     `json:"during"`
	Barrier    Barrier    `json:"barrier"`
	Behind     Family     `json:"behind"`     // the barrier
	Completing Reply      `json:"completing"` // the parent, while the child waits
	Still      Reply      `json:"still"`      // the parent after that
	Answer     Reply      `json:"answer"`
	After      Family     `json:"after"`
	Closing    Reply      `json:"closing"` // the parent, when its children are completed
}

var aFamily = &scenarios.Drive[FamilyObservation]{
	ID: "openintent/family", Title: "suspends a child, looks at its parent and sibling, and has the parent completed before and after the answer",
	Sends: []string{"POST /intents", "POST /intents/{id}/children, 3 times", "POST /intents/{id}/state and /status", "GET /intents/{id}, /children and /graph", "POST /intents/{id}/suspend/respond"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *FamilyObservation) {
		s := open(ctx, c)
		f := s.family(ctx)
		o.AID = f.a.ID
		o.Before = f.look(ctx, "before")
		o.Suspension = f.a.suspend(ctx, s.question("text"))
		o.During = f.look(ctx, "while it waits")
		o.Barrier = s.barrier(ctx, 0)
		o.Behind = f.look(ctx, "after another had its turn")
		o.Completing = f.parent.set(ctx, completed, "complete the parent while the child waits")
		o.Still = f.parent.read(ctx, "the parent after that")
		o.Answer = f.a.mustAnswer(ctx, o.Suspension.ID, "go on")
		f.a.becomes(ctx, "the answered child is active", active)
		o.After = f.look(ctx, "after the answer")
		for _, kid := range []*intent{f.a, f.b} { // one that is not completed leaves the parent open, which the judge sees
			kid.set(ctx, completed, "complete a child")
		}
		o.Closing = f.parent.set(ctx, completed, "complete the parent when its children are completed")
	},
}

// Ways to have a dependent, from the one that shows most.
const (
	wayChild   = "a child with depends_on was activated"
	wayLater   = "an active intent was given the dependency"
	wayBlocked = "it was blocked from the start"
	wayNeither = "it could be neither active nor blocked"
)

// DependentObservation is an intent whose upstream waits, is answered, and is completed.
type DependentObservation struct {
	Way        string     `json:"way"`
	Before     Reply      `json:"before"` // the dependent
	UpstreamID string     `json:"upstreamId"`
	Suspension Suspension `json:"suspension"`
	Usual      wire.Wait  `json:"usual"` // the same in the usual order, for a drive that has another: another dependent is blocked
	Blocked    wire.Wait  `json:"blocked"`
	Completing Reply      `json:"completing"` // a second dependent, while its upstream waits
	Still      Reply      `json:"still"`      // that one then
	Answer     Reply      `json:"answer"`
	Resumed    wire.Wait  `json:"resumed"` // the upstream
	Barrier    Barrier    `json:"barrier"`
	Behind     Reply      `json:"behind"`   // the dependent, after the answer and the barrier
	Finished   Reply      `json:"finished"` // to completing the upstream
	Unblocked  wire.Wait  `json:"unblocked"`
	Closing    Reply      `json:"closing"` // the second dependent, when its upstream is completed
}

var dependent = &scenarios.Drive[DependentObservation]{
	ID: "openintent/dependent", Title: "suspends what another intent depends on, answers it, completes it, and looks at the dependent all along",
	Sends: dependentSends, Run: func(ctx context.Context, c *scenarios.Conn, o *DependentObservation) {
		dependentBy(ctx, c, RecordFirst, o)
	},
}

var dependentStatusFirst = &scenarios.Drive[DependentObservation]{
	ID: "openintent/dependent-status-first", Title: "does the same, and sets the status before it writes the record",
	Sends: dependentSends, Run: func(ctx context.Context, c *scenarios.Conn, o *DependentObservation) {
		dependentBy(ctx, c, StatusFirst, o)
	},
}

var dependentSends = []string{"POST /intents", "POST /intents/{id}/children or /dependencies", "POST /intents/{id}/state and /status", "POST /intents/{id}/suspend/respond", "GET /intents/{id}"}

// dependentOn is an intent that waits for another, active if the server lets it be (C21).
func (s *server) dependentOn(ctx context.Context, upstreams ...*intent) (d *intent, way string) {
	deps := make([]string, len(upstreams))
	for n, u := range upstreams {
		deps[n] = u.ID
	}
	parent := s.mk(ctx, "parent", active, nil)
	d = parent.kid(ctx, "dependent", deps...)
	now := d.read(ctx, "the dependent")
	first := d
	switch now.Body.Key("status").String() {
	case active:
		return d, wayChild
	case blocked:
		way = wayBlocked
	default:
		way = wayNeither
	}
	d = s.mk(ctx, "dependent", active, nil)
	for _, u := range upstreams {
		said := d.dependOn(ctx, u)
		if !said.ok() {
			return first, way
		}
	}
	now = d.read(ctx, "the dependent")
	if kept := now.Body.Key("depends_on").Items(); len(kept) != len(upstreams) {
		s.setUp("keep the dependencies of an intent", now)
		return d, ""
	}
	if now.Body.Key("status").String() == active {
		return d, wayLater
	}
	return first, way
}

func dependentBy(ctx context.Context, c *scenarios.Conn, order Order, o *DependentObservation) {
	s := open(ctx, c)
	up := s.mk(ctx, "upstream", active, nil)
	o.UpstreamID = up.ID
	d, way := s.dependentOn(ctx, up)
	gated, _ := s.dependentOn(ctx, up) // what is tried on it is not to disturb the other
	o.Way = way
	o.Before = d.read(ctx, "the dependent before")
	if order != RecordFirst {
		o.Usual = s.usualDependent(ctx)
	}
	o.Suspension = up.suspendBy(ctx, s.question("text"), order)
	o.Blocked = d.becomes(ctx, "the dependent is blocked", blocked)
	o.Completing = gated.set(ctx, completed, "complete a dependent while its upstream waits")
	o.Still = gated.read(ctx, "that dependent then")
	o.Answer = up.mustAnswer(ctx, o.Suspension.ID, "go on")
	o.Resumed = up.becomes(ctx, "the upstream is active again", active)
	o.Barrier = s.barrier(ctx, o.Blocked.Gap())
	o.Behind = d.read(ctx, "the dependent after the answer")
	o.Finished = up.set(ctx, completed, "complete the upstream")
	if o.Unblocked = d.becomes(ctx, "the dependent is active", active); !o.Unblocked.Reached {
		return
	}
	gated.becomes(ctx, "the second dependent is active", active)
	o.Closing = gated.set(ctx, completed, "complete a dependent when its upstream is completed")
}

// DiamondObservation is an intent that depends on two that wait, which are answered and completed one after the other.
type DiamondObservation struct {
	Way       string    `json:"way"`
	Blocked   wire.Wait `json:"blocked"`
	First     Reply     `json:"first"` // the first upstream, completed
	Barrier   Barrier   `json:"barrier"`
	Between   Reply     `json:"between"`  // the dependent then
	Second    Reply     `json:"second"`   // the second upstream then
	Finished  Reply     `json:"finished"` // to completing the second
	Unblocked wire.Wait `json:"unblocked"`
}

var diamond = &scenarios.Drive[DiamondObservation]{
	ID: "openintent/diamond", Title: "suspends two intents that a third depends on, and completes one after the other",
	Sends: dependentSends,
	Run: func(ctx context.Context, c *scenarios.Conn, o *DiamondObservation) {
		s := open(ctx, c)
		ups, sus := make([]*intent, 2), make([]Suspension, 2)
		for n := range ups {
			ups[n] = s.mk(ctx, "upstream", active, nil)
		}
		d, way := s.dependentOn(ctx, ups...)
		o.Way = way
		for n, up := range ups {
			sus[n] = up.suspend(ctx, s.question("text"))
		}
		o.Blocked = d.becomes(ctx, "the dependent is blocked", blocked)
		ups[0].mustAnswer(ctx, sus[0].ID, "go on")
		o.First = ups[0].set(ctx, completed, "complete the first upstream")
		o.Barrier = s.barrier(ctx, o.Blocked.Gap())
		o.Between = d.read(ctx, "the dependent, when one upstream is completed")
		o.Second = ups[1].read(ctx, "the second upstream")
		ups[1].mustAnswer(ctx, sus[1].ID, "go on")
		o.Finished = ups[1].set(ctx, completed, "complete the second upstream")
		o.Unblocked = d.becomes(ctx, "the dependent is active", active)
	},
}

// usualDependent waits for a dependent of an intent that is suspended the record first.
func (s *server) usualDependent(ctx context.Context) (w wire.Wait) {
	up := s.mk(ctx, "upstream", active, nil)
	d, _ := s.dependentOn(ctx, up)
	up.suspend(ctx, s.question("text"))
	return d.becomes(ctx, "a dependent is blocked in the usual order", blocked)
}
