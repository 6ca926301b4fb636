package histories

import (
	"context"
	"net/http"

	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/openwop/model"
	"github.com/openassay/assay/scenarios/wire"
)

// asForeign tries something with the key of another tenant, on the goal and on one that never was.
func (g *standing) asForeign(ctx context.Context, in model.GoalAsk) model.GoalSaw {
	if g.foreign == nil {
		return model.GoalSaw{Nobody: true}
	}
	if in.N == model.ForeignListGoals {
		return g.saying(g.foreign.List(ctx, ""))
	}
	ask := func(id string) host.GoalReply {
		home := host.Goal{GoalHome: *g.foreign, ID: id}
		call := wire.Call{Label: "as another tenant: " + model.GoalForeigns[in.N]}
		switch model.GoalForeigns[in.N] {
		case "read its log":
			call.Operation = home.To(dialect.ReadTrail)
		case "tick it":
			call.Operation, call.Body = home.To(dialect.TickGoal), dialect.GoalTickRequest{Verdict: &dialect.ScriptedVerdict{}}
		case "edit it":
			call.Operation, call.Body = home.To(dialect.EditGoal), dialect.EditGoalRequest{Objective: g.objectives[model.Foreign]}
		case "pause it":
			call.Operation = home.To(dialect.PauseGoal)
		case "resume it":
			call.Operation = home.To(dialect.ResumeGoal)
		case "abandon it":
			call.Operation = home.To(dialect.AbandonGoal)
		default:
			call.Operation = home.To(dialect.ReadGoal)
		}
		return host.AnswerOf(g.foreign.Do(ctx, call))
	}
	out := g.saying(ask(g.ID))
	if status, _ := out.Status.Int(); status == http.StatusUnauthorized { // the host does not know the key, which is nobody's
		return model.GoalSaw{Nobody: true}
	}
	out.Never = ask(host.StrangerOf(g.ID)).Status
	return out
}
