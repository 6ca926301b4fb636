package programs

import (
	"context"
	"fmt"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openintent/host"
	"github.com/openassay/assay/scenarios/wire"
)

var (
	tasks      = &scenarios.Dimension{Name: "tasks of an intent", Least: 3, Most: [3]int{3, 5, 10}}
	taskRounds = &scenarios.Dimension{Name: "suspensions of an intent with tasks", Least: 2, Most: [3]int{2, 3, 6}}
)

// TasksObservation is an intent whose tasks are in a plan, and which was suspended and answered some times. All tasks but the first
// were running.
type TasksObservation struct {
	IntentID string      `json:"intentId"`
	TaskIDs  []string    `json:"taskIds"`
	Rounds   []TaskRound `json:"rounds"`
}

// TaskRound is a suspension of an intent with tasks.
type TaskRound struct {
	Blocked []wire.Wait  `json:"blocked"` // of each running task, while the intent waits
	During  []host.Reply `json:"during"`  // the tasks
	Plan    host.Reply   `json:"plan"`
	// Progress is that of the plan, where a server has a resource for it.
	Progress host.Reply   `json:"progress"`
	Answer   host.Reply   `json:"answer"`
	Running  []wire.Wait  `json:"running"` // of each of these, after the answer
	After    []host.Reply `json:"after"`
	Ended    host.Reply   `json:"ended"` // the plan after the answer
	Over     host.Reply   `json:"over"`  // its progress
}

var drawnTasks = &scenarios.Drive[TasksObservation]{
	ID:    "openintent/drawn-tasks",
	Title: "suspends and answers an intent again and again while all of its tasks but the first run",
	Sends: []string{
		"POST /intents", "POST /intents/{id}/tasks or /tasks", "PATCH /tasks/{id}", "POST /plans", "POST /intents/{id}/state and /status",
		"POST /intents/{id}/suspend/respond", "GET /tasks/{id} and /plans/{id}",
	},
	Dimensions: []*scenarios.Dimension{tasks, taskRounds},
	Run: func(ctx context.Context, c *scenarios.Conn, o *TasksObservation) {
		s := host.Open(ctx, c)
		i := s.NewIntent(ctx, "worked-on", host.Active, nil)
		all := make([]*host.Task, s.Draw(tasks))
		for n := range all {
			all[n] = s.Task(ctx, i, nil)
			o.TaskIDs = append(o.TaskIDs, all[n].ID)
		}
		o.IntentID = i.ID
		p := s.Plan(ctx, i, all...)
		for _, t := range all[1:] {
			t.Run(ctx)
		}
		for range s.Draw(taskRounds) {
			o.Rounds = append(o.Rounds, TaskRound{})
			r := &o.Rounds[len(o.Rounds)-1]
			sus := i.Suspend(ctx, s.Question(asText).Within(3600, "fail", nil))
			for n, t := range all[1:] {
				r.Blocked = append(r.Blocked, t.Becomes(ctx, fmt.Sprintf("task %d is blocked", n+1), host.Blocked))
				if r.During = append(r.During, t.Read(ctx, fmt.Sprintf("task %d while its intent waits", n+1))); !r.Blocked[n].Reached {
					return
				}
			}
			r.Plan = p.Read(ctx, "the plan while the intent waits")
			r.Progress = p.Progress(ctx, "the progress of the plan while the intent waits")
			r.Answer = i.MustAnswer(ctx, sus.ID, "go on")
			for n, t := range all[1:] {
				r.Running = append(r.Running, t.Becomes(ctx, fmt.Sprintf("task %d runs again", n+1), "running"))
				if r.After = append(r.After, t.Read(ctx, fmt.Sprintf("task %d after the answer", n+1))); !r.Running[n].Reached {
					return
				}
			}
			r.Ended, r.Over = p.Read(ctx, "the plan after the answer"), p.Progress(ctx, "the progress of the plan after the answer")
		}
	},
}
