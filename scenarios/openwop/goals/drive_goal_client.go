package goals

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// GoalCreatedObservation is a goal that was just made, wherever it is shown.
type GoalCreatedObservation struct {
	Goal      host.GoalMade             `json:"goal"`
	Asked     dialect.CreateGoalRequest `json:"asked"`
	All       host.GoalReply            `json:"all"` // the list
	Active    host.GoalReply            `json:"active"`
	Satisfied host.GoalReply            `json:"satisfied"`
	Stranger  wire.Value                `json:"stranger"` // HTTP status of a goal id that was never given out
}

// goalCreated makes a goal and reads it in every place.
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
		// Not g.do: a host may answer 403 for a goal that is not ours, and 404 alike.
		stranger := g.Do(ctx, wire.Call{Operation: dialect.ReadGoal.Of(g.Prefix, host.StrangerOf(g.ID)), Label: "a goal that never was"})
		o.Stranger = stranger.StatusValue()
		o.All = g.List(ctx, "")
		o.Active = g.List(ctx, dialect.GoalStateActive)
		o.Satisfied = g.List(ctx, dialect.GoalStateSatisfied)
	},
}

// GoalUnboundedObservation is the same goal asked for with and without bounds.
type GoalUnboundedObservation struct {
	Bounded   host.GoalMade  `json:"bounded"`
	Unbounded host.GoalMade  `json:"unbounded"` // no bounds in the request
	Empty     host.GoalMade  `json:"empty"`     // an empty object of them
	All       host.GoalReply `json:"all"`       // the list, after all three
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

// GoalWordObservation is what a client's word does to a goal.
type GoalWordObservation struct {
	Goal      host.GoalMade  `json:"goal"`     // made without a word about its state
	Asserted  host.GoalMade  `json:"asserted"` // asked for as satisfied
	Claimed   GoalEdit       `json:"claimed"`  // an edit to satisfied
	Reworded  GoalEdit       `json:"reworded"` // an edit of the objective
	Objective string         `json:"objective"`
	Restated  GoalEdit       `json:"restated"`  // an edit of completion and continuation, to what they are
	Completed GoalEdit       `json:"completed"` // a call to complete
	Satisfied host.GoalReply `json:"satisfied"` // the list, after all of them
}

// satisfiedRequest asks for what no client may ask for.
type satisfiedRequest struct {
	dialect.CreateGoalRequest
	State dialect.GoalState `json:"state"`
}

// goalByWord has a client say that its goal is satisfied, in every way there is.
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
		asserted := home.CreateAs(ctx, "create a goal that is satisfied already", asked.Objective, satisfiedRequest{asked,
			dialect.GoalStateSatisfied})
		o.Asserted = asserted.Seen(ctx)
		g, made := home.Begin(ctx, host.BoundedTo(h.Between(2, 99)))
		if o.Goal = made; !stillGoesOn(made) {
			return
		}
		o.Claimed = rewrite(ctx, g, "edit the state to satisfied", map[string]dialect.GoalState{"state": dialect.GoalStateSatisfied}, anyhow)
		reworded := func(goal wire.Value) bool { return goal.Key("objective").String() == o.Objective }
		o.Reworded = rewrite(ctx, g, "edit the objective", dialect.EditGoalRequest{Objective: o.Objective}, reworded)
		o.Restated = rewrite(ctx, g, "edit completion and continuation", dialect.EditGoalRequest{Completion: &asked.Completion,
			Continuation: &asked.Continuation}, anyhow)
		o.Completed = change(ctx, g, dialect.CompleteGoal, anyhow)
		o.Satisfied = g.List(ctx, dialect.GoalStateSatisfied)
	},
}

// GoalAbandonedObservation is a goal that was given up and then asked to go on.
type GoalAbandonedObservation struct {
	Goal    host.GoalMade `json:"goal"`
	Abandon GoalEdit      `json:"abandon"`
	Revival GoalRevival   `json:"revival"`
}

// goalAbandoned gives a goal up and asks it to go on. The ticks in it do nothing
// where the host has no seam for them.
var goalAbandoned = &scenarios.Drive[GoalAbandonedObservation]{
	ID:    "openwop/goal-abandoned",
	Title: "abandons a goal, edits it, asks it to resume and, where there is a seam, ticks it",
	Sends: []string{"{create goal}", "{abandon goal}", "{edit goal}", "{resume goal}", "{tick goal}", "{read goal}",
		"{create run} (sentinel)"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *GoalAbandonedObservation) {
		h := host.Host{Conn: c}
		home := h.StandingGoals(ctx)
		g, made := home.Begin(ctx, host.BoundedTo(h.Between(2, 9)))
		if o.Goal = made; !stillGoesOn(made) {
			return
		}
		o.Abandon = change(ctx, g, dialect.AbandonGoal, hasEnded)
		o.Revival = revive(ctx, g, nil)
	},
}
