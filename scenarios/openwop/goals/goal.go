package goals

import (
	"context"

	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// act asks for pause, resume or abandon. Not with g.do, like an edit: 403 is one
// way to refuse what may not be.
func act(ctx context.Context, g *host.Goal, action dialect.Operation) host.GoalReply {
	return host.AnswerOf(g.Do(ctx, wire.Call{Operation: g.To(action), Label: action.Name()}))
}

// edit sends a PATCH as the text has it and, where the host knows none, a POST
// on the goal as the published suite does (OWP-R27).
func edit(ctx context.Context, g *host.Goal, label string, body any) host.GoalReply {
	reply := host.AnswerOf(g.Do(ctx, wire.Call{Operation: g.To(dialect.EditGoal), Body: body, Label: label}))
	if status, _ := reply.Status.Int(); host.NotThere(int(status)) {
		return host.AnswerOf(g.Do(ctx, wire.Call{Operation: g.To(dialect.RewriteGoal), Body: body, Label: label + ", by POST"}))
	}
	return reply
}
