// Package lifecycle asks about the state machine of intents, their versions, and leases on suspended ones.
package lifecycle

import (
	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Suite returns the suite lifecycle.
func Suite() scenarios.Suite {
	return scenarios.Suite{
		ID: "lifecycle", Title: "intents: which steps there are, by which version, and whose they are while they wait",
		Scenarios: []scenarios.Scenario{
			lifecycleMade, lifecycleVersioned, lifecycleStale, lifecycleTagged, lifecycleOnlyActive, lifecycleNotCompleted,
			lifecycleLeaseRenewed, lifecycleLeaseKept,
		},
	}
}

var lifecycleMade = scenarios.Scenario{
	ID:     "openintent/lifecycle/read-back",
	Title:  "an intent is read as it was made",
	Proves: scenarios.IDs{openintent.OIP00014},
	Claim:  claims.Core,
	Ask: scenarios.Ask(host.Versions, func(o host.VersionsObservation, j *scenarios.Judge) {
		j.Check(openintent.OIP00014, o.Made.Status).To(check.Status(200, 201), "%s", o.Made.Asked)
		j.Check(openintent.OIP00014, o.Read.Status).To(check.Status(200), "%s", o.Read.Asked)
		j.Check(openintent.OIP00014, o.Read.Body.Key("id")).To(check.SameAs(o.Made.Body.Key("id")), "id of the intent")
		j.Check(openintent.OIP00014, o.Read.Body.Key("title")).To(check.Equal(o.Title), "title of the intent")
		j.Check(openintent.OIP00014, o.Read.Body.Key("status")).To(check.Equal(host.Draft), "status of the intent")
		j.Check(openintent.OIP00014, o.Read.Body.Key("version")).To(check.Integer(1, 0), "version of the intent")
	}),
}

var lifecycleVersioned = scenarios.Scenario{
	ID:     "openintent/lifecycle/needs-a-version",
	Title:  "a write that names no version is refused and changes nothing",
	Proves: scenarios.IDs{openintent.OIP00011},
	Claim:  claims.Core,
	Ask: scenarios.Ask(host.Versions, func(o host.VersionsObservation, j *scenarios.Judge) {
		givenWrite(o, j)
		o.After.Readable(j)
		j.Check(openintent.OIP00011, o.Without.Status).To(check.Status(400, 412, 428), "%s", o.Without.Asked)
		j.Check(openintent.OIP00011, o.After.Body.At("/state/"+host.Note)).To(check.Absent(), "what it wrote")
	}),
}

var lifecycleStale = scenarios.Scenario{
	ID:     "openintent/lifecycle/old-version",
	Title:  "a write that names an old version is refused and changes nothing",
	Proves: scenarios.IDs{openintent.OIP00012},
	Claim:  claims.Core,
	Ask: scenarios.Ask(host.Versions, func(o host.VersionsObservation, j *scenarios.Judge) {
		givenWrite(o, j)
		before, _ := o.Read.Body.Key("version").Int()
		if now, _ := o.Right.Body.Key("version").Int(); now <= before {
			j.Block("setup failed: a write left the version unchanged, so there is no old one",
				"raise the version of an intent with every write, and answer with it")
		}
		j.Check(openintent.OIP00012, o.Stale.Status).To(check.Status(409, 412), "%s", o.Stale.Asked)
		j.Check(openintent.OIP00012, o.End.Body.At("/state/"+host.Note)).To(check.Equal("right"), "what was written before it")
	}),
}

// givenWrite blocks the judge unless the server takes a write that names the version.
func givenWrite(o host.VersionsObservation, j *scenarios.Judge) {
	if o.Right.Ok() && o.End.Body.At("/state/"+host.Note).String() != "" {
		return
	}
	if o.Right.Ok() {
		j.Block("setup failed: "+o.Right.Asked+" left no trace", "keep in the state what a write that is taken says")
	}
	j.Block("setup failed: "+o.Right.Asked+" was answered with HTTP "+o.Right.Status.JSON(),
		"make POST /intents/{id}/state take a write whose If-Match is the version of the intent")
}

var lifecycleTagged = scenarios.Scenario{
	ID:     "openintent/lifecycle/etag",
	Title:  "the reply to a write has the new version as its ETag",
	Proves: scenarios.IDs{openintent.OIP00013},
	Claim:  claims.Core,
	Ask: scenarios.Ask(host.Versions, func(o host.VersionsObservation, j *scenarios.Judge) {
		givenWrite(o, j)
		version := wire.Compact(o.Right.Body.Key("version").Actual())
		j.Check(openintent.OIP00013, o.ETag).To(check.OneOf(version, `"`+version+`"`, `W/"`+version+`"`), "ETag")
	}),
}

// lifecycleOnlyActive accepts any 4xx (OIP-R107).
var lifecycleOnlyActive = scenarios.Scenario{
	ID:     "openintent/lifecycle/only-active",
	Title:  "a draft and a completed intent are not suspended, an active one is",
	Proves: scenarios.IDs{openintent.OIP0025L1},
	Claim:  claims.Lifecycle,
	Ask: scenarios.Ask(lifecycleSteps, func(o LifecycleObservation, j *scenarios.Judge) {
		for _, k := range []struct {
			reply, end host.Reply
			status     string
		}{{o.Draft, o.DraftEnd, host.Draft}, {o.Done, o.DoneEnd, host.Completed}} {
			j.Check(openintent.OIP0025L1, k.reply.Status).To(check.Status(4), "%s", k.reply.Asked)
			j.Check(openintent.OIP0025L1, k.end.Body.Key("status")).To(check.Equal(k.status), "status of %s", k.end.Asked)
		}
		j.Check(openintent.OIP0025L1, o.Active.Status).To(check.Status(2), "suspend one that is active")
	}),
}

// lifecycleNotCompleted accepts any 4xx (OIP-R107).
var lifecycleNotCompleted = scenarios.Scenario{
	ID:     "openintent/lifecycle/not-completed",
	Title:  "an intent that waits is not completed past the answer, and is after it",
	Proves: scenarios.IDs{openintent.OIP0025L2},
	Claim:  claims.Lifecycle,
	Ask: scenarios.Ask(lifecycleSteps, func(o LifecycleObservation, j *scenarios.Judge) {
		j.Check(openintent.OIP0025L2, o.Completing.Status).To(check.Status(4), "%s", o.Completing.Asked)
		j.Check(openintent.OIP0025L2, o.Waiting.Body.Key("status")).To(check.Equal(host.Suspended), "status of %s", o.Waiting.Asked)
		if o.Bare.Asked != "" {
			j.Check(openintent.OIP0025L2, o.Bare.Status).To(check.Status(4), "%s", o.Bare.Asked)
			j.Check(openintent.OIP0025L2, o.BareEnd.Body.Key("status")).To(check.Equal(host.Suspended), "status of %s", o.BareEnd.Asked)
		}
		if o.Waiting.Body.Key("status").String() == host.Suspended && !o.Completed.Reached {
			j.Block("setup failed: the intent could not be completed after the answer either",
				"make POST /intents/{id}/status complete an active intent")
		}
	}),
}

var lifecycleLeaseRenewed = scenarios.Scenario{
	ID:     "openintent/lifecycle/lease-renewed",
	Title:  "who holds a lease on an intent can renew it while the intent waits",
	Proves: scenarios.IDs{openintent.OIP0025L3},
	Claim:  claims.Lifecycle,
	Ask: scenarios.Ask(leaseRenewed, func(o LeasesObservation, j *scenarios.Judge) {
		j.Check(openintent.OIP0025L3, o.Renewed.Status).To(check.Status(2), "%s", o.Renewed.Asked)
		j.Check(openintent.OIP0025L3, o.Renewed.Body.Key("id")).To(check.SameAs(o.Held.Body.Key("id")), "id of the lease")
		until, _ := host.TimeOf(o.Held.Body.Key("expires_at"))
		later := check.That("later than "+o.Held.Body.Key("expires_at").JSON(), func(v any) bool {
			s, _ := v.(string)
			t, ok := host.ReadTime(s)
			return ok && t.After(until)
		})
		j.Check(openintent.OIP0025L3, o.Renewed.Body.Key("expires_at")).To(later, "expires_at of the lease")
	}),
}

// lifecycleLeaseKept has a control: a lease on an active intent runs out.
var lifecycleLeaseKept = scenarios.Scenario{
	ID:     "openintent/lifecycle/lease-kept",
	Title:  "a lease on an intent that waits does not run out into other hands, as one on another intent does",
	Proves: scenarios.IDs{openintent.OIP0025L4},
	Claim:  claims.Lifecycle,
	Ask: scenarios.Ask(leaseKept, func(o LeasesObservation, j *scenarios.Judge) {
		if !o.Free.Ok() {
			j.Block("a lease that ran out on an active intent could not be taken: HTTP "+o.Free.Status.JSON(),
				"let leases run out, and answer 2xx to an agent that takes one that did")
		}
		if o.Status.String() != host.Suspended {
			j.Block("setup failed: the intent is "+o.Status.JSON()+", not suspended",
				"keep it suspended; the suite respond tests that")
		}
		for _, r := range o.Strangers {
			j.Check(openintent.OIP0025L4, r.Status).To(check.Status(4), "somebody else's lease on the intent that waits")
		}
		if o.Second.Asked != "" {
			j.Check(openintent.OIP0025L4, o.Second.Status).To(check.Status(4), "%s, on the intent that waits", o.Second.Asked)
		}
		for _, k := range o.Also {
			if k.Still.String() == host.Suspended { // it was so all the time
				j.Check(openintent.OIP0025L4, k.Reply.Status).To(check.Status(4), "the same, where %s", k.Of)
			}
		}
	}),
}
