package retry

import (
	"slices"
	"time"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// remindsThere is what a server without reminders lacks.
const remindsThere = "a server that reminds"

// givenTimer ends the judge if the server has no timer at all: it reminds nobody and ends nothing.
func (o CourseObservation) givenTimer(j *scenarios.Judge) {
	o.AfterLate.Log.Readable(j)
	idle := len(o.AfterLate.Log.OfType(host.EventRenotified, host.EventExpired).Values) == 0
	if idle && !o.End.Reached && !j.Firm() {
		j.NotThere(o.End, "a server that reminds, or that ends a suspension nobody answers")
	}
}

// reminders returns all reminders. The intent has one suspension, so all are about it, whatever id they name.
func (o CourseObservation) reminders() wire.Found {
	return o.AfterLate.Log.OfType(host.EventRenotified)
}

// attempts returns the attempts after the first.
func (o CourseObservation) attempts() (out []int64) {
	for n := 2; n <= o.Attempts; n++ {
		out = append(out, int64(n))
	}
	return out
}

func (o CourseObservation) judgeCounted(j *scenarios.Judge) {
	o.givenTimer(j)
	for _, s := range o.Steps {
		seen := s.Reached
		if s.Later.Reached { // judgeOnTime finds that it was late
			seen = s.Later
		}
		o.givenSuspended(j, s)
		j.Check(openintent.OIP0026N3, seen).To(check.Reached(), "attempt %d", s.Attempt)
	}
	sent := o.reminders().Each("/payload/attempt")
	j.Check(openintent.OIP0026H1, sent).To(host.Attempts(o.attempts()...), "reminders of %d attempts", o.Attempts)
	j.Check(openintent.OIP0026E1, sent).To(host.Attempts(o.attempts()...), "%s", host.EventRenotified)
	if len(sent.Values) > 0 { // none violates nothing that is said of each of them
		j.Check(openintent.OIP0026N1, sent).To(check.That("not one of attempt 1", func(v any) bool {
			list, _ := v.([]any)
			return !slices.Contains(list, any(int64(1)))
		}), "reminders")
	}
}

// givenSuspended ends the judge if a reminder was not sent and the intent is not suspended any more: it may have ended too
// early, or in time and without its reminders.
func (o CourseObservation) givenSuspended(j *scenarios.Judge, s Step) {
	status := s.During.Intent.Body.Key("status")
	if s.reminded() || status.String() == host.Suspended {
		return
	}
	s.During.Intent.HasStatus(j)
	s.During.Log.Readable(j)
	why := "the intent was " + status.JSON() + " before the next reminder was due"
	if o.Lapse.Seam { // no time passes but what is let pass
		j.Violates(openintent.OIP0026J1, status, why)
	}
	ended := s.During.Log.OfType(host.EventExpired)
	if len(ended.Values) == 0 {
		j.Block("setup failed: the intent is "+status.JSON()+", and no event says since when",
			"emit "+string(host.EventExpired)+" when a suspension ends")
	}
	from, to := o.Suspension.Beginning()
	wait := time.Duration(s.Attempt-1) * time.Duration(o.Interval) * time.Second
	if at, ok := host.TimeOf(ended.Values[0].Key("created_at")); !ok {
		j.Block("setup failed: "+string(host.EventExpired)+" does not say when it was created", "give events a created_at")
	} else if at.Before(from.Add(wait - scenarios.Spare(wait, host.Early))) {
		j.Violates(openintent.OIP0026J1, ended.Values[0].Key("created_at"), why)
	} else if at.After(to.Add(wait + max(host.Late, wait/20))) {
		j.Need(openintent.OIP0026N3, s.last())
	}
	j.Block("setup failed: the intent was "+status.JSON()+" about when the next reminder was due",
		"let a suspension last as long as its window")
}

// givenReminders ends the judge unless a reminder was sent.
func (o CourseObservation) givenReminders(j *scenarios.Judge) {
	o.givenTimer(j)
	if len(o.reminders().Values) > 0 {
		return
	}
	if len(o.Steps) > 0 {
		o.givenSuspended(j, o.Steps[0])
		j.Need(openintent.OIP0026N3, o.Steps[0].last())
	}
	j.Block("setup failed: no reminder was sent", "send a reminder each interval_seconds")
}

// givenSteps blocks the judge unless the drive saw a reminder of attempt 2 when it looked for it.
func (o CourseObservation) givenSteps(j *scenarios.Judge) {
	o.givenReminders(j)
	if len(o.Steps) == 0 || !o.Steps[0].reminded() {
		j.Block("setup failed: the first reminder was not sent when it was due", "send the reminder of attempt 2 after interval_seconds")
	}
}

// judgeOnTime judges real time by the timestamps of the server. With a seam it judges what the log had shortly before
// and after an attempt, since a server may write any time while its clock is moved. judgeCounted asks how many
// reminders there are.
func (o CourseObservation) judgeOnTime(j *scenarios.Judge) {
	o.givenReminders(j)
	all := scenarios.IDs{openintent.OIP0026H3, openintent.OIP0026H5, openintent.OIPREAD5}
	if o.Lapse.Seam {
		o.givenSteps(j)
		for _, s := range o.Steps {
			if !s.reminded() {
				break
			}
			early := s.early(host.EventRenotified)
			for _, id := range all {
				j.Check(id, early).To(check.Len(0), "reminders of attempt %d before it is due", s.Attempt)
				j.Check(id, s.Reached).To(check.Reached(), "attempt %d", s.Attempt)
			}
		}
		return
	}
	start, later := o.Suspension.Beginning()
	earlier, behind := start, time.Duration(0)
	for _, n := range o.attempts() {
		sent := o.reminders().Where(func(e wire.Value) bool { return host.AttemptOf(e) == n })
		if len(sent.Values) == 0 && n == 2 {
			j.Block("setup failed: no reminder says that it is attempt 2", "say the attempt in the payload of a reminder")
		}
		if len(sent.Values) == 0 {
			break
		}
		at := sent.Values[0].Key("created_at")
		for _, id := range all[1:] {
			j.Check(id, at).
				To(o.Suspension.Due(o.Interval, int(n-1)), "created_at of the reminder of attempt %d", n)
		}
		d := time.Duration(o.Interval) * time.Second
		// After a late reminder the next one is sooner if it is on time.
		j.Check(openintent.OIP0026H3, at).
			To(host.Within(earlier.Add(d), later.Add(d), scenarios.Spare(d, host.Early)+behind, scenarios.Spare(d, host.Late)),
				"an interval after what was before the reminder of attempt %d", n)
		earlier, _ = host.TimeOf(at)
		later, behind = earlier, max(0, earlier.Sub(start.Add(time.Duration(n-1)*d)))
	}
}

// early returns what the log had of the attempt before it was due.
func (s Step) early(kind openintentv1.EventType) wire.Found {
	return s.Before.Log.OfType(kind).Where(func(e wire.Value) bool { return host.AttemptOf(e) >= int64(s.Attempt) })
}

func (o CourseObservation) judgePayload(j *scenarios.Judge) {
	o.givenReminders(j)
	for _, e := range o.reminders().Values {
		p, n := e.Key("payload"), host.AttemptOf(e)
		j.Check(openintent.OIP0026E3, p.Key("suspension_id")).To(check.Equal(o.Suspension.ID), "suspension_id")
		j.Check(openintent.OIP0026E3, p.Key("attempt")).To(check.Integer(2, int64(o.Attempts)), "attempt")
		j.Check(openintent.OIP0026E3, p.Key("max_attempts")).To(check.Equal(o.Attempts), "max_attempts")
		for _, m := range []string{"channel_hint", "notify_to"} { // judgeLadder asks for the right ones
			j.Check(openintent.OIP0026E3, p.Key(m)).To(host.TextOrNull(), "%s of attempt %d", m, n)
		}
		next := o.Suspension.NextAttempt(o.Interval, int(n), o.Attempts)
		j.Check(openintent.OIP0026E3, p.Key("next_attempt_at")).To(next, "next_attempt_at of attempt %d", n)
	}
}

// ladderStep returns the channel and the recipient of an attempt, by our ladder.
func ladderStep(attempt int64) (channel, to string) {
	switch attempt {
	case 2:
		return "email", ""
	case 3:
		return "pagerduty", supervisor
	}
	return "slack", ""
}

func (o CourseObservation) judgeWaitsOn(j *scenarios.Judge) {
	ids := scenarios.IDs{openintent.OIP0026J1, openintent.OIP0026N2, openintent.OIP0026M1}
	o.givenSteps(j)
	for _, s := range o.Steps {
		if !s.reminded() {
			continue
		}
		ended := s.During.Log.OfType(host.EventExpired)
		if len(ended.Values) > 0 { // the drive looked late: the server says when the suspension ended
			for _, id := range ids {
				j.Check(id, ended.Values[0].Key("created_at")).
					To(o.Suspension.Due(o.Interval, o.Attempts), "created_at of %s", host.EventExpired)
			}
			continue
		}
		for _, id := range ids {
			j.Check(id, s.During.Intent.Body.Key("status")).
				To(check.Equal(host.Suspended), "status of the intent during attempt %d", s.Attempt)
		}
	}
	j.Check(openintent.OIP0026K3, o.reminders().Each("/payload/suspension_id")).
		To(check.Each(check.Equal(o.Suspension.ID)), "suspension_id of the reminders")
}

func (o CourseObservation) judgeLadder(j *scenarios.Judge) {
	o.givenReminders(j)
	steps := o.AfterLate.Log.OfType(host.EventEscalated)
	j.Check(openintent.OIP0026N4, steps.Each("/payload/attempt")).To(host.Attempts(o.attempts()...), "steps that triggered")
	j.Check(openintent.OIP0026E2, steps.Each("/payload/attempt")).To(host.Attempts(o.attempts()...), "%s", host.EventEscalated)
	for _, s := range o.Steps {
		if o.Lapse.Seam && len(s.early(host.EventRenotified).Values) == 0 { // else the whole attempt is early, which breaks another sentence
			j.Check(openintent.OIP0026N4, s.early(host.EventEscalated)).To(check.Len(0), "steps of attempt %d before it is due", s.Attempt)
		}
	}
	for _, e := range steps.Values {
		p, n := e.Key("payload"), host.AttemptOf(e)
		if !o.Lapse.Seam && n > 1 { // with a seam a server may write any time
			j.Check(openintent.OIP0026N4, e.Key("created_at")).
				To(o.Suspension.Due(o.Interval, int(n-1)), "created_at of the step of attempt %d", n)
		}
		channel, to := ladderStep(n)
		j.Check(openintent.OIP0026E4, p.Key("suspension_id")).To(check.Equal(o.Suspension.ID), "suspension_id")
		j.Check(openintent.OIP0026E4, p.Key("channel_hint")).To(host.TextOrNone(channel), "channel_hint of step %d", n)
		j.Check(openintent.OIP0026E4, p.Key("escalated_to")).To(host.TextOrNone(to), "escalated_to of step %d", n)
	}
	for _, e := range o.reminders().Values {
		n := host.AttemptOf(e)
		channel, to := ladderStep(n)
		j.Check(openintent.OIP0026N5, e.At("/payload/channel_hint")).To(host.TextOrNone(channel), "channel_hint of reminder %d", n)
		j.Check(openintent.OIP0026N5, e.At("/payload/notify_to")).To(host.TextOrNone(to), "notify_to of reminder %d", n)
	}
}

func (o CourseObservation) judgeExpiry(j *scenarios.Judge) {
	o.givenTimer(j)
	end := Ending{
		Interval: o.Interval, Attempts: o.Attempts, Suspension: o.Suspension,
		Before: o.BeforeEnd, End: o.End, After: o.After,
	}
	if !o.End.Reached {
		j.Check(openintent.OIP0026N6, o.End).To(check.Reached())
		j.Check(openintent.OIP0026E5, o.AfterLate.Log.OfType(host.EventExpired)).To(check.Len(1), "%s", host.EventExpired)
		return
	}
	for _, id := range (scenarios.IDs{openintent.OIP0026N6, openintent.OIP0026N7}) {
		end.judgeWindow(j, id, o.Lapse.Seam)
	}
	ended := o.AfterLate.Log.OfType(host.EventExpired)
	j.Check(openintent.OIP0026E5, ended).To(check.Len(1), "%s", host.EventExpired)
	if len(ended.Values) == 1 {
		end.judgeOrder(j, ended.Values[0], o.AfterLate.Log)
	}
	end.judgeFails(j, openintent.OIP0025F1)
	j.Check(openintent.OIP0025F3, o.After.Intent.Body.At("/state/_suspension/resolution")).
		To(check.Equal("expired"), "resolution in the record")
}

// judgeOrder checks that the event of the end comes before the effects of the fallback.
func (e Ending) judgeOrder(j *scenarios.Judge, ended wire.Value, log host.Log) {
	at, ok := host.TimeOf(ended.Key("created_at"))
	if !ok {
		j.Check(openintent.OIP0026E5, ended.Key("created_at")).To(host.Moment(), "created_at of %s", host.EventExpired)
		return
	}
	changes := log.OfType("status_changed").Where(func(c wire.Value) bool {
		return c.At("/payload/status").String() == host.Abandoned || c.At("/payload/to").String() == host.Abandoned
	})
	for _, c := range changes.Values {
		j.Check(openintent.OIP0026E5, c.Key("created_at")).To(check.That("not before "+host.Stamp(at), func(v any) bool {
			s, _ := v.(string)
			t, ok := host.ReadTime(s)
			return ok && !t.Before(at)
		}), "when the fallback changed the status")
	}
}

// judgeWindow checks that the suspension ends when its window does, and not before.
func (e Ending) judgeWindow(j *scenarios.Judge, id scenarios.RequirementID, seam bool) {
	if seam {
		j.Check(id, e.Before.Intent.Body.Key("status")).
			To(check.Equal(host.Suspended), "status of the intent before the end of the window")
		j.Check(id, e.Before.Log.OfType(host.EventExpired)).To(check.Len(0), "%s before the end of the window", host.EventExpired)
	}
	if !j.Check(id, e.End).To(check.Reached()) || seam {
		return
	}
	// Without an event, which judgeExpiry asks for, the intent shows when it changed.
	when, what := e.After.Intent.Body.Key("updated_at"), "when the intent changed"
	if ended := e.After.Log.OfType(host.EventExpired); len(ended.Values) > 0 {
		when, what = ended.Values[0].Key("created_at"), "created_at of "+string(host.EventExpired)
	}
	j.Check(id, when).To(e.Suspension.Due(e.Interval, e.Attempts), "%s", what)
}

// judgeFails checks the effect of the fallback fail. The texts also allow an intent to stay suspended, expired
// (OIP-R12).
func (e Ending) judgeFails(j *scenarios.Judge, id scenarios.RequirementID) {
	status := e.After.Intent.Body.Key("status")
	record := e.After.Intent.Body.At("/state/_suspension")
	ended := len(e.After.Log.OfType(host.EventExpired).Values) > 0
	if status.String() == host.Suspended && ended && record.Key("resolution").String() == "expired" {
		j.Check(id, status).To(check.OneOf(host.Abandoned, host.Suspended), "status of the intent after fallback fail")
		j.Find("", "after fallback fail the intent stays %s; RFC-0025 2 says %s, RFC-0025 6 allows both (OIP-R12)",
			host.Suspended, host.Abandoned)
		return
	}
	j.Check(id, status).To(check.Equal(host.Abandoned), "status of the intent after fallback fail")
}

// judgeContinues checks the effect of a fallback that continues.
func (e Ending) judgeContinues(j *scenarios.Judge, id scenarios.RequirementID) {
	status := e.After.Intent.Body.Key("status")
	record := e.After.Intent.Body.At("/state/_suspension")
	if status.String() == host.Completed {
		j.Find("", "the fallback completes the intent; RFC-0025 6 says that execution continues, so it is %s (OIP-R13)", host.Active)
		j.Block("the fallback completes the intent, where the text lets it continue (OIP-R13)",
			"make the intent "+host.Active+" with its fallback value")
	}
	j.Check(id, status).To(check.Equal(host.Active), "status of the intent after a fallback that continues")
	value := record.Key("fallback_value")
	for _, v := range append(e.After.Log.All().Each("/payload/value").Values, record.Key("response")) {
		if v.String() == fallbackValue {
			value = v
		}
	}
	j.Check(id, value).To(check.Equal(fallbackValue), "the fallback value, in the record or an event")
}

// judgeLate accepts any 4xx (OIP-R107).
func (o CourseObservation) judgeLate(j *scenarios.Judge) {
	o.givenTimer(j)
	needEnd(j, openintent.OIP0026N6, o.End, o.After)
	o.Control.Taken(j)
	j.Check(openintent.OIPREAD3, o.Late.Status).To(check.Status(4), "an answer after the end")
	record := o.AfterLate.Intent.Body.At("/state/_suspension")
	j.Check(openintent.OIPREAD3, record.Key("resolution")).To(check.Equal("expired"), "resolution in the record after it")
	notLate := check.That("not the late answer", func(v any) bool { return v != "too late" })
	j.Check(openintent.OIPREAD3, record.Key("response")).To(notLate, "response in the record after it")
	j.Check(openintent.OIPREAD3, o.AfterLate.Intent.Body.Key("status")).
		To(check.Equal(o.After.Intent.Body.Key("status").String()), "status of the intent after it")
}
