package host

import (
	"context"
	"fmt"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// Operations that the protocol has and that no member of the discovery
// document claims. Not every host serves them.

// IsOffered stops a drive where the host does not have the operation that it
// asked for: it answered as for a path that is not there, although the run that
// the operation is about is there.
func (r *Run) IsOffered(ctx context.Context, operation string, reply *wire.Reply) {
	if !NotThere(reply.Status) {
		return
	}
	there := r.Snapshot(ctx, "the run that the operation is about")
	if !there.Success() {
		return // the run is what is not there: the judge will tell
	}
	scenarios.End(scenarios.NotOffered(fmt.Sprintf("%s answered HTTP %d, and GET of the same run HTTP %d", operation, reply.Status,
		there.Status)))
}

// Does sends an operation on the run.
func (r *Run) Does(ctx context.Context, op dialect.Operation, body any, what string) *wire.Reply {
	return r.Send(ctx, wire.Call{Operation: op.Of(r.ID), Body: body, Label: what, Secrets: InterruptTokens})
}

// asks is does for one of the operations that not every host has.
func (r *Run) asks(ctx context.Context, op dialect.Operation, body any, what string) Answered {
	reply := r.Does(ctx, op, body, what)
	r.IsOffered(ctx, op.String(), reply)
	return AnsweredBy(what, reply)
}

// Pause asks that the run stand still; policy is empty for the default.
func (r *Run) Pause(ctx context.Context, policy, reason, what string) Answered {
	body := map[string]any{}
	if policy != "" {
		body["drainPolicy"] = policy
	}
	if reason != "" {
		body["reason"] = reason
	}
	return r.asks(ctx, dialect.PauseRun, body, what)
}

// GoOn asks that a paused run go on.
func (r *Run) GoOn(ctx context.Context, what string) Answered {
	return r.asks(ctx, dialect.ResumeRun, map[string]any{}, what)
}

// IsPaused waits until the run stands still, or has ended.
func (r *Run) IsPaused(ctx context.Context) wire.Wait {
	w := r.reaches(ctx, "the run is paused", func(status string) bool { return status == "paused" || IsTerminal(status) })
	if w.Reached && IsTerminal(w.Last.Key("status").String()) {
		w.Reached = false
		r.Gone()
	}
	return w
}

// UnlessLacking is why a drive is blocked, unless what it asks for is not there at all, which a look at a run that has ended
// tells: then that is why.
func (h Host) UnlessLacking(ctx context.Context, blocked error, look func(*Run)) {
	r, err := scenarios.Attempt(func() *Run { return h.SimpleRun(ctx, "create a run") })
	if err == nil && r.ID != "" {
		r.AwaitEnd(ctx)
		look(r)
	}
	scenarios.End(blocked)
}
