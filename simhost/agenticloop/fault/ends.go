package fault

import (
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	requirement "github.com/openassay/assay/gen/agenticloop"
	al "github.com/openassay/assay/gen/agenticloopv2"
)

// completes changes the news of a run that reached its goal. workspace is the folder of its files, "" for none.
func completes(change func(p *al.CompletedPayload, workspace string)) func(*Turn) {
	return emitting(completed, func(t *Turn, e *al.Event) {
		var p al.CompletedPayload
		if json.Unmarshal(e.Payload, &p) == nil {
			change(&p, workspaceOf(t))
			e.Payload = encoded(p)
		}
	})
}

// givesUp changes the news of a run that was given up.
func givesUp(change func(payload object)) func(*Turn) {
	return telling(escalated, func(_ *Turn, payload object) { change(payload) })
}

// stays gives a run that ends another status than it ought to have, as it is kept.
func stays(event, because string, instead al.RunStatus) func(*Turn) {
	return keepingRun(func(k *kept, run object) {
		if k.event.Type == event && k.reason == because {
			run["status"] = encoded(instead)
		}
	})
}

// uncleared keeps what was pending in a run that ends.
func uncleared(event string) func(*Turn) {
	return keepingRun(func(k *kept, run object) {
		if k.event.Type != event {
			return
		}
		before := objectOf(k.before[k.id])
		for _, member := range []string{"pending_step", "pending_tool", "pending_since"} {
			if value, ok := before[member]; ok {
				run[member] = value
			}
		}
	})
}

// retelling tells the end of a run again by each result that comes for it.
func retelling(status al.RunStatus, told func(id string, run al.Run, result object) al.Event) func(*Turn) {
	return answering(func(t *Turn, r *al.Response) {
		request := objectOf(t.Input)
		event := objectOf(request["event"])
		result := objectOf(request["context"])
		switch textOf(event["type"]) {
		case "agentic.tool_result":
			result = objectOf(event["payload"])
		case "", "agentic.start", "api.trigger":
			return
		}
		id := textOf(result["run_id"])
		var run al.Run
		if r.Status != al.ResponseStatusOk || json.Unmarshal(runsOf(t.Input)[id], &run) != nil || run.Status != status {
			return
		}
		r.Events = append(r.Events, told(id, run, result))
	})
}

// countFailures notes in a run how often a step of it was asked for again, and adds that to the steps that it took.
func countFailures(t *Turn, r *al.Response) {
	if len(r.Events) == 0 {
		return
	}
	payload, updates := objectOf(r.Events[0].Payload), objectOf(r.StateUpdates)
	id := textOf(payload["run_id"])
	before, runs := objectOf(runsOf(t.Input)[id]), objectOf(updates["runs"])
	var failed int64
	_ = json.Unmarshal(before["failed"], &failed) // 0 where there is none
	var p al.CompletedPayload
	switch run := objectOf(runs[id]); {
	case r.Events[0].Type == completed && json.Unmarshal(r.Events[0].Payload, &p) == nil:
		p.StepsTaken += failed
		r.Events[0].Payload = encoded(p)
	case strings.HasPrefix(r.Events[0].Type, asks) && len(run) > 0 && string(run["pending_step"]) == string(before["pending_step"]):
		run["failed"] = encoded(failed + 1)
		runs[id] = encoded(run)
		updates["runs"] = encoded(runs)
		r.StateUpdates = encoded(updates)
	}
}

func completedAgain(id string, run al.Run, _ object) al.Event {
	taken := len(run.CompletedSteps)
	return al.Event{Type: completed, DedupeKey: fmt.Sprintf("agentic:run:%s:completed", id), Payload: encoded(map[string]any{
		"run_id": id, "goal": run.Goal, "outcome": fmt.Sprintf("reached after %d steps", taken), "steps_taken": taken,
	})}
}

func escalatedAgain(id string, _ al.Run, result object) al.Event {
	return al.Event{Type: escalated, DedupeKey: fmt.Sprintf("agentic:run:%s:escalated", id), Payload: encoded(al.EscalatedPayload{
		RunID: id, Reason: "ended", ActualStep: result["step"], ActualTool: result["tool"],
	})}
}

// untold drops the news of the end of a run, given the reason where it is given up.
func untold(event, reason string) func(*Turn) {
	return answering(func(_ *Turn, r *al.Response) {
		r.Events = slices.DeleteFunc(r.Events, func(e al.Event) bool {
			return e.Type == event && textOf(objectOf(e.Payload)["reason"]) == reason
		})
	})
}

var endFaults = []Fault{
	{
		ID:     "agent.done-stays-running",
		Title:  "a run that reached its goal stays running",
		Looks:  "the status is running beside agent.completed",
		Breaks: []string{requirement.RFC103S8, requirement.RFC103READ8},
		Answer: stays(completed, "", al.RunStatusRunning),
	},
	{
		ID:     "agent.given-up-stays-running",
		Title:  "a run that met its budget stays running",
		Looks:  "the status is running beside agent.escalated",
		Breaks: []string{requirement.RFC103S8, requirement.RFC103F7, requirement.RFC103READ8},
		Answer: stays(escalated, "max_steps_exceeded", al.RunStatusRunning),
	},
	{
		ID:     "agent.done-is-completed",
		Title:  "a run that reached its goal has the status completed",
		Looks:  "a status that the text does not have",
		Breaks: []string{requirement.RFC103S8, requirement.RFC103S2},
		Answer: stays(completed, "", "completed"),
	},
	{
		ID:     "agent.done-keeps-pending",
		Title:  "a run that reached its goal still has its last step pending",
		Looks:  "pending_step and pending_tool beside the status done",
		Breaks: []string{requirement.RFC103S7},
		Answer: uncleared(completed),
	},
	{
		ID:     "agent.given-up-keeps-pending",
		Title:  "a run that was given up still has its last step pending",
		Looks:  "pending_step and pending_tool beside the status escalated",
		Breaks: []string{requirement.RFC103READ9},
		Answer: uncleared(escalated),
	},
	{
		ID:     "agent.completes-again",
		Title:  "a run that is done says so each time that a result comes",
		Looks:  "a second agent.completed when the last result is delivered again",
		Breaks: []string{requirement.RFC103M7, requirement.RFC103READ8, requirement.RFC103V4},
		Answer: retelling(al.RunStatusDone, completedAgain),
	},
	{
		ID:     "agent.escalates-again",
		Title:  "a run that was given up says so each time that a result comes",
		Looks:  "a second agent.escalated when a result is delivered again",
		Breaks: []string{requirement.RFC103READ8, requirement.RFC103V4},
		Answer: retelling(al.RunStatusEscalated, escalatedAgain),
	},
	{
		ID:     "agent.end-untold",
		Title:  "a run that reached its goal does not say so",
		Looks:  "no event beside the status done",
		Breaks: []string{requirement.RFC103X2, requirement.RFC103T9, requirement.RFC103M7},
		Answer: untold(completed, ""),
	},
	{
		ID:     "agent.future-step-untold",
		Title:  "a run that was given up for a result of a later step does not say so",
		Looks:  "no event beside the status escalated",
		Breaks: []string{requirement.RFC103K2, requirement.RFC103L2, requirement.RFC103T9},
		Answer: untold(escalated, "step_mismatch"),
	},
	{
		ID:     "agent.failed-tool-untold",
		Title:  "a run that was given up for a tool that fails does not say so",
		Looks:  "no event beside the status escalated",
		Breaks: []string{requirement.RFC103F6, requirement.RFC103L2, requirement.RFC103T9},
		Answer: untold(escalated, "tool_error"),
	},
	{
		ID:     "agent.escalation-without-reason",
		Title:  "a run that was given up does not say why",
		Looks:  "reason is empty in agent.escalated",
		Breaks: []string{requirement.RFC103F3},
		Answer: givesUp(func(payload object) { payload["reason"] = encoded("") }),
	},
	{
		ID:     "agent.escalation-without-run",
		Title:  "a run that was given up for a tool that fails is not named",
		Looks:  "run_id is empty in agent.escalated",
		Breaks: []string{requirement.RFC103F3, requirement.RFC103F6},
		Answer: givesUp(func(payload object) {
			if textOf(payload["reason"]) == "tool_error" {
				payload["run_id"] = encoded("")
			}
		}),
	},
	{
		ID:     "agent.steps-taken-one-over",
		Title:  "a run says that it took one step more than it did",
		Looks:  "steps_taken is 3 behind two results",
		Breaks: []string{requirement.RFC103E14},
		Answer: completes(func(p *al.CompletedPayload, _ string) { p.StepsTaken++ }),
	},
	{
		ID:     "agent.failures-counted-as-steps",
		Title:  "a run says that it took a step for each time that one failed, too",
		Looks:  "steps_taken is 4 behind three results and a failure",
		Breaks: []string{requirement.RFC103E14},
		Twin:   "there the count is off in every run, here in those with a failure",
		Answer: answering(countFailures),
	},
	{
		ID:     "agent.goal-reworded",
		Title:  "a run puts its goal into other words when it has reached it",
		Looks:  "goal in agent.completed has a full stop that the start had not",
		Breaks: []string{requirement.RFC103E12},
		Answer: completes(func(p *al.CompletedPayload, _ string) { p.Goal += "." }),
	},
	{
		ID:     "agent.outcome-empty",
		Title:  "a run does not say what it reached",
		Looks:  "outcome is empty in agent.completed",
		Breaks: []string{requirement.RFC103E13},
		Answer: completes(func(p *al.CompletedPayload, _ string) { p.Outcome = "" }),
	},
	{
		ID:     "agent.artifacts-absolute",
		Title:  "the files of a run, its plan among them, are told by their place on the machine",
		Looks:  "artifacts in agent.completed are absolute paths",
		Breaks: []string{requirement.RFC103E15, requirement.RFC103O6},
		Answer: completes(func(p *al.CompletedPayload, workspace string) {
			if workspace == "" {
				return
			}
			p.Artifacts = append(p.Artifacts, "plan.md")
			for i, file := range p.Artifacts {
				p.Artifacts[i] = filepath.Join(workspace, file)
			}
		}),
	},
	{
		ID:     "agent.artifacts-not-there",
		Title:  "a run tells of a file that it did not write",
		Looks:  "artifacts in agent.completed name a file that is not in the workspace",
		Breaks: []string{requirement.RFC103O6},
		Answer: completes(func(p *al.CompletedPayload, workspace string) {
			if workspace != "" {
				p.Artifacts = append(p.Artifacts, path.Join("artifacts", "summary.md"))
			}
		}),
	},
	{
		ID:     "agent.wrong-tool-untold",
		Title:  "a run that was given up for a result of another tool does not say so",
		Looks:  "no event beside the status escalated",
		Breaks: []string{requirement.RFC103L2, requirement.RFC103V7, requirement.RFC103F2},
		Answer: untold(escalated, "pending_tool_mismatch"),
	},
	{
		ID:     "agent.budget-untold",
		Title:  "a run that met its budget does not say so",
		Looks:  "no event beside the status escalated",
		Breaks: []string{requirement.RFC103F7, requirement.RFC103T9},
		Answer: untold(escalated, "max_steps_exceeded"),
	},
	{
		ID:     "agent.reframes-untold",
		Title:  "a run whose plans are used up does not say so",
		Looks:  "no event beside the status escalated",
		Breaks: []string{requirement.RFC103F8, requirement.RFC103T9},
		Answer: untold(escalated, "max_reframes_exceeded"),
	},
	{
		ID:     "agent.forbidden-tool-untold",
		Title:  "a run whose planner wants a tool that is not allowed is given up, and does not say so",
		Looks:  "no event beside the status escalated",
		Breaks: []string{requirement.RFC103T9},
		Twin:   "nothing forbidden is asked for, and nobody hears that the run has ended",
		Answer: untold(escalated, "followup_tool_not_allowed"),
	},
}
