// Package inputs asks whether work that needs the output of an intent that waits can be claimed.
package inputs

import (
	"strings"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "claims", Title: "claims on what takes its input from an intent that waits",
		Scenarios: []scenarios.Scenario{claimRefused, claimMarked, claimResumeAt, claimGranted},
	}
}

// refused stops a judge for which the refusal is the set-up.
func (o ClaimObservation) refused(j *scenarios.Judge) {
	if o.Refused.Ok() {
		j.BlockOn(openintentv1.OIP0026V1, "set-up: "+o.Refused.Asked+" was granted")
	}
}

// claimRefused has a control: the same claim, granted later.
var claimRefused = scenarios.Scenario{
	ID:     "openintent/claims/refused",
	Title:  "a claim whose input comes from an intent that waits is refused, and the same claim is granted when that is completed",
	Proves: scenarios.IDs{openintentv1.OIP0026V1},
	Claim:  claims.Claimed,
	Ask: scenarios.Ask(claiming, func(o ClaimObservation, j *scenarios.Judge) {
		j.Check(openintentv1.OIP0026V1, o.Refused.Status).To(check.Status(4), "%s", o.Refused.Asked)
		if !o.Granted.Ok() {
			j.BlockOn(openintentv1.OIP00241, "set-up: "+o.Granted.Asked+" is refused too: HTTP "+o.Granted.Status.JSON())
		}
	}),
}

// claimMarked asks for the reason (OIP-R27): a refusal for another reason tells nobody what to wait for.
var claimMarked = scenarios.Scenario{
	ID:     "openintent/claims/says-why",
	Title:  "the refusal says upstream_intent_suspended and names the intent",
	Proves: scenarios.IDs{openintentv1.OIP0026V2, openintentv1.OIP0026V3},
	Claim:  claims.Claimed,
	Ask: scenarios.Ask(claiming, func(o ClaimObservation, j *scenarios.Judge) {
		o.refused(j)
		j.Check(openintentv1.OIP0026V2, o.Refused.Body).To(telling("upstream_intent_suspended", "UpstreamIntentSuspendedError"), "what refuses the claim")
		j.Check(openintentv1.OIP0026V3, o.Refused.Body).To(telling(o.UpstreamID), "what refuses the claim")
	}),
}

// telling expects a document that has one of these texts somewhere.
func telling(texts ...string) check.Matcher {
	return check.Seeing("something with "+strings.Join(texts, " or "), func(s wire.Seen) (bool, string) {
		v, _ := s.(wire.Value)
		for _, t := range texts {
			if host.Tells(v, t) {
				return true, v.JSON()
			}
		}
		return false, v.JSON()
	})
}

var claimResumeAt = scenarios.Scenario{
	ID:     "openintent/claims/resume-at",
	Title:  "the refusal says in expected_resume_at when to come again, where the record has an end",
	Proves: scenarios.IDs{openintentv1.OIP0026V4},
	Claim:  claims.Claimed,
	Ask: scenarios.Ask(claiming, func(o ClaimObservation, j *scenarios.Judge) {
		o.refused(j)
		if !host.Tells(o.Refused.Body, "upstream_intent_suspended") && !host.Tells(o.Refused.Body, "UpstreamIntentSuspendedError") {
			j.BlockOn(openintentv1.OIP0026V2, "set-up: the refusal is another one: HTTP "+o.Refused.Status.JSON())
		}
		at := o.Refused.Body.Key("expected_resume_at")
		for _, below := range []string{"/detail/expected_resume_at", "/error/expected_resume_at"} {
			if !at.Present() {
				at = o.Refused.Body.At(below)
			}
		}
		want := host.Moment()
		if o.Suspension.Stood().Key("expires_at").String() == "" { // then it is not known
			want = check.That("a timestamp, null or nothing", func(v any) bool {
				s, isText := v.(string)
				_, isTime := host.ReadTime(s)
				return v == nil || isText && isTime
			})
		}
		j.Check(openintentv1.OIP0026V4, at).To(want, "expected_resume_at")
	}),
}

var claimGranted = scenarios.Scenario{
	ID:     "openintent/claims/granted",
	Title:  "what was refused stays as it was, and is claimed when its upstream has resumed and is completed",
	Proves: scenarios.IDs{openintentv1.OIP0026V5, openintentv1.OIP00241},
	Claim:  claims.Claimed,
	Ask: scenarios.Ask(claiming, func(o ClaimObservation, j *scenarios.Judge) {
		o.refused(j)
		if !o.Finished.Reached {
			j.Block("set-up: the upstream could not be completed after the answer", "have POST /intents/{id}/status complete an active intent")
		}
		j.Check(openintentv1.OIP0026V5, o.After.Body.Key("status")).To(check.SameAs(o.Before.Body.Key("status")), "status of %s", o.After.Asked)
		j.Check(openintentv1.OIP0026V5, o.Granted.Status).To(check.Status(2), "%s", o.Granted.Asked)
		j.Check(openintentv1.OIP00241, o.Granted.Status).To(check.Status(2), "%s", o.Granted.Asked)
	}),
}
