package goals

import (
	"context"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// GoalCreatedObservation is a new goal, read wherever the host shows it.
type GoalCreatedObservation struct {
	Goal      host.GoalMade             `json:"goal"`
	Asked     dialect.CreateGoalRequest `json:"asked"`
	All       host.GoalReply            `json:"all"` // the list
	Active    host.GoalReply            `json:"active"`
	Satisfied host.GoalReply            `json:"satisfied"`
	Stranger  wire.Value                `json:"stranger"` // HTTP status of a goal id that was never issued
}

// goalCreated makes a goal and reads it everywhere.
var goalCreated = &scenarios.Drive[GoalCreatedObservation]{
	ID:    "openwop/goal-created",
	Title: "makes a goal with random bounds and reads it under its id and in the lists",
	Sends: []string{"{create goal}", "{read goal}", "{list goals}", "{list goals}?state=active", "{list goals}?state=satisfied",
		"{read goal} (an id never given out)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *GoalCreatedObservation) {
		h := host.Host{Conn: c}
		bounds := host.BoundedTo(h.Between(2, 99))
		bounds.MaxCostUSD = new(float64(h.Between(1, 99)) + 0.25)
		*o = GoalCreatedObservation{Asked: h.GoalRequest(bounds)}
		home := h.StandingGoals(ctx)
		g := home.Create(ctx, "create the goal", o.Asked)
		if o.Goal = g.Seen(ctx); g.ID == "" {
			return
		}
		// Do, not Permitted: for a goal that is not ours, a host may answer 403 as well as 404.
		stranger := g.Do(ctx, wire.Call{Operation: dialect.ReadGoal.Of(g.Prefix, host.StrangerOf(g.ID)), Label: "a goal that never was"})
		o.Stranger = stranger.StatusValue()
		o.All = g.List(ctx, "")
		o.Active = g.List(ctx, dialect.GoalStateActive)
		o.Satisfied = g.List(ctx, dialect.GoalStateSatisfied)
	},
}

// GoalUnboundedObservation is the same goal requested with and without bounds.
type GoalUnboundedObservation struct {
	Bounded   host.GoalMade  `json:"bounded"`
	Unbounded host.GoalMade  `json:"unbounded"` // no bounds in the request
	Empty     host.GoalMade  `json:"empty"`     // an empty bounds object
	All       host.GoalReply `json:"all"`       // the list, after all three requests
	Active    host.GoalReply `json:"active"`
}

// goalsUnbounded asks for goals without bounds.
var goalsUnbounded = &scenarios.Drive[GoalUnboundedObservation]{
	ID: "openwop/goals-unbounded",
	Title: "asks for a goal without bounds, for one with an empty object of bounds and, as the control, for one with a " +
		"bound; then looks for all three in the lists",
	Sends: []string{"{create goal} without bounds", "{create goal} {bounds: {}}",
		"{create goal} {bounds: {maxLoopIterations: random}}", "{list goals}", "{list goals}?state=active"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *GoalUnboundedObservation) {
		h := host.Host{Conn: c}
		home := h.StandingGoals(ctx)
		for _, ask := range []struct {
			label  string
			bounds *dialect.GoalBounds
			made   *host.GoalMade
		}{
			{"create a goal without bounds", nil, &o.Unbounded},
			{"create a goal with empty bounds", &dialect.GoalBounds{}, &o.Empty},
			{"create a goal with a bound", host.BoundedTo(h.Between(2, 99)), &o.Bounded},
		} {
			g := home.Create(ctx, ask.label, h.GoalRequest(ask.bounds))
			*ask.made = g.Seen(ctx)
		}
		o.All = home.List(ctx, "")
		o.Active = home.List(ctx, dialect.GoalStateActive)
	},
}

// GoalWordObservation is a goal that its client repeatedly declares satisfied.
type GoalWordObservation struct {
	Goal      host.GoalMade  `json:"goal"`     // made without a state
	Asserted  host.GoalMade  `json:"asserted"` // requested as satisfied
	Claimed   GoalEdit       `json:"claimed"`  // an edit to satisfied
	Reworded  GoalEdit       `json:"reworded"` // an edit of the objective
	Objective string         `json:"objective"`
	Restated  GoalEdit       `json:"restated"`  // an edit that sets completion and continuation to their current values
	Completed GoalEdit       `json:"completed"` // a call to complete
	Satisfied host.GoalReply `json:"satisfied"` // the list, after all of these
}

// satisfiedRequest asks for a state that no client may set.
type satisfiedRequest struct {
	dialect.CreateGoalRequest
	State dialect.GoalState `json:"state"`
}

// goalByWord has a client declare its goal satisfied, in every way that the API offers.
var goalByWord = &scenarios.Drive[GoalWordObservation]{
	ID:    "openwop/goal-by-word",
	Title: "makes a goal as satisfied, edits one to satisfied, and asks for its completion; as the control edits what may be edited",
	Sends: []string{"{create goal} {state: satisfied}", "{create goal}",
		"{edit goal} {state: satisfied}; POST where there is no PATCH", "{edit goal} {objective: random}",
		"{edit goal} {completion, continuation}", "{complete goal}", "{read goal} after each", "{list goals}?state=satisfied"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *GoalWordObservation) {
		h := host.Host{Conn: c}
		*o = GoalWordObservation{Objective: h.DrawObjective()}
		home := h.StandingGoals(ctx)
		asked := h.GoalRequest(host.BoundedTo(h.Between(2, 99)))
		asserted := home.CreateAs(wire.Misfit(ctx, openwop.OWP0097E2), "create a goal that is satisfied already", asked.Objective,
			satisfiedRequest{asked, dialect.GoalStateSatisfied})
		o.Asserted = asserted.Seen(ctx)
		g, made := home.Begin(ctx, host.BoundedTo(h.Between(2, 99)))
		if o.Goal = made; !madeActive(made) {
			return
		}
		o.Claimed = rewrite(wire.Misfit(ctx, openwop.OWP0097E2), g, "edit the state to satisfied",
			map[string]dialect.GoalState{"state": dialect.GoalStateSatisfied}, anyGoal)
		reworded := func(goal wire.Value) bool { return goal.Key("objective").String() == o.Objective }
		o.Reworded = rewrite(ctx, g, "edit the objective", dialect.EditGoalRequest{Objective: o.Objective}, reworded)
		o.Restated = rewrite(ctx, g, "edit completion and continuation", dialect.EditGoalRequest{Completion: &asked.Completion,
			Continuation: &asked.Continuation}, anyGoal)
		o.Completed = change(wire.Misfit(ctx, openwop.OWP0097C7), g, dialect.CompleteGoal, anyGoal)
		o.Satisfied = g.List(ctx, dialect.GoalStateSatisfied)
	},
}

// GoalAbandonedObservation is a goal that was abandoned and then asked to continue.
type GoalAbandonedObservation struct {
	Goal    host.GoalMade `json:"goal"`
	Abandon GoalEdit      `json:"abandon"`
	Revival GoalRevival   `json:"revival"`
	Stuck   GoalFreed     `json:"stuck"` // another one, abandoned while a run of it asked a person; if there is a seam
}

// goalAbandoned abandons a goal and asks it to continue. The ticks have no effect
// on a host without the seam.
var goalAbandoned = &scenarios.Drive[GoalAbandonedObservation]{
	ID: "openwop/goal-abandoned",
	Title: "abandons a goal, edits it, asks it to resume and, where there is a seam, ticks it; and one with a run that got stuck, which is " +
		"answered then",
	Sends: []string{"{create goal}", "{abandon goal}", "{edit goal}", "{resume goal}", "{tick goal}", "{read goal}",
		"{create run} (sentinel)", "{answer node}"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *GoalAbandonedObservation) {
		h := host.Host{Conn: c}
		home := h.StandingGoals(ctx)
		g, made := home.Begin(ctx, host.BoundedTo(h.Between(2, 9)))
		if o.Goal = made; !madeActive(made) {
			return
		}
		o.Abandon = change(ctx, g, dialect.AbandonGoal, hasEnded)
		o.Revival = revive(ctx, g, nil)
		if err := scenarios.Try(func() { o.Stuck = freed(ctx, home, h.Between(2, 9), true) }); err != nil && !host.IsBlocked(err) {
			scenarios.End(err)
		}
	},
}
