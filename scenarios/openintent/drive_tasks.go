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
	Sends: taskSends, Run: func(ctx context.Context, c *scenarios.Conn) (TasksObservation, error) {
		return tasksBy(ctx, c, RecordFirst)
	},
}

var mirroredStatusFirst = &scenarios.Drive[TasksObservation]{
	ID: "openintent/tasks-status-first", Title: "does the same, and sets the status before it writes the record",
	Sends: taskSends, Run: func(ctx context.Context, c *scenarios.Conn) (TasksObservation, error) {
		return tasksBy(ctx, c, StatusFirst)
	},
}

var taskSends = []string{"POST /intents", "POST /intents/{id}/children", "POST /intents/{id}/tasks or /tasks, 3 times", "PATCH /tasks/{id}", "POST /plans", "POST /intents/{id}/state and /status", "GET /tasks/{id}", "GET /plans/{id}", "POST /intents/{id}/suspend/respond"}

// otherReason is why a task is blocked that the suspension has nothing to do with.
const otherReason = "escalation"

// with is the plan and the state of its three tasks: one that runs, one that is pending, one that was blocked before.
func (p *scheme) with(ctx context.Context, tasks []*work, when string) (at Planned, err error) {
	if at.Plan, err = p.read(ctx, "the plan "+when); err != nil {
		return at, err
	}
	if at.Progress, err = p.progress(ctx, "the progress of the plan "+when); err != nil {
		return at, err
	}
	for n, into := range []*Reply{&at.Task, &at.Pending, &at.Other} {
		if *into, err = tasks[n].read(ctx, []string{"the running task ", "the pending task ", "the task that was blocked before "}[n]+when); err != nil {
			return at, err
		}
	}
	return at, nil
}

func tasksBy(ctx context.Context, c *scenarios.Conn, order Order) (o TasksObservation, err error) {
	s, err := open(ctx, c)
	if err != nil {
		return o, err
	}
	parent, err := s.mk(ctx, "planned", active, nil)
	if err != nil {
		return o, err
	}
	i, err := parent.kid(ctx, "worked-on")
	if lacking(err) { // plans do without children
		i, err = s.mk(ctx, "worked-on", active, nil)
	}
	if err != nil {
		return o, err
	}
	tasks := make([]*work, 3)
	for n := range tasks {
		if tasks[n], err = s.task(ctx, i, nil); err != nil {
			return o, err
		}
	}
	p, err := s.plan(ctx, parent, tasks...)
	if err != nil {
		return o, err
	}
	o.TaskID, o.IntentID = tasks[0].ID, i.ID
	if err = tasks[0].run(ctx); err != nil {
		return o, err
	}
	if err = tasks[2].run(ctx); err != nil {
		return o, err
	}
	if err = tasks[2].set(ctx, blocked, map[string]any{"blocked_reason": otherReason}); err != nil {
		return o, err
	}
	look := func(when string) (Planned, error) { return p.with(ctx, tasks, when) }
	if o.Before, err = look("before"); err != nil {
		return o, err
	}
	if order != RecordFirst {
		if o.Usual, err = s.usualTask(ctx); err != nil {
			return o, err
		}
	}
	if o.Suspension, err = i.suspendBy(ctx, s.question("text").within(3600, "fail", nil), order); err != nil {
		return o, err
	}
	if o.Blocked, err = tasks[0].becomes(ctx, "the task is blocked", blocked); err != nil {
		return o, err
	}
	if o.Barrier, err = s.barrier(ctx, o.Blocked.Gap()); err != nil {
		return o, err
	}
	if o.During, err = look("while the intent waits"); err != nil {
		return o, err
	}
	if o.Answer, err = i.mustAnswer(ctx, o.Suspension.ID, "go on"); err != nil {
		return o, err
	}
	if o.Resumed, err = i.becomes(ctx, "the intent is active again", active); err != nil {
		return o, err
	}
	if o.Running, err = tasks[0].becomes(ctx, "the task runs again", "running"); err != nil {
		return o, err
	}
	o.After, err = look("after the answer")
	return o, err
}

// usualTask waits for the running task of an intent that is suspended the record first.
func (s *server) usualTask(ctx context.Context) (w wire.Wait, err error) {
	i, err := s.mk(ctx, "worked-on", active, nil)
	if err != nil {
		return w, err
	}
	t, err := s.task(ctx, i, nil)
	if err != nil {
		return w, err
	}
	if err = t.run(ctx); err != nil {
		return w, err
	}
	if _, err = i.suspend(ctx, s.question("text")); err != nil {
		return w, err
	}
	return t.becomes(ctx, "a task is blocked in the usual order", blocked)
}
