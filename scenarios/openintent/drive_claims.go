package openintent

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// ClaimObservation is a claim on an intent whose input comes from one that waits, and the same claim after that is completed.
type ClaimObservation struct {
	UpstreamID string     `json:"upstreamId"`
	Suspension Suspension `json:"suspension"`
	Before     Reply      `json:"before"`  // the one that is claimed
	Refused    Reply      `json:"refused"` // while its upstream waits
	After      Reply      `json:"after"`   // the one that is claimed
	Answer     Reply      `json:"answer"`
	Finished   wire.Wait  `json:"finished"` // the upstream
	Granted    Reply      `json:"granted"`
	Plain      Reply      `json:"plain"` // a claim on an intent without inputs
}

var claiming = &scenarios.Drive[ClaimObservation]{
	ID: "openintent/claiming", Title: "claims a phase whose input comes from a phase that waits, and again when that is completed",
	Sends: []string{"POST /intents", "POST /intents/{id}/children, twice", "POST /intents/{id}/leases, 3 times", "POST /intents/{id}/state and /status", "POST /intents/{id}/suspend/respond"},
	Run: func(ctx context.Context, c *scenarios.Conn, o *ClaimObservation) {
		s := open(ctx, c)
		plain := s.mk(ctx, "claimed", active, nil)
		o.Plain = plain.mustLease(ctx, "a claim without inputs", 60)
		up, down := s.phases(ctx)
		o.UpstreamID = up.ID
		o.Suspension = up.suspend(ctx, s.question("text").within(3600, "fail", nil))
		o.Before = down.read(ctx, "what is claimed, before")
		o.Refused = down.lease(ctx, "a claim while its upstream waits", scope, 60)
		o.After = down.read(ctx, "what is claimed, after the refusal")
		o.Answer = up.mustAnswer(ctx, o.Suspension.ID, "go on")
		if said := up.patch(ctx, outputKey, "approved", "write the output"); !said.ok() {
			up.setUp("write an output into the state of an intent", said)
		}
		up.set(ctx, completed, "complete the upstream")
		o.Finished = up.becomes(ctx, "the upstream is completed", completed)
		o.Granted = down.lease(ctx, "the claim when its upstream is completed", scope, 60)
	},
}
