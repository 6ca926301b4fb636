package programs

import (
	"fmt"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/claims"
	"github.com/openassay/assay/scenarios/openintent/host"
)

// ofRounds judges an intent round by round. A round that ended otherwise ended it; in the last one it may have been completed instead.
func ofRounds(
	judge func(RoundsObservation, Round, int, *scenarios.Judge), last func(RoundsObservation, *scenarios.Judge),
) scenarios.Question {
	return scenarios.Ask(drawnRounds, func(o RoundsObservation, j *scenarios.Judge) {
		for n, r := range o.Rounds {
			judge(o, r, n+1, j)
		}
		if last != nil {
			last(o, j)
		}
		r := o.Rounds[len(o.Rounds)-1]
		if !r.Complete.Ok() && (!waits(r.Waits) || r.After.Body.Key("status").String() != host.Active) {
			r.control(j)
			j.Block("setup failed: the intent did not wait for its right answer, or is not active after it",
				"keep it suspended until its right answer, and make it active then; other scenarios test that")
		}
	})
}

// control blocks the judge if the right answer of the round was refused: wrong ones may then have been refused for the same.
func (r Round) control(j *scenarios.Judge) {
	if r.Answer.Asked != "" {
		r.Answer.Taken(j)
	}
}

// refused checks that wrong answers were refused with a status, or with any 4xx where they are of another form.
func refused(j *scenarios.Judge, id scenarios.RequirementID, all []Wrong, status int, after host.Reply, round int) {
	for _, w := range all {
		want := check.Status(status)
		if w.Other {
			want = check.Status(4)
		}
		j.Check(id, w.Reply.Status).To(want, "%s, in round %d", w.Reply.Asked, round)
	}
	j.Check(id, after.Body.Key("status")).To(check.Equal(host.Suspended), "status of %s, in round %d", after.Asked, round)
}

// refuses is the rule by which a value that does not fit is refused, by the kind of response.
var refuses = map[string]scenarios.RequirementID{asChoice: openintent.OIP0025A7, asConfirm: openintent.OIP0025A9}

var roundScenarios = []scenarios.Scenario{
	{
		ID:     "openintent/programs/round-kept",
		Title:  "each of many answers to one intent is kept as it is, with the rest of its record, and logged once",
		Proves: scenarios.IDs{openintent.OIP0025A11, openintent.OIP0025A13, openintent.OIP0025A14, openintent.OIP0025A15},
		Claim:  claims.Core,
		Ask: ofRounds(func(_ RoundsObservation, r Round, _ int, j *scenarios.Judge) {
			if waits(r.Waits) {
				r.answered().check(j)
			}
		}, func(o RoundsObservation, j *scenarios.Judge) {
			var all []answered
			for _, r := range o.Rounds {
				if waits(r.Waits) && r.Answer.Ok() {
					all = append(all, r.answered())
				}
			}
			if len(all) == len(o.Rounds) || o.Rounds[len(o.Rounds)-1].Complete.Ok() {
				checkLog(j, o.Log, all)
			}
		}),
	},
	{
		ID:     "openintent/programs/round-named",
		Title:  "in each round an answer is refused that names an earlier suspension, or an id that resembles its own",
		Proves: scenarios.IDs{openintent.OIP0025A5}, Claim: claims.Core,
		Ask: ofRounds(func(_ RoundsObservation, r Round, n int, j *scenarios.Judge) {
			r.control(j)
			refused(j, openintent.OIP0025A5, r.Others, 409, r.Named, n)
		}, nil),
	},
	{
		ID:     "openintent/programs/round-fitting",
		Title:  "in each round with choices or a confirmation, a value that only resembles a valid one is refused",
		Proves: scenarios.IDs{openintent.OIP0025A7, openintent.OIP0025A9}, Claim: claims.Core,
		Ask: ofRounds(func(_ RoundsObservation, r Round, n int, j *scenarios.Judge) {
			id := refuses[r.Response]
			r.control(j)
			if id != "" && waits(r.Named) {
				refused(j, id, r.Values, 422, r.Fitted, n)
			}
		}, nil),
	},
	{
		ID: "openintent/programs/round-once", Title: "in each round later answers are refused and change nothing",
		Proves: scenarios.IDs{openintent.OIP0026K4}, Claim: claims.Core,
		Ask: ofRounds(func(_ RoundsObservation, r Round, n int, j *scenarios.Judge) {
			if !waits(r.Waits) || !r.Answer.Ok() {
				return
			}
			for _, again := range r.Again {
				j.Check(openintent.OIP0026K4, again.Status).To(check.Status(4), "%s, in round %d", again.Asked, n)
			}
			for _, pointer := range []string{"/state", "/version", "/status"} {
				j.Check(openintent.OIP0026K4, r.Still.Body.At(pointer)).
					To(check.SameAs(r.After.Body.At(pointer)), "%s after later answers, in round %d", pointer, n)
			}
		}, nil),
	},
	{
		ID: "openintent/programs/round-uncompleted",
		Title: "an intent that was suspended many times cannot be completed while it waits, nor suspended or answered once it is " +
			"completed",
		Proves: scenarios.IDs{openintent.OIP0025L1, openintent.OIP0025L2, openintent.OIP0025A4},
		Claim:  claims.With(claims.Lifecycle, claims.Core),
		Ask: ofRounds(func(_ RoundsObservation, r Round, n int, j *scenarios.Judge) {
			if r.Complete.Asked == "" {
				return
			}
			j.Check(openintent.OIP0025L2, r.Complete.Status).To(check.Status(4), "%s, in round %d", r.Complete.Asked, n)
			j.Check(openintent.OIP0025L2, r.Waits.Body.Key("status")).To(check.Equal(host.Suspended), "status of %s, in round %d", r.Waits.Asked, n)
		}, func(o RoundsObservation, j *scenarios.Judge) {
			if !o.Finish.Ok() {
				j.Block("setup failed: "+o.Finish.Asked+" was answered with HTTP "+o.Finish.Status.JSON(),
					"make POST /intents/{id}/status complete an active intent")
			}
			j.Check(openintent.OIP0025A4, o.Idle.Status).To(check.Status(409), "%s", o.Idle.Asked)
			j.Check(openintent.OIP0025L1, o.Wakes.Status).To(check.Status(4), "%s", o.Wakes.Asked)
			j.Check(openintent.OIP0025A4, o.Rests.Body.Key("status")).To(check.Equal(host.Completed), "status of %s", o.Rests.Asked)
			j.Check(openintent.OIP0025L1, o.End.Body.Key("status")).To(check.Equal(host.Completed), "status of %s", o.End.Asked)
		}),
	},
	{
		ID: "openintent/programs/round-leased", Title: "in each round the holder of a lease on the intent can renew it",
		Proves: scenarios.IDs{openintent.OIP0025L3}, Claim: claims.With(claims.Lifecycle, claims.Core),
		Ask: ofRounds(func(o RoundsObservation, r Round, n int, j *scenarios.Judge) {
			if host.MissingRoute(o.Lease) {
				j.NotThere(o.Lease.Status, "leases on intents (POST /intents/{id}/leases)")
			}
			if !o.Lease.Ok() {
				j.Block(fmt.Sprintf("setup failed: a lease of %d s was refused with HTTP %s", leased, o.Lease.Status.JSON()),
					"grant a lease on an intent")
			}
			j.Check(openintent.OIP0025L3, r.Renewed.Status).To(check.Status(2), "%s, in round %d", r.Renewed.Asked, n)
			j.Check(openintent.OIP0025L3, r.Renewed.Body.Key("id")).To(check.SameAs(o.Lease.Body.Key("id")), "id of the lease, in round %d", n)
			j.Check(openintent.OIP0025L3, r.Renewed.Body.Key("expires_at")).
				To(notBefore(o.Lease.Body.Key("expires_at").String()), "expires_at of the lease, in round %d", n)
		}, nil),
	},
}

func (r Round) answered() answered { return answered{r.Suspension, r.Value, r.Answer, r.After} }

func notBefore(first string) check.Matcher {
	return check.That("not before "+first, func(v any) bool {
		s, _ := v.(string)
		is, ok := host.ReadTime(s)
		was, _ := host.ReadTime(first)
		return ok && !is.Before(was)
	})
}
