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
func (s *server) family(ctx context.Context) (f family, err error) {
	f.server = s
	if f.parent, err = s.mk(ctx, "parent", active, nil); err != nil {
		return f, err
	}
	for _, kid := range []**intent{&f.a, &f.b, &f.done} {
		if *kid, err = f.parent.kid(ctx, "child"); err != nil {
			return f, err
		}
	}
	if err = f.done.finish(ctx); err != nil {
		return f, err
	}
	f.stranger, err = s.mk(ctx, "stranger", active, nil)
	return f, err
}

func (f family) look(ctx context.Context, when string) (o Family, err error) {
	for _, k := range []struct {
		path string
		into *Reply
		what string
	}{
		{at("/intents/%s", f.parent.ID), &o.Parent, "the parent "}, {at("/intents/%s/graph", f.parent.ID), &o.Graph, "the graph of the parent "},
		{at("/intents/%s/children", f.parent.ID), &o.Children, "the children of the parent "},
		{at("/intents/%s", f.a.ID), &o.A, "the child that was suspended "}, {at("/intents/%s", f.b.ID), &o.B, "its sibling "}, {at("/intents/%s", f.stranger.ID), &o.Stranger, "an intent apart "},
	} {
		if *k.into, err = f.get(ctx, k.what+when, k.path); err != nil {
			return o, err
		}
	}
	return o, nil
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
	Run: func(ctx context.Context, c *scenarios.Conn) (o FamilyObservation, err error) {
		s, err := open(ctx, c)
		if err != nil {
			return o, err
		}
		f, err := s.family(ctx)
		if err != nil {
			return o, err
		}
		o.AID = f.a.ID
		if o.Before, err = f.look(ctx, "before"); err != nil {
			return o, err
		}
		if o.Suspension, err = f.a.suspend(ctx, s.question("text")); err != nil {
			return o, err
		}
		if o.During, err = f.look(ctx, "while it waits"); err != nil {
			return o, err
		}
		if o.Barrier, err = s.barrier(ctx, 0); err != nil {
			return o, err
		}
		if o.Behind, err = f.look(ctx, "after another had its turn"); err != nil {
			return o, err
		}
		if o.Completing, err = f.parent.set(ctx, completed, "complete the parent while the child waits"); err != nil {
			return o, err
		}
		if o.Still, err = f.parent.read(ctx, "the parent after that"); err != nil {
			return o, err
		}
		if o.Answer, err = f.a.mustAnswer(ctx, o.Suspension.ID, "go on"); err != nil {
			return o, err
		}
		if _, err = f.a.becomes(ctx, "the answered child is active", active); err != nil {
			return o, err
		}
		if o.After, err = f.look(ctx, "after the answer"); err != nil {
			return o, err
		}
		for _, kid := range []*intent{f.a, f.b} { // one that is not completed leaves the parent open, which the judge sees
			if _, err = kid.set(ctx, completed, "complete a child"); err != nil {
				return o, err
			}
		}
		o.Closing, err = f.parent.set(ctx, completed, "complete the parent when its children are completed")
		return o, err
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
	Sends: dependentSends, Run: func(ctx context.Context, c *scenarios.Conn) (DependentObservation, error) {
		return dependentBy(ctx, c, RecordFirst)
	},
}

var dependentStatusFirst = &scenarios.Drive[DependentObservation]{
	ID: "openintent/dependent-status-first", Title: "does the same, and sets the status before it writes the record",
	Sends: dependentSends, Run: func(ctx context.Context, c *scenarios.Conn) (DependentObservation, error) {
		return dependentBy(ctx, c, StatusFirst)
	},
}

var dependentSends = []string{"POST /intents", "POST /intents/{id}/children or /dependencies", "POST /intents/{id}/state and /status", "POST /intents/{id}/suspend/respond", "GET /intents/{id}"}

// dependentOn is an intent that waits for another, active if the server lets it be (C21).
func (s *server) dependentOn(ctx context.Context, upstreams ...*intent) (d *intent, way string, err error) {
	deps := make([]string, len(upstreams))
	for n, u := range upstreams {
		deps[n] = u.ID
	}
	parent, err := s.mk(ctx, "parent", active, nil)
	if err != nil {
		return nil, "", err
	}
	if d, err = parent.kid(ctx, "dependent", deps...); err != nil {
		return nil, "", err
	}
	now, err := d.read(ctx, "the dependent")
	if err != nil {
		return d, "", err
	}
	first := d
	switch now.Body.Key("status").String() {
	case active:
		return d, wayChild, nil
	case blocked:
		way = wayBlocked
	default:
		way = wayNeither
	}
	if d, err = s.mk(ctx, "dependent", active, nil); err != nil {
		return d, "", err
	}
	for _, u := range upstreams {
		said, err := d.dependOn(ctx, u)
		if err != nil {
			return d, "", err
		}
		if !said.ok() {
			return first, way, nil
		}
	}
	if now, err = d.read(ctx, "the dependent"); err != nil {
		return d, "", err
	}
	if kept := now.Body.Key("depends_on").Items(); len(kept) != len(upstreams) {
		return d, "", s.setUp("keep the dependencies of an intent", now)
	}
	if now.Body.Key("status").String() == active {
		return d, wayLater, nil
	}
	return first, way, nil
}

func dependentBy(ctx context.Context, c *scenarios.Conn, order Order) (o DependentObservation, err error) {
	s, err := open(ctx, c)
	if err != nil {
		return o, err
	}
	up, err := s.mk(ctx, "upstream", active, nil)
	if err != nil {
		return o, err
	}
	o.UpstreamID = up.ID
	d, way, err := s.dependentOn(ctx, up)
	if err != nil {
		return o, err
	}
	gated, _, err := s.dependentOn(ctx, up) // what is tried on it is not to disturb the other
	if err != nil {
		return o, err
	}
	o.Way = way
	if o.Before, err = d.read(ctx, "the dependent before"); err != nil {
		return o, err
	}
	if order != RecordFirst {
		if o.Usual, err = s.usualDependent(ctx); err != nil {
			return o, err
		}
	}
	if o.Suspension, err = up.suspendBy(ctx, s.question("text"), order); err != nil {
		return o, err
	}
	if o.Blocked, err = d.becomes(ctx, "the dependent is blocked", blocked); err != nil {
		return o, err
	}
	if o.Completing, err = gated.set(ctx, completed, "complete a dependent while its upstream waits"); err != nil {
		return o, err
	}
	if o.Still, err = gated.read(ctx, "that dependent then"); err != nil {
		return o, err
	}
	if o.Answer, err = up.mustAnswer(ctx, o.Suspension.ID, "go on"); err != nil {
		return o, err
	}
	if o.Resumed, err = up.becomes(ctx, "the upstream is active again", active); err != nil {
		return o, err
	}
	if o.Barrier, err = s.barrier(ctx, o.Blocked.Gap()); err != nil {
		return o, err
	}
	if o.Behind, err = d.read(ctx, "the dependent after the answer"); err != nil {
		return o, err
	}
	if o.Finished, err = up.set(ctx, completed, "complete the upstream"); err != nil {
		return o, err
	}
	if o.Unblocked, err = d.becomes(ctx, "the dependent is active", active); err != nil || !o.Unblocked.Reached {
		return o, err
	}
	if _, err = gated.becomes(ctx, "the second dependent is active", active); err != nil {
		return o, err
	}
	o.Closing, err = gated.set(ctx, completed, "complete a dependent when its upstream is completed")
	return o, err
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
	Run: func(ctx context.Context, c *scenarios.Conn) (o DiamondObservation, err error) {
		s, err := open(ctx, c)
		if err != nil {
			return o, err
		}
		ups, sus := make([]*intent, 2), make([]Suspension, 2)
		for n := range ups {
			if ups[n], err = s.mk(ctx, "upstream", active, nil); err != nil {
				return o, err
			}
		}
		d, way, err := s.dependentOn(ctx, ups...)
		if err != nil {
			return o, err
		}
		o.Way = way
		for n, up := range ups {
			if sus[n], err = up.suspend(ctx, s.question("text")); err != nil {
				return o, err
			}
		}
		if o.Blocked, err = d.becomes(ctx, "the dependent is blocked", blocked); err != nil {
			return o, err
		}
		if _, err = ups[0].mustAnswer(ctx, sus[0].ID, "go on"); err != nil {
			return o, err
		}
		if o.First, err = ups[0].set(ctx, completed, "complete the first upstream"); err != nil {
			return o, err
		}
		if o.Barrier, err = s.barrier(ctx, o.Blocked.Gap()); err != nil {
			return o, err
		}
		if o.Between, err = d.read(ctx, "the dependent, when one upstream is completed"); err != nil {
			return o, err
		}
		if o.Second, err = ups[1].read(ctx, "the second upstream"); err != nil {
			return o, err
		}
		if _, err = ups[1].mustAnswer(ctx, sus[1].ID, "go on"); err != nil {
			return o, err
		}
		if o.Finished, err = ups[1].set(ctx, completed, "complete the second upstream"); err != nil {
			return o, err
		}
		o.Unblocked, err = d.becomes(ctx, "the dependent is active", active)
		return o, err
	},
}

// usualDependent waits for a dependent of an intent that is suspended the record first.
func (s *server) usualDependent(ctx context.Context) (w wire.Wait, err error) {
	up, err := s.mk(ctx, "upstream", active, nil)
	if err != nil {
		return w, err
	}
	d, _, err := s.dependentOn(ctx, up)
	if err != nil {
		return w, err
	}
	if _, err = up.suspend(ctx, s.question("text")); err != nil {
		return w, err
	}
	return d.becomes(ctx, "a dependent is blocked in the usual order", blocked)
}
