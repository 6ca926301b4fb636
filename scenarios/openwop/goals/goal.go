package goals

import (
	"context"
	"net/http"

	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// act asks for pause, resume or abandon. Not with g.do, like an edit: 403 is one
// way to refuse what may not be.
func act(ctx context.Context, g *host.Goal, action string) host.GoalReply {
	return host.AnswerOf(g.Do(ctx, wire.Call{Method: http.MethodPost, Path: g.At("/" + action), Label: action}))
}

// edit sends a PATCH as the text has it and, where the host knows none, a POST
// on the goal as the published suite does (OWP-R27).
func edit(ctx context.Context, g *host.Goal, label string, body any) host.GoalReply {
	reply := host.AnswerOf(g.Do(ctx, wire.Call{Method: http.MethodPatch, Path: g.At(""), Body: body, Label: label}))
	if status, _ := reply.Status.Int(); host.NotThere(int(status)) {
		return host.AnswerOf(g.Do(ctx, wire.Call{Method: http.MethodPost, Path: g.At(""), Body: body, Label: label + ", by POST"}))
	}
	return reply
}
