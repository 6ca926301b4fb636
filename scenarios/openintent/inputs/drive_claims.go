package inputs

import (
	"context"
	"fmt"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// ClaimObservation is a claim on an intent whose input comes from a suspended one, and the same claim when that is
// completed.
type ClaimObservation struct {
	Plain      host.Reply      `json:"plain"`      // the reply to a lease on an intent without inputs
	Unresolved host.Reply      `json:"unresolved"` // the reply to a lease whose upstream is neither completed nor suspended
	UpstreamID string          `json:"upstreamId"`
	Suspension host.Suspension `json:"suspension"`
	Before     host.Reply      `json:"before"`  // the claimed intent, before the claim
	Refused    host.Reply      `json:"refused"` // the reply to the claim while the upstream is suspended
	After      host.Reply      `json:"after"`   // the claimed intent, after that
	Answer     host.Reply      `json:"answer"`
	Finished   wire.Wait       `json:"finished"` // for the upstream to be completed
	Granted    host.Reply      `json:"granted"`  // the reply to the claim then
	Others     []host.Reply    `json:"others"`   // the replies to claims of others, whose upstreams wrote other values
	// Early is the reply to a claim whose upstream wrote the value before it was suspended.
	Early host.Reply `json:"early,omitzero"`
}

// outputs are values that a careless server takes for none.
var outputs = []any{false, 0, "", []any{}, map[string]any{}}

var claiming = &scenarios.Drive[ClaimObservation]{
	ID: "openintent/claiming", Title: "claims a phase whose input comes from a phase that waits, and again when that is completed",
	Sends: []string{
		"POST /intents", "POST /intents/{id}/children, 4 times", "POST /intents/{id}/leases, 4 times", "POST /tasks/{id}/claim, 3 times",
		"POST /intents/{id}/state and /status", "POST /intents/{id}/suspend/respond",
	},
	Run: func(ctx context.Context, c *scenarios.Conn, o *ClaimObservation) {
		s := host.Open(ctx, c)
		plain := s.NewIntent(ctx, "claimed", host.Active, nil)
		o.Plain = plain.MustLease(ctx, "a claim without inputs", 60)
		byTask := false
		o.Unresolved, byTask = s.ClaimsByTask(ctx)
		up, down := s.Phases(ctx)
		claim := func(label string) host.Reply { return down.Lease(ctx, label, host.Scope, 60) }
		other := func(label string, down *host.Intent) host.Reply { return down.Lease(ctx, label, host.Scope, 60) }
		if byTask {
			other = func(label string, down *host.Intent) host.Reply { return s.Task(ctx, down, nil).Claim(ctx, label) }
			task := s.Task(ctx, down, nil)
			claim = func(label string) host.Reply { return task.Claim(ctx, label) }
		}
		o.UpstreamID = up.ID
		o.Suspension = up.Suspend(ctx, s.Question("text").Within(3600, "fail", nil))
		o.Before = down.Read(ctx, "what is claimed, before")
		o.Refused = claim("a claim while its upstream waits")
		o.After = down.Read(ctx, "what is claimed, after the refusal")
		o.Answer = up.MustAnswer(ctx, o.Suspension.ID, "go on")
		if reply := up.Patch(ctx, host.OutputKey, "approved", "write the output"); !reply.Ok() {
			up.SetUp("write an output into the state of an intent", reply)
		}
		up.Set(ctx, host.Completed, "complete the upstream")
		o.Finished = up.Becomes(ctx, "the upstream is completed", host.Completed)
		if o.Granted = claim("the claim when its upstream is completed"); c.Depth == scenarios.Quick || !o.Granted.Ok() {
			return
		}
		for _, value := range outputs {
			up, down := s.Phases(ctx)
			up.Patch(ctx, host.OutputKey, value, "write an output")
			up.Set(ctx, host.Completed, "complete an upstream")
			if up.Becomes(ctx, "an upstream is completed", host.Completed).Reached {
				o.Others = append(o.Others, other(fmt.Sprintf("a claim whose input is %s", wire.Compact(value)), down))
			}
		}
		up, down = s.Phases(ctx)
		if up.Patch(ctx, host.OutputKey, "a draft", "write an output before a suspension").Ok() {
			up.Suspend(ctx, s.Question("text"))
			o.Early = other("a claim whose upstream waits and wrote its output before", down)
		}
	},
}
