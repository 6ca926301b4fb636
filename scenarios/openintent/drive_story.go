package openintent

import (
	"context"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// StoryObservation is the example of RFC-0026 section 9: a workflow of three phases, the second of which waits for a person who
// answers half an interval after the first reminder.
type StoryObservation struct {
	Interval   int        `json:"interval"` // seconds
	UpstreamID string     `json:"upstream"` // phase 2
	Suspension Suspension `json:"suspension"`

	Task2Blocked  wire.Wait `json:"task2Blocked"`
	Task2         Reply     `json:"task2"` // then
	Phase3Blocked wire.Wait `json:"phase3Blocked"`
	Waiting       Watched   `json:"waiting"`
	Refused       Reply     `json:"refused"` // a claim of phase 3 at that time
	Reminder      wire.Wait `json:"reminder"`
	Reminded      Look      `json:"reminded"`
	Answer        Reply     `json:"answer"`
	Phase2Active  wire.Wait `json:"phase2Active"`
	Task2Running  wire.Wait `json:"task2Running"`
	Phase2Done    wire.Wait `json:"phase2Done"`
	Task2Done     wire.Wait `json:"task2Done"`
	Phase3Active  wire.Wait `json:"phase3Active"`
	Granted       Reply     `json:"granted"` // the claim of phase 3 then
	Phase3Done    wire.Wait `json:"phase3Done"`
	Ended         Watched   `json:"ended"`
	Log           Log       `json:"log"` // of phase 2
	Lapse         Lapse     `json:"lapse"`
}

// SeenAs implements [scenarios.Seer].
func (o StoryObservation) SeenAs() scenarios.Evidence { return o.Lapse.evidence() }

// anHour is the interval of the example. It is what goes by where time can be let go by.
const anHour = 3600

var storySends = []string{
	"POST /intents, POST /intents/{id}/children, 3 times", "POST /portfolios and its intents", "POST /tasks, POST /plans", "POST /intents/{id}/state and /status",
	"POST /intents/{id}/leases", "POST /intents/{id}/suspend/respond", "PATCH /tasks/{id}", "GET of all these",
}

var story, storyRealTime = inBothTimes("story", "plays the example of RFC-0026 section 9, second by second", 5*time.Second, storySends, func(ctx context.Context, w *watch, o *StoryObservation) {
	if w.interval = intervalWaited; w.seamed() {
		w.interval = anHour
	}
	o.Interval = w.interval
	s := w.server
	parent := s.mk(ctx, "compliance-workflow", active, nil)
	fetch := parent.kid(ctx, "fetch_data")
	fetch.finish(ctx)
	review, report := parent.reviewed(ctx, fetch.ID)
	o.UpstreamID = review.ID
	f := s.portfolio(ctx, map[string]any{"deadline": stamp(s.now().Add(30 * 24 * time.Hour))}, fetch, review, report)
	task2 := s.task(ctx, review, nil)
	task3 := s.task(ctx, report, nil)
	s.plan(ctx, parent, task2, task3)
	task2.run(ctx)

	o.Suspension = review.suspend(ctx, s.question("confirm").with(map[string]any{"channel_hint": "slack"}).
		retried(3, w.interval, map[string]any{"escalation_ladder": ladder(), "final_fallback_policy": "fail"}))
	w.intents, w.began = append(w.intents, review), w.Now()
	o.Task2Blocked = task2.becomes(ctx, "task 2 is blocked", blocked)
	o.Task2 = task2.read(ctx, "task 2 while phase 2 waits")
	o.Phase3Blocked = report.becomes(ctx, "intent 3 is blocked", blocked)
	o.Waiting = f.settle(ctx, "while phase 2 waits", 1)
	o.Refused = report.lease(ctx, "claim phase 3 while phase 2 waits", scope, 60)

	w.until(ctx, w.due(1)+grace)
	o.Reminder = review.reminded(ctx, 2)
	o.Reminded = review.look(ctx, "after the reminder")
	o.Lapse = w.until(ctx, w.due(1.5))
	o.Lapse.Seam = w.seamed()
	o.Answer = review.answer(ctx, "the operator answers", o.Suspension.ID, "yes")
	if missingRoute(o.Answer) {
		noAnswers(s, o.Answer)
		return
	}
	o.goOn(ctx, f, review, report, task2)
})

// goOn is what follows the answer.
func (o *StoryObservation) goOn(ctx context.Context, f *folder, review, report *intent, task2 *work) {
	if o.Phase2Active = review.becomes(ctx, "intent 2 is active", active); !o.Phase2Active.Reached {
		return
	}
	o.Task2Running = task2.becomes(ctx, "task 2 is running", "running")
	said := review.patch(ctx, outputKey, "approved", "phase 2 writes its output")
	if !said.ok() {
		review.setUp("write an output into the state of an intent", said)
		return
	}
	review.set(ctx, completed, "phase 2 completes")
	o.Phase2Done = review.becomes(ctx, "intent 2 is completed", completed)
	now := task2.read(ctx, "task 2, with phase 2 completed")
	if statusOf(now.Body).String() != completed { // who works on it says so
		task2.set(ctx, completed, nil)
	}
	o.Task2Done = task2.becomes(ctx, "task 2 is completed", completed)
	if o.Phase3Active = report.becomes(ctx, "intent 3 is active", active); !o.Phase3Active.Reached {
		return
	}
	o.Granted = report.lease(ctx, "claim phase 3 with the outputs of phase 2", scope, 60)
	report.set(ctx, completed, "phase 3 completes")
	o.Phase3Done = report.becomes(ctx, "phase 3 is completed", completed)
	o.Ended = f.look(ctx, "in the end")
	o.Log = review.log(ctx, "the log of phase 2")
}

// reviewed are phases 2 and 3 below a parent, of which phase 2 depends on phase 1.
func (p *intent) reviewed(ctx context.Context, first string) (review, report *intent) {
	review = p.kidWith(ctx, phaseReview, map[string]any{"_io_outputs": []string{outputKey}}, first)
	review.must(ctx, active)
	title := review.Made.Body.Key("title").String()
	report = p.kidWith(ctx, phaseReport, map[string]any{
		"_io_inputs": map[string]any{"decision": phaseReview + "." + outputKey}, "_io_dep_title_to_name": map[string]any{title: phaseReview},
	}, review.ID)
	return review, report
}
