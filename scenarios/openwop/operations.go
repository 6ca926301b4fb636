package openwop

import (
	"context"
	"fmt"
	"net/http"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Operations that the protocol has and that no member of the discovery
// document claims. Not every host serves them.

// isOffered stops a drive where the host does not have the operation that it
// asked for: it answered as for a path that is not there, although the run that
// the operation is about is there.
func (r *run) isOffered(ctx context.Context, operation string, reply *wire.Reply) error {
	if !notThere(reply.Status) {
		return nil
	}
	there, err := r.snapshot(ctx, "the run that the operation is about")
	if err != nil || !there.Success() {
		return err // the run is what is not there: the judge will tell
	}
	return scenarios.NotOffered(fmt.Sprintf("%s answered HTTP %d, and GET of the same run HTTP %d", operation, reply.Status, there.Status))
}

// does sends an operation on the run.
func (r *run) does(ctx context.Context, method, verb string, body any, what string) (*wire.Reply, error) {
	return r.do(ctx, wire.Call{Method: method, Path: runPath(r.ID) + verb, Body: body, Label: what, Secrets: interruptTokens})
}

// asks is does for one of the operations that not every host has.
func (r *run) asks(ctx context.Context, method, verb string, body any, what string) (Answered, error) {
	reply, err := r.does(ctx, method, verb, body, what)
	if err != nil {
		return Answered{}, err
	}
	return answered(what, reply), r.isOffered(ctx, method+" /v1/runs/{runId}"+verb, reply)
}

// pause asks that the run stand still; policy is empty for the default.
func (r *run) pause(ctx context.Context, policy, reason, what string) (Answered, error) {
	body := map[string]any{}
	if policy != "" {
		body["drainPolicy"] = policy
	}
	if reason != "" {
		body["reason"] = reason
	}
	return r.asks(ctx, http.MethodPost, ":pause", body, what)
}

// goOn asks that a paused run go on.
func (r *run) goOn(ctx context.Context, what string) (Answered, error) {
	return r.asks(ctx, http.MethodPost, ":resume", map[string]any{}, what)
}

// isPaused waits until the run stands still, or has ended.
func (r *run) isPaused(ctx context.Context) (wire.Wait, error) {
	w, err := r.reaches(ctx, "the run is paused", func(status string) bool { return status == "paused" || isTerminal(status) })
	if w.Reached && isTerminal(w.Last.Key("status").String()) {
		w.Reached = false
		r.gone()
	}
	return w, err
}

// unlessLacking is why a drive is blocked, unless what it asks for is not there at all, which a look at a run that has ended
// tells: then that is why.
func (h host) unlessLacking(ctx context.Context, blocked error, look func(*run) error) error {
	r, err := h.simpleRun(ctx, "create a run")
	if err != nil || r.ID == "" {
		return blocked
	}
	if _, err := r.ended(ctx); err != nil {
		return err
	}
	if err := look(r); err != nil {
		return err
	}
	return blocked
}
