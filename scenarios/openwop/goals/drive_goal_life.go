package goals

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// GoalLifeObservation is a goal that clients changed between its runs.
type GoalLifeObservation struct {
	GoalObservation
	Acts []GoalAct `json:"acts"`
}

// GoalAct is a client's act on a goal, and the goal after it.
type GoalAct struct {
	What string   `json:"what"`
	Edit GoalEdit `json:"edit"`
}

// goalLives applies random client acts to a goal before each of its runs. None of them is a verdict.
var goalLives = &scenarios.Drive[GoalLifeObservation]{
	ID: "openwop/goal-lives",
	Title: "edits, or pauses and resumes, a goal before each of its runs, in random order; has all but the last of these " +
		"judged, with all confidence, not to have reached the objective",
	Sends: []string{"{create goal}", "{edit goal} {objective: random}", "{edit goal} {completion, continuation}", "{pause goal}",
		"{resume goal}", sendsTicks, "{read goal}", "{read trail}"},
	Replies: 45,
	Run: func(ctx context.Context, c *scenarios.Conn, o *GoalLifeObservation) {
		h := host.Host{Conn: c}
		o.Runs = h.Between(3, 5)
		home := h.StandingGoals(ctx)
		var g *host.Goal
		if g, o.Goal = home.Begin(ctx, host.BoundedTo(o.Runs+h.Between(2, 9))); !madeActive(o.Goal) {
			return
		}
		now := o.Goal.Fresh.Body
		for i := range o.Runs {
			o.Acts = append(o.Acts, actAtRandom(ctx, g))
			if !isActive(o.Acts[len(o.Acts)-1].Edit.After.Body) {
				return
			}
			t := tickOnce(ctx, g, now, i == o.Runs-1)
			o.Ticks = append(o.Ticks, t)
			if now = t.Shown.Last; !t.Shown.Reached || hasEnded(now) {
				break
			}
		}
		if !concluded(o.Ticks) {
			return
		}
		o.Still = still(ctx, g, unsatisfied(h), o.Ticks)
		o.Trail = trail(ctx, g, o.Still.Later)
	},
}

// tickOnce ticks the goal once. The last tick carries the verdict that the objective is reached.
func tickOnce(ctx context.Context, g *host.Goal, before wire.Value, last bool) GoalTick {
	if last {
		return fire(ctx, g, "the last tick", satisfied(g.GoalHome.Host), "the goal has ended", hasEnded)
	}
	n := runCount(before)
	sure := dialect.GoalTickRequest{Verdict: &dialect.ScriptedVerdict{Confidence: new(1.0)}}
	return fire(ctx, g, "tick, with all confidence that it is not reached", sure, "the goal shows one run more",
		func(goal wire.Value) bool { return hasEnded(goal) || runCount(goal) > n })
}

// actAtRandom applies one random client act to the goal.
func actAtRandom(ctx context.Context, g *host.Goal) (a GoalAct) {
	switch g.Between(1, 3) {
	case 1:
		objective := "satisfied: " + g.DrawObjective()
		a.What = "edit the objective"
		a.Edit = rewrite(ctx, g, a.What, dialect.EditGoalRequest{Objective: objective},
			func(goal wire.Value) bool { return goal.Key("objective").String() == objective })
	case 2:
		same := g.GoalRequest(nil)
		a.What = "edit completion and continuation to what they are"
		a.Edit = rewrite(ctx, g, a.What, dialect.EditGoalRequest{Completion: &same.Completion, Continuation: &same.Continuation}, anyGoal)
	default:
		a.What = "pause and resume"
		a.Edit = pauseAndResume(ctx, g)
	}
	return a
}

func pauseAndResume(ctx context.Context, g *host.Goal) GoalEdit {
	act(ctx, g, dialect.PauseGoal)
	return change(ctx, g, dialect.ResumeGoal, isActive)
}
