package graph

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Family is a parent and its children at one moment.
type Family struct {
	Parent   host.Reply `json:"parent"`
	Graph    host.Reply `json:"graph"`
	Children host.Reply `json:"children"` // the list of children of the parent
	A        host.Reply `json:"a"`        // the child that is suspended
	B        host.Reply `json:"b"`        // its sibling
	Stranger host.Reply `json:"stranger"` // an unrelated intent
}

// family holds the intents of a [Family].
type family struct {
	*host.Server
	parent, a, b, done, stranger *host.Intent
}

// newFamily makes a parent with two active children and a completed one, and an unrelated intent.
func newFamily(ctx context.Context, s *host.Server) (f family) {
	f.Server = s
	f.parent = s.NewIntent(ctx, "parent", host.Active, nil)
	for _, child := range []**host.Intent{&f.a, &f.b, &f.done} {
		*child = f.parent.Child(ctx, "child")
	}
	f.done.Finish(ctx)
	f.stranger = s.NewIntent(ctx, "stranger", host.Active, nil)
	return f
}

// look reads the family.
func (f family) look(ctx context.Context, when string) (o Family) {
	o.Parent = f.parent.Read(ctx, "the parent "+when)
	o.Graph = f.Get(ctx, "the graph of the parent "+when, host.At("/intents/%s/graph", f.parent.ID))
	o.Children = f.Get(ctx, "the children of the parent "+when, host.At("/intents/%s/children", f.parent.ID))
	o.A = f.a.Read(ctx, "the child that was suspended "+when)
	o.B = f.b.Read(ctx, "its sibling "+when)
	o.Stranger = f.stranger.Read(ctx, "an intent apart "+when)
	return o
}

// FamilyObservation is a family with a child that was suspended and answered.
type FamilyObservation struct {
	AID        string          `json:"aId"`
	Before     Family          `json:"before"`
	Suspension host.Suspension `json:"suspension"`
	During     Family          `json:"during"`
	Barrier    host.Barrier    `json:"barrier"`
	Behind     Family          `json:"behind"`     // after the barrier
	Completing host.Reply      `json:"completing"` // the reply to completing the parent while the child is suspended
	Still      host.Reply      `json:"still"`      // the parent after that
	Answer     host.Reply      `json:"answer"`
	After      Family          `json:"after"`
	Closing    host.Reply      `json:"closing"` // the reply to completing the parent when its children are completed
	Drafted    host.Reply      `json:"drafted"` // the reply to completing another parent, whose only child is a draft; there need be none
	Undone     host.Reply      `json:"undone"`  // that parent after it
}

var aFamily = &scenarios.Drive[FamilyObservation]{
	ID:    "openintent/family",
	Title: "suspends a child, looks at its parent and sibling, and has the parent completed before and after the answer",
	Sends: []string{
		"POST /intents", "POST /intents/{id}/children, 3 times", "POST /intents/{id}/state and /status",
		"GET /intents/{id}, /children and /graph", "POST /intents/{id}/suspend/respond",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *FamilyObservation) {
		s := host.Open(ctx, c)
		f := newFamily(ctx, s)
		o.AID = f.a.ID
		o.Before = f.look(ctx, "before")
		o.Suspension = f.a.Suspend(ctx, s.Question("text"))
		o.During = f.look(ctx, "while it waits")
		o.Barrier = s.Barrier(ctx, 0)
		o.Behind = f.look(ctx, "after another had its turn")
		o.Completing = f.parent.Set(ctx, host.Completed, "complete the parent while the child waits")
		o.Still = f.parent.Read(ctx, "the parent after that")
		o.Answer = f.a.MustAnswer(ctx, o.Suspension.ID, "go on")
		f.a.Becomes(ctx, "the answered child is active", host.Active)
		o.After = f.look(ctx, "after the answer")
		for _, child := range []*host.Intent{f.a, f.b} { // if a child stays open, so does the parent, and the judge says so
			child.Set(ctx, host.Completed, "complete a child")
		}
		o.Closing = f.parent.Set(ctx, host.Completed, "complete the parent when its children are completed")
		if c.Depth > scenarios.Quick {
			o.overADraft(ctx, s)
		}
	},
}

// overADraft has a parent completed over a child that nobody has begun with.
func (o *FamilyObservation) overADraft(ctx context.Context, s *host.Server) {
	parent := s.NewIntent(ctx, "parent", host.Active, nil)
	child := s.NewIntent(ctx, "draft", host.Draft, map[string]any{"parent_intent_id": parent.ID})
	now := child.Read(ctx, "a child that is a draft").Body
	if now.Key("status").String() != host.Draft || now.Key("parent_intent_id").String() != parent.ID {
		return // the server makes no such children
	}
	o.Drafted = parent.Set(ctx, host.Completed, "complete a parent over a child that is a draft")
	o.Undone = parent.Read(ctx, "the parent of a draft after that")
}

// The ways to make a dependent, best first.
const (
	wayChild   = "a child with depends_on was activated"
	wayLater   = "an active intent was given the dependency"
	wayBlocked = "it was blocked from the start"
	wayNeither = "it could be neither active nor blocked"
)

// DependentObservation is an intent whose upstream was suspended, answered and completed.
type DependentObservation struct {
	Way        string          `json:"way"`
	Before     host.Reply      `json:"before"` // the dependent
	UpstreamID string          `json:"upstreamId"`
	Suspension host.Suspension `json:"suspension"`
	Usual      wire.Wait       `json:"usual"` // the control of a drive in the other order: a dependent is blocked in the usual one
	Blocked    wire.Wait       `json:"blocked"`
	Completing host.Reply      `json:"completing"` // the reply to completing a second dependent while the upstream is suspended
	Still      host.Reply      `json:"still"`      // the second dependent after that
	Answer     host.Reply      `json:"answer"`
	Resumed    wire.Wait       `json:"resumed"` // for the upstream to be active
	Barrier    host.Barrier    `json:"barrier"`
	Behind     host.Reply      `json:"behind"`   // the dependent, after the answer and the barrier
	Finished   host.Reply      `json:"finished"` // the reply to completing the upstream
	Unblocked  wire.Wait       `json:"unblocked"`
	Closing    host.Reply      `json:"closing"` // the reply to completing the second dependent when the upstream is completed
}

var dependent = &scenarios.Drive[DependentObservation]{
	ID: "openintent/dependent",
	Title: "suspends what another intent depends on, answers it, completes it, and looks at the dependent all along; beyond quick, after " +
		"a third intent was to depend on it no more",
	Sends: append([]string{"beyond quick, DELETE /intents/{id}/dependencies/{dependency}"}, dependentSends...),
	Run: func(ctx context.Context, c *scenarios.Conn, o *DependentObservation) {
		o.drive(ctx, c, host.RecordFirst)
	},
}

var dependentStatusFirst = &scenarios.Drive[DependentObservation]{
	ID: "openintent/dependent-status-first", Title: "does the same, and sets the status before it writes the record",
	Sends: append([]string{"beyond quick, DELETE /intents/{id}/dependencies/{dependency}"}, dependentSends...),
	Run: func(ctx context.Context, c *scenarios.Conn, o *DependentObservation) {
		o.drive(ctx, c, host.StatusFirst)
	},
}

var dependentSends = []string{
	"POST /intents", "POST /intents/{id}/children or /dependencies", "POST /intents/{id}/state and /status",
	"POST /intents/{id}/suspend/respond", "GET /intents/{id}",
}

// dependentOn makes an intent that depends on others, active if the server allows that (OIP-R21).
func dependentOn(ctx context.Context, s *host.Server, upstreams ...*host.Intent) (d *host.Intent, way string) {
	deps := make([]string, len(upstreams))
	for n, u := range upstreams {
		deps[n] = u.ID
	}
	parent := s.NewIntent(ctx, "parent", host.Active, nil)
	d = parent.Child(ctx, "dependent", deps...)
	now := d.Read(ctx, "the dependent")
	first := d
	switch now.Body.Key("status").String() {
	case host.Active:
		return d, wayChild
	case host.Blocked:
		way = wayBlocked
	default:
		way = wayNeither
	}
	d = s.NewIntent(ctx, "dependent", host.Active, nil)
	for _, u := range upstreams {
		if !d.DependOn(ctx, u).Ok() {
			return first, way
		}
	}
	now = d.Read(ctx, "the dependent")
	if kept := now.Body.Key("depends_on").Items(); len(kept) != len(upstreams) {
		s.SetUp("keep the dependencies of an intent", now)
	}
	if now.Body.Key("status").String() == host.Active {
		return d, wayLater
	}
	return first, way
}

// drive suspends the upstream in one of the two orders, answers it and completes it.
func (o *DependentObservation) drive(ctx context.Context, c *scenarios.Conn, order host.Order) {
	s := host.Open(ctx, c)
	up := s.NewIntent(ctx, "upstream", host.Active, nil)
	o.UpstreamID = up.ID
	d, way := dependentOn(ctx, s, up)
	gated, _ := dependentOn(ctx, s, up) // the attempts to complete it must not disturb d
	o.Way = way
	if c.Depth > scenarios.Quick { // who waits for the upstream no more takes nobody else off its dependents
		left := s.NewIntent(ctx, "left", host.Active, nil)
		if left.DependOn(ctx, up).Ok() {
			left.Free(ctx, up)
		}
	}
	o.Before = d.Read(ctx, "the dependent before")
	if order != host.RecordFirst {
		o.Usual = usualDependent(ctx, s)
	}
	o.Suspension = up.SuspendBy(ctx, s.Question("text"), order)
	o.Blocked = d.Becomes(ctx, "the dependent is blocked", host.Blocked)
	o.Completing = gated.Set(ctx, host.Completed, "complete a dependent while its upstream waits")
	o.Still = gated.Read(ctx, "that dependent then")
	o.Answer = up.MustAnswer(ctx, o.Suspension.ID, "go on")
	o.Resumed = up.Becomes(ctx, "the upstream is active again", host.Active)
	o.Barrier = s.Barrier(ctx, o.Blocked.Gap())
	o.Behind = d.Read(ctx, "the dependent after the answer")
	o.Finished = up.Set(ctx, host.Completed, "complete the upstream")
	if o.Unblocked = d.Becomes(ctx, "the dependent is active", host.Active); !o.Unblocked.Reached {
		return
	}
	gated.Becomes(ctx, "the second dependent is active", host.Active)
	o.Closing = gated.Set(ctx, host.Completed, "complete a dependent when its upstream is completed")
}

// DiamondObservation is an intent with two upstreams, which were suspended, then answered and completed one after the
// other.
type DiamondObservation struct {
	Way       string       `json:"way"`
	Blocked   wire.Wait    `json:"blocked"`
	First     host.Reply   `json:"first"` // the reply to completing the first upstream
	Barrier   host.Barrier `json:"barrier"`
	Between   host.Reply   `json:"between"`  // the dependent after that
	Second    host.Reply   `json:"second"`   // the second upstream after that
	Finished  host.Reply   `json:"finished"` // the reply to completing the second
	Unblocked wire.Wait    `json:"unblocked"`
}

var diamond = &scenarios.Drive[DiamondObservation]{
	ID: "openintent/diamond", Title: "suspends two intents that a third depends on, and completes one after the other",
	Sends: dependentSends,
	Run: func(ctx context.Context, c *scenarios.Conn, o *DiamondObservation) {
		s := host.Open(ctx, c)
		ups, sus := make([]*host.Intent, 2), make([]host.Suspension, 2)
		for n := range ups {
			ups[n] = s.NewIntent(ctx, "upstream", host.Active, nil)
		}
		d, way := dependentOn(ctx, s, ups...)
		o.Way = way
		for n, up := range ups {
			sus[n] = up.Suspend(ctx, s.Question("text"))
		}
		o.Blocked = d.Becomes(ctx, "the dependent is blocked", host.Blocked)
		ups[0].MustAnswer(ctx, sus[0].ID, "go on")
		o.First = ups[0].Set(ctx, host.Completed, "complete the first upstream")
		o.Barrier = s.Barrier(ctx, o.Blocked.Gap())
		o.Between = d.Read(ctx, "the dependent, when one upstream is completed")
		o.Second = ups[1].Read(ctx, "the second upstream")
		ups[1].MustAnswer(ctx, sus[1].ID, "go on")
		o.Finished = ups[1].Set(ctx, host.Completed, "complete the second upstream")
		o.Unblocked = d.Becomes(ctx, "the dependent is active", host.Active)
	},
}

// usualDependent waits until a dependent is blocked whose upstream was suspended in the usual order.
func usualDependent(ctx context.Context, s *host.Server) (w wire.Wait) {
	up := s.NewIntent(ctx, "upstream", host.Active, nil)
	d, _ := dependentOn(ctx, s, up)
	up.Suspend(ctx, s.Question("text"))
	return d.Becomes(ctx, "a dependent is blocked in the usual order", host.Blocked)
}
