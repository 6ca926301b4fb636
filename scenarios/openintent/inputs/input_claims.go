// Package inputs asks whether an intent can be claimed whose input comes from a suspended one.
package inputs

import (
	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
)

// Suite returns the suite claims.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "claims", Title: "claims on what takes its input from an intent that waits",
		Scenarios: []scenarios.Scenario{claimRefused, claimMarked, claimResumeAt, claimGranted},
	}
}

// givenRefusal ends the judge if the first claim was granted.
func (o ClaimObservation) givenRefusal(j *scenarios.Judge) {
	if o.Refused.Ok() {
		j.Violates(openintent.OIP0026V1, o.Refused.Status, "setup failed: "+o.Refused.Asked+" was granted")
	}
}

// givenGrant ends the judge unless the second claim was granted. What was granted before need not be granted again, and
// not before its upstream is completed.
func (o ClaimObservation) givenGrant(j *scenarios.Judge) {
	if o.Granted.Ok() {
		return
	}
	reason := "setup failed: " + o.Granted.Asked + " was answered with HTTP " + o.Granted.Status.JSON()
	if o.Finished.Reached && !o.Refused.Ok() && !o.Granted.Excused() {
		j.Violates(openintent.OIP00241, o.Granted.Status, reason)
	}
	j.Block(reason, "grant a claim whose inputs are all there")
}

// claimRefused has a control: the same claim is granted later.
var claimRefused = scenarios.Scenario{
	ID:     "openintent/claims/refused",
	Title:  "a claim whose input comes from an intent that waits is refused, and the same claim is granted when that is completed",
	Proves: scenarios.IDs{openintent.OIP0026V1},
	Claim:  claims.Claimed,
	Ask: scenarios.Ask(claiming, func(o ClaimObservation, j *scenarios.Judge) {
		j.Check(openintent.OIP0026V1, o.Refused.Status).To(check.Status(4), "%s", o.Refused.Asked)
		if o.Early.Asked != "" {
			j.Check(openintent.OIP0026V1, o.Early.Status).To(check.Status(4), "%s", o.Early.Asked)
		}
		o.givenGrant(j)
	}),
}

// claimMarked asks for the reason (OIP-R27): without it a client does not know what to wait for.
var claimMarked = scenarios.Scenario{
	ID:     "openintent/claims/says-why",
	Title:  "the refusal says upstream_intent_suspended and names the intent",
	Proves: scenarios.IDs{openintent.OIP0026V2, openintent.OIP0026V3},
	Claim:  claims.Claimed,
	Ask: scenarios.Ask(claiming, func(o ClaimObservation, j *scenarios.Judge) {
		o.givenRefusal(j)
		j.Check(openintent.OIP0026V2, o.Refused.Body).To(host.Mentioning(host.SuspendedCodes...), "what refuses the claim")
		j.Check(openintent.OIP0026V3, o.Refused.Body).To(host.Mentioning(o.UpstreamID), "what refuses the claim")
	}),
}

var claimResumeAt = scenarios.Scenario{
	ID:     "openintent/claims/resume-at",
	Title:  "the refusal says in expected_resume_at when to come again, where the record has an end",
	Proves: scenarios.IDs{openintent.OIP0026V4, openintent.OIPREAD18},
	Claim:  claims.Claimed,
	Ask: scenarios.Ask(claiming, func(o ClaimObservation, j *scenarios.Judge) {
		o.givenRefusal(j)
		if !host.Contains(o.Refused.Body, host.SuspendedCodes...) {
			reason := "setup failed: the claim was refused for another reason: HTTP " + o.Refused.Status.JSON()
			if !o.Refused.Excused() {
				j.Violates(openintent.OIP0026V2, o.Refused.Body, reason)
			}
			j.Block(reason, "refuse a claim over a suspended input with upstream_intent_suspended")
		}
		at := host.ResumesAt(o.Refused.Body)
		want := host.Moment()
		if o.Suspension.Shown().Key("expires_at").String() == "" { // the suspension has no end
			want = check.That("a timestamp, null or nothing", func(v any) bool {
				s, isText := v.(string)
				_, isTime := host.ReadTime(s)
				return v == nil || isText && isTime
			})
		}
		j.Check(openintent.OIP0026V4, at).To(want, "expected_resume_at")
		since, _ := o.Suspension.Beginning()
		j.Check(openintent.OIPREAD18, at).To(host.NotBefore(since), "expected_resume_at")
	}),
}

var claimGranted = scenarios.Scenario{
	ID:     "openintent/claims/granted",
	Title:  "what was refused stays as it was, and is claimed when its upstream has resumed and is completed",
	Proves: scenarios.IDs{openintent.OIP0026V5, openintent.OIP00241},
	Claim:  claims.Claimed,
	Ask: scenarios.Ask(claiming, func(o ClaimObservation, j *scenarios.Judge) {
		o.givenRefusal(j)
		if !o.Finished.Reached {
			j.Block("setup failed: the upstream could not be completed after the answer",
				"make POST /intents/{id}/status complete an active intent")
		}
		j.Check(openintent.OIP0026V5, o.After.Body.Key("status")).
			To(check.SameAs(o.Before.Body.Key("status")), "status of %s", o.After.Asked)
		j.Check(openintent.OIP0026V5, o.Granted.Status).To(check.Status(2), "%s", o.Granted.Asked)
		j.Check(openintent.OIP00241, o.Granted.Status).To(check.Status(2), "%s", o.Granted.Asked)
		for _, claim := range o.Others {
			j.Check(openintent.OIP00241, claim.Status).To(check.Status(2), "%s", claim.Asked)
		}
	}),
}
