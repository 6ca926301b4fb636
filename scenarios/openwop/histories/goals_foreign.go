package histories

import (
	"context"
	"net/http"

	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/model"
	"github.com/openassay/assay/scenarios/wire"
)

// foreignCalls are what model.GoalForeigns stand for, but for the list.
var foreignCalls = map[string]dialect.Operation{
	"read it": dialect.ReadGoal, "read its log": dialect.ReadTrail, "edit it": dialect.EditGoal, "tick it": dialect.TickGoal,
	"pause it": dialect.PauseGoal, "resume it": dialect.ResumeGoal, "abandon it": dialect.AbandonGoal,
}

// asForeign tries something with the key of another tenant, on the goal and on one that never was.
func (g *standing) asForeign(ctx context.Context, in model.GoalAsk) model.GoalSaw {
	if g.foreign == nil {
		return model.GoalSaw{Nobody: true}
	}
	if in.N == model.ForeignListGoals {
		return g.saying(g.foreign.List(ctx, ""))
	}
	what := model.GoalForeigns[in.N]
	op := foreignCalls[what]
	var body any
	switch op {
	case dialect.TickGoal:
		body = dialect.GoalTickRequest{Verdict: &dialect.ScriptedVerdict{}}
	case dialect.EditGoal:
		body = dialect.EditGoalRequest{Objective: g.objectives[model.ForeignObjective]}
	}
	ask := func(id string) host.GoalReply {
		at := host.Goal{GoalHome: *g.foreign, ID: id}
		return host.AnswerOf(g.foreign.Do(ctx, wire.Call{Operation: at.To(op), Body: body, Label: "as another tenant: " + what}))
	}
	out := g.saying(ask(g.ID))
	if status, _ := out.Status.Int(); status == http.StatusUnauthorized { // the host does not know the key, which is nobody's
		return model.GoalSaw{Nobody: true}
	}
	out.Never = ask(host.StrangerOf(g.ID)).Status
	return out
}
