package goals

import (
	"context"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// GoalTouched is a goal with a deadline for which a client did something shortly before it.
type GoalTouched struct {
	What   string        `json:"what"`
	Goal   host.GoalMade `json:"goal"`
	Before wire.Value    `json:"before"` // the goal after that; absent if it did not come about
	Late   GoalTick      `json:"late"`   // after the deadline
	Ended  wire.Wait     `json:"ended"`
}

// ranLate reports whether the goal lists a run that it did not list ahead of its deadline.
func (t GoalTouched) ranLate(goal wire.Value) bool { return runCount(goal) > runCount(t.Before) }

// spare is how much more time these goals have than the first one: a deadline that counts anew has to end well behind the grace.
const spare = 200 * time.Millisecond

// touching is a goal with a deadline, and what is done for it.
type touching struct {
	*host.Goal
	passes time.Time // when its deadline has passed, however the host counts
	touch  touch
	seen   GoalTouched
}

// touch does something for a goal, and returns the goal after that and whether it came about.
type touch func(ctx context.Context, g *host.Goal) (after wire.Value, done bool)

// touches are what a client may do for a goal that does not move its deadline.
var touches = []struct {
	what  string
	from  scenarios.Depth
	begin func(ctx context.Context, g *host.Goal) // when the goal is made; or nil
	do    touch
}{
	// Beyond quick it is paused from the start: a host that adds the time of a pause to the deadline shows it only by a long one.
	{"paused and resumed", scenarios.Quick, func(ctx context.Context, g *host.Goal) {
		if g.Depth > scenarios.Quick {
			act(ctx, g, dialect.PauseGoal)
		}
	}, func(ctx context.Context, g *host.Goal) (wire.Value, bool) {
		if g.Depth > scenarios.Quick {
			e := change(ctx, g, dialect.ResumeGoal, isActive)
			return e.After.Body, host.Succeeded(e.Reply.Status)
		}
		e := pauseAndResume(ctx, g)
		return e.After.Body, host.Succeeded(e.Reply.Status)
	}},
	{"edited", scenarios.Quick, nil, func(ctx context.Context, g *host.Goal) (wire.Value, bool) {
		same := g.GoalRequest(nil)
		e := rewrite(ctx, g, "edit the goal before its deadline", dialect.EditGoalRequest{Objective: g.DrawObjective(),
			Completion: &same.Completion, Continuation: &same.Continuation}, anyGoal)
		return e.After.Body, host.Succeeded(e.Reply.Status)
	}},
	{"judged once more", scenarios.Standard, nil, func(ctx context.Context, g *host.Goal) (wire.Value, bool) {
		before := g.Read(ctx, "the goal that is to be judged once more before its deadline")
		if !isActive(before.Body) {
			return before.Body, false
		}
		if t := tick(ctx, g, "tick shortly before the deadline", unsatisfied(g.GoalHome.Host)); !host.Succeeded(t.Status) {
			return before.Body, false // it may have come too late
		}
		const what = "the goal shows the run of a tick shortly before its deadline"
		shown := g.Await(ctx, what, func(ctx context.Context) (wire.Value, bool) {
			goal := g.Look(ctx, what).Body
			return goal, hasEnded(goal) || runCount(goal) > runCount(before.Body)
		})
		return shown.Last, shown.Reached
	}},
}

// touched makes a goal with the deadline for each thing that a client may do.
func touched(ctx context.Context, home host.GoalHome, deadline time.Duration) (made []*touching) {
	for _, t := range touches {
		if home.Depth < t.from {
			continue
		}
		bounds := host.BoundedTo(home.Between(20, 40))
		bounds.RunTimeoutMs = new(deadline.Milliseconds())
		g, seen := home.Begin(ctx, bounds)
		if !madeActive(seen) {
			return made
		}
		if t.begin != nil {
			t.begin(ctx, g)
		}
		made = append(made, &touching{g, home.Now().Add(deadline), t.do, GoalTouched{What: t.what, Goal: seen}})
	}
	return made
}

// touchAll does for each goal what is done for it, when three quarters of its time are over.
func touchAll(ctx context.Context, all []*touching, deadline time.Duration) {
	for _, t := range all {
		scenarios.End(wire.Pause(ctx, t.passes.Add(-deadline/4).Sub(t.Now())))
		if after, done := t.touch(ctx, t.Goal); done {
			t.seen.Before = after
		}
	}
}

// outlive ticks each goal when its deadline has passed, and waits for its end.
func outlive(ctx context.Context, all []*touching, grace time.Duration) (seen []GoalTouched) {
	for _, t := range all {
		if !isActive(t.seen.Before) {
			continue
		}
		scenarios.End(wire.Pause(ctx, t.passes.Add(grace).Sub(t.Now())))
		t.seen.Late = tick(ctx, t.Goal, "tick of the goal that was "+t.seen.What+", after its deadline", unsatisfied(t.GoalHome.Host))
		what := "the goal that was " + t.seen.What + " has ended"
		t.seen.Ended = t.Await(ctx, what, func(ctx context.Context) (wire.Value, bool) {
			reply := t.Look(ctx, what)
			return reply.Body, hasEnded(reply.Body) || t.seen.ranLate(reply.Body)
		})
		seen = append(seen, t.seen)
	}
	return seen
}
