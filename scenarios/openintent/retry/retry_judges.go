package retry

import (
	"fmt"
	"time"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// How far an event may be from when it is due, by the clock of the server (OIP-READ-5).
const (
	early = time.Second / 4
	late  = 3 * time.Second / 2
)

// bounds are when the suspension may have begun, by the server's clock: as its record says, and at the later of the two
// writes, where the one is near the other (OIP-R35).
func bounds(s host.Suspension) (from, to time.Time) {
	said, _ := host.ReadTime(fmt.Sprint(s.SentMember("suspended_at")))
	began, ok := s.Began()
	if !ok || began.Sub(said).Abs() > 2*time.Second {
		return said, said
	}
	if began.Before(said) {
		return began, said
	}
	return said, began
}

// dueAt expects a timestamp of so many intervals after the beginning.
func dueAt(s host.Suspension, interval, n int) check.Matcher {
	from, to := bounds(s)
	d := time.Duration(n*interval) * time.Second
	return host.Within(from.Add(d), to.Add(d), early, late)
}

// of are the events of a type. The intent has one suspension, so that all are about it, also where they name another.
func of(l host.Look, t openintentv1.EventType) wire.Found { return l.Log.OfType(t) }

// there stops a judge where the server has no timer at all: it reminds nobody and ends nothing.
func (o CourseObservation) there(j *scenarios.Judge) {
	o.AfterLate.Log.Readable(j)
	idle := len(of(o.AfterLate, host.EventRenotified).Values) == 0 && len(of(o.AfterLate, host.EventExpired).Values) == 0
	if idle && !o.End.Reached && !j.Firm() {
		j.NotThere(o.End, "a server that reminds, or that ends a suspension nobody answers")
	}
}

// reminders are the reminders that were sent, to the end and after it.
func (o CourseObservation) reminders() wire.Found {
	return of(o.AfterLate, host.EventRenotified)
}

// numbers expects these attempts, each once, in any order of the list.
func numbers(want ...int64) check.Matcher {
	return check.That(fmt.Sprintf("of attempts %v, each once", want), func(v any) bool {
		list, _ := v.([]any)
		seen := map[int64]int{}
		for _, n := range list {
			i, ok := n.(int64)
			if !ok {
				return false
			}
			seen[i]++
		}
		for _, w := range want {
			if seen[w] != 1 {
				return false
			}
		}
		return len(list) == len(want)
	})
}

// attempts are those that come after the first.
func (o CourseObservation) attempts() (out []int64) {
	for n := 2; n <= o.Attempts; n++ {
		out = append(out, int64(n))
	}
	return out
}

func (o CourseObservation) judgeCounted(j *scenarios.Judge) {
	o.there(j)
	for _, s := range o.Steps {
		seen := s.Reached
		if s.Later.Reached { // late is not never: see judgeOnTime
			seen = s.Later
		}
		if status := s.During.Intent.Body.Key("status").String(); !s.came() && status != host.Suspended {
			j.BlockOn(openintentv1.OIP0026J1, "the intent was "+status+" before the next reminder was due")
		}
		j.Check(openintentv1.OIP0026N3, seen).To(check.Reached(), "attempt %d", s.Attempt)
	}
	sent := o.reminders().Each("/payload/attempt")
	j.Check(openintentv1.OIP0026H1, sent).To(numbers(o.attempts()...), "reminders of %d attempts", o.Attempts)
	j.Check(openintentv1.OIP0026E1, sent).To(numbers(o.attempts()...), "%s", host.EventRenotified)
	j.Check(openintentv1.OIP0026N1, sent).To(check.That("not one of attempt 1", func(v any) bool {
		list, _ := v.([]any)
		for _, n := range list {
			if n == int64(1) {
				return false
			}
		}
		return len(list) > 0
	}), "reminders")
}

// sentAny stops a judge that looks at reminders where there is none.
func (o CourseObservation) sentAny(j *scenarios.Judge) {
	o.there(j)
	if len(o.reminders().Values) == 0 {
		j.BlockOn(openintentv1.OIP0026N3, "no reminder was sent")
	}
}

// judgeOnTime judges real time by the timestamps of the server, and a seam by what was there shortly before an attempt and
// shortly after: what time a server writes while its clock is moved is its own affair. How many there are is not asked here.
func (o CourseObservation) judgeOnTime(j *scenarios.Judge) {
	o.sentAny(j)
	all := scenarios.IDs{openintentv1.OIP0026H3, openintentv1.OIP0026H5, openintentv1.OIPREAD5}
	if o.Lapse.Seam {
		for _, s := range o.Steps {
			if !s.came() {
				break
			}
			early := of(s.Before, host.EventRenotified).Where(func(e wire.Value) bool { n, _ := e.At("/payload/attempt").Int(); return n >= int64(s.Attempt) })
			for _, id := range all {
				j.Check(id, early).To(check.Len(0), "reminders of attempt %d before it is due", s.Attempt)
				j.Check(id, s.Reached).To(check.Reached(), "attempt %d", s.Attempt)
			}
		}
		return
	}
	start, later := bounds(o.Suspension)
	earlier, behind := start, time.Duration(0)
	for _, n := range o.attempts() {
		sent := o.reminders().Where(func(e wire.Value) bool { k, _ := e.At("/payload/attempt").Int(); return k == n })
		if len(sent.Values) == 0 {
			break
		}
		at := sent.Values[0].Key("created_at")
		for _, id := range all[1:] {
			j.Check(id, at).To(dueAt(o.Suspension, o.Interval, int(n-1)), "created_at of the reminder of attempt %d", n)
		}
		d := time.Duration(o.Interval) * time.Second
		// A reminder that is on time follows a late one sooner.
		j.Check(openintentv1.OIP0026H3, at).To(host.Within(earlier.Add(d), later.Add(d), early+behind, late), "an interval after what was before the reminder of attempt %d", n)
		earlier, _ = host.TimeOf(at)
		later, behind = earlier, max(0, earlier.Sub(start.Add(time.Duration(n-1)*d)))
	}
}

// none says whether a value is null, empty or absent, which are the same (OIP-R15).
func none(v any) bool { return v == nil || v == "" }

// hint expects a text, or nothing where there is none to expect.
func hint(want string) check.Matcher {
	if want == "" {
		return check.That("null", none)
	}
	return check.Equal(want)
}

func (o CourseObservation) judgePayload(j *scenarios.Judge) {
	o.sentAny(j)
	for _, e := range o.reminders().Values {
		p := e.Key("payload")
		n, _ := p.Key("attempt").Int()
		j.Check(openintentv1.OIP0026E3, p.Key("suspension_id")).To(check.Equal(o.Suspension.ID), "suspension_id")
		j.Check(openintentv1.OIP0026E3, p.Key("attempt")).To(check.Integer(2, int64(o.Attempts)), "attempt")
		j.Check(openintentv1.OIP0026E3, p.Key("max_attempts")).To(check.Equal(o.Attempts), "max_attempts")
		for _, m := range []string{"channel_hint", "notify_to"} { // which, is asked of the ladder
			j.Check(openintentv1.OIP0026E3, p.Key(m)).To(check.That("a text, or null", func(v any) bool { _, isText := v.(string); return isText || v == nil }), "%s of attempt %d", m, n)
		}
		from, until := bounds(o.Suspension)
		d := time.Duration(n) * time.Duration(o.Interval) * time.Second
		next := host.Within(from.Add(d), until.Add(d), early, late)
		if n >= int64(o.Attempts) {
			end := next
			next = check.That("null, or the end of the window", func(v any) bool { ok, _ := end.Match(v); return none(v) || ok })
		}
		j.Check(openintentv1.OIP0026E3, p.Key("next_attempt_at")).To(next, "next_attempt_at of attempt %d", n)
	}
}

// rung is what our ladder says of an attempt.
func rung(attempt int64) (channel, to string) {
	switch attempt {
	case 2:
		return "email", ""
	case 3:
		return "pagerduty", supervisor
	}
	return "slack", ""
}

func (o CourseObservation) judgeWaitsOn(j *scenarios.Judge) {
	o.sentAny(j)
	for _, s := range o.Steps {
		if !s.came() {
			continue
		}
		if ended := of(s.During, host.EventExpired); len(ended.Values) > 0 { // we looked late: the server says whether it ended in time
			for _, id := range (scenarios.IDs{openintentv1.OIP0026J1, openintentv1.OIP0026N2, openintentv1.OIP0026M1}) {
				j.Check(id, ended.Values[0].Key("created_at")).To(dueAt(o.Suspension, o.Interval, o.Attempts), "created_at of %s", host.EventExpired)
			}
			continue
		}
		for _, id := range (scenarios.IDs{openintentv1.OIP0026J1, openintentv1.OIP0026N2, openintentv1.OIP0026M1}) {
			j.Check(id, s.During.Intent.Body.Key("status")).To(check.Equal(host.Suspended), "status of the intent during attempt %d", s.Attempt)
		}
	}
	j.Check(openintentv1.OIP0026K3, o.AfterLate.Log.OfType(host.EventRenotified).Each("/payload/suspension_id")).To(check.Each(check.Equal(o.Suspension.ID)), "suspension_id of the reminders")
}

func (o CourseObservation) judgeLadder(j *scenarios.Judge) {
	o.sentAny(j)
	steps := of(o.AfterLate, host.EventEscalated)
	j.Check(openintentv1.OIP0026N4, steps.Each("/payload/attempt")).To(numbers(o.attempts()...), "steps that triggered")
	j.Check(openintentv1.OIP0026E2, steps.Each("/payload/attempt")).To(numbers(o.attempts()...), "%s", host.EventEscalated)
	for _, e := range steps.Values {
		p := e.Key("payload")
		n, _ := p.Key("attempt").Int()
		channel, to := rung(n)
		j.Check(openintentv1.OIP0026E4, p.Key("suspension_id")).To(check.Equal(o.Suspension.ID), "suspension_id")
		j.Check(openintentv1.OIP0026E4, p.Key("channel_hint")).To(hint(channel), "channel_hint of step %d", n)
		j.Check(openintentv1.OIP0026E4, p.Key("escalated_to")).To(hint(to), "escalated_to of step %d", n)
	}
	for _, e := range o.reminders().Values {
		n, _ := e.At("/payload/attempt").Int()
		channel, to := rung(n)
		j.Check(openintentv1.OIP0026N5, e.At("/payload/channel_hint")).To(hint(channel), "channel_hint of reminder %d", n)
		j.Check(openintentv1.OIP0026N5, e.At("/payload/notify_to")).To(hint(to), "notify_to of reminder %d", n)
	}
}

func (o CourseObservation) judgeExpiry(j *scenarios.Judge) {
	o.there(j)
	end := Ending{Interval: o.Interval, Attempts: o.Attempts, Suspension: o.Suspension, Before: o.BeforeEnd, End: o.End, After: o.After}
	if !o.End.Reached {
		j.Check(openintentv1.OIP0026N6, o.End).To(check.Reached())
		j.Check(openintentv1.OIP0026E5, of(o.AfterLate, host.EventExpired)).To(check.Len(1), "%s", host.EventExpired)
		return
	}
	for _, id := range (scenarios.IDs{openintentv1.OIP0026N6, openintentv1.OIP0026N7}) {
		end.judgeWindow(j, id, o.Lapse.Seam)
	}
	ended := of(o.AfterLate, host.EventExpired)
	j.Check(openintentv1.OIP0026E5, ended).To(check.Len(1), "%s", host.EventExpired)
	if len(ended.Values) == 1 {
		end.judgeOrder(j, ended.Values[0], o.AfterLate.Log)
	}
	end.judgeFails(j, openintentv1.OIP0025F1)
	j.Check(openintentv1.OIP0025F3, o.After.Intent.Body.At("/state/_suspension/resolution")).To(check.Equal("expired"), "resolution in the record")
}

// judgeOrder checks that what is emitted at the end comes before what the fallback does.
func (e Ending) judgeOrder(j *scenarios.Judge, ended wire.Value, log host.Log) {
	at, ok := host.TimeOf(ended.Key("created_at"))
	if !ok {
		j.Check(openintentv1.OIP0026E5, ended.Key("created_at")).To(host.Moment(), "created_at of %s", host.EventExpired)
		return
	}
	changes := log.OfType("status_changed").Where(func(c wire.Value) bool {
		return c.At("/payload/status").String() == host.Abandoned || c.At("/payload/to").String() == host.Abandoned
	})
	for _, c := range changes.Values {
		j.Check(openintentv1.OIP0026E5, c.Key("created_at")).To(check.That("not before "+host.Stamp(at), func(v any) bool {
			s, _ := v.(string)
			t, ok := host.ReadTime(s)
			return ok && !t.Before(at)
		}), "when the fallback changed the status")
	}
}

// judgeWindow checks that the suspension ends when its window does, and not before.
func (e Ending) judgeWindow(j *scenarios.Judge, id scenarios.RequirementID, seam bool) {
	if seam {
		j.Check(id, e.Before.Intent.Body.Key("status")).To(check.Equal(host.Suspended), "status of the intent before the end of the window")
		j.Check(id, of(e.Before, host.EventExpired)).To(check.Len(0), "%s before the end of the window", host.EventExpired)
	}
	if !j.Check(id, e.End).To(check.Reached()) || seam {
		return
	}
	// Where no event tells the end, which is asked elsewhere, the intent tells when it changed.
	when, what := e.After.Intent.Body.Key("updated_at"), "when the intent changed"
	if ended := of(e.After, host.EventExpired); len(ended.Values) > 0 {
		when, what = ended.Values[0].Key("created_at"), "created_at of "+string(host.EventExpired)
	}
	j.Check(id, when).To(dueAt(e.Suspension, e.Interval, e.Attempts), "%s", what)
}

// judgeFails checks what fallback fail does. The texts also allow that it stays suspended, and takes no answer (OIP-R12).
func (e Ending) judgeFails(j *scenarios.Judge, id scenarios.RequirementID) {
	status := e.After.Intent.Body.Key("status")
	record := e.After.Intent.Body.At("/state/_suspension")
	ended := len(of(e.After, host.EventExpired).Values) > 0
	if status.String() == host.Suspended && ended && record.Key("resolution").String() == "expired" {
		j.Check(id, status).To(check.OneOf(host.Abandoned, host.Suspended), "status of the intent after fallback fail")
		j.Find(id, "after fallback fail the intent stays %s; RFC-0025 2 says %s, RFC-0025 6 allows both (OIP-R12)", host.Suspended, host.Abandoned)
		return
	}
	j.Check(id, status).To(check.Equal(host.Abandoned), "status of the intent after fallback fail")
}

// judgeContinues checks what a fallback that continues does.
func (e Ending) judgeContinues(j *scenarios.Judge, id scenarios.RequirementID) {
	status := e.After.Intent.Body.Key("status")
	record := e.After.Intent.Body.At("/state/_suspension")
	if status.String() == host.Completed {
		j.Find(id, "the fallback completes the intent; RFC-0025 6 says that execution continues, so it is %s (OIP-R13)", host.Active)
		j.Block("the fallback completes the intent, where the text has it continue (OIP-R13)", "have the intent "+host.Active+" with its fallback value")
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

// judgeLate takes any 4xx (OIP-R107).
func (o CourseObservation) judgeLate(j *scenarios.Judge) {
	o.there(j)
	if !o.End.Reached {
		j.BlockOn(openintentv1.OIP0026N6, "the suspension did not end")
	}
	o.Control.Taken(j)
	j.Check(openintentv1.OIPREAD3, o.Late.Status).To(check.Status(4), "an answer after the end")
	record := o.AfterLate.Intent.Body.At("/state/_suspension")
	j.Check(openintentv1.OIPREAD3, record.Key("resolution")).To(check.Equal("expired"), "resolution in the record after it")
	j.Check(openintentv1.OIPREAD3, record.Key("response")).To(check.That("not the late answer", func(v any) bool { return v != "too late" }), "response in the record after it")
	j.Check(openintentv1.OIPREAD3, o.AfterLate.Intent.Body.Key("status")).To(check.Equal(o.After.Intent.Body.Key("status").String()), "status of the intent after it")
}
