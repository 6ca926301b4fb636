package retry

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/hosttest"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

const sidOfStory = "s-1"

// tale is the behaviour of a server: a suspension with three attempts, two seconds apart.
type tale struct {
	events            []hosttest.Happened
	during, before    string // statuses of the intent
	end               string
	record            map[string]any
	late              int    // HTTP status of the late answer
	afterLate         string // status
	endReached, sent2 bool
	seam              bool
	control           int
	looked            float64 // how late the drive looked during an attempt
}

func reminderAt(seconds float64, attempt int, more map[string]any) hosttest.Happened {
	channel, to := ladderStep(int64(attempt))
	p := map[string]any{"suspension_id": sidOfStory, "attempt": attempt, "max_attempts": 3, "channel_hint": channel,
		"notify_to": to, "next_attempt_at": nil}
	if attempt < 3 {
		p["next_attempt_at"] = hosttest.After(float64(2 * attempt))
	}
	maps.Copy(p, more)
	return hosttest.Happened{Kind: host.EventRenotified, At: seconds, Payload: p}
}

func stepAt(seconds float64, attempt int, more map[string]any) hosttest.Happened {
	channel, to := ladderStep(int64(attempt))
	p := map[string]any{"suspension_id": sidOfStory, "attempt": attempt, "channel_hint": channel, "escalated_to": to}
	maps.Copy(p, more)
	return hosttest.Happened{Kind: host.EventEscalated, At: seconds, Payload: p}
}

func honestTale() tale {
	return tale{
		events: []hosttest.Happened{
			{Kind: host.EventSuspended, At: 0, Payload: map[string]any{"suspension_id": sidOfStory}},
			reminderAt(2.01, 2, nil), stepAt(2.01, 2, nil), reminderAt(4.02, 3, nil), stepAt(4.02, 3, nil),
			{Kind: host.EventExpired, At: 6.01, Payload: map[string]any{"suspension_id": sidOfStory}},
			{Kind: "status_changed", At: 6.01, Payload: map[string]any{"status": host.Abandoned}},
		},
		during: host.Suspended, before: host.Suspended, end: host.Abandoned, record: map[string]any{"id": sidOfStory, "resolution": "expired"},
		late: 409, afterLate: host.Abandoned, endReached: true, sent2: true, control: 200,
	}
}

// course returns the tale as the drive would have seen it.
func (x tale) course(t *testing.T) CourseObservation {
	t.Helper()
	sent, err := json.Marshal(map[string]any{"id": sidOfStory, "suspended_at": hosttest.After(0)})
	if err != nil {
		t.Fatal(err)
	}
	upTo := func(seconds float64) host.Log {
		var seen []hosttest.Happened
		for _, e := range x.events {
			if e.At <= seconds {
				seen = append(seen, e)
			}
		}
		return hosttest.LogOf(t, seen)
	}
	o := CourseObservation{
		Interval: 2, Attempts: 3,
		Suspension: host.Suspension{ID: sidOfStory, Sent: host.SentOf(sent), After: hosttest.IntentOf(t, host.Suspended, nil),
			Record: hosttest.IntentOf(t, host.Active, nil), Status: hosttest.IntentOf(t, host.Suspended, nil)},
		BeforeEnd: host.Look{Intent: hosttest.IntentOf(t, x.before, nil), Log: upTo(5.4)},
		End:       hosttest.WaitOf(t, "the suspension expires", x.endReached, x.end),
		Lapse:     host.Lapse{Seam: x.seam}, After: host.Look{Intent: hosttest.IntentOf(t, x.end, x.record), Log: upTo(6.3)},
		Late:      host.Reply{Asked: "answer after the end", Status: wiretest.Status(t, x.late)},
		AfterLate: host.Look{Intent: hosttest.IntentOf(t, x.afterLate, x.record), Log: upTo(99)},
		Control:   host.Reply{Asked: "answer another in time", Status: wiretest.Status(t, x.control)},
	}
	for attempt := 2; attempt <= 3; attempt++ {
		due := float64(2 * (attempt - 1))
		reached := x.sent2 && len(upTo(due+0.9).OfType(host.EventRenotified).Values) >= attempt-1
		o.Steps = append(o.Steps,
			Step{Attempt: attempt, Before: host.Look{Intent: hosttest.IntentOf(t, host.Suspended, nil), Log: upTo(due - 0.6)},
				Reached: hosttest.WaitOf(t, "a reminder", reached, nil),
				During:  host.Look{Intent: hosttest.IntentOf(t, x.during, nil), Log: upTo(due + 0.3 + x.looked)}})
	}
	return o
}

func TestJudgesOfTheCourse(t *testing.T) {
	without := func(kind openintentv1.EventType) func(*tale) {
		return func(x *tale) {
			x.events = slices.DeleteFunc(x.events, func(e hosttest.Happened) bool { return e.Kind == kind })
		}
	}
	edit := func(kind openintentv1.EventType, attempt int, change func(*hosttest.Happened)) func(*tale) {
		return func(x *tale) {
			for n := range x.events {
				if a, ok := x.events[n].Payload["attempt"].(int); x.events[n].Kind == kind && (!ok || a == attempt) {
					change(&x.events[n])
				}
			}
		}
	}
	payload := func(member string, v any) func(*hosttest.Happened) {
		return func(e *hosttest.Happened) { e.Payload[member] = v }
	}
	at := func(seconds float64) func(*hosttest.Happened) { return func(e *hosttest.Happened) { e.At = seconds } }
	add := func(e hosttest.Happened) func(*tale) { return func(x *tale) { x.events = append(x.events, e) } }
	seam := func(x *tale) { x.seam = true }
	all := []string{"reminders", "on-time", "reminder-payload", "waits-on", "ladder", "expiry", "late-answer", "real-time-course"}
	for _, c := range []struct {
		scenario, name string
		change         func(*tale)
		want           string
	}{
		{"reminders", "none at all", func(x *tale) { without(host.EventRenotified)(x); x.sent2 = false }, openintent.OIP0026N3},
		{"reminders", "one left out", func(x *tale) { x.events = slices.Delete(x.events, 3, 4) }, openintent.OIP0026N3},
		{"reminders", "attempt 1 is reminded of", add(reminderAt(0, 1, nil)), openintent.OIP0026H1},
		{"reminders", "one after the last", add(reminderAt(6.2, 4, nil)), openintent.OIP0026H1},
		{"reminders", "one sent twice", add(reminderAt(4.1, 3, nil)), openintent.OIP0026H1},
		{"on-time", "the first too early", edit(host.EventRenotified, 2, at(0.1)), openintent.OIP0026H5},
		{"on-time", "the first an interval late", edit(host.EventRenotified, 2, at(3.9)), openintent.OIP0026H5},
		{"on-time", "late, as told by the server", edit(host.EventRenotified, 2, at(3.2)), "passed"},
		{"on-time", "drift", edit(host.EventRenotified, 3, at(5.8)), openintent.OIP0026H5},
		{"on-time", "through the seam, too early", func(x *tale) { seam(x); edit(host.EventRenotified, 2, at(0.1))(x) }, openintent.OIP0026H3},
		{"reminder-payload", "another id", edit(host.EventRenotified, 2, payload("max_attempts", 4)), openintent.OIP0026E3},
		{"reminder-payload", "no next attempt", edit(host.EventRenotified, 2, payload("next_attempt_at", nil)), openintent.OIP0026E3},
		{"reminder-payload", "the next attempt is now",
			edit(host.EventRenotified, 2, payload("next_attempt_at", hosttest.After(2))), openintent.OIP0026E3},
		{"reminder-payload", "the last says the end of the window",
			edit(host.EventRenotified, 3, payload("next_attempt_at", hosttest.After(6))), "passed"},
		{"reminder-payload", "the last says an hour later",
			edit(host.EventRenotified, 3, payload("next_attempt_at", hosttest.After(3600))), openintent.OIP0026E3},
		{"reminder-payload", "null is nothing",
			edit(host.EventRenotified, 2, func(e *hosttest.Happened) { delete(e.Payload, "notify_to") }), "passed"},
		{"reminder-payload", "times without zone",
			edit(host.EventRenotified, 2, payload("next_attempt_at", "2026-11-01T12:00:04.000000")), "passed"},
		{"waits-on", "it is active between reminders", func(x *tale) { x.during = host.Active }, openintent.OIP0026J1},
		{"waits-on", "a new id each time", edit(host.EventRenotified, 3, payload("suspension_id", "s-2")), "passed"}, // OIP-0026-K3 is a SHOULD
		{"reminders", "a new id each time", edit(host.EventRenotified, 3, payload("suspension_id", "s-2")), "passed"},
		{"reminder-payload", "a new id each time", edit(host.EventRenotified, 3, payload("suspension_id", "s-2")), openintent.OIP0026E3},
		{"reminders", "it waits no more", func(x *tale) { without(host.EventRenotified)(x); x.sent2, x.during = false, host.Active }, "blocked"},
		{"reminders", "it waits no more, by the seam",
			func(x *tale) { seam(x); without(host.EventRenotified)(x); x.sent2, x.during = false, host.Active },
			hosttest.Violates(openintent.OIP0026J1)},
		{"reminders", "it ended too early", func(x *tale) {
			without(host.EventRenotified)(x)
			edit(host.EventExpired, 0, at(0.5))(x)
			x.sent2, x.during = false, host.Abandoned
		}, hosttest.Violates(openintent.OIP0026J1)},
		{"reminders", "it ended when it was due", func(x *tale) {
			without(host.EventRenotified)(x)
			edit(host.EventExpired, 0, at(2.1))(x)
			x.sent2, x.during = false, host.Abandoned
		}, "blocked"},
		{"reminders", "we looked after the end, and nobody was reminded", func(x *tale) {
			without(host.EventRenotified)(x)
			x.sent2, x.during, x.looked = false, host.Abandoned, 9
		}, hosttest.Violates(openintent.OIP0026N3)},
		{"waits-on", "nobody is reminded", func(x *tale) { without(host.EventRenotified)(x); x.sent2 = false },
			hosttest.Violates(openintent.OIP0026N3)},
		{"waits-on", "the first is only found later", func(x *tale) { x.sent2 = false }, "blocked"},
		{"on-time", "none says that it is attempt 2", edit(host.EventRenotified, 2, payload("attempt", "two")), "blocked"},
		{"waits-on", "we looked after the end",
			func(x *tale) { x.during = host.Abandoned; edit(host.EventExpired, 0, at(4.2))(x) }, openintent.OIP0026J1},
		{"on-time", "one sent twice", add(reminderAt(4.1, 3, nil)), "passed"}, // judgeCounted counts them
		{"on-time", "one left out", func(x *tale) { x.events = slices.Delete(x.events, 3, 4) }, "passed"},
		{"ladder", "no step triggers", without(host.EventEscalated), openintent.OIP0026N4},
		{"ladder", "off by one", edit(host.EventEscalated, 2, payload("attempt", 1)), openintent.OIP0026N4},
		{"ladder", "one beyond the last triggers", add(stepAt(6.2, 9, map[string]any{"channel_hint": "siren"})), openintent.OIP0026N4},
		{"ladder", "a step an interval late (OIP-R14)", edit(host.EventEscalated, 2, at(4.6)), openintent.OIP0026N4},
		{"ladder", "a step a little late", edit(host.EventEscalated, 2, at(3.2)), "passed"},
		{"ladder", "nobody is named", edit(host.EventEscalated, 3, payload("escalated_to", nil)), openintent.OIP0026E4},
		{"ladder", "the channel of the record", edit(host.EventRenotified, 3, payload("channel_hint", "slack")), openintent.OIP0026N5},
		{"ladder", "the other order", func(x *tale) { x.events[1], x.events[2] = x.events[2], x.events[1] }, "passed"},
		{"expiry", "it never ends", func(x *tale) {
			without(host.EventExpired)(x)
			without("status_changed")(x)
			x.end, x.afterLate, x.endReached, x.record = host.Suspended, host.Suspended, false, nil
		}, openintent.OIP0026N6},
		{"expiry", "nobody is told", without(host.EventExpired), openintent.OIP0026E5},
		{"expiry", "after one window", edit(host.EventExpired, 0, at(2)), openintent.OIP0026N6},
		{"expiry", "it is told twice",
			add(hosttest.Happened{Kind: host.EventExpired, At: 6.2, Payload: map[string]any{"suspension_id": sidOfStory}}),
			openintent.OIP0026E5},
		{"expiry", "the fallback comes first", edit("status_changed", 0, at(5.9)), openintent.OIP0026E5},
		{"expiry", "fail goes on", func(x *tale) { x.end, x.afterLate = host.Active, host.Active }, openintent.OIP0025F1},
		{"expiry", "it stays suspended, and says so",
			func(x *tale) { without("status_changed")(x); x.end, x.afterLate = host.Suspended, host.Suspended }, "passed"},
		{"expiry", "it stays suspended, and does not say so", func(x *tale) { x.end, x.record = host.Suspended, nil }, openintent.OIP0025F1},
		{"expiry", "the record does not say it", func(x *tale) { x.record = map[string]any{"id": sidOfStory} }, openintent.OIP0025F3},
		{"expiry", "through the seam, before the window ends", func(x *tale) { seam(x); x.before = host.Abandoned }, openintent.OIP0026N6},
		{"late-answer", "it is taken", func(x *tale) { x.late = 200 }, openintent.OIPREAD3},
		{"late-answer", "it is refused, and wins",
			func(x *tale) { x.record = map[string]any{"resolution": "responded", "response": "too late"} },
			openintent.OIPREAD3},
		{"late-answer", "it resumes the intent", func(x *tale) { x.afterLate = host.Active }, openintent.OIPREAD3},
		{"late-answer", "410 is a refusal", func(x *tale) { x.late = 410 }, "passed"},
		{"late-answer", "no answer is ever taken", func(x *tale) { x.control = 409 }, "blocked"},
		{"real-time-course", "no reminders", func(x *tale) { without(host.EventRenotified)(x); x.sent2 = false }, openintent.OIP0026N3},
	} {
		x := honestTale()
		c.change(&x)
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) { hosttest.Ends(t, hosttest.Concludes(t, Suite(), c.scenario, x.course(t)), c.want) })
	}
	for _, name := range all {
		hosttest.Ends(t, hosttest.Concludes(t, Suite(), name, honestTale().course(t)), "passed")
		x := honestTale()
		seam(&x)
		o := hosttest.Concludes(t, Suite(), name, x.course(t))
		hosttest.Ends(t, o, "passed")
		if o.Evidence != scenarios.Attested {
			t.Errorf("%s: what a seam shows is %s", name, o.Evidence)
		}
		// A server that does nothing passes nothing, and violates nothing that it does not claim.
		idle := honestTale()
		idle.events, idle.end, idle.afterLate, idle.record, idle.endReached, idle.sent2 = nil, host.Suspended, host.Suspended, nil, false, false
		if o := hosttest.Concludes(t, Suite(), name, idle.course(t)); o.Verdict != scenarios.Failed && o.Verdict != scenarios.Blocked {
			t.Errorf("%s: a server that does nothing: %s", name, o.Verdict)
		}
		i := slices.IndexFunc(Suite().Scenarios, func(s scenarios.Scenario) bool { return s.Name() == name })
		if o := scenarios.ConcludeOpen(Suite().Scenarios[i], host.Ledger, idle.course(t)); o.Verdict != scenarios.Inapplicable {
			t.Errorf("%s: a server that does nothing and claims nothing: %s (%s)", name, o.Verdict, o.Reason)
		}
	}
}

// The later of two calls that take their time ends later than the record says that the suspension began; by a clock that is behind,
// earlier.
func TestTheBeginningOfASuspension(t *testing.T) {
	sent, err := json.Marshal(map[string]any{"id": sidOfStory, "suspended_at": hosttest.After(0)})
	if err != nil {
		t.Fatal(err)
	}
	at := func(seconds float64) time.Time {
		moment, _ := host.ReadTime(hosttest.After(seconds))
		return moment
	}
	for _, c := range []struct {
		updated  float64
		from, to time.Time
	}{{1, at(0), at(1)}, {5, at(0), at(5)}, {-1, at(-1), at(0)}, {-3600, at(-3600), at(0)}} {
		s := host.Suspension{Sent: host.SentOf(sent),
			Status: host.Reply{Body: wiretest.Value(t, map[string]any{"updated_at": hosttest.After(c.updated)})}}
		if from, to := s.Beginning(); !from.Equal(c.from) || !to.Equal(c.to) {
			t.Errorf("updated after %v s: it began from %s to %s, want %s to %s", c.updated, from, to, c.from, c.to)
		}
	}
}
