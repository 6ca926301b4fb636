package openintent

import (
	"encoding/json"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// concludes judges one observation by one scenario of a suite.
func concludes(t *testing.T, suite scenarios.Suite, name string, observation any) scenarios.Outcome {
	t.Helper()
	i := slices.IndexFunc(suite.Scenarios, func(s scenarios.Scenario) bool { return s.Name() == name })
	if i < 0 {
		t.Fatalf("there is no scenario %s", name)
	}
	return scenarios.Conclude(suite.Scenarios[i], Protocol.Ledger, observation)
}

// ends checks a verdict: "passed", "blocked", or the requirement that is violated.
func ends(t *testing.T, o scenarios.Outcome, want string) {
	t.Helper()
	got := string(o.Verdict)
	if o.Failure != nil {
		got = string(o.Failure.Requirement)
	}
	if got != want {
		t.Errorf("%s ends as %s (%s), want %s", o.Scenario.ID, got, o.Reason, want)
	}
}

const sidOfStory = "s-1"

var beganAt = time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)

func after(seconds float64) string {
	return stamp(beganAt.Add(time.Duration(seconds * float64(time.Second))))
}

// happened is an event of a story.
type happened struct {
	kind    openintentv1.EventType
	at      float64 // seconds after the suspension
	payload map[string]any
}

// tale is what a server did of a suspension with three attempts, two seconds apart.
type tale struct {
	events            []happened
	during, before    string // statuses of the intent
	end               string
	record            map[string]any
	late              int    // HTTP status of the late answer
	afterLate         string // status
	endReached, sent2 bool
	seam              bool
	control           int
}

func reminderAt(seconds float64, attempt int, more map[string]any) happened {
	channel, to := rung(int64(attempt))
	p := map[string]any{"suspension_id": sidOfStory, "attempt": attempt, "max_attempts": 3, "channel_hint": channel, "notify_to": to, "next_attempt_at": nil}
	if attempt < 3 {
		p["next_attempt_at"] = after(float64(2 * attempt))
	}
	maps.Copy(p, more)
	return happened{eventRenotified, seconds, p}
}

func stepAt(seconds float64, attempt int, more map[string]any) happened {
	channel, to := rung(int64(attempt))
	p := map[string]any{"suspension_id": sidOfStory, "attempt": attempt, "channel_hint": channel, "escalated_to": to}
	maps.Copy(p, more)
	return happened{eventEscalated, seconds, p}
}

func honestTale() tale {
	return tale{
		events: []happened{
			{eventSuspended, 0, map[string]any{"suspension_id": sidOfStory}},
			reminderAt(2.01, 2, nil), stepAt(2.01, 2, nil), reminderAt(4.02, 3, nil), stepAt(4.02, 3, nil),
			{eventExpired, 6.01, map[string]any{"suspension_id": sidOfStory}},
			{"status_changed", 6.01, map[string]any{"status": abandoned}},
		},
		during: suspended, before: suspended, end: abandoned, record: map[string]any{"id": sidOfStory, "resolution": "expired"},
		late: 409, afterLate: abandoned, endReached: true, sent2: true, control: 200,
	}
}

func logOf(t *testing.T, events []happened) Log {
	t.Helper()
	list := []any{}
	for _, e := range events {
		list = append(list, map[string]any{"event_type": e.kind, "created_at": after(e.at), "payload": e.payload})
	}
	return Log{Read: wiretest.Status(t, 200), Events: oldestFirst(wiretest.Value(t, list).Items())}
}

func intentOf(t *testing.T, status string, record map[string]any) Reply {
	t.Helper()
	return Reply{Status: wiretest.Status(t, 200), Body: wiretest.Value(t, map[string]any{"status": status, "state": map[string]any{"_suspension": record}, "updated_at": after(map[bool]float64{true: 6}[status == abandoned])})}
}

func waitOf(t *testing.T, what string, reached bool, seen any) wire.Wait {
	t.Helper()
	return wire.Wait{What: what, Reached: reached, Patience: time.Second, Answers: 5, Last: wiretest.Value(t, seen)}
}

// course tells the tale as the drive would have seen it.
func (x tale) course(t *testing.T) CourseObservation {
	t.Helper()
	sent, err := json.Marshal(map[string]any{"id": sidOfStory, "suspended_at": after(0)})
	if err != nil {
		t.Fatal(err)
	}
	upTo := func(seconds float64) Log {
		var seen []happened
		for _, e := range x.events {
			if e.at <= seconds {
				seen = append(seen, e)
			}
		}
		return logOf(t, seen)
	}
	o := CourseObservation{
		Interval: 2, Attempts: 3,
		Suspension: Suspension{ID: sidOfStory, Sent: sent, After: intentOf(t, suspended, nil), Record: intentOf(t, active, nil), Status: intentOf(t, suspended, nil)},
		BeforeEnd:  Look{intentOf(t, x.before, nil), upTo(5.4)}, End: waitOf(t, "the suspension expires", x.endReached, x.end),
		Lapse: Lapse{Seam: x.seam}, After: Look{intentOf(t, x.end, x.record), upTo(6.3)},
		Late: Reply{Asked: "answer after the end", Status: wiretest.Status(t, x.late)}, AfterLate: Look{intentOf(t, x.afterLate, x.record), upTo(99)},
		Control: Reply{Asked: "answer another in time", Status: wiretest.Status(t, x.control)},
	}
	for attempt := 2; attempt <= 3; attempt++ {
		due := float64(2 * (attempt - 1))
		reached := x.sent2 && len(upTo(due+0.9).OfType(eventRenotified).Values) >= attempt-1
		o.Steps = append(o.Steps, Step{Attempt: attempt, Before: Look{intentOf(t, suspended, nil), upTo(due - 0.6)},
			Reached: waitOf(t, "a reminder", reached, nil), During: Look{intentOf(t, x.during, nil), upTo(due + 0.3)}})
	}
	return o
}

func TestJudgesOfTheCourse(t *testing.T) {
	without := func(kind openintentv1.EventType) func(*tale) {
		return func(x *tale) {
			x.events = slices.DeleteFunc(x.events, func(e happened) bool { return e.kind == kind })
		}
	}
	edit := func(kind openintentv1.EventType, attempt int, change func(*happened)) func(*tale) {
		return func(x *tale) {
			for n := range x.events {
				if a, ok := x.events[n].payload["attempt"].(int); x.events[n].kind == kind && (!ok || a == attempt) {
					change(&x.events[n])
				}
			}
		}
	}
	payload := func(member string, v any) func(*happened) { return func(e *happened) { e.payload[member] = v } }
	at := func(seconds float64) func(*happened) { return func(e *happened) { e.at = seconds } }
	add := func(e happened) func(*tale) { return func(x *tale) { x.events = append(x.events, e) } }
	seam := func(x *tale) { x.seam = true }
	all := []string{"reminders", "on-time", "reminder-payload", "waits-on", "ladder", "expiry", "late-answer", "real-time-course"}
	for _, c := range []struct {
		scenario, name string
		change         func(*tale)
		want           string
	}{
		{"reminders", "none at all", func(x *tale) { without(eventRenotified)(x); x.sent2 = false }, openintentv1.OIP0026N3},
		{"reminders", "one left out", func(x *tale) { x.events = slices.Delete(x.events, 3, 4) }, openintentv1.OIP0026N3},
		{"reminders", "attempt 1 is reminded of", add(reminderAt(0, 1, nil)), openintentv1.OIP0026H1},
		{"reminders", "one after the last", add(reminderAt(6.2, 4, nil)), openintentv1.OIP0026H1},
		{"reminders", "one sent twice", add(reminderAt(4.1, 3, nil)), openintentv1.OIP0026H1},
		{"on-time", "the first too early", edit(eventRenotified, 2, at(0.1)), openintentv1.OIP0026H5},
		{"on-time", "the first an interval late", edit(eventRenotified, 2, at(3.9)), openintentv1.OIP0026H5},
		{"on-time", "late, as told by the server", edit(eventRenotified, 2, at(3.2)), "passed"},
		{"on-time", "drift", edit(eventRenotified, 3, at(5.8)), openintentv1.OIP0026H5},
		{"on-time", "through the seam, too early", func(x *tale) { seam(x); edit(eventRenotified, 2, at(0.1))(x) }, openintentv1.OIP0026H3},
		{"reminder-payload", "another id", edit(eventRenotified, 2, payload("max_attempts", 4)), openintentv1.OIP0026E3},
		{"reminder-payload", "no next attempt", edit(eventRenotified, 2, payload("next_attempt_at", nil)), openintentv1.OIP0026E3},
		{"reminder-payload", "the next attempt is now", edit(eventRenotified, 2, payload("next_attempt_at", after(2))), openintentv1.OIP0026E3},
		{"reminder-payload", "the last says the end of the window", edit(eventRenotified, 3, payload("next_attempt_at", after(6))), "passed"},
		{"reminder-payload", "the last says an hour later", edit(eventRenotified, 3, payload("next_attempt_at", after(3600))), openintentv1.OIP0026E3},
		{"reminder-payload", "null is nothing", edit(eventRenotified, 2, func(e *happened) { delete(e.payload, "notify_to") }), "passed"},
		{"reminder-payload", "times without zone", edit(eventRenotified, 2, payload("next_attempt_at", "2026-11-01T12:00:04.000000")), "passed"},
		{"waits-on", "it is active between reminders", func(x *tale) { x.during = active }, openintentv1.OIP0026J1},
		{"waits-on", "a new id each time", edit(eventRenotified, 3, payload("suspension_id", "s-2")), "passed"},  // OIP-0026-K3 is a SHOULD
		{"reminders", "a new id each time", edit(eventRenotified, 3, payload("suspension_id", "s-2")), "passed"}, // they are counted
		{"reminder-payload", "a new id each time", edit(eventRenotified, 3, payload("suspension_id", "s-2")), openintentv1.OIP0026E3},
		{"reminders", "it waits no more", func(x *tale) { without(eventRenotified)(x); x.sent2, x.during = false, active }, "blocked"},
		{"waits-on", "we looked after the end", func(x *tale) { x.during = abandoned; edit(eventExpired, 0, at(4.2))(x) }, openintentv1.OIP0026J1},
		{"on-time", "one sent twice", add(reminderAt(4.1, 3, nil)), "passed"}, // how many is asked elsewhere
		{"on-time", "one left out", func(x *tale) { x.events = slices.Delete(x.events, 3, 4) }, "passed"},
		{"ladder", "no step triggers", without(eventEscalated), openintentv1.OIP0026N4},
		{"ladder", "off by one", edit(eventEscalated, 2, payload("attempt", 1)), openintentv1.OIP0026N4},
		{"ladder", "one beyond the last triggers", add(stepAt(6.2, 9, map[string]any{"channel_hint": "siren"})), openintentv1.OIP0026N4},
		{"ladder", "nobody is named", edit(eventEscalated, 3, payload("escalated_to", nil)), openintentv1.OIP0026E4},
		{"ladder", "the channel of the record", edit(eventRenotified, 3, payload("channel_hint", "slack")), openintentv1.OIP0026N5},
		{"ladder", "the other order", func(x *tale) { x.events[1], x.events[2] = x.events[2], x.events[1] }, "passed"},
		{"expiry", "it never ends", func(x *tale) {
			without(eventExpired)(x)
			without("status_changed")(x)
			x.end, x.afterLate, x.endReached, x.record = suspended, suspended, false, nil
		}, openintentv1.OIP0026N6},
		{"expiry", "nobody is told", without(eventExpired), openintentv1.OIP0026E5},
		{"expiry", "after one window", edit(eventExpired, 0, at(2)), openintentv1.OIP0026N6},
		{"expiry", "it is told twice", add(happened{eventExpired, 6.2, map[string]any{"suspension_id": sidOfStory}}), openintentv1.OIP0026E5},
		{"expiry", "the fallback comes first", edit("status_changed", 0, at(5.9)), openintentv1.OIP0026E5},
		{"expiry", "fail goes on", func(x *tale) { x.end, x.afterLate = active, active }, openintentv1.OIP0025F1},
		{"expiry", "it stays suspended, and says so", func(x *tale) { without("status_changed")(x); x.end, x.afterLate = suspended, suspended }, "passed"},
		{"expiry", "it stays suspended, and does not say so", func(x *tale) { x.end, x.record = suspended, nil }, openintentv1.OIP0025F1},
		{"expiry", "the record does not say it", func(x *tale) { x.record = map[string]any{"id": sidOfStory} }, openintentv1.OIP0025F3},
		{"expiry", "through the seam, before the window ends", func(x *tale) { seam(x); x.before = abandoned }, openintentv1.OIP0026N6},
		{"late-answer", "it is taken", func(x *tale) { x.late = 200 }, openintentv1.OIPREAD3},
		{"late-answer", "it is refused, and wins", func(x *tale) { x.record = map[string]any{"resolution": "responded", "response": "too late"} }, openintentv1.OIPREAD3},
		{"late-answer", "it resumes the intent", func(x *tale) { x.afterLate = active }, openintentv1.OIPREAD3},
		{"late-answer", "410 is a refusal", func(x *tale) { x.late = 410 }, "passed"},
		{"late-answer", "no answer is ever taken", func(x *tale) { x.control = 409 }, "blocked"},
		{"real-time-course", "no reminders", func(x *tale) { without(eventRenotified)(x); x.sent2 = false }, openintentv1.OIP0026N3},
	} {
		x := honestTale()
		c.change(&x)
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) { ends(t, concludes(t, retrySuite(), c.scenario, x.course(t)), c.want) })
	}
	for _, name := range all {
		ends(t, concludes(t, retrySuite(), name, honestTale().course(t)), "passed")
		x := honestTale()
		seam(&x)
		o := concludes(t, retrySuite(), name, x.course(t))
		ends(t, o, "passed")
		if o.Evidence != scenarios.Attested {
			t.Errorf("%s: what a seam shows is %s", name, o.Evidence)
		}
		// A server that does nothing passes nothing, and one that never claimed to remind is not accused.
		idle := honestTale()
		idle.events, idle.end, idle.afterLate, idle.record, idle.endReached, idle.sent2 = nil, suspended, suspended, nil, false, false
		if o := concludes(t, retrySuite(), name, idle.course(t)); o.Verdict != scenarios.Failed && o.Verdict != scenarios.Blocked {
			t.Errorf("%s: a server that does nothing: %s", name, o.Verdict)
		}
		i := slices.IndexFunc(retrySuite().Scenarios, func(s scenarios.Scenario) bool { return s.Name() == name })
		if o := scenarios.ConcludeOpen(retrySuite().Scenarios[i], Protocol.Ledger, idle.course(t)); o.Verdict != scenarios.Inapplicable {
			t.Errorf("%s: a server that does nothing and claims nothing: %s (%s)", name, o.Verdict, o.Reason)
		}
	}
}
