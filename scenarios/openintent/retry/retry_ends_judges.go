package retry

import (
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/host"
)

// there stops a judge where the server ends nothing by itself.
func (o EndsObservation) there(j *scenarios.Judge) {
	first := o.Ends[0]
	first.After.Log.Readable(j)
	if !first.End.Reached && len(of(first.After, host.EventExpired).Values) == 0 && !j.Firm() {
		j.NotThere(first.End, "a server that ends a suspension nobody answers")
	}
}

// reached stops a judge where an end among the first n did not come, so that what follows was not waited for.
func (o EndsObservation) reached(j *scenarios.Judge, n int) {
	for _, e := range o.Ends[:n] {
		if !e.End.Reached {
			j.BlockOn(openintentv1.OIP0026N6, "a suspension did not end")
		}
	}
}

// judgeInnerFirst: an outer fallback that wins makes an explicit fail an approval.
func (o EndsObservation) judgeInnerFirst(j *scenarios.Judge) {
	o.there(j)
	o.reached(j, 1)
	continues, fails := o.Ends[0], o.Ends[1]
	j.Check(openintentv1.OIP0026B2, continues.After.Intent.Body.Key("status")).To(check.OneOf(host.Active, host.Completed), "status where the policy says to continue and the record to fail")
	j.Part(func() { continues.judgeContinues(j, openintentv1.OIP0025F2) })
	o.reached(j, 2)
	j.Check(openintentv1.OIP0026B2, fails.After.Intent.Body.Key("status")).To(check.OneOf(host.Abandoned, host.Suspended), "status where the policy says to fail and the record to continue")
	j.Check(openintentv1.OIP0026B2, fails.After.Intent.Body.At("/state/_suspension/response")).
		To(check.That("not the fallback value", func(v any) bool { return v != fallbackValue }), "response where the policy says to fail")
	fails.judgeFails(j, openintentv1.OIP0025F1)
}

func (o EndsObservation) judgeInherited(j *scenarios.Judge) {
	o.there(j)
	o.reached(j, 3)
	inherits := o.Ends[2]
	j.Check(openintentv1.OIP0026H8, inherits.After.Intent.Body.Key("status")).To(check.OneOf(host.Active, host.Completed), "status where the policy names no fallback and the record says to continue")
	inherits.judgeContinues(j, openintentv1.OIP0025F2)
}

func (o EndsObservation) judgeNoPolicy(j *scenarios.Judge) {
	o.there(j)
	e := o.Ends[0]
	for _, id := range (scenarios.IDs{openintentv1.OIP0026B1, openintentv1.OIP0026L2}) {
		e.judgeWindow(j, id, o.Lapse.Seam)
	}
	j.Check(openintentv1.OIP0026L1, e.Suspension.After.Body.Key("status")).To(check.Equal(host.Suspended), "status with a record without retry_policy")
	j.Check(openintentv1.OIP0026B1, of(e.After, host.EventRenotified)).To(check.Len(0), "reminders without a policy")
}

// judgeOneAttempt does not ask which number is the window (OIP-R17): its interval and its timeout are the same.
func (o EndsObservation) judgeOneAttempt(j *scenarios.Judge) {
	o.there(j)
	o.reached(j, 1)
	e := o.Ends[1]
	e.judgeWindow(j, openintentv1.OIP0026N7, o.Lapse.Seam)
	j.Check(openintentv1.OIP0026H1, of(e.After, host.EventRenotified)).To(check.Len(0), "reminders of one attempt")
}

// reminded stops a judge where the control is missing: nobody was reminded before the answer.
func (o InTimeObservation) reminded(j *scenarios.Judge) {
	o.After.Log.Readable(j)
	if !o.Reminder.came() {
		if len(of(o.After, host.EventExpired).Values) == 0 && !j.Firm() {
			j.NotThere(o.Reminder.Reached, "a server that reminds")
		}
		j.BlockOn(openintentv1.OIP0026N3, "no reminder was sent")
	}
}

func (o InTimeObservation) judgeTaken(j *scenarios.Judge) {
	o.reminded(j)
	if ended := of(o.Answered, host.EventExpired); !o.Answer.Ok() && len(ended.Values) > 0 {
		j.Block("the window had ended before our answer came: this machine, or the way to the target, is too slow for it", "certify it again, with fewer --workers")
	}
	j.Check(openintentv1.OIP0026N9, o.Reminder.Reached.Last.At("/payload/suspension_id")).To(check.Equal(o.Suspension.ID), "suspension_id of the reminder")
	j.Check(openintentv1.OIP0026N9, o.Answer.Status).To(check.Status(2), "an answer during attempt 2 with the first id")
	j.Check(openintentv1.OIP0026N9, o.Answered.Intent.Body.Key("status")).To(check.Equal(host.Active), "status of the intent after the answer")
}

func (o InTimeObservation) judgeQuiet(j *scenarios.Judge) {
	o.reminded(j)
	o.Answer.Taken(j)
	for _, t := range []struct {
		what string
		were int
	}{{"renotified", len(of(o.Answered, host.EventRenotified).Values)}, {"escalated", len(of(o.Answered, host.EventEscalated).Values)}} {
		event := host.EventRenotified
		if t.what == "escalated" {
			event = host.EventEscalated
		}
		j.Check(openintentv1.OIPREAD4, of(o.After, event)).To(check.Len(t.were), "%s, as many as when it was answered", event)
	}
	j.Check(openintentv1.OIPREAD4, of(o.After, host.EventExpired)).To(check.Len(0), "%s after the answer", host.EventExpired)
	record := o.After.Intent.Body.At("/state/_suspension")
	j.Check(openintentv1.OIPREAD9, o.After.Intent.Body.Key("status")).To(check.Equal(host.Active), "status of the intent after the window would have ended")
	j.Check(openintentv1.OIPREAD9, record.Key("resolution")).To(check.That("not expired", func(v any) bool { return v != "expired" }), "resolution in the record")
	j.Check(openintentv1.OIPREAD9, record.Key("response")).To(check.That("not the fallback value", func(v any) bool { return v != fallbackValue }), "response in the record")
}

func (o EndlessObservation) judge(j *scenarios.Judge) {
	switch {
	case o.Ended.Reached:
	case j.Firm():
		j.BlockOn(openintentv1.OIP0026B1, "the suspension beside it, which has a window, did not end")
	default:
		j.NotThere(o.Ended, "a server that ends a suspension nobody answers")
	}
	j.Check(openintentv1.OIP0025F4, o.After.Intent.Body.Key("status")).To(check.Equal(host.Suspended), "status of the intent long after")
	j.Check(openintentv1.OIP0025F4, of(o.After, host.EventExpired)).To(check.Len(0), "%s", host.EventExpired)
	j.Check(openintentv1.OIP0025F4, o.Answer.Status).To(check.Status(2), "an answer long after")
}
