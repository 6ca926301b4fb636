package containers

import (
	"context"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

// Planned is a plan and its tasks at one moment.
type Planned struct {
	Plan     host.Reply `json:"plan"`
	Progress host.Reply `json:"progress"`
	Task     host.Reply `json:"task"`    // the task that was running
	Pending  host.Reply `json:"pending"` // a task that had not begun
	Other    host.Reply `json:"other"`   // a task that was blocked before, for another reason
}

// suspendedTasks returns the tasks that the plan lists as suspended.
func (p Planned) suspendedTasks() host.Located {
	return host.Locate(host.SuspendedTasks, host.Named("plan", p.Plan.Body).And("progress", p.Progress.Body))
}

// TasksObservation is a plan with a running task whose intent was suspended and answered.
type TasksObservation struct {
	TaskID     string          `json:"taskId"`
	IntentID   string          `json:"intentId"`
	Before     Planned         `json:"before"`
	Suspension host.Suspension `json:"suspension"`
	Usual      wire.Wait       `json:"usual"` // the control of a drive in the other order: a task is blocked in the usual one
	Blocked    wire.Wait       `json:"blocked"`
	During     Planned         `json:"during"`
	Barrier    host.Barrier    `json:"barrier"`
	Answer     host.Reply      `json:"answer"`
	Resumed    wire.Wait       `json:"resumed"` // the intent
	Running    wire.Wait       `json:"running"` // the task
	After      Planned         `json:"after"`
}

var mirrored = &scenarios.Drive[TasksObservation]{
	ID: "openintent/tasks", Title: "suspends and answers an intent whose task runs in a plan",
	Sends: taskSends, Run: func(ctx context.Context, c *scenarios.Conn, o *TasksObservation) {
		o.drive(ctx, c, host.RecordFirst)
	},
}

var mirroredStatusFirst = &scenarios.Drive[TasksObservation]{
	ID: "openintent/tasks-status-first", Title: "does the same, and sets the status before it writes the record",
	Sends: taskSends, Run: func(ctx context.Context, c *scenarios.Conn, o *TasksObservation) {
		o.drive(ctx, c, host.StatusFirst)
	},
}

var taskSends = []string{
	"POST /intents", "POST /intents/{id}/children", "POST /intents/{id}/tasks or /tasks, 3 times", "PATCH /tasks/{id}",
	"POST /plans", "POST /intents/{id}/state and /status", "GET /tasks/{id}", "GET /plans/{id}",
	"POST /intents/{id}/suspend/respond",
}

// otherReason is the reason of a task that is not blocked by the suspension.
const otherReason = "escalation"

// plannedNow reads a plan and its three tasks: the running one, the pending one, and the one that was blocked before.
func plannedNow(ctx context.Context, p *host.Plan, tasks []*host.Task, when string) (at Planned) {
	at.Plan = p.Read(ctx, "the plan "+when)
	at.Progress = p.Progress(ctx, "the progress of the plan "+when)
	for n, into := range []*host.Reply{&at.Task, &at.Pending, &at.Other} {
		*into = tasks[n].Read(ctx, []string{"the running task ", "the pending task ", "the task that was blocked before "}[n]+when)
	}
	return at
}

// drive suspends the intent of a running task in one of the two orders, and answers it.
func (o *TasksObservation) drive(ctx context.Context, c *scenarios.Conn, order host.Order) {
	s := host.Open(ctx, c)
	parent := s.NewIntent(ctx, "planned", host.Active, nil)
	i, err := scenarios.Attempt(func() *host.Intent { return parent.Child(ctx, "worked-on") })
	if host.Lacking(err) { // a plan needs no children
		i, err = scenarios.Attempt(func() *host.Intent { return s.NewIntent(ctx, "worked-on", host.Active, nil) })
	}
	scenarios.End(err)
	tasks := make([]*host.Task, 3)
	for n := range tasks {
		tasks[n] = s.Task(ctx, i, nil)
	}
	p := s.Plan(ctx, parent, tasks...)
	o.TaskID, o.IntentID = tasks[0].ID, i.ID
	tasks[0].Run(ctx)
	tasks[2].Run(ctx)
	tasks[2].Set(ctx, host.Blocked, map[string]any{"blocked_reason": otherReason})
	look := func(when string) Planned { return plannedNow(ctx, p, tasks, when) }
	o.Before = look("before")
	if order != host.RecordFirst {
		o.Usual = usualTask(ctx, s)
	}
	o.Suspension = i.SuspendBy(ctx, s.Question("text").Within(3600, "fail", nil), order)
	o.Blocked = tasks[0].Becomes(ctx, "the task is blocked", host.Blocked)
	o.Barrier = s.Barrier(ctx, o.Blocked.Gap())
	o.During = look("while the intent waits")
	o.Answer = i.MustAnswer(ctx, o.Suspension.ID, "go on")
	o.Resumed = i.Becomes(ctx, "the intent is active again", host.Active)
	o.Running = tasks[0].Becomes(ctx, "the task runs again", "running")
	o.After = look("after the answer")
}

// usualTask waits until a running task is blocked whose intent was suspended in the usual order.
func usualTask(ctx context.Context, s *host.Server) (w wire.Wait) {
	i := s.NewIntent(ctx, "worked-on", host.Active, nil)
	t := s.Task(ctx, i, nil)
	t.Run(ctx)
	i.Suspend(ctx, s.Question("text"))
	return t.Becomes(ctx, "a task is blocked in the usual order", host.Blocked)
}
