package host

import (
	"context"
	"fmt"
	"slices"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// The protocol defines the operations below, but no member of the discovery document claims them. Not every host
// serves them.

// IsOffered ends the drive if the host lacks the operation: it answers as for an unknown path, although the run
// exists.
func (r *Run) IsOffered(ctx context.Context, operation string, reply *wire.Reply) {
	if !NotThere(reply.Status) {
		return
	}
	there := r.Snapshot(ctx, "the run that the operation is about")
	if !there.Success() {
		return // the run itself is missing: the judge reports it
	}
	scenarios.End(scenarios.NotOffered(fmt.Sprintf("%s answered HTTP %d, and GET of the same run HTTP %d", operation, reply.Status,
		there.Status)))
}

// Does sends an operation on the run.
func (r *Run) Does(ctx context.Context, op dialect.Operation, body any, what string) *wire.Reply {
	return r.Send(ctx, wire.Call{Operation: op.Of(r.ID), Body: body, Label: what, Secrets: InterruptTokens})
}

// asks is like Does, for operations that a host may lack.
func (r *Run) asks(ctx context.Context, op dialect.Operation, body any, what string) Answered {
	reply := r.Does(ctx, op, body, what)
	r.IsOffered(ctx, op.String(), reply)
	return AnsweredBy(what, reply)
}

// drains reports whether the host pauses runs by this policy: no member of discovery has to list policies, but one may.
func drains(h Host, policy dialect.DrainPolicy) bool {
	listed := drainPolicies(h)
	return !listed.Present() || slices.ContainsFunc(listed.Items(), func(p wire.Value) bool { return p.String() == string(policy) })
}

// MustDrain ends the drive if the host lists the policies by which it pauses runs, and none of these. It returns the first of
// them by which the host does.
func MustDrain(h Host, policies ...dialect.DrainPolicy) dialect.DrainPolicy {
	policy, ok := Drains(h, policies...)
	if !ok {
		scenarios.End(scenarios.NotOffered(fmt.Sprintf("/runs/pauseResume/drainPolicies is %s, without %q", drainPolicies(h).JSON(), policies)))
	}
	return policy
}

// Drains returns the first of these policies by which the host pauses runs, if there is one.
func Drains(h Host, policies ...dialect.DrainPolicy) (policy dialect.DrainPolicy, ok bool) {
	if i := slices.IndexFunc(policies, func(p dialect.DrainPolicy) bool { return drains(h, p) }); i >= 0 {
		return policies[i], true
	}
	return "", false
}

func drainPolicies(h Host) wire.Value {
	return claims.Family(h.Discovery, "runs").Key("pauseResume").Key("drainPolicies")
}

// Pause asks the host to pause the run. An empty policy selects the default. Without a policy and a reason the request has no body.
func (r *Run) Pause(ctx context.Context, policy dialect.DrainPolicy, reason, what string) Answered {
	if policy == "" && reason == "" {
		return r.asks(ctx, dialect.PauseRun, nil, what)
	}
	body := map[string]any{}
	if policy != "" {
		body["drainPolicy"] = policy
	}
	if reason != "" {
		body["reason"] = reason
	}
	return r.asks(ctx, dialect.PauseRun, body, what)
}

// GoOn asks the host to continue a paused run.
func (r *Run) GoOn(ctx context.Context, what string) Answered {
	return r.asks(ctx, dialect.ResumeRun, nil, what)
}

// IsPaused waits until the run is paused or has ended.
func (r *Run) IsPaused(ctx context.Context) wire.Wait {
	w := r.reaches(ctx, "the run is paused", func(status string) bool { return status == "paused" || IsTerminal(status) })
	if w.Reached && IsTerminal(w.Last.Key("status").String()) {
		w.Reached = false
		r.Gone()
	}
	return w
}

// PauseIfOffered pauses the run at once, if the host does that. reply is zero if it lists policies and not this one, and still is how
// long it took until the run was paused; not every host pauses runs.
func (r *Run) PauseIfOffered(ctx context.Context, what string) (reply Answered, still wire.Wait) {
	policy, ok := Drains(r.Host, dialect.PauseRunRequestDrainPolicyImmediate)
	if !ok {
		return reply, still
	}
	paused := r.Does(ctx, dialect.PauseRun, map[string]any{"drainPolicy": policy}, what)
	if reply = AnsweredBy(what, paused); paused.Success() {
		still = r.IsPaused(ctx)
	}
	return reply, still
}

// ShortPause is a pause that did not last.
type ShortPause struct {
	Reply Answered  `json:"reply"` // zero if the host lists policies and not to pause at once
	Still wire.Wait `json:"still"` // until its status is paused
	GoOn  Answered  `json:"goOn"`  // zero if it was not paused
}

// PausesShortly pauses the run and resumes it, if the host offers pauses.
func (r *Run) PausesShortly(ctx context.Context, what string) (p ShortPause) {
	if p.Reply, p.Still = r.PauseIfOffered(ctx, "to pause "+what); Succeeded(p.Reply.Status) {
		p.GoOn = r.GoOn(ctx, "to have "+what+" go on")
	}
	return p
}

// Given blocks the judge if the run was paused and did not go on.
func (p ShortPause) Given(j *scenarios.Judge, what string) {
	if Succeeded(p.Reply.Status) && !Succeeded(p.GoOn.Status) {
		j.Block("setup failed: "+what+" was paused and cannot go on: HTTP "+p.GoOn.Status.JSON(), "serve {resume run}")
	}
}

// UnlessLacking ends the drive with blocked. If look finds, on a finished run, that the host lacks the operation,
// it ends the drive with that reason first.
func (h Host) UnlessLacking(ctx context.Context, blocked error, look func(*Run)) {
	r, err := scenarios.Attempt(func() *Run { return h.SimpleRun(ctx, "create a run") })
	if err == nil && r.ID != "" {
		r.AwaitEnd(ctx)
		look(r)
	}
	scenarios.End(blocked)
}
