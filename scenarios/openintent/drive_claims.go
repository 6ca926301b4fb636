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
	Run: func(ctx context.Context, c *scenarios.Conn) (o ClaimObservation, err error) {
		s, err := open(ctx, c)
		if err != nil {
			return o, err
		}
		plain, err := s.mk(ctx, "claimed", active, nil)
		if err != nil {
			return o, err
		}
		if o.Plain, err = plain.mustLease(ctx, "a claim without inputs", 60); err != nil {
			return o, err
		}
		up, down, err := s.phases(ctx)
		if err != nil {
			return o, err
		}
		o.UpstreamID = up.ID
		if o.Suspension, err = up.suspend(ctx, s.question("text").within(3600, "fail", nil)); err != nil {
			return o, err
		}
		if o.Before, err = down.read(ctx, "what is claimed, before"); err != nil {
			return o, err
		}
		if o.Refused, err = down.lease(ctx, "a claim while its upstream waits", scope, 60); err != nil {
			return o, err
		}
		if o.After, err = down.read(ctx, "what is claimed, after the refusal"); err != nil {
			return o, err
		}
		if o.Answer, err = up.mustAnswer(ctx, o.Suspension.ID, "go on"); err != nil {
			return o, err
		}
		if said, err := up.patch(ctx, outputKey, "approved", "write the output"); err != nil || !said.ok() {
			if err == nil {
				err = up.setUp("write an output into the state of an intent", said)
			}
			return o, err
		}
		if _, err = up.set(ctx, completed, "complete the upstream"); err != nil {
			return o, err
		}
		if o.Finished, err = up.becomes(ctx, "the upstream is completed", completed); err != nil {
			return o, err
		}
		o.Granted, err = down.lease(ctx, "the claim when its upstream is completed", scope, 60)
		return o, err
	},
}
