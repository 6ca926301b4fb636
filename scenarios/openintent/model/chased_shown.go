package model

import (
	"maps"
	"slices"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/history"
	"github.com/openassay/assay/scenarios/wire"
)

// What a log tells of attempts.
const (
	renotified = "intent.suspension_renotified"
	escalated  = "intent.suspension_escalated"
	expired    = "intent.suspension_expired"
)

// FallbackValue is that of records.
const FallbackValue = "as usual"

// ChasedBeside are the sentences of single members and events.
var ChasedBeside = scenarios.IDs{
	openintent.OIP00014, openintent.OIP0025A11, openintent.OIP0026X3, openintent.OIP0026N7, openintent.OIP0026N8, openintent.OIP0026H1,
	openintent.OIP0026H3, openintent.OIP0026K3, openintent.OIPREAD7, openintent.OIP0025A15,
}

// shown compares a read of the intent and of its log.
func (q Chased) shown(s chasedStep) (out []history.Miss) {
	if !s.Out.ok() {
		return []history.Miss{missOf(openintent.OIP00014, s.Out.Status, "HTTP 200")}
	}
	if status := s.Out.Body.Key("status"); status.String() != q.Status {
		out = append(out, missOf(q.byWhat(), status, "status %s", q.Status))
	}
	out = append(out, q.kept(s)...)
	if s.Out.Log/100 != 2 {
		return out
	}
	out = append(append(out, q.reminders(s)...), q.escalations(s)...)
	return append(out, q.ends(s)...)
}

// unended: while reminders are left, the intent waits, and none says attempt 1.
func (q Chased) unended(s chasedStep) (out []history.Miss) {
	if !s.Out.ok() || s.Out.Log/100 != 2 {
		return nil
	}
	made := events(s.Out.Events, renotified, "")
	if slices.ContainsFunc(made, func(e wire.Value) bool { return attemptOf(e) == 1 }) {
		out = append(out, missOf(openintent.OIP0026N1, s.Out.Status, "no %s of attempt 1", renotified))
	}
	status, ended := s.Out.Body.Key("status"), len(events(s.Out.Events, expired, ""))
	if len(made) < q.Chase.Attempts-1 && (status.String() != Suspended || ended > 0) {
		out = append(out, miss(status, "status %s, and no %s, before all attempts were made", Suspended, expired))
	}
	return out
}

// byWhat returns the sentence by which the intent has its status.
func (q Chased) byWhat() scenarios.RequirementID {
	c := q.Chase.Course()
	switch {
	case q.Record == Answered && q.Since:
		return openintent.OIPREAD9
	case q.Record == Answered:
		return openintent.OIP0025A15
	case q.Record == Waiting && q.Chase.Attempts == 0:
		return openintent.OIP0025F4
	case q.Record == Waiting && q.Chase.Plain:
		return openintent.OIP0026B1
	case q.Record == Waiting && q.Sent > 0:
		return openintent.OIP0026J1
	case q.Record == Waiting:
		return openintent.OIP0026N6
	case q.Chase.Plain && c.Source != Policy:
		return openintent.OIP0026B1
	case c.Source == Policy:
		return openintent.OIP0026B2
	case c.Source == Record && c.Continues():
		return openintent.OIP0026H8
	case c.Continues():
		return openintent.OIP0025F2
	}
	return openintent.OIP0025F1
}

// kept compares the record.
func (q Chased) kept(s chasedStep) (out []history.Miss) {
	r := s.Out.Body.At("/state/_suspension")
	out = unwritten(s.Out.Odd, q.Record)
	if !s.Out.Ends {
		out = append(out, missOf(openintent.OIP0026N8, r.Key("expires_at"), "the end of all attempts"))
	}
	response, resolution := r.Key("response"), r.Key("resolution")
	switch q.Record {
	case Waiting:
		if !none(resolution) {
			out = append(out, missOf(openintent.OIP0026N6, resolution, "no resolution"))
		}
	case Answered:
		of := scenarios.RequirementID(openintent.OIP0025A13)
		if q.Since {
			of = openintent.OIPREAD9
		}
		if response.String() != q.Answer {
			out = append(out, missOf(of, response, "the answer %q", q.Answer))
		}
		if resolution.String() != Answered {
			out = append(out, missOf(of, resolution, "%q", Answered))
		}
	case Expired:
		if resolution.String() != Expired {
			out = append(out, missOf(openintent.OIP0025F3, resolution, "%q", Expired))
		}
		out = append(out, q.fellBack(s, r)...)
	}
	return out
}

// fellBack compares what an intent goes on with, in its record or an event (OIP-R13).
func (q Chased) fellBack(s chasedStep, record wire.Value) (out []history.Miss) {
	response := record.Key("response")
	if !q.Chase.Course().Continues() {
		if response.String() == FallbackValue {
			out = append(out, missOf(openintent.OIP0026B2, response, "no fallback value for an answer"))
		}
		return out
	}
	if record.Key("fallback_value").String() == FallbackValue || response.String() == FallbackValue || s.Out.Log/100 != 2 ||
		slices.ContainsFunc(s.Out.Events, func(e wire.Value) bool { return e.At("/payload/value").String() == FallbackValue }) {
		return nil
	}
	return []history.Miss{missOf(openintent.OIP0025F2, record, "the fallback value, here or in an event")}
}

// reminders compares what is told of the attempts after the first.
func (q Chased) reminders(s chasedStep) (out []history.Miss) {
	all := events(s.Out.Events, renotified, "")
	often := map[int64]int{}
	for _, e := range all {
		often[attemptOf(e)]++
		if sid := e.At("/payload/suspension_id"); sid.String() != s.Out.Suspension {
			out = append(out, missOf(openintent.OIP0026E3, sid, "%q", s.Out.Suspension))
		}
	}
	for n := 1; n <= q.Chase.Attempts+1; n++ {
		want := 0
		if n > 1 && n <= q.Sent+1 {
			want = 1
		}
		if is := often[int64(n)]; is != want {
			out = append(out, missOf(q.reminded(n, is, want), s.Out.Status, "%d %s of attempt %d, not %d", want, renotified, n, is))
		}
		delete(often, int64(n))
	}
	for _, n := range slices.Sorted(maps.Keys(often)) { // of which nothing is known
		out = append(out, missOf(q.reminded(int(n), 1, 0), s.Out.Status, "no %s of attempt %d", renotified, n))
	}
	for k, e := range all {
		if n := attemptOf(e); n > 1 && int(n) <= q.Chase.Attempts {
			out = append(out, q.reminder(e, q.Chase.Course().Reminders[n-2], k < len(s.Out.Next) && s.Out.Next[k])...)
		}
	}
	return out
}

// reminded returns the sentence about how often there is a reminder of an attempt.
func (q Chased) reminded(n, is, want int) scenarios.RequirementID {
	switch {
	case n == 1:
		return openintent.OIP0026N1
	case is < want:
		return openintent.OIP0026N3
	case is > 1 && want == 1:
		return openintent.OIP0026E1
	case q.Record == Answered && q.Since: // else it was too early
		return openintent.OIPREAD4
	case q.Chase.Attempts == 0:
		return openintent.OIP0025F4
	case q.Chase.Plain:
		return openintent.OIP0026B1
	case n > q.Chase.Attempts:
		return openintent.OIP0026H1
	}
	return openintent.OIPREAD5
}

// reminder compares what one says. Its step of the ladder overrides the channel and the recipient.
func (q Chased) reminder(e wire.Value, want Reminder, next bool) (out []history.Miss) {
	says, of := e.Key("payload"), scenarios.RequirementID(openintent.OIP0026E3)
	if want.Escalates {
		of = openintent.OIP0026N5
	}
	out = append(out, want.goes(of, says.Key("channel_hint"), says.Key("notify_to"))...)
	if most, _ := says.Key("max_attempts").Int(); int(most) != q.Chase.Attempts {
		out = append(out, missOf(openintent.OIP0026E3, says.Key("max_attempts"), "%d", q.Chase.Attempts))
	}
	if !next {
		out = append(out, missOf(openintent.OIP0026E3, says.Key("next_attempt_at"), "the time of the attempt after number %d", want.Attempt))
	}
	return out
}

// goes compares where a reminder goes.
func (r Reminder) goes(of scenarios.RequirementID, channel, to wire.Value) (out []history.Miss) {
	if is := as[string](channel.Actual()); !none(channel) && is == "" || !slices.Contains(r.Channels, is) {
		out = append(out, missOf(of, channel, "%q", r.Channels[0]))
	}
	if is := as[string](to.Actual()); !none(to) && is == "" || is != r.To {
		out = append(out, missOf(of, to, "%q", r.To))
	}
	return out
}

// escalations compares what is told of the steps of the ladder.
func (q Chased) escalations(s chasedStep) (out []history.Miss) {
	often := map[int64]int{}
	c := q.Chase.Course()
	for _, e := range events(s.Out.Events, escalated, "") {
		n := attemptOf(e)
		often[n]++
		says := e.Key("payload")
		if sid := says.Key("suspension_id"); sid.String() != s.Out.Suspension {
			out = append(out, missOf(openintent.OIP0026E4, sid, "%q", s.Out.Suspension))
		}
		if n > 1 && int(n) <= q.Chase.Attempts {
			out = append(out, c.Reminders[n-2].goes(openintent.OIP0026E4, says.Key("channel_hint"), says.Key("escalated_to"))...)
		}
	}
	for n := 2; n <= q.Sent+1; n++ {
		want := 0
		if q.Chase.Ladder[n] != NoRung {
			want = 1
		}
		if is := often[int64(n)]; is != want {
			of := scenarios.RequirementID(openintent.OIP0026E2)
			if want == 0 {
				of = openintent.OIP0026N4
			}
			out = append(out, missOf(of, s.Out.Status, "%d %s of attempt %d, not %d", want, escalated, n, is))
		}
		delete(often, int64(n))
	}
	for _, n := range slices.Sorted(maps.Keys(often)) {
		of := scenarios.RequirementID(openintent.OIP0026N4)
		if q.Record == Answered && q.Since {
			of = openintent.OIPREAD4
		}
		out = append(out, missOf(of, s.Out.Status, "no %s of attempt %d", escalated, n))
	}
	return out
}

// ends compares how often the log tells of the beginning and the end.
func (q Chased) ends(s chasedStep) (out []history.Miss) {
	if n := len(events(s.Out.Events, "intent.suspended", "")); n > 1 {
		out = append(out, missOf(openintent.OIPREAD7, s.Out.Status, "one intent.suspended, not %d", n))
	}
	want, of := 0, scenarios.RequirementID(openintent.OIP0026N6)
	switch {
	case q.Record == Expired:
		want, of = 1, openintent.OIP0026E5
	case q.Record == Answered:
		of = openintent.OIPREAD4
	case q.Chase.Attempts == 0:
		of = openintent.OIP0025F4
	}
	if n := len(events(s.Out.Events, expired, "")); n != want {
		out = append(out, missOf(of, s.Out.Status, "%d %s, not %d", want, expired, n))
	}
	if q.Record == Expired && s.Out.Behind {
		out = append(out, missOf(openintent.OIP0026E5, s.Out.Status, "%s not later than the change of the status (OIP-R110)", expired))
	}
	resumed := len(events(s.Out.Events, "intent.resumed", ""))
	if want := 1; q.Record == Answered && resumed != want || q.Record == Waiting && resumed > 0 {
		if q.Record == Waiting {
			want = 0
		}
		out = append(out, missOf(openintent.OIP0025A14, s.Out.Status, "%d intent.resumed, not %d", want, resumed))
	}
	return out
}
