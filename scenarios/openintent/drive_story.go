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

var story, storyRealTime = inBothTimes("story", "plays the example of RFC-0026 section 9, second by second", 5*time.Second, storySends, func(ctx context.Context, w *watch) (o StoryObservation, err error) {
	if w.interval = intervalWaited; w.seamed() {
		w.interval = anHour
	}
	o.Interval = w.interval
	s := w.server
	parent, err := s.mk(ctx, "compliance-workflow", active, nil)
	if err != nil {
		return o, err
	}
	fetch, err := parent.kid(ctx, "fetch_data")
	if err != nil {
		return o, err
	}
	if err = fetch.finish(ctx); err != nil {
		return o, err
	}
	review, report, err := parent.reviewed(ctx, fetch.ID)
	if err != nil {
		return o, err
	}
	o.UpstreamID = review.ID
	f, err := s.portfolio(ctx, map[string]any{"deadline": stamp(s.now().Add(30 * 24 * time.Hour))}, fetch, review, report)
	if err != nil {
		return o, err
	}
	task2, err := s.task(ctx, review, nil)
	if err != nil {
		return o, err
	}
	task3, err := s.task(ctx, report, nil)
	if err != nil {
		return o, err
	}
	if _, err = s.plan(ctx, parent, task2, task3); err != nil {
		return o, err
	}
	if err = task2.run(ctx); err != nil {
		return o, err
	}

	o.Suspension, err = review.suspend(ctx, s.question("confirm").with(map[string]any{"channel_hint": "slack"}).
		retried(3, w.interval, map[string]any{"escalation_ladder": ladder(), "final_fallback_policy": "fail"}))
	if err != nil {
		return o, err
	}
	w.intents, w.began = append(w.intents, review), w.Now()
	if o.Task2Blocked, err = task2.becomes(ctx, "task 2 is blocked", blocked); err != nil {
		return o, err
	}
	if o.Task2, err = task2.read(ctx, "task 2 while phase 2 waits"); err != nil {
		return o, err
	}
	if o.Phase3Blocked, err = report.becomes(ctx, "intent 3 is blocked", blocked); err != nil {
		return o, err
	}
	if o.Waiting, err = f.settle(ctx, "while phase 2 waits", 1); err != nil {
		return o, err
	}
	if o.Refused, err = report.lease(ctx, "claim phase 3 while phase 2 waits", scope, 60); err != nil {
		return o, err
	}

	if _, err = w.until(ctx, w.due(1)+grace); err != nil {
		return o, err
	}
	if o.Reminder, err = review.reminded(ctx, 2); err != nil {
		return o, err
	}
	if o.Reminded, err = review.look(ctx, "after the reminder"); err != nil {
		return o, err
	}
	if o.Lapse, err = w.until(ctx, w.due(1.5)); err != nil {
		return o, err
	}
	o.Lapse.Seam = w.seamed()
	if o.Answer, err = review.answer(ctx, "the operator answers", o.Suspension.ID, "yes"); err != nil {
		return o, err
	}
	if missingRoute(o.Answer) {
		return o, noAnswers(s, o.Answer)
	}
	return o, o.goOn(ctx, f, review, report, task2)
})

// goOn is what follows the answer.
func (o *StoryObservation) goOn(ctx context.Context, f *folder, review, report *intent, task2 *work) (err error) {
	if o.Phase2Active, err = review.becomes(ctx, "intent 2 is active", active); err != nil || !o.Phase2Active.Reached {
		return err
	}
	if o.Task2Running, err = task2.becomes(ctx, "task 2 is running", "running"); err != nil {
		return err
	}
	said, err := review.patch(ctx, outputKey, "approved", "phase 2 writes its output")
	if err != nil {
		return err
	}
	if !said.ok() {
		return review.setUp("write an output into the state of an intent", said)
	}
	if _, err = review.set(ctx, completed, "phase 2 completes"); err != nil {
		return err
	}
	if o.Phase2Done, err = review.becomes(ctx, "intent 2 is completed", completed); err != nil {
		return err
	}
	now, err := task2.read(ctx, "task 2, with phase 2 completed")
	if err != nil {
		return err
	}
	if statusOf(now.Body).String() != completed { // who works on it says so
		if err = task2.set(ctx, completed, nil); err != nil {
			return err
		}
	}
	if o.Task2Done, err = task2.becomes(ctx, "task 2 is completed", completed); err != nil {
		return err
	}
	if o.Phase3Active, err = report.becomes(ctx, "intent 3 is active", active); err != nil || !o.Phase3Active.Reached {
		return err
	}
	if o.Granted, err = report.lease(ctx, "claim phase 3 with the outputs of phase 2", scope, 60); err != nil {
		return err
	}
	if _, err = report.set(ctx, completed, "phase 3 completes"); err != nil {
		return err
	}
	if o.Phase3Done, err = report.becomes(ctx, "phase 3 is completed", completed); err != nil {
		return err
	}
	if o.Ended, err = f.look(ctx, "in the end"); err != nil {
		return err
	}
	o.Log, err = review.log(ctx, "the log of phase 2")
	return err
}

// reviewed are phases 2 and 3 below a parent, of which phase 2 depends on phase 1.
func (p *intent) reviewed(ctx context.Context, first string) (review, report *intent, err error) {
	if review, err = p.kidWith(ctx, phaseReview, map[string]any{"_io_outputs": []string{outputKey}}, first); err != nil {
		return nil, nil, err
	}
	if err = review.must(ctx, active); err != nil {
		return nil, nil, err
	}
	title := review.Made.Body.Key("title").String()
	report, err = p.kidWith(ctx, phaseReport, map[string]any{
		"_io_inputs": map[string]any{"decision": phaseReview + "." + outputKey}, "_io_dep_title_to_name": map[string]any{title: phaseReview},
	}, review.ID)
	return review, report, err
}
