package refusals

import (
	"net/http"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/claims"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/fixture"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// A key is bound to one request, which runs once however often it is repeated.
var keyedOnce = scenarios.Scenario{
	ID:      "openwop/errors/keyed-once",
	Title:   "a request that is repeated under its idempotency key makes no second run, and another one under the key is refused",
	Proves:  scenarios.IDs{openwop.OWPERR4, openwop.OWPERR5, openwop.OWPERR18, openwop.OWPERR19, openwop.OWPERR21},
	Watches: scenarios.IDs{openwop.OWPERR27},
	Claim:   claims.Protocol,
	Ask: scenarios.Ask(keyed, func(o IdempotencyObservation, j *scenarios.Judge) {
		o.given(j)
		j.Check(openwop.OWPERR18, o.Fresh.RunID()).NotTo(check.SameAs(o.First.RunID()), "runId of %s", o.Fresh.Asked)
		for _, k := range []host.KeyedRun{o.Again, o.Last} {
			j.Check(openwop.OWPERR18, k.Status).To(check.Status(2), "%s", k.Asked)
			if j.Check(openwop.OWPERR18, k.RunID()).To(check.SameAs(o.First.RunID()), "runId of %s", k.Asked) {
				j.Check(openwop.OWPERR18, k.Body).To(check.SameAs(o.First.Body), "the reply to %s", k.Asked)
			}
			j.Check(openwop.OWPERR21, k.Replay).To(check.Equal("true"), "openwop-Idempotent-Replay of %s", k.Asked)
		}
		if j.Check(openwop.OWPERR18, o.Reordered.Status).To(check.Status(2, 409), "%s", o.Reordered.Asked) && host.Succeeded(o.Reordered.Status) {
			j.Check(openwop.OWPERR18, o.Reordered.RunID()).To(check.SameAs(o.First.RunID()), "runId of %s", o.Reordered.Asked)
		}
		Coded(o.Other.Answered, j, openwop.OWPERR19, dialect.KeyReused)
		for _, other := range o.Others {
			Coded(other.Answered, j, openwop.OWPERR19, dialect.KeyReused)
		}
		o.checkLong(j)
		j.Part(func() { o.Numbers.check(j) })
		j.Part(func() { o.Refusal.check(j) })
		j.Part(func() { o.checkEndpoints(j) })
		// What does not fit is no outcome that a key is kept for: nothing is left of it. Other refusals are.
		for _, pair := range [][2]host.KeyedRun{{o.Misfit, o.Mended}, {o.Refusal.Misfit, o.Refusal.Mended}} {
			code, _ := pair[0].Status.Int()
			if code == http.StatusBadRequest && pair[0].Body.Key("error").String() == "validation_error" {
				j.Check(openwop.OWPERR27, pair[1].Status).To(check.Status(2), "%s, behind %s", pair[1].Asked, pair[0].Asked)
			}
		}
	}),
}

// checkLong checks that keys count to their last letter. A host may take shorter ones only, which is told.
func (o IdempotencyObservation) checkLong(j *scenarios.Judge) {
	switch {
	case o.Long.Asked == "":
		return
	case !host.Succeeded(o.Long.Status):
		j.Find("", "%s is refused with HTTP %s", o.Long.Asked, o.Long.Status.JSON())
		return
	}
	j.Check(openwop.OWPERR18, o.LongAgain.RunID()).To(check.SameAs(o.Long.RunID()), "runId of %s", o.LongAgain.Asked)
	for _, k := range o.Near {
		if j.Check(openwop.OWPERR18, k.Status).To(check.Status(2), "%s", k.Asked) {
			j.Check(openwop.OWPERR18, k.RunID()).NotTo(check.SameAs(o.Long.RunID()), "runId of %s", k.Asked)
		}
	}
}

// check checks that another value makes another body, and that a value which is written otherwise makes no second run.
func (o KeyedValues) check(j *scenarios.Judge) {
	for _, k := range o.Same { // OWP-R24
		if j.Check(openwop.OWPERR18, k.Status).To(check.Status(2, 409), "%s", k.Asked) && host.Succeeded(k.Status) {
			j.Check(openwop.OWPERR18, k.RunID()).To(check.SameAs(o.First.RunID()), "runId of %s", k.Asked)
		}
	}
	for _, k := range o.Others {
		Coded(k.Answered, j, openwop.OWPERR19, dialect.KeyReused)
	}
}

// check checks that a refusal which is final is kept as any outcome is: it is given again, and no other body goes by its key.
func (o KeyedFork) check(j *scenarios.Judge) {
	if o.Repeat.Asked == "" {
		return
	}
	j.Check(openwop.OWPERR18, o.Repeat.Status).To(check.SameAs(o.Refused.Status), "%s", o.Repeat.Asked)
	j.Check(openwop.OWPERR21, o.Repeat.Replay).To(check.Equal("true"), "openwop-Idempotent-Replay of %s", o.Repeat.Asked)
	Coded(o.Valid.Answered, j, openwop.OWPERR19, dialect.KeyReused)
}

// checkEndpoints checks that a key means nothing at another endpoint: what is asked for there is done.
func (o IdempotencyObservation) checkEndpoints(j *scenarios.Judge) {
	if made, fork := o.Refusal.Apart[0], o.Refusal.Apart[1]; host.Succeeded(made.Status) {
		j.Check(openwop.OWPERR18, fork.Status).To(check.Status(2), "%s", fork.Asked)
		j.Check(openwop.OWPERR18, fork.RunID()).NotTo(check.SameAs(made.RunID()), "runId of %s", fork.Asked)
	}
	if d := o.File.Delete; d.Asked != "" {
		j.Check(openwop.OWPERR18, d.Status).To(check.Status(2), "%s", d.Asked)
	}
}

// given blocks the judge unless both keys made a run. Without the second, a
// repeated reply could not be told from a constant one.
func (o IdempotencyObservation) given(j *scenarios.Judge) {
	for _, k := range []host.KeyedRun{o.First, o.Fresh} {
		if !host.Succeeded(k.Status) || k.RunID().String() == "" {
			j.Block("setup failed: "+k.Asked+" is not made: HTTP "+k.Status.JSON()+" with runId "+k.RunID().JSON(), fixture.Load)
		}
	}
}

var keyedAtOnce = scenarios.Scenario{
	ID:     "openwop/errors/keyed-at-once",
	Title:  "of four equal requests that come at once under one idempotency key one run is made",
	Proves: scenarios.IDs{openwop.OWPERR20},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(keyed, func(o IdempotencyObservation, j *scenarios.Judge) {
		o.given(j)
		if !j.Check(openwop.OWPERR20, o.After.Status).To(check.Status(2), "%s", o.After.Asked) {
			return
		}
		j.Check(openwop.OWPERR20, o.After.RunID()).NotTo(check.OneOf(o.First.RunID().String(), o.Fresh.RunID().String()), "its runId")
		made := wire.Found{In: o.After.Status.Ref()}
		for _, k := range o.AtOnce {
			if j.Check(openwop.OWPERR20, k.Status).To(check.Status(2, 409), "%s", k.Asked); host.Succeeded(k.Status) {
				made.Values = append(made.Values, k.RunID())
			}
		}
		j.Check(openwop.OWPERR20, made).To(check.Each(check.Equal(o.After.RunID().String())), "runId of the requests that were done or repeated")
	}),
}

var cancelEnds = scenarios.Scenario{
	ID:     "openwop/errors/cancel-ends",
	Title:  "a run that is cancelled under way ends as cancelled",
	Proves: scenarios.IDs{openwop.OWPERR23},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(cancelled, func(o CancelObservation, j *scenarios.Judge) {
		o.given(j)
		j.Check(openwop.OWPERR23, o.Cancel.Status).To(check.Status(200), "%s", o.Cancel.Asked)
		j.Check(openwop.OWPERR23, o.Cancel.Body.Key("status")).To(check.OneOf("cancelled", "cancelling"), "status in that reply")
		if !j.Check(openwop.OWPERR23, o.Log.Ended).To(check.Reached()) {
			return
		}
		j.Check(openwop.OWPERR23, o.Log.Status()).To(check.Equal("cancelled"), "status of the run")
		o.Log.Readable(j)
		j.Check(openwop.OWPERR23, o.Log.Terminals().Each("/type")).To(dialect.Types(dialect.RunCancelled), "the ends on its log")
	}),
}

// Version 1 of the protocol replies with the run's final status; version 2 refuses
// (OWP-R42).
var cancelOfEnded = scenarios.Scenario{
	ID:     "openwop/errors/cancel-of-ended",
	Title:  "to cancel a run that has ended, by itself or cancelled, leaves it as it ended",
	Proves: scenarios.IDs{openwop.OWPERR24},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(cancelled, func(o CancelObservation, j *scenarios.Judge) {
		o.given(j)
		o.ends(j)
		ended := []endedCancel{{o.Again, o.Log.Status(), o.Later.Key("status")}}
		if o.DoneReply.Asked != "" {
			ended = append(ended, endedCancel{o.DoneReply, o.Done.Last.Key("status"), o.DoneAfter.Key("status")})
		}
		for _, e := range ended {
			e.check(j)
		}
	}),
}

// endedCancel is a cancel of an ended run.
type endedCancel struct {
	reply         host.Answered
	before, after wire.Value // status of the run
}

func (e endedCancel) check(j *scenarios.Judge) {
	if j.Check(openwop.OWPERR24, e.reply.Status).To(check.Status(200, 409), "%s", e.reply.Asked) && host.Succeeded(e.reply.Status) {
		j.Check(openwop.OWPERR24, e.reply.Body.Key("status")).To(check.SameAs(e.before), "status in that reply")
	}
	j.Check(openwop.OWPERR24, e.after).To(check.SameAs(e.before), "status of the run after it")
}

// The control is the later cancel with the credential, which the run obeys.
var strangersChangeNothing = scenarios.Scenario{
	ID:     "openwop/errors/strangers-change-nothing",
	Title:  "a run that strangers tried to cancel goes on",
	Proves: scenarios.IDs{openwop.OWPERR25},
	Claim:  claims.Protocol,
	Ask: scenarios.Ask(cancelled, func(o CancelObservation, j *scenarios.Judge) {
		o.given(j)
		for i, a := range o.Strangers {
			rule := scenarios.RequirementID(openwop.OWPERR1) // the first has no credential, the next an unknown one
			if i > 0 {
				rule = openwop.OWPERR2
			}
			if a.HTTPStatus() != http.StatusUnauthorized {
				j.Violates(rule, a.Status, "setup failed: "+a.Asked+" is not refused with HTTP 401: HTTP "+a.Status.JSON())
			}
		}
		if o.Log.Status().String() != "cancelled" {
			o.ends(j)
			reason := "setup failed: the run is not cancelled by its owner either, its status is " + o.Log.Status().JSON()
			if said := o.Cancel.Body.Key("status").String(); said == "cancelled" || said == "cancelling" {
				j.Violates(openwop.OWPERR23, o.Log.Status(), reason)
			}
			j.Block(reason, "have "+o.Way+" last until it is cancelled")
		}
		j.Check(openwop.OWPERR25, o.Untouched.Key("status")).NotTo(check.OneOf("cancelled", "cancelling"), "status after the strangers")
	}),
}

// ends blocks the judge unless the run ended that its owner cancelled.
func (o CancelObservation) ends(j *scenarios.Judge) {
	if !o.Log.Ended.Reached && !host.Succeeded(o.Cancel.Status) {
		j.Block("setup failed: the run cannot be cancelled: HTTP "+o.Cancel.Status.JSON(), "serve {cancel run}")
	}
	j.Need(openwop.OWPERR23, o.Log.Ended)
}

// given blocks the judge unless a run was under way.
func (o CancelObservation) given(j *scenarios.Judge) {
	if !host.Succeeded(o.Created.Status) || o.Created.Body.Key("runId").String() == "" {
		j.Block("setup failed: no run of "+o.Way+" is made: HTTP "+o.Created.Status.JSON(), fixture.Load)
	}
	if status := o.Live.Key("status").String(); status == "" || host.IsTerminal(status) {
		j.Block("setup failed: the run of "+o.Way+" is not under way before it is cancelled, its status is "+o.Live.Key("status").JSON(),
			"have "+o.Way+" last until it is cancelled")
	}
}
