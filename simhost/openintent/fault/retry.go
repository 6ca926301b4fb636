package fault

import (
	"fmt"
	"slices"
	"time"

	oi "github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openintent/rules"
	"github.com/openassay/assay/simhost/openintent/suspension"
)

const (
	renotified = "intent.suspension_renotified"
	escalated  = "intent.suspension_escalated"
	expired    = "intent.suspension_expired"
)

func courses(change func(c *suspension.Course, r suspension.Record)) func(*rules.Set) {
	return func(s *rules.Set) {
		before := s.Reminders.Course
		s.Reminders.Course = func(r suspension.Record, p suspension.Resolved, start time.Time) suspension.Course {
			c := before(r, p, start)
			change(&c, r)
			return c
		}
	}
}

// lapsed changes the record of every suspension that is shown whose window ended without an answer.
func lapsed(change func(record map[string]any)) mutate.ReplyFunc {
	return records(func(in *openintentv1.Intent, record map[string]any) {
		if record["resolution"] == suspension.Expired && !isDated(in) {
			change(record)
		}
	})
}

// ends is the end of a window that is so long.
func ends(c *suspension.Course, window time.Duration) {
	at := c.Start.Add(window)
	c.Expires = &at
}

// renamedLater has what is told of the later reminders name another suspension.
func renamedLater(told map[string]any) {
	if attempt, ok := told["attempt"].(int); ok && attempt > 2 {
		told["suspension_id"] = fmt.Sprintf("%v-again", told["suspension_id"])
	}
}

var retryFaults = []Fault{
	{
		ID: "openintent.one-reminder-too-few", Title: "the last reminder is not sent",
		Looks: "of three attempts there is one reminder", Breaks: []string{oi.OIP0026H1, oi.OIP0026N3, oi.OIP0026N4},
		Replace: func(s *rules.Set) {
			s.Reminders.Sends = func(attempt int, waits bool) bool { return waits && attempt < 3 }
		},
	},
	{
		ID: "openintent.first-attempt-is-reminder", Title: "the first time that somebody is asked is told as a reminder",
		Looks: "an intent.suspension_renotified says attempt 1", Breaks: []string{oi.OIP0026N1, oi.OIP0026E3},
		Replace: telling("intent.suspended", func(e rules.Told) []rules.Told {
			policy, retried := e.Payload["retry_policy"].(*suspension.Policy)
			if !retried || policy == nil || policy.MaxAttempts == nil || *policy.MaxAttempts < 3 {
				return []rules.Told{e}
			}
			first := rules.Told{Type: renotified, Payload: map[string]any{
				"suspension_id": e.Payload["suspension_id"], "attempt": 1, "max_attempts": *policy.MaxAttempts,
				"channel_hint": e.Payload["channel_hint"], "notify_to": nil, "next_attempt_at": nil,
			}}
			return []rules.Told{e, first}
		}),
	},
	{
		ID: "openintent.reminders-early", Title: "reminders come at half of the interval",
		Looks: "the first reminder is earlier than the interval", Breaks: []string{oi.OIPREAD5, oi.OIP0026H3, oi.OIP0026H5},
		Replace: func(s *rules.Set) {
			s.Reminders.Due = func(c suspension.Course, attempt int) time.Time {
				return c.Start.Add(time.Duration(attempt-1) * c.Interval / 2)
			}
		},
	},
	{
		ID: "openintent.new-id-per-attempt", Title: "the last reminder names a suspension of its own",
		Looks: "suspension_id of a reminder is another one", Breaks: []string{oi.OIP0026N3, oi.OIP0026H3, oi.OIP0026E3},
		Replace: func(s *rules.Set) {
			worded(renotified, renamedLater)(s)
			s.Reminders.Notice = func(notice, _ map[string]any) map[string]any {
				renamedLater(notice)
				return notice
			}
		},
	},
	{
		ID: "openintent.ladder-without-effect", Title: "a step of the ladder is told, and the reminder goes out as ever",
		Looks: "channel_hint of a reminder is that of the record", Breaks: []string{oi.OIP0026N5, oi.OIP0026E3, oi.OIP0026T7},
		Replace: worded(renotified, func(p map[string]any) { p["channel_hint"], p["notify_to"] = nil, nil }),
	},
	{
		ID: "openintent.reminded-twice", Title: "a reminder leaves two events",
		Looks: "intent.suspension_renotified is twice on the log", Breaks: []string{oi.OIP0026E1, oi.OIP0026H3, oi.OIP0026T6},
		Replace: twice(renotified),
	},
	{
		ID: "openintent.escalated-silently", Title: "a step of the ladder leaves no event",
		Looks: "no intent.suspension_escalated is on the log", Breaks: []string{oi.OIP0026E2, oi.OIP0026N4, oi.OIP0026T8},
		Replace: untold(escalated),
	},
	{
		ID: "openintent.escalated-to-nobody", Title: "the event of a step of the ladder does not say to whom",
		Looks: "escalated_to is null where the step names somebody", Breaks: []string{oi.OIP0026E4},
		Replace: worded(escalated, func(p map[string]any) { p["escalated_to"] = nil }),
	},
	{
		ID: "openintent.next-attempt-untold", Title: "a reminder does not say when the next one comes",
		Looks: "next_attempt_at is missing", Breaks: []string{oi.OIP0026E3},
		Replace: worded(renotified, func(p map[string]any) { delete(p, "next_attempt_at") }),
	},
	{
		ID: "openintent.reminded-after-answer", Title: "reminders go on behind the answer, as those of the SDK do",
		Looks: "intent.suspension_renotified comes behind intent.resumed", Breaks: []string{oi.OIPREAD4},
		Replace: func(s *rules.Set) { s.Reminders.Sends = func(int, bool) bool { return true } },
	},
	{
		ID: "openintent.reminder-resumes", Title: "the last reminder makes the intent active",
		Looks: "the intent is active during attempt 3", Breaks: []string{oi.OIP0026J1, oi.OIP0026N6, oi.OIPREAD3},
		Replace: func(s *rules.Set) {
			s.Reminders.Between = func(attempt int) string {
				if attempt > 2 {
					return active
				}
				return ""
			}
		},
	},
	{
		ID: "openintent.answer-refused-after-reminder", Title: "once there was a reminder, no answer is taken any more",
		Looks: "respond with the id of the suspension is 409 during attempt 2", Breaks: []string{oi.OIP0026N9, oi.OIP0026T9},
		Replace: takes(func(st rules.Standing) (rules.Verdict, bool) {
			return rules.OtherSuspension, st.Suspended && st.Attempt > 1
		}),
	},
	{
		ID: "openintent.expires-at-last-reminder", Title: "the fallback comes with the last reminder, and not an interval later",
		Looks: "an intent is abandoned when its last reminder goes out", Breaks: []string{oi.OIP0026N7, oi.OIP0026J1, oi.OIP0026N2},
		Replace: func(s *rules.Set) {
			courses(func(c *suspension.Course, _ suspension.Record) {
				if c.Attempts > 2 {
					ends(c, time.Duration(c.Attempts-1)*c.Interval)
				}
			})(s)
			s.Reminders.Window = func(c suspension.Course) time.Time { return c.AttemptAt(c.Attempts + 1) }
		},
	},
	{
		ID: "openintent.last-step-passed-over", Title: "the last step of a ladder is not heeded",
		Looks: "the step of attempt 3 leaves no intent.suspension_escalated", Breaks: []string{oi.OIP0026N4, oi.OIP0026E3},
		Replace: courses(func(c *suspension.Course, _ suspension.Record) {
			c.Ladder = slices.DeleteFunc(slices.Clone(c.Ladder), func(s suspension.Step) bool { return s.Attempt > 2 })
		}),
	},
	{
		ID: "openintent.step-beyond-the-last", Title: "a step of the ladder beyond the last attempt comes with that",
		Looks: "the step of attempt 9 leaves an intent.suspension_escalated", Breaks: []string{oi.OIP0026N4},
		Replace: telling(escalated, func(e rules.Told) []rules.Told {
			if e.Payload["attempt"] != 3 {
				return []rules.Told{e}
			}
			beyond := rules.Told{Type: escalated, Payload: map[string]any{
				"suspension_id": e.Payload["suspension_id"], "attempt": 9, "escalated_to": nil, "channel_hint": "carrier-pigeon",
			}}
			return []rules.Told{e, beyond}
		}),
	},
	{
		ID: "openintent.expires-at-of-one-attempt", Title: "expires_at of the record is the end of the first attempt",
		Looks: "expires_at is suspended_at and one interval", Breaks: []string{oi.OIP0026N8, oi.OIP0026N7},
		Replace: func(s *rules.Set) {
			s.Reminders.Window = func(c suspension.Course) time.Time { return c.AttemptAt(2) }
		},
	},
	{
		ID: "openintent.plain-record-hangs", Title: "a suspension without a policy never expires, as in the SDK",
		Looks: "no intent.suspension_expired comes of a record without a policy", Breaks: []string{oi.OIP0026B1, oi.OIP0025F4, oi.OIP0026L2},
		Replace: courses(func(c *suspension.Course, r suspension.Record) {
			if r.RetryPolicy == nil {
				c.Expires = nil
			}
		}),
	},
	{
		ID: "openintent.reminds-without-policy", Title: "a record without a retry policy is reminded of as well",
		Looks: "intent.suspension_renotified comes of a record without a policy", Breaks: []string{oi.OIP0026B1, oi.OIP0026L2},
		Replace: courses(func(c *suspension.Course, r suspension.Record) {
			if r.RetryPolicy == nil && c.Interval > 0 {
				c.Attempts, c.Interval = 2, c.Interval/2
			}
		}),
	},
	{
		ID: "openintent.expires-without-window", Title: "a suspension without a window expires soon",
		Looks: "intent.suspension_expired comes of a record without timeout_seconds", Breaks: []string{oi.OIP0025F4},
		Replace: courses(func(c *suspension.Course, _ suspension.Record) {
			if c.Expires == nil {
				c.Attempts = 1
				ends(c, 3*time.Second)
			}
		}),
	},
	{
		ID: "openintent.outer-fallback-wins", Title: "the fallback of the record goes before that of its policy",
		Looks: "an intent goes on that its policy has fail", Breaks: []string{oi.OIP0026B2},
		Replace: func(s *rules.Set) {
			before := s.Reminders.Resolve
			s.Reminders.Resolve = func(p *suspension.Policy, fallback string) suspension.Resolved {
				out := before(p, fallback)
				if fallback != "" {
					out.FinalFallbackPolicy = fallback
				}
				return out
			}
		},
	},
	{
		ID: "openintent.fallback-not-inherited", Title: "a policy that names no fallback has fail, whatever its record says",
		Looks: "an intent is abandoned whose record has complete_with_fallback", Breaks: []string{oi.OIP0026H8},
		Replace: func(s *rules.Set) {
			before := s.Reminders.Resolve
			s.Reminders.Resolve = func(p *suspension.Policy, fallback string) suspension.Resolved {
				if p != nil {
					fallback = ""
				}
				return before(p, fallback)
			}
		},
	},
	{
		ID: "openintent.expired-untold", Title: "the end of a window leaves no event",
		Looks: "no intent.suspension_expired is on the log", Breaks: []string{oi.OIP0026E5, oi.OIP0026B1, oi.OIPREAD3},
		Replace: expiring("timeout", func(rules.Told) []rules.Told { return nil }),
	},
	{
		ID: "openintent.expired-twice", Title: "the end of a window leaves two events",
		Looks: "intent.suspension_expired is twice on the log", Breaks: []string{oi.OIP0026E5, oi.OIP0026R5D},
		Replace: twice(expired),
	},
	{
		ID: "openintent.fail-continues", Title: "an intent whose fallback is fail goes on",
		Looks:   "an intent is active behind the end of its window",
		Breaks:  []string{oi.OIP0025F1, oi.OIP0026B2, oi.OIP0026N6, oi.OIP0026H8},
		Replace: func(s *rules.Set) { s.Expiry.Ends = func(string) string { return active } },
	},
	{
		ID: "openintent.fallback-value-lost", Title: "an intent goes on without the fallback value, and the record loses it",
		Looks: "the fallback value is nowhere behind the end of the window", Breaks: []string{oi.OIP0025F2, oi.OIP0026B2, oi.OIP0026H8},
		Reply: lapsed(func(record map[string]any) { delete(record, "response"); delete(record, "fallback_value") }),
	},
	{
		ID: "openintent.resolution-open", Title: "the record of a window that ended does not say so",
		Looks:  "resolution is missing behind the end of the window",
		Breaks: []string{oi.OIP0025F3, oi.OIPREAD3, oi.OIP0025F2, oi.OIP0026R4H, oi.OIP0026R4J}, // it seems open when suspended again
		Reply:  lapsed(func(record map[string]any) { delete(record, "resolution") }),
	},
	{
		ID: "openintent.late-answer-taken", Title: "an answer is taken behind the end of the window, as release 0.17.0 does",
		Looks: "respond is 200 behind intent.suspension_expired", Breaks: []string{oi.OIPREAD3, oi.OIP0025A4, oi.OIP0025A5},
		Replace: taking(func(st rules.Standing) bool {
			return st.RecordID == st.SentID && st.Resolution == suspension.Expired && !st.Dated
		}),
	},
	{
		ID: "openintent.fallback-over-answer", Title: "at the end of the window the fallback is done to an intent that was answered",
		Looks: "an intent that was answered is abandoned later", Breaks: []string{oi.OIPREAD9, oi.OIPREAD4, oi.OIP0026T10, oi.OIP0025A13},
		Replace: func(s *rules.Set) { s.Expiry.Overrules = func() bool { return true } },
	},
	{
		ID:    "openintent.context-in-reminder",
		Title: "a reminder to the outside carries the question and the context, what is hidden from readers included",
		Looks: "the body of a webhook has secrets of the context, which GET intents/{id} hides", Breaks: []string{oi.OIP0026K1},
		Replace: func(s *rules.Set) {
			s.Reminders.Notice = func(notice, record map[string]any) map[string]any {
				notice["question"], notice["context"] = record["question"], record["context"]
				return notice
			}
		},
	},
	{
		ID: "openintent.open-relay", Title: "a reminder goes to whomever a ladder names",
		Looks: "a recipient outside of the allowlist is escalated to", Breaks: []string{oi.OIP0026K2},
		Replace: func(s *rules.Set) {
			s.Reminders.Takes = func(bool) bool { return true }
			s.Reminders.Goes = func(bool) bool { return true }
		},
	},
}
