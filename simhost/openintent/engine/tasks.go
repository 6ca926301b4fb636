package engine

import (
	"context"
	"slices"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/simhost/openintent/rules"
)

// over are the statuses of tasks that do not change any more.
var over = []openintentv1.TaskStatus{
	openintentv1.TaskStatusCompleted, openintentv1.TaskStatusFailed, openintentv1.TaskStatusCancelled, openintentv1.TaskStatusSkipped,
}

// CreateTask makes a task.
func (e *Engine) CreateTask(ctx context.Context, by Caller, r openintentv1.CreateTaskRequest) (doc Task, err error) {
	err = e.do(ctx, func(t *tx) error {
		in := t.w.intents[r.IntentID]
		if in == nil {
			return notFound("intent", r.IntentID)
		}
		if err := t.mayWrite(by, in); err != nil {
			return err
		}
		if r.PlanID != "" && t.w.plans[r.PlanID] == nil {
			return unfit("plan_id names %.80q, and there is no such plan: make it first", r.PlanID)
		}
		if r.MaxAttempts == nil {
			r.MaxAttempts = new(int64(3))
		}
		now := stamp(t.now(in.ID, ""))
		task := Task{
			ID: t.newID(), IntentID: in.ID, PlanID: orNil(r.PlanID), Name: r.Name, Description: r.Description,
			Status:   openintentv1.TaskStatusPending,
			Priority: new(or(text(r.Priority), "normal")), Input: r.Input, DependsOn: r.DependsOn,
			Attempt: new(int64(1)), MaxAttempts: r.MaxAttempts, Metadata: r.Metadata,
			Version: new(int64(1)), CreatedAt: now,
		}
		t.keepTask("task.created", task, by.Name, nil)
		doc = task
		return nil
	})
	return doc, err
}

// keepTask puts what a task is from now on onto the log of its intent.
func (t *tx) keepTask(kind string, task Task, by string, payload map[string]any) {
	if payload == nil {
		payload = map[string]any{"task_id": task.ID, "status": task.Status}
	}
	t.emit(&Event{Type: kind, Intent: task.IntentID, Actor: by, Payload: payload, Change: &Change{Task: &task}})
}

// UpdateTask moves a task on.
func (e *Engine) UpdateTask(ctx context.Context, by Caller, id string, meant Meant, r openintentv1.UpdateTaskRequest) (doc Task,
	err error) {
	to := r.Status
	if to == "" {
		to = r.State
	}
	err = e.do(ctx, func(t *tx) error {
		task, in, err := t.task("updateTask", id, by, meant)
		if err != nil {
			return err
		}
		mirrored := task.Status == openintentv1.TaskStatusBlocked && text(task.BlockedReason) == rules.IntentSuspended
		switch {
		case slices.Contains(over, task.Status):
			return refuse(CodeTaskOver, "the task is %s", task.Status)
		case mirrored && !slices.Contains(over[1:], to) && to != task.Status:
			return refuse(CodeIntentSuspended, "the task waits as long as its intent does: answer that")
		case to == openintentv1.TaskStatusRunning && in.Status == Suspended:
			return refuse(CodeIntentSuspended, "the intent of the task waits for a person: the task can run when that has answered")
		}
		now := stamp(t.now(in.ID, ""))
		kind, payload := taskEvent(task, to), map[string]any{"task_id": id, "status": to}
		if to != task.Status {
			if to == openintentv1.TaskStatusRunning && task.StartedAt == nil {
				task.StartedAt = &now
			}
			if slices.Contains(over, to) {
				task.CompletedAt = &now
			}
			if task.Status == openintentv1.TaskStatusBlocked {
				task.BlockedReason, task.SuspendedIntentID = nil, nil
			}
		}
		task.Status = to
		if r.AssignedAgent != nil {
			task.AssignedAgent = r.AssignedAgent
		}
		if r.BlockedReason != nil {
			task.BlockedReason = orNil(*r.BlockedReason)
		}
		if r.Output != nil {
			task.Output = r.Output
		}
		if r.Error != nil {
			task.Error = r.Error
		}
		task.Version = new(*task.Version + 1)
		if kind == taskBlocked {
			payload["reason"] = task.BlockedReason
		}
		t.keepTask(kind, task, by.Name, payload)
		doc = task
		return nil
	})
	return doc, err
}

// The types of events that RFC-0026 has of tasks.
const (
	taskBlocked   = "task.blocked"
	taskUnblocked = "task.unblocked"
)

// taskEvent is the type of the event (RFC-0012) for a step of a task: the status that it comes to has the word, but for one
// that it blocks or goes on from. A write that leaves the status is progress, and so is one that RFC-0012 has no word for.
func taskEvent(task Task, to openintentv1.TaskStatus) string {
	over := slices.Contains(over, to)
	switch {
	case to == task.Status:
		return "task.progress"
	case to == openintentv1.TaskStatusBlocked:
		return taskBlocked
	case task.Status == openintentv1.TaskStatusBlocked && !over:
		return taskUnblocked
	case to == openintentv1.TaskStatusRunning:
		return "task.started"
	case to == openintentv1.TaskStatusPending:
		return "task.progress"
	}
	return "task." + string(to)
}

// task finds a task that somebody wants to write to, a copy of it.
func (t *tx) task(operation, id string, by Caller, meant Meant) (Task, *Intent, error) {
	task := t.w.tasks[id]
	if task == nil {
		return Task{}, nil, notFound("task", id)
	}
	in := t.w.intents[task.IntentID]
	if err := t.mayWrite(by, in); err != nil {
		return Task{}, nil, err
	}
	return *task, in, t.fresh(operation, meant, *task.Version)
}

// Task is a task as it stands.
func (e *Engine) Task(ctx context.Context, id string) (doc Task, err error) {
	err = e.view(ctx, func(w *world) error {
		task := w.tasks[id]
		if task == nil {
			return notFound("task", id)
		}
		doc = *task
		return nil
	})
	return doc, err
}

// Tasks are those of an intent, oldest first; status "" is any.
func (e *Engine) Tasks(ctx context.Context, intent, status string, offset, limit int) (docs []Task, err error) {
	err = e.view(ctx, func(w *world) error {
		docs = []Task{}
		if w.intents[intent] == nil {
			return notFound("intent", intent)
		}
		for _, task := range w.tasksOf(intent) {
			if status != "" && string(task.Status) != status {
				continue
			}
			if offset > 0 {
				offset--
			} else if len(docs) < limit {
				docs = append(docs, *task)
			}
		}
		return nil
	})
	return docs, err
}

func (w *world) tasksOf(intent string) (tasks []*Task) {
	for _, id := range w.taskIDs {
		if task := w.tasks[id]; task.IntentID == intent {
			tasks = append(tasks, task)
		}
	}
	return tasks
}

// mirror blocks the tasks that an intent is carried out by, when it is suspended (RFC-0026 rule 3).
func (t *tx) mirror(in *Intent) {
	if !t.offers(Plans) {
		return
	}
	for _, task := range t.w.tasksOf(in.ID) {
		if !t.rules.Tasks.Mirrors(string(task.Status)) {
			continue
		}
		now := *task
		now.Status, now.BlockedReason, now.SuspendedIntentID = openintentv1.TaskStatusBlocked, new(rules.IntentSuspended), new(in.ID)
		now.Version = new(*task.Version + 1)
		t.keepTask(taskBlocked, now, system, map[string]any{"task_id": now.ID, "reason": rules.IntentSuspended, "blocked_by": in.ID})
	}
}

// unmirror has the tasks go on that were blocked by the suspension of an intent, and those only.
func (t *tx) unmirror(in *Intent) {
	if !t.offers(Plans) {
		return
	}
	for _, task := range t.w.tasksOf(in.ID) {
		if task.Status != openintentv1.TaskStatusBlocked || !t.rules.Tasks.Returns(text(task.BlockedReason)) {
			continue
		}
		now := *task
		status, cleared := t.rules.Tasks.Returned()
		now.Status = openintentv1.TaskStatus(status)
		if cleared {
			now.BlockedReason, now.SuspendedIntentID = nil, nil
		}
		now.Version = new(*task.Version + 1)
		t.keepTask(taskUnblocked, now, system, map[string]any{"task_id": now.ID, "resolution": "intent_resumed"})
	}
}

// dropTasks cancels the tasks that waited for an intent which is abandoned.
func (t *tx) dropTasks(in *Intent) {
	for _, task := range t.w.tasksOf(in.ID) {
		if task.Status != openintentv1.TaskStatusBlocked || text(task.BlockedReason) != rules.IntentSuspended {
			continue
		}
		now := *task
		now.Status, now.BlockedReason, now.SuspendedIntentID = openintentv1.TaskStatusCancelled, nil, nil
		now.Error = []byte(`"intent_abandoned"`)
		now.Version, now.CompletedAt = new(*task.Version+1), new(stamp(t.now(in.ID, "")))
		t.keepTask("task.cancelled", now, system, nil)
	}
}
