package retry

import (
	"context"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// watch lets time go by for intents that were suspended together, and knows how much did.
type watch struct {
	*host.Server
	intents  []*host.Intent
	real     bool // never through the seam
	interval int  // seconds between two attempts: long where a seam lets them go by, short where they are waited for
	began    time.Time
	passed   time.Duration
	late     bool // the drive looked so late that what it came for may have been over
}

// Seconds between two attempts.
const (
	intervalSeam   = 60
	intervalWaited = 2 // a server that is late by the whole tolerance is told from one that leaves an attempt out
	intervalReal   = 1 // beside what the seam shows with more patience

	intervalPatient = 4 // where the machine, or the way to the target, was too slow for that
)

// watching is a watch on nothing yet. waits has time go by itself.
func watching(s *host.Server, waits bool) *watch {
	w := &watch{Server: s, real: waits, interval: intervalSeam}
	switch {
	case waits: // a server that takes a tenth of it for one answer would have it over before the intent waits
		w.interval = max(intervalReal, int(10*s.Took.Seconds()))
	case s.Seam() == "":
		w.interval = intervalWaited
	}
	return w
}

// seamed says whether time goes by through the seam.
func (w *watch) seamed() bool { return !w.real && w.Seam() != "" }

// on suspends an intent of its own, whose time the watch lets go by from now on.
func (w *watch) on(ctx context.Context, stem string, r host.Record) (*host.Intent, host.Suspension) {
	i := w.NewIntent(ctx, stem, host.Active, nil)
	asked := w.Now()
	defer func() { w.lateBy(w.Now().Sub(asked)) }()
	sus := i.Suspend(ctx, r)
	w.intents, w.began = append(w.intents, i), w.Now()
	return i, sus
}

// lateBy records that the drive itself was late by d. Looks are a fifth of an interval apart, so less than that does no harm.
func (w *watch) lateBy(d time.Duration) {
	if !w.seamed() && d > w.due(0.2) {
		w.late = true
	}
}

// due is so many intervals.
func (w *watch) due(intervals float64) time.Duration {
	return time.Duration(intervals * float64(w.interval) * float64(time.Second))
}

// until lets time go by until so long after the suspensions began.
func (w *watch) until(ctx context.Context, offset time.Duration) host.Lapse {
	l := host.Lapse{Seam: w.seamed()}
	d := offset - w.passed
	if !l.Seam {
		d = offset - w.Now().Sub(w.began)
	}
	if d <= 0 {
		w.lateBy(-d)
		return l
	}
	w.passed = offset
	l.Seconds = d.Seconds()
	if !l.Seam {
		scenarios.End(wire.Pause(ctx, d))
		w.lateBy(w.Now().Sub(w.began) - offset)
		return l
	}
	for _, i := range w.intents {
		said := i.Lapse(ctx, d)
		l.Said = said.Said
	}
	return l
}

// grace is what a timer may be late without being waited for, by the target's clock.
const grace = 300 * time.Millisecond

// CourseObservation is a suspension that nobody answered in time: two reminders, the second over a higher step, and the end.
type CourseObservation struct {
	Interval   int             `json:"interval"` // seconds
	Attempts   int             `json:"attempts"`
	Suspension host.Suspension `json:"suspension"`
	Steps      []Step          `json:"steps"` // for each attempt from the second on
	BeforeEnd  host.Look       `json:"beforeEnd"`
	End        wire.Wait       `json:"end"`
	Lapse      host.Lapse      `json:"lapse"` // to the end
	After      host.Look       `json:"after"`
	Late       host.Reply      `json:"late"` // an answer after the end
	AfterLate  host.Look       `json:"afterLate"`
	Control    host.Reply      `json:"control"` // to the answer of another intent, in time
}

// SeenAs implements [scenarios.Seer].
func (o CourseObservation) SeenAs() scenarios.Evidence { return o.Lapse.Evidence() }

// Step is one attempt after the first.
type Step struct {
	Attempt int       `json:"attempt"`
	Before  host.Look `json:"before"` // shortly before it is due
	Reached wire.Wait `json:"reached"`
	Later   wire.Wait `json:"later"` // half an interval later, where it was not reached and a seam lets time go by
	During  host.Look `json:"during"`
}

// came says whether the reminder was sent at all.
func (s Step) came() bool { return s.Reached.Reached || s.Later.Reached }

const supervisor = "supervisor@example.com"

// ladder is one step for each attempt after the first, and one that is never reached.
func ladder() []any {
	return []any{
		map[string]any{"attempt": 2, "channel_hint": "email", "notify_to": nil},
		map[string]any{"attempt": 3, "channel_hint": "pagerduty", "notify_to": supervisor},
		map[string]any{"attempt": 9, "channel_hint": "siren", "notify_to": supervisor},
	}
}

var courseSends = []string{"POST /intents", "POST /intents/{id}/state", "POST /intents/{id}/status", "GET /intents/{id}", "GET /intents/{id}/events", "POST /intents/{id}/suspend/respond"}

var course, courseRealTime = inBothTimes("course", "suspends an intent for three attempts and answers none of them in time", 7*time.Second, courseSends, runCourse)

// inBothTimes is a drive that lets time go by as the target offers it, and the same one that always waits. waits is how long the
// first one takes without a seam.
func inBothTimes[O any](id, title string, waits time.Duration, sends []string, run func(context.Context, *watch, *O)) (offered, waited *scenarios.Drive[O]) {
	in := func(suffix, title string, waits time.Duration, waiting bool) *scenarios.Drive[O] {
		return &scenarios.Drive[O]{
			ID: "openintent/" + id + suffix, Title: title, Sends: sends, Waits: waits,
			Run: func(ctx context.Context, c *scenarios.Conn, o *O) {
				s := host.Open(ctx, c)
				w := watching(s, waiting)
				err := scenarios.Try(func() { run(ctx, w, o) })
				if !waiting || !w.late || w.interval >= intervalPatient {
					scenarios.End(err)
					return
				}
				// A drive that was late itself shows nothing about the target, so it runs again with longer intervals.
				w, *o = watching(s, waiting), *new(O)
				w.interval = intervalPatient
				run(ctx, w, o)
			},
		}
	}
	return in("", title, waits, false), in("-real-time", title+", by the timer of the server", waits/2, true)
}

func runCourse(ctx context.Context, w *watch, o *CourseObservation) {
	o.Interval, o.Attempts = w.interval, 3
	r := w.Question("text").With(map[string]any{"channel_hint": "slack"}).
		Retried(o.Attempts, w.interval, map[string]any{"escalation_ladder": ladder(), "final_fallback_policy": "fail"})
	i, sus := w.on(ctx, "course", r)
	o.Suspension = sus
	for attempt := 2; attempt <= o.Attempts; attempt++ {
		step := w.attempt(ctx, i, attempt)
		o.Steps = append(o.Steps, step)
		if !step.came() {
			break // the end is still asked about
		}
	}
	w.until(ctx, w.due(float64(o.Attempts)-0.3))
	o.BeforeEnd = i.Look(ctx, "before the end of the window")
	o.Lapse = w.until(ctx, w.due(float64(o.Attempts))+grace)
	o.Lapse.Seam = w.seamed()
	o.End = expires(ctx, i, "the suspension expires")
	o.After = i.Look(ctx, "after the end")
	o.Late = i.Answer(ctx, "answer after the end", sus.ID, "too late")
	w.until(ctx, w.due(float64(o.Attempts)+0.6))
	o.AfterLate = i.Look(ctx, "after the late answer")
	other, sentinel := w.Waiting(ctx, "in-time")
	o.Control = other.Answer(ctx, "answer another in time", sentinel.ID, "in time")
}

// attempt lets the time of one attempt come, and looks before and after it.
func (w *watch) attempt(ctx context.Context, i *host.Intent, n int) (step Step) {
	step.Attempt = n
	w.until(ctx, w.due(float64(n)-1.3))
	step.Before = i.Look(ctx, "before the next attempt")
	w.until(ctx, w.due(float64(n)-1)+grace)
	step.Reached = reminded(ctx, i, n)
	if w.seamed() && !step.Reached.Reached {
		w.until(ctx, w.due(float64(n)-0.5))
		step.Later = reminded(ctx, i, n)
	}
	step.During = i.Look(ctx, "during the attempt")
	return step
}

// reminded waits for the reminder of an attempt. The wait's Last is what stood in its place.
func reminded(ctx context.Context, i *host.Intent, attempt int) wire.Wait {
	what := "a reminder for the next attempt"
	return i.Await(ctx, what, func(ctx context.Context) (wire.Value, bool) {
		log := i.Log(ctx, "the log, for a reminder")
		sent := log.OfType(host.EventRenotified)
		if len(sent.Values) < attempt-1 {
			return log.Read, false
		}
		return sent.Last(), true
	})
}

// expires waits for the end of a suspension: the event, or another status.
func expires(ctx context.Context, i *host.Intent, what string) wire.Wait {
	return i.Await(ctx, what, func(ctx context.Context) (wire.Value, bool) {
		now := i.Read(ctx, what)
		status := now.Body.Key("status")
		if status.String() != host.Suspended {
			return status, true
		}
		log := i.Log(ctx, what)
		// One that stays suspended (OIP-R12) has said so in its record as well.
		ended := len(log.OfType(host.EventExpired).Values) > 0 && now.Body.At("/state/_suspension/resolution").String() == "expired"
		return status, ended
	})
}
