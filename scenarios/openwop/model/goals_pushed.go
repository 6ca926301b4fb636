package model

import (
	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
)

// GoalMode is what starts the runs of a goal, apart from the tick seam.
type GoalMode string

// The modes.
const (
	ByHand       GoalMode = ""
	ByHeartbeat  GoalMode = "heartbeat"
	ByCommitment GoalMode = "commitment"
	Daily        GoalMode = "schedule" // once a day, so it never fires during a history
)

// Pushed reports whether a client can trigger the runs of the goal without the tick seam.
func (g Goal) Pushed() bool { return g.Mode == ByHeartbeat || g.Mode == ByCommitment }

// goalPushes are the rules for pushing an active goal. The reply names no run, and the host chooses the verdict.
var goalPushes = []*goalRule{
	{
		Name: "a heartbeat that sees a change fires a run of an active goal", Of: scenarios.IDs{openwop.OWP0097A4},
		When: func(g Goal, in GoalAsk) bool { return in.Do == PushGoal && g.Mode == ByHeartbeat && g.fires() }, Ways: pushWays,
	},
	{
		Name: "a commitment that is fired fires a run of an active goal", Of: scenarios.IDs{openwop.OWP0097A5},
		When: func(g Goal, in GoalAsk) bool { return in.Do == PushGoal && g.Mode == ByCommitment && g.fires() }, Ways: pushWays,
	},
}

var pushWays = []goalWay{
	{Name: "it goes on or ends at its bound", Must: true, Shows: Goal.moved, To: func(g Goal, s goalStep) Goal {
		if s.Out.Nobody {
			return g.same(s)
		}
		return g.judged(byItself(s, false))
	}},
	{Name: "its judge is satisfied", Shows: Goal.movedOn, To: func(g Goal, s goalStep) Goal { return g.judged(byItself(s, true)) }},
	{Name: "its judge is satisfied at its bound", Shows: Goal.movedOn,
		To: func(g Goal, s goalStep) Goal { return g.exceeded(byItself(s, true)) }},
	{Name: "the run gets stuck", Shows: func(_ Goal, s goalStep) []history.Miss {
		state := s.Out.Now.Key("state")
		return whether(state.String() == string(GoalEscalated), "", state, "the state %s", GoalEscalated)
	}, To: func(g Goal, s goalStep) Goal {
		g.State = GoalEscalated
		return g.after(s)
	}},
}

// byItself returns a push as the tick with this verdict would be.
func byItself(s goalStep, satisfied bool) goalStep {
	s.In.Satisfied, s.In.Sure = satisfied, -1
	return s
}

// moved accepts a goal that lists one more run, and a host that has no way to push it.
func (g Goal) moved(s goalStep) []history.Miss {
	if s.Out.Nobody {
		return nil
	}
	runs := s.Out.Now.At("/progress/contributingRunIds")
	return whether(len(runs.Items()) > g.Runs, "", runs, "a run more than %d", g.Runs)
}

func (g Goal) movedOn(s goalStep) []history.Miss {
	if s.Out.Nobody {
		return []history.Miss{missOf("", s.Out.Now, "a way to push the goal")}
	}
	return g.moved(s)
}
