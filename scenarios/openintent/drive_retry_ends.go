package openintent

import (
	"context"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Ending is one suspension that nobody answered in time.
type Ending struct {
	Interval   int        `json:"interval"` // seconds
	Attempts   int        `json:"attempts"`
	Suspension Suspension `json:"suspension"`
	Before     Look       `json:"before"` // shortly before the end
	End        wire.Wait  `json:"end"`
	After      Look       `json:"after"`
}

// EndsObservation are several suspensions that end together, by what is peculiar to each.
type EndsObservation struct {
	Ends  []Ending `json:"ends"`
	Lapse Lapse    `json:"lapse"`
}

// SeenAs implements [scenarios.Seer].
func (o EndsObservation) SeenAs() scenarios.Evidence { return o.Lapse.evidence() }

// endsOf suspends an intent for each record, all with this many attempts, and looks before and after they end.
func endsOf(ctx context.Context, w *watch, attempts int, records ...record) (o EndsObservation, err error) {
	var intents []*intent
	for _, r := range records {
		i, sus, err := w.on(ctx, "ending", r)
		o.Ends = append(o.Ends, Ending{Interval: w.interval, Attempts: attempts, Suspension: sus})
		if err != nil {
			return o, err
		}
		intents = append(intents, i)
	}
	if _, err = w.until(ctx, w.due(float64(attempts)-0.3)); err != nil {
		return o, err
	}
	for n, i := range intents {
		if o.Ends[n].Before, err = i.look(ctx, "before the end of the window"); err != nil {
			return o, err
		}
	}
	if o.Lapse, err = w.until(ctx, w.due(float64(attempts))+grace); err != nil {
		return o, err
	}
	o.Lapse.Seam = w.seamed()
	for n, i := range intents {
		e := &o.Ends[n]
		if e.End, err = i.expires(ctx, "the suspension expires"); err != nil {
			return o, err
		}
		if e.After, err = i.look(ctx, "after the end"); err != nil {
			return o, err
		}
		if !e.End.Reached {
			break // the others are not waited for as long
		}
	}
	return o, nil
}

// fallbackValue is what a fallback continues with.
const fallbackValue = "assay-fallback-value"

var fallbacks, fallbacksRealTime = inBothTimes("fallbacks", "suspends three intents whose policies and records name fallbacks, and answers none", 5*time.Second, courseSends,
	func(ctx context.Context, w *watch) (EndsObservation, error) {
		q := func(outer string, policy map[string]any) record {
			return w.question("text").retried(2, w.interval, policy).with(map[string]any{"fallback_policy": outer, "fallback_value": fallbackValue})
		}
		return endsOf(ctx, w, 2,
			q("fail", map[string]any{"final_fallback_policy": "complete_with_fallback"}),
			q("complete_with_fallback", map[string]any{"final_fallback_policy": "fail"}),
			q("complete_with_fallback", nil))
	})

var single, singleRealTime = inBothTimes("single", "suspends an intent without a policy and one whose policy has one attempt, and answers neither", 3*time.Second, courseSends,
	func(ctx context.Context, w *watch) (EndsObservation, error) {
		return endsOf(ctx, w, 1,
			w.question("text").within(w.interval, "fail", nil),
			w.question("text").retried(1, w.interval, map[string]any{"final_fallback_policy": "fail"}))
	})

// InTimeObservation is a suspension that is answered during attempt 2.
type InTimeObservation struct {
	Attempts   int        `json:"attempts"`
	Suspension Suspension `json:"suspension"`
	Reminder   Step       `json:"reminder"`
	Answer     Reply      `json:"answer"`
	Answered   Look       `json:"answered"`
	Lapse      Lapse      `json:"lapse"` // past the end that the window would have had
	After      Look       `json:"after"`
}

// SeenAs implements [scenarios.Seer].
func (o InTimeObservation) SeenAs() scenarios.Evidence { return o.Lapse.evidence() }

var inTime, inTimeRealTime = inBothTimes("in-time", "answers an intent during the second of three attempts, and lets the others pass", 8*time.Second, courseSends,
	func(ctx context.Context, w *watch) (o InTimeObservation, err error) {
		o.Attempts = 3
		i, sus, err := w.on(ctx, "in-time", w.question("text").with(map[string]any{"fallback_value": fallbackValue}).
			retried(o.Attempts, w.interval, map[string]any{"escalation_ladder": ladder(), "final_fallback_policy": "complete_with_fallback"}))
		if o.Suspension = sus; err != nil {
			return o, err
		}
		if o.Reminder, err = w.attempt(ctx, i, 2); err != nil {
			return o, err
		}
		if o.Answer, err = i.answer(ctx, "answer with the first id", sus.ID, "in time"); err != nil {
			return o, err
		}
		if missingRoute(o.Answer) {
			return o, noAnswers(w.server, o.Answer)
		}
		if o.Answered, err = i.look(ctx, "after the answer"); err != nil {
			return o, err
		}
		if o.Lapse, err = w.until(ctx, w.due(float64(o.Attempts)+0.5)); err != nil {
			return o, err
		}
		o.Lapse.Seam = w.seamed()
		if _, err = w.barrier(ctx, o.Reminder.Reached.Gap()); err != nil {
			return o, err
		}
		o.After, err = i.look(ctx, "after the window would have ended")
		return o, err
	})

// EndlessObservation is a suspension without a window beside one that ends.
type EndlessObservation struct {
	Endless Suspension `json:"endless"`
	Ended   wire.Wait  `json:"ended"` // the other one
	Lapse   Lapse      `json:"lapse"`
	After   Look       `json:"after"`
	Answer  Reply      `json:"answer"`
}

// SeenAs implements [scenarios.Seer].
func (o EndlessObservation) SeenAs() scenarios.Evidence { return o.Lapse.evidence() }

// month is how long a suspension without a window is left alone where time can be let go by.
const month = 30 * 24 * time.Hour

var endless, endlessRealTime = inBothTimes("endless", "suspends an intent without a window, and one with a window beside it", 6*time.Second, courseSends,
	func(ctx context.Context, w *watch) (o EndlessObservation, err error) {
		i, sus, err := w.on(ctx, "endless", w.question("text"))
		if o.Endless = sus; err != nil {
			return o, err
		}
		other, _, err := w.on(ctx, "ends", w.question("text").within(w.interval, "fail", nil))
		if err != nil {
			return o, err
		}
		if _, err = w.until(ctx, w.due(1)+grace); err != nil {
			return o, err
		}
		if o.Ended, err = other.expires(ctx, "the other suspension expires"); err != nil {
			return o, err
		}
		w.intents = w.intents[:1]
		more := w.due(3)
		if w.seamed() {
			more = month
		}
		if o.Lapse, err = w.until(ctx, more); err != nil {
			return o, err
		}
		o.Lapse.Seam = w.seamed()
		if o.After, err = i.look(ctx, "long after"); err != nil {
			return o, err
		}
		o.Answer, err = i.answer(ctx, "answer long after", sus.ID, "at last")
		return o, err
	})

// WindowObservation is a record of which the server is to say when it expires.
type WindowObservation struct {
	Suspension Suspension `json:"suspension"`
}

// windowSeconds are the interval of it; it has three.
const windowSeconds = 60

var window = &scenarios.Drive[WindowObservation]{
	ID: "openintent/window", Title: "suspends an intent with a policy and without expires_at", Sends: courseSends[:4],
	Run: func(ctx context.Context, c *scenarios.Conn) (o WindowObservation, err error) {
		s, err := open(ctx, c)
		if err != nil {
			return o, err
		}
		i, err := s.mk(ctx, "window", active, nil)
		if err != nil {
			return o, err
		}
		r := s.question("text").retried(3, windowSeconds, nil)
		r["expires_at"] = nil // left off
		if o.Suspension, err = i.suspend(ctx, r); err != nil {
			return o, err
		}
		if said := o.Suspension.Stood().Key("expires_at"); said.Actual() == nil || said.String() == "" {
			return o, scenarios.NotOffered("the server leaves expires_at of a record to who writes it")
		}
		return o, nil
	},
}
