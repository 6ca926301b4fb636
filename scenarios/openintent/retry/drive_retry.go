package retry

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// A watch lets time pass for intents that were suspended together.
type watch struct {
	*host.Server
	intents  []*host.Intent
	real     bool // waits, even if there is a seam
	interval int  // seconds between two attempts: many with a seam, few when they are waited for
	began    time.Time
	passed   time.Duration
	late     bool          // the drive looked so late that it may have missed something
	slipped  time.Duration // by which the drive acted too late, 0 if it was in time
	missed   bool          // something did not happen, and the wait for that took long
	slowest  time.Duration // of what must not take long
}

// Seconds between two attempts.
const (
	intervalSeam     = 60
	intervalSeamMost = 6000
	intervalWaited   = 2 // enough to tell a server that is late by the whole tolerance from one that skips an attempt
	intervalReal     = 1 // beside a drive that uses the seam
	intervalPatient  = 4 // at least, for another try, if the machine, the network or what the server takes was too slow
	intervalMost     = 32
)

// newWatch returns a watch on no intent yet. With waits it never uses the seam.
func newWatch(s *host.Server, waits bool) *watch {
	w := &watch{Server: s, real: waits, interval: intervalSeam}
	switch {
	case waits: // at least ten replies long, so that the intent is suspended before it is over
		w.interval = max(intervalReal, int(10*s.Took.Seconds()))
	case s.Seam() == "":
		w.interval = intervalWaited
	}
	return w
}

// again returns a watch like w with longer intervals where w was late, which shows nothing about the target; nil where it was
// not, or where a target that is late itself had a second try.
func (w *watch) again() *watch {
	const spare = 8 // a look may take a fifth of an interval
	if w.usesSeam() {
		if w.missed || w.began.IsZero() || w.since() <= w.intervals(harmless) || w.interval >= intervalSeamMost {
			return nil
		}
		return &watch{Server: w.Server, real: w.real, interval: w.interval * 10} // more time went by than the seam was told
	}
	if w.interval >= intervalMost || w.slipped == 0 && (!w.late || w.interval >= intervalPatient && !w.slow()) {
		return nil
	}
	longer := max(intervalPatient, 2*w.interval, int(math.Ceil(max(spare*w.slowest.Seconds(), 2*w.slipped.Seconds()/harmless))))
	return &watch{Server: w.Server, real: w.real, interval: min(longer, intervalMost)}
}

// slow reports whether the drive was late because of what lies between it and the target.
func (w *watch) slow() bool { return w.slowest > w.intervals(harmless) }

// usesSeam reports whether time passes through the seam.
func (w *watch) usesSeam() bool { return !w.real && w.Seam() != "" }

// suspend makes and suspends an intent, and watches it.
func (w *watch) suspend(ctx context.Context, stem string, r host.Record) (*host.Intent, host.Suspension) {
	i := w.NewIntent(ctx, stem, host.Active, nil)
	asked := w.Now()
	defer func() { w.took(asked) }()
	sus := i.Suspend(ctx, r)
	w.intents, w.began = append(w.intents, i), w.Now()
	return i, sus
}

// look is like [host.Intent.Look], of what is soon over.
func (w *watch) look(ctx context.Context, i *host.Intent, when string) host.Look {
	defer w.took(w.Now())
	return i.Look(ctx, when)
}

// took notes how long something took that must not take long.
func (w *watch) took(since time.Time) {
	d := w.Now().Sub(since)
	w.slowest = max(w.slowest, d)
	w.noteLate(d)
}

// noteLate notes that the drive itself was late by d. Looks are a fifth of an interval apart, so less than that does no
// harm.
func (w *watch) noteLate(d time.Duration) {
	if w.isLate(d) && !w.missed {
		w.late = true
	}
}

func (w *watch) isLate(d time.Duration) bool { return !w.usesSeam() && d > w.intervals(harmless) }

// harmless is the part of an interval by which a drive may be late.
const harmless = 0.2

// acted ends the drive if what it was to do until offset is only now done: what a server then does shows nothing.
func (w *watch) acted(offset time.Duration) {
	d := w.Now().Sub(w.began) - offset
	if !w.isLate(d) {
		return
	}
	w.slipped = d
	scenarios.End(scenarios.Block(
		fmt.Sprintf("the drive itself was %s late, with an interval of %d s, so the times of the server show nothing",
			d.Round(time.Millisecond), w.interval), "certify from a machine and over a line that are less busy, or with fewer --workers"))
}

// intervals returns the duration of n intervals.
func (w *watch) intervals(n float64) time.Duration {
	return time.Duration(n * float64(w.interval) * float64(time.Second))
}

// since returns how long ago the suspensions began.
func (w *watch) since() time.Duration { return w.Now().Sub(w.began) }

// waitUntil lets time pass until offset after the suspensions began.
func (w *watch) waitUntil(ctx context.Context, offset time.Duration) host.Lapse {
	l := host.Lapse{Seam: w.usesSeam()}
	d := offset - w.passed
	if !l.Seam {
		d = offset - w.since()
	}
	if d <= 0 {
		w.noteLate(-d)
		return l
	}
	w.passed = offset
	l.Seconds = d.Seconds()
	if !l.Seam {
		scenarios.End(wire.Pause(ctx, d))
		w.took(w.began.Add(offset))
		return l
	}
	for _, i := range w.intents {
		l.Said = i.Lapse(ctx, d).Said
	}
	return l
}

// grace is the delay that every timer is allowed, by the target's clock.
const grace = 300 * time.Millisecond

// CourseObservation is a suspension that nobody answered in time: two reminders, the second over another channel, and
// the end.
type CourseObservation struct {
	Interval   int             `json:"interval"` // seconds
	Attempts   int             `json:"attempts"`
	Suspension host.Suspension `json:"suspension"`
	Steps      []Step          `json:"steps"` // for each attempt from the second on
	BeforeEnd  host.Look       `json:"beforeEnd"`
	End        wire.Wait       `json:"end"`
	Lapse      host.Lapse      `json:"lapse"` // to the end
	After      host.Look       `json:"after"`
	Late       host.Reply      `json:"late"` // the reply to an answer after the end
	AfterLate  host.Look       `json:"afterLate"`
	Control    host.Reply      `json:"control"` // the reply to an answer of another intent, in time
}

// SeenAs implements [scenarios.Seer].
func (o CourseObservation) SeenAs() scenarios.Evidence { return o.Lapse.Evidence() }

// Step is one attempt after the first.
type Step struct {
	Attempt int       `json:"attempt"`
	Before  host.Look `json:"before"` // shortly before it is due
	Reached wire.Wait `json:"reached"`
	Later   wire.Wait `json:"later"` // half an interval later, if it was not reached and there is a seam
	During  host.Look `json:"during"`
}

// reminded reports whether the reminder was sent at all.
func (s Step) reminded() bool { return s.Reached.Reached || s.Later.Reached }

// last returns the last wait for the reminder.
func (s Step) last() wire.Wait {
	if s.Later.What != "" {
		return s.Later
	}
	return s.Reached
}

// supervisor is the recipient of the higher steps of the ladder.
const supervisor = "supervisor@example.com"

// ladder returns a step for each attempt after the first, and one that is never reached.
func ladder() []any {
	return []any{
		map[string]any{"attempt": 2, "channel_hint": "email", "notify_to": nil},
		map[string]any{"attempt": 3, "channel_hint": "pagerduty", "notify_to": supervisor},
		map[string]any{"attempt": 9, "channel_hint": "siren", "notify_to": supervisor},
	}
}

var courseSends = []string{
	"POST /intents", "POST /intents/{id}/state", "POST /intents/{id}/status", "GET /intents/{id}",
	"GET /intents/{id}/events", "POST /intents/{id}/suspend/respond",
}

var course, courseRealTime = timedDrives("course",
	"suspends an intent for three attempts and answers none of them in time", 7*time.Second, courseSends, runCourse)

// timedWithin leaves a drive the time to be late a few times.
const timedWithin = 5 * time.Minute

// timedDrives returns a drive that uses the seam if there is one, and the same drive without it. waits is how long the
// first one takes without a seam.
func timedDrives[O any](
	id, title string, waits time.Duration, sends []string, run func(context.Context, *watch, *O),
) (offered, waited *scenarios.Drive[O]) {
	in := func(suffix, title string, waits time.Duration, waiting bool) *scenarios.Drive[O] {
		return &scenarios.Drive[O]{
			ID: "openintent/" + id + suffix, Title: title, Sends: sends, Waits: waits, Timeout: timedWithin,
			Run: func(ctx context.Context, c *scenarios.Conn, o *O) {
				s := host.Open(ctx, c)
				w := newWatch(s, waiting)
				err := scenarios.Try(func() { run(ctx, w, o) })
				for next := w.again(); next != nil; next = w.again() {
					w, *o = next, *new(O)
					err = scenarios.Try(func() { run(ctx, w, o) })
				}
				if w.late && w.slow() {
					scenarios.End(fmt.Errorf("what is seen of intervals of %d s: %w within %s", w.interval, wire.ErrNoAnswer, w.slowest))
				}
				scenarios.End(err)
			},
		}
	}
	return in("", title, waits, false), in("-real-time", title+", by the timer of the server", waits/2, true)
}

// runCourse suspends an intent and looks at it before, during and after each attempt.
func runCourse(ctx context.Context, w *watch, o *CourseObservation) {
	o.Interval, o.Attempts = w.interval, 3
	r := w.Question("text").With(map[string]any{"channel_hint": "slack"}).
		Retried(o.Attempts, w.interval, map[string]any{"escalation_ladder": ladder(), "final_fallback_policy": "fail"})
	i, sus := w.suspend(ctx, "course", r)
	o.Suspension = sus
	for attempt := 2; attempt <= o.Attempts; attempt++ {
		step := w.attempt(ctx, i, attempt)
		o.Steps = append(o.Steps, step)
		if !step.reminded() {
			break // the end is still of interest
		}
	}
	w.waitUntil(ctx, w.intervals(float64(o.Attempts)-0.3))
	o.BeforeEnd = w.look(ctx, i, "before the end of the window")
	o.Lapse = w.waitUntil(ctx, w.intervals(float64(o.Attempts))+grace)
	o.Lapse.Seam = w.usesSeam()
	o.End = w.expect(expires(ctx, i, "the suspension expires"))
	o.After = i.Look(ctx, "after the end")
	o.Late = i.Answer(ctx, "answer after the end", sus.ID, "too late")
	w.waitUntil(ctx, w.intervals(float64(o.Attempts)+0.6))
	o.AfterLate = i.Look(ctx, "after the late answer")
	other, sentinel := w.Waiting(ctx, "in-time")
	o.Control = other.Answer(ctx, "answer another in time", sentinel.ID, "in time")
}

// attempt waits for the time of an attempt, and looks before and after it.
func (w *watch) attempt(ctx context.Context, i *host.Intent, n int) (step Step) {
	step.Attempt = n
	w.waitUntil(ctx, w.intervals(float64(n)-1.3))
	step.Before = w.look(ctx, i, "before the next attempt")
	w.waitUntil(ctx, w.intervals(float64(n)-1)+grace)
	step.Reached = w.reminded(ctx, i, n)
	if w.usesSeam() && !step.Reached.Reached {
		w.waitUntil(ctx, w.intervals(float64(n)-0.5))
		step.Later = w.reminded(ctx, i, n)
	}
	step.During = i.Look(ctx, "during the attempt")
	return step
}

// reminded waits for the reminder of an attempt, which is Last of the wait.
func (w *watch) reminded(ctx context.Context, i *host.Intent, attempt int) wire.Wait {
	what := "a reminder for the next attempt"
	return w.expect(i.Await(ctx, what, func(ctx context.Context) (wire.Value, bool) {
		log := i.Log(ctx, "the log, for a reminder")
		sent := log.OfType(host.EventRenotified)
		if len(sent.Values) < attempt-1 {
			return log.Read, false
		}
		return sent.Last(), true
	}))
}

// expect notes whether what was waited for happened.
func (w *watch) expect(wait wire.Wait) wire.Wait {
	w.missed = w.missed || !wait.Reached
	return wait
}

// expires waits for the end of a suspension: an event, or another status.
func expires(ctx context.Context, i *host.Intent, what string) wire.Wait {
	return i.Await(ctx, what, func(ctx context.Context) (wire.Value, bool) {
		now := i.Read(ctx, what)
		status := now.Body.Key("status")
		if status.String() != host.Suspended {
			return status, true
		}
		log := i.Log(ctx, what)
		// An intent that stays suspended (OIP-R12) has an expired record as well.
		ended := len(log.OfType(host.EventExpired).Values) > 0 && now.Body.At("/state/_suspension/resolution").String() == "expired"
		return status, ended
	})
}
