package retry

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/openassay/assay/gen/openintent"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/openintent/hosttest"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

// finish is how a suspension ended. Its attempts are two seconds apart.
type finish struct {
	events   []hosttest.Happened
	before   string
	status   string
	record   map[string]any
	attempts int
	reached  bool
}

func expiredAt(seconds float64) hosttest.Happened {
	return hosttest.Happened{Kind: host.EventExpired, At: seconds, Payload: map[string]any{"suspension_id": sidOfStory}}
}

func (f finish) ending(t *testing.T) Ending {
	t.Helper()
	x := honestTale().course(t)
	var early []hosttest.Happened
	for _, e := range f.events {
		if e.At <= float64(2*f.attempts)-0.6 {
			early = append(early, e)
		}
	}
	return Ending{
		Interval: 2, Attempts: f.attempts, Suspension: x.Suspension,
		Before: host.Look{Intent: hosttest.IntentOf(t, f.before, nil), Log: hosttest.LogOf(t, early)},
		End:    hosttest.WaitOf(t, "the suspension expires", f.reached, f.status),
		After:  host.Look{Intent: hosttest.IntentOf(t, f.status, f.record), Log: hosttest.LogOf(t, f.events)},
	}
}

func finished(attempts int, status string, record map[string]any) *finish {
	record["id"], record["resolution"] = sidOfStory, "expired"
	return &finish{events: []hosttest.Happened{expiredAt(float64(2*attempts) + 0.01)}, before: host.Suspended,
		status: status, record: record, attempts: attempts, reached: true}
}

func TestJudgesOfFallbacks(t *testing.T) {
	record := func(response any) map[string]any {
		r := map[string]any{"fallback_value": fallbackValue}
		if response != nil {
			r["response"] = response
		}
		return r
	}
	honest := func() []*finish {
		return []*finish{finished(2, host.Active, record(nil)), finished(2, host.Abandoned, record(nil)),
			finished(2, host.Active, record(fallbackValue))}
	}
	for _, c := range []struct {
		scenario, name string
		change         func([]*finish)
		want           string
	}{
		{"inner-fallback-first", "honest", func([]*finish) {}, "passed"},
		{"inner-fallback-first", "the outer wins",
			func(f []*finish) { f[0].status, f[1].status = host.Abandoned, host.Active }, openintent.OIP0026B2},
		{"inner-fallback-first", "the outer wins over fail", func(f []*finish) { f[1].status = host.Active }, openintent.OIP0026B2},
		{"inner-fallback-first", "fail, with the value all the same",
			func(f []*finish) { f[1].record["response"] = fallbackValue }, openintent.OIP0026B2},
		{"inner-fallback-first", "the value is lost", func(f []*finish) { delete(f[0].record, "fallback_value") }, openintent.OIP0025F2},
		{"inner-fallback-first", "it is completed (OIP-R13)", func(f []*finish) { f[0].status = host.Completed }, "blocked"},
		{"inner-fallback-first", "it is completed, and the outer wins over fail",
			func(f []*finish) { f[0].status, f[1].status = host.Completed, host.Active }, openintent.OIP0026B2},
		{"inner-fallback-first", "fail stays suspended (OIP-R12)", func(f []*finish) { f[1].status = host.Suspended }, "passed"},
		{"inner-fallback-first", "the first never ends", func(f []*finish) { f[0].reached, f[0].status = false, host.Suspended },
			hosttest.Violates(openintent.OIP0026N6)},
		{"inner-fallback-first", "the first ends by its event alone", func(f []*finish) {
			f[0].reached, f[0].status, f[0].record = false, host.Suspended, map[string]any{"id": sidOfStory}
		}, hosttest.Violates(openintent.OIP0025F3)},
		{"inner-fallback-first", "nothing ever ends", func(f []*finish) {
			f[0].reached, f[0].status, f[0].events = false, host.Suspended, nil
		}, hosttest.Violates(openintent.OIP0026N6)},
		{"fallback-inherited", "honest", func([]*finish) {}, "passed"},
		{"fallback-inherited", "fail by default", func(f []*finish) { f[2].status = host.Abandoned }, openintent.OIP0026H8},
		{"fallback-inherited", "the one before did not end", func(f []*finish) { f[1].reached = false }, hosttest.Violates(openintent.OIP0026N6)},
		{"real-time-fallbacks", "honest", func([]*finish) {}, "passed"},
	} {
		f := honest()
		c.change(f)
		o := EndsObservation{}
		for _, e := range f {
			o.Ends = append(o.Ends, e.ending(t))
		}
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) { hosttest.Ends(t, hosttest.Concludes(t, Suite(), c.scenario, o), c.want) })
	}
}

// A server that says nothing of a timer, and reminds, has one: what it does not end is held against it.
func TestTimersThatAreFoundByAsking(t *testing.T) {
	for reminds, want := range map[bool]scenarios.Verdict{true: scenarios.Failed, false: scenarios.Inapplicable} {
		f := finished(1, host.Suspended, map[string]any{})
		f.events, f.reached = nil, false
		o := EndsObservation{Ends: []Ending{f.ending(t), f.ending(t)}, Control: hosttest.LogOf(t, nil)}
		if reminds {
			o.Control = hosttest.LogOf(t, []hosttest.Happened{reminderAt(2, 2, nil)})
		}
		for _, s := range Suite().Scenarios {
			if s.Name() != "no-policy" {
				continue
			}
			if got := scenarios.ConcludeOpen(s, host.Ledger, o); got.Verdict != want {
				t.Errorf("it reminds %v: %s (%s), want %s", reminds, got.Verdict, got.Reason, want)
			}
		}
	}
}

// What is said of each reminder is not broken by a server that sends none.
func TestNoReminderIsNoneOfAttempt1(t *testing.T) {
	x := honestTale()
	x.events, x.sent2 = x.events[:1], false
	got := hosttest.Concludes(t, Suite(), "reminders", x.course(t))
	for _, c := range got.Violations() {
		if c.Requirement == openintent.OIP0026N1 {
			t.Errorf("%s: expected %s, got %s", c.Requirement, c.Expected, c.Actual)
		}
	}
	if got.Verdict != scenarios.Failed {
		t.Errorf("%s: %s", got.Verdict, got.Reason)
	}
}

// A timer may be early by 5 % of its time, and by 0.25 s in any case.
func TestSpare(t *testing.T) {
	for d, want := range map[time.Duration]time.Duration{time.Second: host.Early, 20 * time.Second: time.Second} {
		if got := scenarios.Spare(d, host.Early); got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
	}
}

func TestJudgesOfOneWindow(t *testing.T) {
	for _, c := range []struct {
		scenario, name string
		change         func([]*finish, *EndsObservation)
		want           string
	}{
		{"no-policy", "honest", func([]*finish, *EndsObservation) {}, "passed"},
		{"no-policy", "the platform has a policy, which applies", func(f []*finish, o *EndsObservation) {
			f[0].events, o.Default = nil, wiretest.Value(t, map[string]any{"max_attempts": 3})
			f[0].reached, f[0].status = false, host.Suspended
		}, "inapplicable"},
		{"no-policy", "somebody is reminded",
			func(f []*finish, _ *EndsObservation) { f[0].events = append(f[0].events, reminderAt(2, 2, nil)) },
			openintent.OIP0026B1},
		{"no-policy", "it ends at once",
			func(f []*finish, _ *EndsObservation) { f[0].events = []hosttest.Happened{expiredAt(0.1)} },
			openintent.OIP0026B1},
		{"no-policy", "through the seam, it ends before",
			func(f []*finish, o *EndsObservation) { f[0].before, o.Lapse.Seam = host.Abandoned, true },
			openintent.OIP0026B1},
		{"one-attempt", "honest", func([]*finish, *EndsObservation) {}, "passed"},
		{"one-attempt", "it hangs", func(f []*finish, _ *EndsObservation) {
			f[1].reached, f[1].status, f[1].events = false, host.Suspended, nil
		}, openintent.OIP0026N7},
		{"one-attempt", "it reminds",
			func(f []*finish, _ *EndsObservation) { f[1].events = append(f[1].events, reminderAt(1, 2, nil)) },
			openintent.OIP0026H1},
		{"one-attempt", "three windows",
			func(f []*finish, _ *EndsObservation) { f[1].events = []hosttest.Happened{expiredAt(6)} }, openintent.OIP0026N7},
		{"real-time-single", "honest", func([]*finish, *EndsObservation) {}, "passed"},
	} {
		f := []*finish{finished(1, host.Abandoned, map[string]any{}), finished(1, host.Abandoned, map[string]any{})}
		o := EndsObservation{}
		c.change(f, &o)
		for _, e := range f {
			o.Ends = append(o.Ends, e.ending(t))
		}
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) { hosttest.Ends(t, hosttest.Concludes(t, Suite(), c.scenario, o), c.want) })
	}
}

func TestJudgesOfAnAnswerInTime(t *testing.T) {
	honest := func(t *testing.T) InTimeObservation {
		x := honestTale().course(t)
		log := hosttest.LogOf(t, []hosttest.Happened{reminderAt(2, 2, nil), stepAt(2, 2, nil)})
		record := map[string]any{"id": sidOfStory, "resolution": "responded", "response": "in time"}
		reminder := x.Steps[0]
		reminder.Reached.Last = wiretest.Value(t, map[string]any{"payload": map[string]any{"suspension_id": sidOfStory}})
		return InTimeObservation{
			Attempts: 3, Suspension: x.Suspension, Reminder: reminder,
			Answer:   host.Reply{Asked: "answer with the first id", Status: wiretest.Status(t, 200)},
			Answered: host.Look{Intent: hosttest.IntentOf(t, host.Active, record), Log: log},
			After:    host.Look{Intent: hosttest.IntentOf(t, host.Active, record), Log: log},
		}
	}
	later := func(t *testing.T, e ...hosttest.Happened) host.Log {
		return hosttest.LogOf(t, append([]hosttest.Happened{reminderAt(2, 2, nil), stepAt(2, 2, nil)}, e...))
	}
	for _, c := range []struct {
		scenario, name string
		change         func(*testing.T, *InTimeObservation)
		want           string
	}{
		{"answered-in-between", "honest", func(*testing.T, *InTimeObservation) {}, "passed"},
		{"answered-in-between", "the first id is stale",
			func(t *testing.T, o *InTimeObservation) { o.Answer.Status = wiretest.Status(t, 409) }, openintent.OIP0026N9},
		{"answered-in-between", "a new id", func(t *testing.T, o *InTimeObservation) {
			o.Reminder.Reached.Last = wiretest.Value(t, map[string]any{"payload": map[string]any{"suspension_id": "s-2"}})
		}, openintent.OIP0026N9},
		{"quiet-after-the-answer", "honest", func(*testing.T, *InTimeObservation) {}, "passed"},
		{"quiet-after-the-answer", "it reminds",
			func(t *testing.T, o *InTimeObservation) { o.After.Log = later(t, reminderAt(4, 3, nil)) }, openintent.OIPREAD4},
		{"quiet-after-the-answer", "it escalates",
			func(t *testing.T, o *InTimeObservation) { o.After.Log = later(t, stepAt(4, 3, nil)) }, openintent.OIPREAD4},
		{"quiet-after-the-answer", "it expires",
			func(t *testing.T, o *InTimeObservation) { o.After.Log = later(t, expiredAt(6)) }, openintent.OIPREAD4},
		{"quiet-after-the-answer", "the fallback wins", func(t *testing.T, o *InTimeObservation) {
			o.After.Intent = hosttest.IntentOf(t, host.Active, map[string]any{"resolution": "expired", "response": fallbackValue})
		}, openintent.OIPREAD9},
		{"quiet-after-the-answer", "the answer was not taken",
			func(t *testing.T, o *InTimeObservation) { o.Answer.Status = wiretest.Status(t, 409) }, "blocked"},
		{"quiet-after-the-answer", "nobody was reminded", func(t *testing.T, o *InTimeObservation) {
			o.Reminder.Reached.Reached, o.After.Log = false, hosttest.LogOf(t, nil)
		}, hosttest.Violates(openintent.OIP0026N3)},
		{"quiet-after-the-answer", "nobody was reminded, and it ended", func(t *testing.T, o *InTimeObservation) {
			o.Reminder.Reached.Reached, o.Answered.Log = false, hosttest.LogOf(t, []hosttest.Happened{expiredAt(6)})
		}, "blocked"},
		{"answered-in-between", "our answer came after the end", func(t *testing.T, o *InTimeObservation) {
			o.Answer.Status, o.Answered.Log = wiretest.Status(t, 409), later(t, reminderAt(4, 3, nil), expiredAt(6))
		}, "blocked"},
		{"real-time-in-time", "honest", func(*testing.T, *InTimeObservation) {}, "passed"},
	} {
		t.Run(c.scenario+"/"+c.name, func(t *testing.T) {
			o := honest(t)
			c.change(t, &o)
			hosttest.Ends(t, hosttest.Concludes(t, Suite(), c.scenario, o), c.want)
		})
	}
}

func TestJudgesOfNoWindow(t *testing.T) {
	honest := func(t *testing.T) EndlessObservation {
		x := honestTale().course(t)
		return EndlessObservation{Endless: x.Suspension,
			Ended:  hosttest.WaitOf(t, "the other expires", true, host.Abandoned),
			After:  host.Look{Intent: hosttest.IntentOf(t, host.Suspended, nil), Log: hosttest.LogOf(t, nil)},
			Answer: host.Reply{Asked: "answer", Status: wiretest.Status(t, 200)}}
	}
	hosttest.Ends(t, hosttest.Concludes(t, Suite(), "no-window", honest(t)), "passed")
	for name, change := range map[string]func(*EndlessObservation){
		"it ends":                func(o *EndlessObservation) { o.After.Intent = hosttest.IntentOf(t, host.Abandoned, nil) },
		"it is told":             func(o *EndlessObservation) { o.After.Log = hosttest.LogOf(t, []hosttest.Happened{expiredAt(2)}) },
		"the answer is too late": func(o *EndlessObservation) { o.Answer.Status = wiretest.Status(t, 409) },
	} {
		o := honest(t)
		change(&o)
		t.Run(name, func(t *testing.T) {
			hosttest.Ends(t, hosttest.Concludes(t, Suite(), "no-window", o), openintent.OIP0025F4)
		})
	}
	o := honest(t)
	o.Ended.Reached = false
	hosttest.Ends(t, hosttest.Concludes(t, Suite(), "no-window", o), hosttest.Violates(openintent.OIP0026B1))
}

// A policy without max_attempts has one attempt, or those of the platform, and never those of the record before it.
func TestJudgesOfFilledWindows(t *testing.T) {
	suspended := func(policy map[string]any, ends float64) host.Suspension {
		sent, err := json.Marshal(map[string]any{"id": sidOfStory, "suspended_at": hosttest.After(0), "retry_policy": policy})
		if err != nil {
			t.Fatal(err)
		}
		record := map[string]any{"id": sidOfStory, "expires_at": hosttest.After(ends)}
		return host.Suspension{ID: sidOfStory, Sent: host.SentOf(sent), After: hosttest.IntentOf(t, host.Suspended, record)}
	}
	none, three := map[string]any{}, map[string]any{"max_attempts": 3}
	for name, c := range map[string]struct {
		platform     map[string]any
		first, other float64
		want         string
	}{
		"one attempt, and the platform has no policy":      {none, 4, 1, "passed"},
		"one attempt, though the platform has three":       {three, 4, 1, "passed"},
		"those of the platform":                            {three, 4, 3, "passed"},
		"those of the record before":                       {three, 4, 4, openintent.OIP0026N8},
		"those of the record before, without the platform": {none, 4, 4, openintent.OIP0026N8},
		"a window of its own for the first":                {none, 3, 1, openintent.OIP0026N8},
	} {
		t.Run(name, func(t *testing.T) {
			o := WindowObservation{Platform: wiretest.Value(t, c.platform),
				Suspension: suspended(map[string]any{"max_attempts": 4, "interval_seconds": windowSeconds}, c.first*windowSeconds),
				Silent:     suspended(map[string]any{"interval_seconds": windowSeconds}, c.other*windowSeconds)}
			hosttest.Ends(t, hosttest.Concludes(t, Suite(), "window", o), c.want)
		})
	}
}

func TestJudgesOfNotifications(t *testing.T) {
	honest := func(t *testing.T) NotifyObservation {
		x := honestTale().course(t)
		body := wiretest.Value(t, map[string]any{"suspension_id": sidOfStory, "attempt": 2, "question": "go on?"})
		return NotifyObservation{Suspension: x.Suspension, Canaries: []string{"canary-1"},
			Arrived: hosttest.WaitOf(t, "a reminder", true, nil), Received: wire.Values{body},
			Look: host.Look{Intent: hosttest.IntentOf(t, host.Suspended, nil), Log: hosttest.LogOf(t, []hosttest.Happened{reminderAt(2, 2, nil)})}}
	}
	for _, c := range []struct {
		name   string
		change func(*NotifyObservation)
		want   string
	}{
		{"honest", func(*NotifyObservation) {}, "passed"},
		{"the context goes out", func(o *NotifyObservation) {
			o.Received = wire.Values{wiretest.Value(t,
				map[string]any{"context": map[string]any{"customer": []any{map[string]any{"secret": "x canary-1 y"}}}})}
		}, openintent.OIP0026K1},
		{"the server shows what goes out to its readers, too (OIP-R116)", func(o *NotifyObservation) {
			o.Suspension.After = hosttest.IntentOf(t, host.Suspended, map[string]any{"id": sidOfStory, "context": "canary-1"})
			o.Received = wire.Values{wiretest.Value(t, map[string]any{"context": "canary-1"})}
		}, "inapplicable"},
		{"it hides one of two, and sends the other (OIP-R116)", func(o *NotifyObservation) {
			o.Canaries = append(o.Canaries, "canary-2")
			o.Suspension.After = hosttest.IntentOf(t, host.Suspended, map[string]any{"id": sidOfStory, "context": "canary-2"})
			o.Received = wire.Values{wiretest.Value(t, map[string]any{"context": "canary-2"})}
		}, "passed"},
		{"it hides the addresses of the question", func(o *NotifyObservation) {
			o.Question, o.Addresses = "ask", []string{"a@x", "b@x"}
			o.Received = append(o.Received, wiretest.Value(t, map[string]any{"question": "ask …, …?"}))
		}, "passed"},
		{"it hides one address of two", func(o *NotifyObservation) {
			o.Question, o.Addresses = "ask", []string{"a@x", "b@x"}
			o.Received = append(o.Received, wiretest.Value(t, map[string]any{"question": "ask …, b@x?"}))
		}, openintent.OIP0026K1},
		{"it hides them in one reminder of two", func(o *NotifyObservation) {
			o.Question, o.Addresses = "ask", []string{"a@x", "b@x"}
			for _, question := range []string{"ask …, …?", "ask a@x, b@x?"} {
				o.Received = append(o.Received, wiretest.Value(t, map[string]any{"question": question}))
			}
		}, openintent.OIP0026K1},
		{"in the name of a member",
			func(o *NotifyObservation) { o.Received = wire.Values{wiretest.Value(t, map[string]any{"canary-1": 1})} },
			openintent.OIP0026K1},
		{"nothing comes", func(o *NotifyObservation) { o.Arrived.Reached, o.Received = false, nil }, openintent.OIP0026K1},
		{"nobody is reminded", func(o *NotifyObservation) {
			o.Arrived.Reached, o.Received, o.Look.Log = false, nil, hosttest.LogOf(t, nil)
		}, "blocked"},
	} {
		o := honest(t)
		c.change(&o)
		t.Run(c.name, func(t *testing.T) {
			hosttest.Ends(t, hosttest.Concludes(t, Suite(), "reminder-without-secrets", o), c.want)
		})
	}

	x := honestTale().course(t)
	s := StrangerObservation{Stranger: "nobody@stranger.invalid", Record: host.Reply{Status: wiretest.Status(t, 200)},
		Suspension: x.Suspension, Reached: hosttest.WaitOf(t, "a reminder", true, nil),
		Look: host.Look{Intent: hosttest.IntentOf(t, host.Suspended, nil),
			Log: hosttest.LogOf(t, []hosttest.Happened{reminderAt(2, 2, map[string]any{"notify_to": nil})})}}
	finds := func(o StrangerObservation) int {
		got := hosttest.Concludes(t, Suite(), "stranger-not-notified", o)
		if got.Verdict != scenarios.Passed {
			t.Errorf("%s: %s", got.Verdict, got.Reason)
		}
		return len(got.Findings)
	}
	if n := finds(s); n != 0 {
		t.Errorf("%d findings where the stranger is left out", n)
	}
	refused := s
	refused.Record.Status = wiretest.Status(t, 422)
	if n := finds(refused); n != 0 {
		t.Errorf("%d findings where the record is refused", n)
	}
	s.Look.Log = hosttest.LogOf(t, []hosttest.Happened{stepAt(2, 2, map[string]any{"escalated_to": "nobody@stranger.invalid"})})
	if n := finds(s); n != 1 {
		t.Errorf("%d findings where the stranger is escalated to", n)
	}
}
