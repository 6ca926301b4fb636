package retry

import (
	"context"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Ending is a suspension that nobody answered in time.
type Ending struct {
	Interval   int             `json:"interval"` // seconds
	Attempts   int             `json:"attempts"`
	Intent     string          `json:"intent"` // its id
	Suspension host.Suspension `json:"suspension"`
	Before     host.Look       `json:"before"` // shortly before the end
	End        wire.Wait       `json:"end"`
	After      host.Look       `json:"after"`
}

// EndsObservation holds suspensions with different records that end together.
type EndsObservation struct {
	Default wire.Value `json:"default"` // the policy of the platform, as its configuration shows it
	Ends    []Ending   `json:"ends"`
	Lapse   host.Lapse `json:"lapse"`
	Control host.Log   `json:"control"`          // of a suspension that is to be reminded of at the same time
	Beside  *Ending    `json:"beside,omitempty"` // that suspension; its end is not looked at
}

// SeenAs implements [scenarios.Seer].
func (o EndsObservation) SeenAs() scenarios.Evidence { return o.Lapse.Evidence() }

// drive suspends an intent for each record, all with this many attempts, and looks before and after they end. beside, if any, is
// the record of a further one, of which the server reminds.
func (o *EndsObservation) drive(ctx context.Context, w *watch, attempts int, beside func() host.Record, records func() []host.Record) {
	refused := scenarios.Try(func() { o.suspend(ctx, w, attempts, beside, records) })
	if host.IsBlocked(refused) && !w.usesSeam() {
		o.driveLong(ctx, w, attempts, beside, records)
	}
	scenarios.End(refused)
	w.waitUntil(ctx, w.intervals(float64(attempts)-0.3))
	looked := w.Now()
	o.before(ctx, w.Server)
	w.took(looked)
	o.Lapse = w.waitUntil(ctx, w.intervals(float64(attempts))+grace)
	o.Lapse.Seam = w.usesSeam()
	o.after(ctx, w.Server, w.expect)
}

// driveLong tries longer intervals where the server took no short one, and ends the drive until the windows are over, unless it
// takes none of them.
func (o *EndsObservation) driveLong(ctx context.Context, w *watch, attempts int, beside func() host.Record, records func() []host.Record) {
	for _, interval := range scenarios.LongLimits() {
		w.interval, o.Ends = int(interval.Seconds()), nil
		err := scenarios.Try(func() { o.suspend(ctx, w, attempts, beside, records) })
		if host.IsBlocked(err) {
			continue
		}
		scenarios.End(err)
		o.before(ctx, w.Server)
		var left []string
		for _, e := range o.Ends {
			left = append(left, host.NameOf(e.Intent))
		}
		if o.Beside != nil {
			left = append(left, host.NameOf(o.Beside.Intent))
		}
		w.Until("the window of a suspension", w.intervals(float64(attempts))+grace, left...)
	}
}

// suspend suspends an intent for each record.
func (o *EndsObservation) suspend(ctx context.Context, w *watch, attempts int, beside func() host.Record, records func() []host.Record) {
	if beside != nil {
		control, sus := w.suspend(ctx, "reminded", beside())
		o.Beside = &Ending{Interval: w.interval, Attempts: attempts, Intent: control.ID, Suspension: sus}
	}
	for _, r := range records() {
		i, sus := w.suspend(ctx, "ending", r)
		o.Ends = append(o.Ends, Ending{Interval: w.interval, Attempts: attempts, Intent: i.ID, Suspension: sus})
	}
}

// of returns the intent of a suspension.
func (e Ending) of(s *host.Server) *host.Intent { return &host.Intent{Server: s, ID: e.Intent} }

// before looks at the suspensions before their ends.
func (o *EndsObservation) before(ctx context.Context, s *host.Server) {
	for n, e := range o.Ends {
		o.Ends[n].Before = e.of(s).Look(ctx, "before the end of the window")
	}
}

// after looks at the suspensions when their windows are over. expect is told of each end that was waited for.
func (o *EndsObservation) after(ctx context.Context, s *host.Server, expect func(wire.Wait) wire.Wait) {
	for n := range o.Ends {
		e := &o.Ends[n]
		i := e.of(s)
		e.End = expect(expires(ctx, i, "the suspension expires"))
		e.After = i.Look(ctx, "after the end")
		if !e.End.Reached {
			break // do not wait as long for each of the others
		}
	}
	if o.Beside != nil {
		o.Control = o.Beside.of(s).Log(ctx, "the log of what is to be reminded of")
	}
}

// whenOver has drives look at suspensions when windows are over that they did not wait for.
func whenOver(offered, waited *scenarios.Drive[EndsObservation]) (a, b *scenarios.Drive[EndsObservation]) {
	later := func(ctx context.Context, c *scenarios.Conn, o *EndsObservation) {
		s := host.Open(ctx, c)
		for _, e := range o.Ends {
			s.Again(e.Intent, e.Suspension.ID)
		}
		if o.Beside != nil {
			s.Again(o.Beside.Intent, o.Beside.Suspension.ID)
		}
		o.after(ctx, s, func(w wire.Wait) wire.Wait { return w })
	}
	offered.Later, waited.Later = later, later
	return offered, waited
}

// fallbackValue is the value of a fallback that continues.
const fallbackValue = "the second best"

var fallbacks, fallbacksRealTime = whenOver(timedDrives("fallbacks",
	"suspends three intents whose policies and records name fallbacks, and answers none", 5*time.Second, courseSends,
	func(ctx context.Context, w *watch, o *EndsObservation) {
		o.Default = w.DefaultPolicy()
		q := func(outer string, policy map[string]any) host.Record {
			return w.Question("text").Retried(2, w.interval, policy).
				With(map[string]any{"fallback_policy": outer, "fallback_value": fallbackValue})
		}
		o.drive(ctx, w, 2, nil, func() []host.Record {
			return []host.Record{
				q("fail", map[string]any{"final_fallback_policy": "complete_with_fallback"}),
				q("complete_with_fallback", map[string]any{"final_fallback_policy": "fail"}),
				q("complete_with_fallback", nil),
			}
		})
	}))

var single, singleRealTime = whenOver(timedDrives("single",
	"suspends an intent without a policy and one whose policy has one attempt, and answers neither", 3*time.Second, courseSends,
	func(ctx context.Context, w *watch, o *EndsObservation) {
		o.Default = w.DefaultPolicy()
		reminded := func() host.Record { return w.Question("text").Retried(2, w.interval, nil) }
		o.drive(ctx, w, 1, reminded, func() []host.Record {
			once := w.Question("text").Retried(1, w.interval, map[string]any{"final_fallback_policy": "fail"})
			if hasPolicy(o.Default) { // a record without a policy has that one
				return []host.Record{once}
			}
			return []host.Record{w.Question("text").Within(w.interval, "fail", nil), once}
		})
	}))

// hasPolicy reports whether the platform has a policy of its own. It then applies where a record says nothing
// (RFC-0026 5).
func hasPolicy(platform wire.Value) bool {
	policy, _ := platform.Actual().(map[string]any)
	return len(policy) > 0
}

// InTimeObservation is a suspension that is answered during attempt 2.
type InTimeObservation struct {
	Attempts   int             `json:"attempts"`
	Suspension host.Suspension `json:"suspension"`
	Reminder   Step            `json:"reminder"`
	Answer     host.Reply      `json:"answer"`
	Answered   host.Look       `json:"answered"`
	Lapse      host.Lapse      `json:"lapse"` // past the time at which the window would have ended
	After      host.Look       `json:"after"`
}

// SeenAs implements [scenarios.Seer].
func (o InTimeObservation) SeenAs() scenarios.Evidence { return o.Lapse.Evidence() }

var inTime, inTimeRealTime = timedDrives("in-time",
	"answers an intent during the second of three attempts, and lets the others pass", 8*time.Second, courseSends,
	func(ctx context.Context, w *watch, o *InTimeObservation) {
		o.Attempts = 3
		policy := map[string]any{"escalation_ladder": ladder(), "final_fallback_policy": "complete_with_fallback"}
		i, sus := w.suspend(ctx, "in-time", w.Question("text").With(map[string]any{"fallback_value": fallbackValue}).
			Retried(o.Attempts, w.interval, policy))
		o.Suspension = sus
		o.Reminder = w.attempt(ctx, i, 2)
		w.noteLate(w.since() - w.intervals(2))
		o.Answer = i.Answer(ctx, "answer with the first id", sus.ID, "in time")
		if o.Reminder.reminded() {
			w.acted(w.intervals(2))
		}
		if host.MissingRoute(o.Answer) {
			host.NoAnswers(w.Server, o.Answer)
		}
		o.Answered = i.Look(ctx, "after the answer")
		o.Lapse = w.waitUntil(ctx, w.intervals(float64(o.Attempts)+0.5))
		o.Lapse.Seam = w.usesSeam()
		w.Barrier(ctx, o.Reminder.Reached.Gap())
		o.After = i.Look(ctx, "after the window would have ended")
	})

// EndlessObservation is a suspension without a window, and another one that ends.
type EndlessObservation struct {
	Endless host.Suspension `json:"endless"`
	Ended   wire.Wait       `json:"ended"` // for the end of the other one
	Lapse   host.Lapse      `json:"lapse"`
	After   host.Look       `json:"after"`
	Answer  host.Reply      `json:"answer"`
}

// SeenAs implements [scenarios.Seer].
func (o EndlessObservation) SeenAs() scenarios.Evidence { return o.Lapse.Evidence() }

// month is how long a suspension without a window is left alone, if there is a seam.
const month = 30 * 24 * time.Hour

var endless, endlessRealTime = timedDrives("endless",
	"suspends an intent without a window, and one with a window beside it", 6*time.Second, courseSends,
	func(ctx context.Context, w *watch, o *EndlessObservation) {
		if hasPolicy(w.DefaultPolicy()) {
			scenarios.End(scenarios.NotOffered("suspension.default_retry_policy of the server gives a window to a record without one"))
		}
		i, sus := w.suspend(ctx, "endless", w.Question("text"))
		o.Endless = sus
		other, _ := w.suspend(ctx, "ends", w.Question("text").Within(w.interval, "fail", nil))
		w.waitUntil(ctx, w.intervals(1)+grace)
		o.Ended = w.expect(expires(ctx, other, "the other suspension expires"))
		w.intents = w.intents[:1]
		more := w.intervals(3)
		if w.usesSeam() {
			more = month
		}
		o.Lapse = w.waitUntil(ctx, more)
		o.Lapse.Seam = w.usesSeam()
		o.After = i.Look(ctx, "long after")
		o.Answer = i.Answer(ctx, "answer long after", sus.ID, "at last")
	})

// WindowObservation is a suspension whose expires_at the server fills in.
type WindowObservation struct {
	Suspension host.Suspension `json:"suspension"`
	Platform   wire.Value      `json:"platform"` // its policy, as the configuration showed it
	// Silent names no max_attempts, after one that does. It is asked beyond quick, and a server may refuse it.
	Silent host.Suspension `json:"silent,omitzero"`
}

// windowSeconds is a third of its window.
const windowSeconds = 60

var window = &scenarios.Drive[WindowObservation]{
	ID: "openintent/window", Title: "suspends an intent with a policy and without expires_at, and another one with half a policy",
	Sends: append(courseSends[:4:4], "GET /server/config"),
	Run: func(ctx context.Context, c *scenarios.Conn, o *WindowObservation) {
		s := host.Open(ctx, c)
		o.Platform = s.DefaultPolicy()
		attempts := 3
		if said, is := platformAttempts(o.Platform); is && said == attempts { // so that the two are told apart
			attempts++
		}
		open := func(attempts int) (host.Record, map[string]any) {
			r := s.Question("text").Retried(attempts, windowSeconds, nil)
			r["expires_at"] = nil // left off
			policy, _ := r["retry_policy"].(map[string]any)
			return r, policy
		}
		i := s.NewIntent(ctx, "window", host.Active, nil)
		r, _ := open(attempts)
		o.Suspension = i.Suspend(ctx, r)
		if expires := o.Suspension.Shown().Key("expires_at"); expires.Actual() == nil || expires.String() == "" {
			scenarios.End(scenarios.NotOffered("the server leaves expires_at of a record to who writes it"))
		}
		if c.Depth == scenarios.Quick {
			return
		}
		silent, policy := open(1)
		delete(policy, "max_attempts")
		refused := scenarios.Try(func() { o.Silent = s.NewIntent(ctx, "window", host.Active, nil).Suspend(ctx, silent) })
		if !host.IsBlocked(refused) {
			scenarios.End(refused)
		}
		s.Get(ctx, "the configuration after records with policies", "/server/config")
	},
}

// platformAttempts returns how many attempts the policy of the platform has, if it says so.
func platformAttempts(policy wire.Value) (n int, said bool) {
	most, said := policy.Key("max_attempts").Int()
	return int(most), said
}
