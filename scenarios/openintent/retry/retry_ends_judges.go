package retry

import (
	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

const endsThere = "a server that ends a suspension nobody answers"

// givenTimer ends the judge if the server has no timer at all. One that reminds has one, whatever it ends.
func (o EndsObservation) givenTimer(j *scenarios.Judge) {
	first := o.Ends[0]
	first.After.Log.Readable(j)
	acted := func(l host.Log) bool { return len(l.OfType(host.EventRenotified, host.EventExpired).Values) > 0 }
	if !first.End.Reached && !acted(first.After.Log) && !acted(o.Control) && !j.Firm() {
		j.NotThere(first.End, endsThere)
	}
}

// givenEnds ends the judge unless the first n suspensions ended, as id has it: the drive did not wait for the others.
func (o EndsObservation) givenEnds(j *scenarios.Judge, id scenarios.RequirementID, n int) {
	for _, e := range o.Ends[:n] {
		needEnd(j, id, e.End, e.After)
	}
}

// needEnd ends the judge unless a suspension ended, as id has it. An event may say that it did, and the record not.
func needEnd(j *scenarios.Judge, id scenarios.RequirementID, end wire.Wait, after host.Look) {
	if end.Reached {
		return
	}
	after.Intent.Readable(j)
	after.Log.Readable(j)
	resolution := after.Intent.Body.At("/state/_suspension/resolution")
	if ended := after.Log.OfType(host.EventExpired); len(ended.Values) > 0 && resolution.String() != "expired" {
		j.Violates(openintent.OIP0025F3, resolution, "a suspension ended by its event, and its record does not say expired")
	}
	j.Need(id, end)
}

// judgeInnerFirst asks which fallback wins: if the outer one does, an explicit fail becomes an approval.
func (o EndsObservation) judgeInnerFirst(j *scenarios.Judge) {
	o.givenTimer(j)
	o.givenEnds(j, openintent.OIP0026N6, 1)
	continues, fails := o.Ends[0], o.Ends[1]
	j.Check(openintent.OIP0026B2, continues.After.Intent.Body.Key("status")).
		To(check.OneOf(host.Active, host.Completed), "status where the policy says to continue and the record to fail")
	j.Part(func() { continues.judgeContinues(j, openintent.OIP0025F2) })
	o.givenEnds(j, openintent.OIP0026N6, 2)
	j.Check(openintent.OIP0026B2, fails.After.Intent.Body.Key("status")).
		To(check.OneOf(host.Abandoned, host.Suspended), "status where the policy says to fail and the record to continue")
	j.Check(openintent.OIP0026B2, fails.After.Intent.Body.At("/state/_suspension/response")).
		To(notFallbackValue(), "response where the policy says to fail")
	fails.judgeFails(j, openintent.OIP0025F1)
}

func notFallbackValue() check.Matcher {
	return check.That("not the fallback value", func(v any) bool { return v != fallbackValue })
}

func (o EndsObservation) judgeInherited(j *scenarios.Judge) {
	o.givenTimer(j)
	o.givenEnds(j, openintent.OIP0026N6, 3)
	inherits := o.Ends[2]
	switch inherits.After.Intent.Body.Key("status").String() {
	case host.Abandoned, host.Suspended: // a field that is not said is inherited from the platform, too (section 5)
		if o.Default.Key("final_fallback_policy").String() == "fail" {
			j.NotOffered("suspension.default_retry_policy of the server has a policy that names no fallback end with fail")
		}
	}
	j.Check(openintent.OIP0026H8, inherits.After.Intent.Body.Key("status")).To(check.OneOf(host.Active, host.Completed),
		"status where the policy names no fallback and the record says to continue")
	inherits.judgeContinues(j, openintent.OIP0025F2)
}

func (o EndsObservation) judgeNoPolicy(j *scenarios.Judge) {
	if hasPolicy(o.Default) {
		j.NotOffered("suspension.default_retry_policy of the server applies to a record without a policy")
	}
	o.givenTimer(j)
	e := o.Ends[0]
	for _, id := range (scenarios.IDs{openintent.OIP0026B1, openintent.OIP0026L2}) {
		e.judgeWindow(j, id, o.Lapse.Seam)
	}
	j.Check(openintent.OIP0026L1, e.Suspension.After.Body.Key("status")).
		To(check.Equal(host.Suspended), "status with a record without retry_policy")
	j.Check(openintent.OIP0026B1, e.After.Log.OfType(host.EventRenotified)).To(check.Len(0), "reminders without a policy")
}

// judgeOneAttempt leaves open which number is the window (OIP-R17): the interval and the timeout are the same.
func (o EndsObservation) judgeOneAttempt(j *scenarios.Judge) {
	o.givenTimer(j)
	last := len(o.Ends) - 1
	o.givenEnds(j, openintent.OIP0026B1, last) // the one before has no policy
	e := o.Ends[last]
	e.After.Log.Readable(j)
	e.judgeWindow(j, openintent.OIP0026N7, o.Lapse.Seam)
	j.Check(openintent.OIP0026H1, e.After.Log.OfType(host.EventRenotified)).To(check.Len(0), "reminders of one attempt")
}

// givenReminder ends the judge unless a reminder was sent before the answer, which is the control.
func (o InTimeObservation) givenReminder(j *scenarios.Judge) {
	o.After.Log.Readable(j)
	if !o.Reminder.reminded() {
		if len(o.After.Log.OfType(host.EventExpired).Values) == 0 && !j.Firm() {
			j.NotThere(o.Reminder.Reached, remindsThere)
		}
		o.Answered.Log.Readable(j)
		if len(o.Answered.Log.OfType(host.EventExpired).Values) > 0 { // it may have ended before the reminder was due
			j.Block("setup failed: the suspension ended, and no reminder was sent before", "send reminders until the window ends")
		}
		j.Need(openintent.OIP0026N3, o.Reminder.last())
	}
}

func (o InTimeObservation) judgeTaken(j *scenarios.Judge) {
	o.givenReminder(j)
	if ended := o.Answered.Log.OfType(host.EventExpired); !o.Answer.Ok() && len(ended.Values) > 0 {
		j.Block("the window ended before our answer came: this machine, or the network, is too slow",
			"certify it again, with fewer --workers")
	}
	j.Check(openintent.OIP0026N9, o.Reminder.Reached.Last.At("/payload/suspension_id")).
		To(check.Equal(o.Suspension.ID), "suspension_id of the reminder")
	j.Check(openintent.OIP0026N9, o.Answer.Status).To(check.Status(2), "an answer during attempt 2 with the first id")
	j.Check(openintent.OIP0026N9, o.Answered.Intent.Body.Key("status")).
		To(check.Equal(host.Active), "status of the intent after the answer")
}

func (o InTimeObservation) judgeQuiet(j *scenarios.Judge) {
	o.givenReminder(j)
	o.Answer.Taken(j)
	o.Answered.Log.Readable(j)
	for _, event := range []openintentv1.EventType{host.EventRenotified, host.EventEscalated} {
		j.Check(openintent.OIPREAD4, o.After.Log.OfType(event)).
			To(check.Len(len(o.Answered.Log.OfType(event).Values)), "%s, as many as when it was answered", event)
	}
	j.Check(openintent.OIPREAD4, o.After.Log.OfType(host.EventExpired)).To(check.Len(0), "%s after the answer", host.EventExpired)
	record := o.After.Intent.Body.At("/state/_suspension")
	notExpired := check.That("not expired", func(v any) bool { return v != "expired" })
	j.Check(openintent.OIPREAD9, o.After.Intent.Body.Key("status")).
		To(check.Equal(host.Active), "status of the intent after the window would have ended")
	j.Check(openintent.OIPREAD9, record.Key("resolution")).To(notExpired, "resolution in the record")
	j.Check(openintent.OIPREAD9, record.Key("response")).To(notFallbackValue(), "response in the record")
}

func (o EndlessObservation) judge(j *scenarios.Judge) {
	switch {
	case o.Ended.Reached:
	case j.Firm():
		j.Need(openintent.OIP0026B1, o.Ended)
	default:
		j.NotThere(o.Ended, endsThere)
	}
	o.After.Log.Readable(j)
	j.Check(openintent.OIP0025F4, o.After.Intent.Body.Key("status")).To(check.Equal(host.Suspended), "status of the intent long after")
	j.Check(openintent.OIP0025F4, o.After.Log.OfType(host.EventExpired)).To(check.Len(0), "%s", host.EventExpired)
	j.Check(openintent.OIP0025F4, o.Answer.Status).To(check.Status(2), "an answer long after")
}
