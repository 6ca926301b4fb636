package openintent

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Planned is a plan and its tasks as they stood.
type Planned struct {
	Plan     Reply `json:"plan"`
	Progress Reply `json:"progress"`
	Task     Reply `json:"task"`    // the running one
	Pending  Reply `json:"pending"` // one that had not begun
	Other    Reply `json:"other"`   // one that was blocked for another reason
}

// suspended are the tasks that the plan lists as suspended.
func (p Planned) suspendedTasks() Located {
	return locate(suspendedTasks, named("plan", p.Plan.Body).and("progress", p.Progress.Body))
}

// TasksObservation is a plan whose running task has an intent that waits and is answered.
type TasksObservation struct {
	TaskID     string     `json:"taskId"`
	IntentID   string     `json:"intentId"`
	Before     Planned    `json:"before"`
	Suspension Suspension `json:"suspension"`
	Usual      wire.Wait  `json:"usual"` // the same in the usual order, for a drive that has another: another task is blocked
	Blocked    wire.Wait  `json:"blocked"`
	During     Planned    `json:"during"`
	Barrier    Barrier    `json:"barrier"`
	Answer     Reply      `json:"answer"`
	Resumed    wire.Wait  `json:"resumed"` // the intent
	Running    wire.Wait  `json:"running"` // the task
	After      Planned    `json:"after"`
}

var mirrored = &scenarios.Drive[TasksObservation]{
	ID: "openintent/tasks", Title: "suspends and answers an intent whose task runs in a plan",
	Sends: taskSends, Run: func(ctx context.Context, c *scenarios.Conn, o *TasksObservation) {
		tasksBy(ctx, c, RecordFirst, o)
	},
}

var mirroredStatusFirst = &scenarios.Drive[TasksObservation]{
	ID: "openintent/tasks-status-first", Title: "does the same, and sets the status before it writes the record",
	Sends: taskSends, Run: func(ctx context.Context, c *scenarios.Conn, o *TasksObservation) {
		tasksBy(ctx, c, StatusFirst, o)
	},
}

var taskSends = []string{"POST /intents", "POST /intents/{id}/children", "POST /intents/{id}/tasks or /tasks, 3 times", "PATCH /tasks/{id}", "POST /plans", "POST /intents/{id}/state and /status", "GET /tasks/{id}", "GET /plans/{id}", "POST /intents/{id}/suspend/respond"}

// otherReason is why a task is blocked that the suspension has nothing to do with.
const otherReason = "escalation"

// with is the plan and the state of its three tasks: one that runs, one that is pending, one that was blocked before.
func (p *scheme) with(ctx context.Context, tasks []*work, when string) (at Planned) {
	at.Plan = p.read(ctx, "the plan "+when)
	at.Progress = p.progress(ctx, "the progress of the plan "+when)
	for n, into := range []*Reply{&at.Task, &at.Pending, &at.Other} {
		*into = tasks[n].read(ctx, []string{"the running task ", "the pending task ", "the task that was blocked before "}[n]+when)
	}
	return at
}

func tasksBy(ctx context.Context, c *scenarios.Conn, order Order, o *TasksObservation) {
	s := open(ctx, c)
	parent := s.mk(ctx, "planned", active, nil)
	i, err := scenarios.Attempt(func() *intent { return parent.kid(ctx, "worked-on") })
	if lacking(err) { // plans do without children
		i, err = scenarios.Attempt(func() *intent { return s.mk(ctx, "worked-on", active, nil) })
	}
	scenarios.End(err)
	tasks := make([]*work, 3)
	for n := range tasks {
		tasks[n] = s.task(ctx, i, nil)
	}
	p := s.plan(ctx, parent, tasks...)
	o.TaskID, o.IntentID = tasks[0].ID, i.ID
	tasks[0].run(ctx)
	tasks[2].run(ctx)
	tasks[2].set(ctx, blocked, map[string]any{"blocked_reason": otherReason})
	look := func(when string) Planned { return p.with(ctx, tasks, when) }
	o.Before = look("before")
	if order != RecordFirst {
		o.Usual = s.usualTask(ctx)
	}
	o.Suspension = i.suspendBy(ctx, s.question("text").within(3600, "fail", nil), order)
	o.Blocked = tasks[0].becomes(ctx, "the task is blocked", blocked)
	o.Barrier = s.barrier(ctx, o.Blocked.Gap())
	o.During = look("while the intent waits")
	o.Answer = i.mustAnswer(ctx, o.Suspension.ID, "go on")
	o.Resumed = i.becomes(ctx, "the intent is active again", active)
	o.Running = tasks[0].becomes(ctx, "the task runs again", "running")
	o.After = look("after the answer")
}

// usualTask waits for the running task of an intent that is suspended the record first.
func (s *server) usualTask(ctx context.Context) (w wire.Wait) {
	i := s.mk(ctx, "worked-on", active, nil)
	t := s.task(ctx, i, nil)
	t.run(ctx)
	i.suspend(ctx, s.question("text"))
	return t.becomes(ctx, "a task is blocked in the usual order", blocked)
}
