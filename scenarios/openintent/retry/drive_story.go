package retry

import (
	"context"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// StoryObservation is the example of RFC-0026 section 9: a workflow of three phases, the second of which waits for a
// person. The answer comes half an interval after the first reminder.
type StoryObservation struct {
	Interval   int             `json:"interval"` // seconds
	UpstreamID string          `json:"upstream"` // phase 2
	Suspension host.Suspension `json:"suspension"`

	Task2Blocked  wire.Wait    `json:"task2Blocked"`
	Task2         host.Reply   `json:"task2"` // while phase 2 is suspended
	Phase3Blocked wire.Wait    `json:"phase3Blocked"`
	Waiting       host.Watched `json:"waiting"`
	Refused       host.Reply   `json:"refused"` // the reply to a claim of phase 3 at that time
	Reminder      wire.Wait    `json:"reminder"`
	Reminded      host.Look    `json:"reminded"`
	Answer        host.Reply   `json:"answer"`
	Phase2Active  wire.Wait    `json:"phase2Active"`
	Task2Running  wire.Wait    `json:"task2Running"`
	Phase2Done    wire.Wait    `json:"phase2Done"`
	Task2Done     wire.Wait    `json:"task2Done"`
	Phase3Active  wire.Wait    `json:"phase3Active"`
	Granted       host.Reply   `json:"granted"` // the reply to the claim of phase 3 then
	Phase3Done    wire.Wait    `json:"phase3Done"`
	Ended         host.Watched `json:"ended"`
	Log           host.Log     `json:"log"` // of phase 2
	Lapse         host.Lapse   `json:"lapse"`
}

// SeenAs implements [scenarios.Seer].
func (o StoryObservation) SeenAs() scenarios.Evidence { return o.Lapse.Evidence() }

// anHour is the interval of the example, in seconds. It is used if there is a seam.
const anHour = 3600

var storySends = []string{
	"POST /intents, POST /intents/{id}/children, 3 times", "POST /portfolios and its intents", "POST /tasks, POST /plans",
	"POST /intents/{id}/state and /status",
	"POST /intents/{id}/leases", "POST /intents/{id}/suspend/respond", "PATCH /tasks/{id}", "GET of all these",
}

var story, storyRealTime = timedDrives("story",
	"plays the example of RFC-0026 section 9, second by second", 5*time.Second, storySends, runStory)

// runStory plays the example up to the answer.
func runStory(ctx context.Context, w *watch, o *StoryObservation) {
	if w.interval = max(w.interval, intervalWaited); w.usesSeam() {
		w.interval = anHour
	}
	o.Interval = w.interval
	s := w.Server
	parent := s.NewIntent(ctx, "compliance-workflow", host.Active, nil)
	fetch := parent.Child(ctx, "fetch_data")
	fetch.Finish(ctx)
	review, report := laterPhases(ctx, parent, fetch.ID)
	o.UpstreamID = review.ID
	policy := map[string]any{"deadline": host.Stamp(s.ServerNow().Add(month))}
	f := s.Portfolio(ctx, policy, fetch, review, report)
	task2 := s.Task(ctx, review, nil)
	task3 := s.Task(ctx, report, nil)
	s.Plan(ctx, parent, task2, task3)
	task2.Run(ctx)

	o.Suspension = review.Suspend(ctx, s.Question("confirm").With(map[string]any{"channel_hint": "slack"}).
		Retried(3, w.interval, map[string]any{"escalation_ladder": ladder(), "final_fallback_policy": "fail"}))
	w.intents, w.began = append(w.intents, review), w.Now()
	o.Task2Blocked = task2.Becomes(ctx, "task 2 is blocked", host.Blocked)
	o.Task2 = task2.Read(ctx, "task 2 while phase 2 waits")
	o.Phase3Blocked = report.Becomes(ctx, "intent 3 is blocked", host.Blocked)
	if !w.usesSeam() && !(o.Task2Blocked.Reached && o.Phase3Blocked.Reached) {
		return // patience is over, and so may be the suspension
	}
	o.Waiting = f.Settle(ctx, "while phase 2 waits", 1)
	o.Refused = report.Lease(ctx, "claim phase 3 while phase 2 waits", host.Scope, 60)
	w.acted(w.intervals(1))

	w.waitUntil(ctx, w.intervals(1)+grace)
	o.Reminder = w.reminded(ctx, review, 2)
	o.Reminded = review.Look(ctx, "after the reminder")
	if !w.usesSeam() && !o.Reminder.Reached {
		return
	}
	o.Lapse = w.waitUntil(ctx, w.intervals(1.5))
	o.Lapse.Seam = w.usesSeam()
	o.Answer = review.Answer(ctx, "the operator answers", o.Suspension.ID, "yes")
	w.acted(w.intervals(1.5))
	if host.MissingRoute(o.Answer) {
		host.NoAnswers(s, o.Answer)
	}
	o.finish(ctx, f, review, report, task2)
}

// finish plays the example from the answer to the end.
func (o *StoryObservation) finish(
	ctx context.Context, f *host.Portfolio, review, report *host.Intent, task2 *host.Task,
) {
	if o.Phase2Active = review.Becomes(ctx, "intent 2 is active", host.Active); !o.Phase2Active.Reached {
		return
	}
	o.Task2Running = task2.Becomes(ctx, "task 2 is running", "running")
	reply := review.Patch(ctx, host.OutputKey, "approved", "phase 2 writes its output")
	if !reply.Ok() {
		review.SetUp("write an output into the state of an intent", reply)
	}
	review.Set(ctx, host.Completed, "phase 2 completes")
	o.Phase2Done = review.Becomes(ctx, "intent 2 is completed", host.Completed)
	now := task2.Read(ctx, "task 2, with phase 2 completed")
	if host.StatusOf(now.Body).String() != host.Completed { // the server leaves that to the worker
		task2.Set(ctx, host.Completed, nil)
	}
	o.Task2Done = task2.Becomes(ctx, "task 2 is completed", host.Completed)
	if o.Phase3Active = report.Becomes(ctx, "intent 3 is active", host.Active); !o.Phase3Active.Reached {
		return
	}
	o.Granted = report.LeaseIfTaken(ctx, "claim phase 3 with the outputs of phase 2", host.Scope, 60)
	report.Set(ctx, host.Completed, "phase 3 completes")
	o.Phase3Done = report.Becomes(ctx, "phase 3 is completed", host.Completed)
	o.Ended = f.Look(ctx, "in the end")
	o.Log = review.Log(ctx, "the log of phase 2")
}

// laterPhases makes phases 2 and 3 below a parent; phase 2 depends on phase 1.
func laterPhases(ctx context.Context, p *host.Intent, first string) (review, report *host.Intent) {
	review = p.ChildWith(ctx, host.PhaseReview, map[string]any{"_io_outputs": []string{host.OutputKey}}, first)
	review.Must(ctx, host.Active)
	title := review.Made.Body.Key("title").String()
	report = p.ChildWith(ctx, host.PhaseReport, map[string]any{
		"_io_inputs":            map[string]any{"decision": host.PhaseReview + "." + host.OutputKey},
		"_io_dep_title_to_name": map[string]any{title: host.PhaseReview},
	}, review.ID)
	return review, report
}
