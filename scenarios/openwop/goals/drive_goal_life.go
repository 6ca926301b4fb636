package goals

import (
	"context"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// GoalLifeObservation is a goal that clients kept changing between its runs.
type GoalLifeObservation struct {
	GoalObservation
	Acts []GoalAct `json:"acts"`
}

// GoalAct is what a client did to a goal, and the goal after it.
type GoalAct struct {
	What string   `json:"what"`
	Edit GoalEdit `json:"edit"`
}

// goalLives does random things to a goal before each of its runs, none of which is a verdict.
var goalLives = &scenarios.Drive[GoalLifeObservation]{
	ID:    "openwop/goal-lives",
	Title: "edits, or pauses and resumes, a goal before each of its runs, in random order; has all but the last of these judged, with all confidence, not to have reached the objective",
	Sends: []string{"POST {prefix}/goals", "PATCH {prefix}/goals/{id} {objective: random}", "PATCH {prefix}/goals/{id} {completion, continuation}", "POST {prefix}/goals/{id}/pause",
		"POST {prefix}/goals/{id}/resume", sendsTicks, "GET {prefix}/goals/{id}", "GET {prefix}/goals/{id}/events"},
	Run: func(ctx context.Context, c *scenarios.Conn) (GoalLifeObservation, error) {
		h := host.Host{Conn: c}
		var o GoalLifeObservation
		o.Runs = h.Between(3, 5)
		home, err := h.StandingGoals(ctx)
		if err != nil {
			return o, err
		}
		var g *host.Goal
		if g, o.Goal, err = home.Begin(ctx, host.BoundedTo(o.Runs+h.Between(2, 9))); err != nil || !stillGoesOn(o.Goal) {
			return o, err
		}
		now := o.Goal.Fresh.Body
		for i := range o.Runs {
			if err := actAtRandom(ctx, g, &o); err != nil || !goesOn(o.Acts[len(o.Acts)-1].Edit.After.Body) {
				return o, err
			}
			t, err := nextOf(ctx, g, now, i == o.Runs-1)
			if err != nil {
				return o, err
			}
			o.Ticks = append(o.Ticks, t)
			if now = t.Shown.Last; !t.Shown.Reached || hasEnded(now) {
				break
			}
		}
		if !concluded(o.Ticks) {
			return o, nil
		}
		if o.Still, err = still(ctx, g, unsatisfied(h), o.Ticks); err != nil {
			return o, err
		}
		o.Trail, err = trail(ctx, g, o.Still.Later)
		return o, err
	},
}

// nextOf ticks the goal once, the last time with a verdict that it is reached.
func nextOf(ctx context.Context, g *host.Goal, before wire.Value, last bool) (GoalTick, error) {
	if last {
		return fire(ctx, g, "the last tick", satisfied(g.GoalHome.Host), "the goal has ended", hasEnded)
	}
	n := contributed(before)
	sure := openwopv1.GoalTickRequest{Verdict: &openwopv1.ScriptedVerdict{Confidence: new(1.0)}}
	return fire(ctx, g, "tick, with all confidence that it is not reached", sure, "the goal shows one run more", func(goal wire.Value) bool { return hasEnded(goal) || contributed(goal) > n })
}

// actAtRandom does to the goal one of the things that a client may do.
func actAtRandom(ctx context.Context, g *host.Goal, o *GoalLifeObservation) (err error) {
	var a GoalAct
	switch g.Between(1, 3) {
	case 1:
		objective := "satisfied: " + g.DrawObjective()
		a.What = "edit the objective"
		a.Edit, err = rewrite(ctx, g, a.What, openwopv1.EditGoalRequest{Objective: objective}, func(goal wire.Value) bool { return goal.Key("objective").String() == objective })
	case 2:
		same := g.GoalRequest(nil)
		a.What = "edit completion and continuation to what they are"
		a.Edit, err = rewrite(ctx, g, a.What, openwopv1.EditGoalRequest{Completion: &same.Completion, Continuation: &same.Continuation}, anyhow)
	default:
		a.What = "pause and resume"
		if _, err = act(ctx, g, "pause"); err == nil {
			a.Edit, err = change(ctx, g, "resume", goesOn)
		}
	}
	o.Acts = append(o.Acts, a)
	return err
}
