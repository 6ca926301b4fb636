package fault

import (
	"path"
	"path/filepath"

	requirement "github.com/openassay/assay/gen/agenticloop"
	al "github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/simhost/agenticloop/rules"
)

// completes changes the news of a run that reached its goal.
func completes(change func(p *al.CompletedPayload, workspace string)) func(*rules.Set) {
	return func(s *rules.Set) {
		s.Ends.Completed = func(p al.CompletedPayload, workspace string) al.CompletedPayload {
			change(&p, workspace)
			return p
		}
	}
}

// stays gives a run another status than it ought to have.
func stays(status, instead al.RunStatus, because string) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Ends.Status
		s.Ends.Status = func(right al.RunStatus, reason string) al.RunStatus {
			if right == status && reason == because {
				return instead
			}
			return honest(right, reason)
		}
	}
}

func uncleared(status al.RunStatus) func(*rules.Set) {
	return func(s *rules.Set) { s.Ends.Clears = func(ends al.RunStatus) bool { return ends != status } }
}

func retelling(status al.RunStatus) func(*rules.Set) {
	return func(s *rules.Set) { s.Ends.Retells = func(ended al.RunStatus) bool { return ended == status } }
}

func untold(status al.RunStatus, reason string) func(*rules.Set) {
	return func(s *rules.Set) {
		s.Ends.Tells = func(ends al.RunStatus, why string) bool { return ends != status || why != reason }
	}
}

var endFaults = []Fault{
	{
		ID:      "agent.done-stays-running",
		Title:   "a run that reached its goal stays running",
		Looks:   "the status is running beside agent.completed",
		Breaks:  []string{requirement.RFC103S8, requirement.RFC103READ8},
		Replace: stays(al.RunStatusDone, al.RunStatusRunning, ""),
	},
	{
		ID:      "agent.given-up-stays-running",
		Title:   "a run that met its budget stays running",
		Looks:   "the status is running beside agent.escalated",
		Breaks:  []string{requirement.RFC103S8, requirement.RFC103F7, requirement.RFC103READ8},
		Replace: stays(al.RunStatusEscalated, al.RunStatusRunning, "max_steps_exceeded"),
	},
	{
		ID:      "agent.done-is-completed",
		Title:   "a run that reached its goal has the status completed",
		Looks:   "a status that the text does not have",
		Breaks:  []string{requirement.RFC103S8, requirement.RFC103S2},
		Replace: stays(al.RunStatusDone, "completed", ""),
	},
	{
		ID:      "agent.done-keeps-pending",
		Title:   "a run that reached its goal still has its last step pending",
		Looks:   "pending_step and pending_tool beside the status done",
		Breaks:  []string{requirement.RFC103S7},
		Replace: uncleared(al.RunStatusDone),
	},
	{
		ID:      "agent.given-up-keeps-pending",
		Title:   "a run that was given up still has its last step pending",
		Looks:   "pending_step and pending_tool beside the status escalated",
		Breaks:  []string{requirement.RFC103READ9},
		Replace: uncleared(al.RunStatusEscalated),
	},
	{
		ID:      "agent.completes-again",
		Title:   "a run that is done says so each time that a result comes",
		Looks:   "a second agent.completed when the last result is delivered again",
		Breaks:  []string{requirement.RFC103M7, requirement.RFC103READ8, requirement.RFC103V4},
		Replace: retelling(al.RunStatusDone),
	},
	{
		ID:      "agent.escalates-again",
		Title:   "a run that was given up says so each time that a result comes",
		Looks:   "a second agent.escalated when a result is delivered again",
		Breaks:  []string{requirement.RFC103READ8, requirement.RFC103V4},
		Replace: retelling(al.RunStatusEscalated),
	},
	{
		ID:      "agent.end-untold",
		Title:   "a run that reached its goal does not say so",
		Looks:   "no event beside the status done",
		Breaks:  []string{requirement.RFC103X2, requirement.RFC103T9, requirement.RFC103M7},
		Replace: untold(al.RunStatusDone, ""),
	},
	{
		ID:      "agent.future-step-untold",
		Title:   "a run that was given up for a result of a later step does not say so",
		Looks:   "no event beside the status escalated",
		Breaks:  []string{requirement.RFC103K2, requirement.RFC103L2, requirement.RFC103T9},
		Replace: untold(al.RunStatusEscalated, "step_mismatch"),
	},
	{
		ID:      "agent.failed-tool-untold",
		Title:   "a run that was given up for a tool that fails does not say so",
		Looks:   "no event beside the status escalated",
		Breaks:  []string{requirement.RFC103F6, requirement.RFC103L2, requirement.RFC103T9},
		Replace: untold(al.RunStatusEscalated, "tool_error"),
	},
	{
		ID:     "agent.escalation-without-reason",
		Title:  "a run that was given up does not say why",
		Looks:  "reason is empty in agent.escalated",
		Breaks: []string{requirement.RFC103F3},
		Replace: func(s *rules.Set) {
			s.Ends.GivenUp = func(p rules.GivenUp) rules.GivenUp { p.Reason = ""; return p }
		},
	},
	{
		ID:     "agent.escalation-without-run",
		Title:  "a run that was given up for a tool that fails is not named",
		Looks:  "run_id is empty in agent.escalated",
		Breaks: []string{requirement.RFC103F3, requirement.RFC103F6},
		Replace: func(s *rules.Set) {
			s.Ends.GivenUp = func(p rules.GivenUp) rules.GivenUp {
				if p.Reason == "tool_error" {
					p.RunID = ""
				}
				return p
			}
		},
	},
	{
		ID:      "agent.steps-taken-one-over",
		Title:   "a run says that it took one step more than it did",
		Looks:   "steps_taken is 3 behind two results",
		Breaks:  []string{requirement.RFC103E14},
		Replace: completes(func(p *al.CompletedPayload, _ string) { p.StepsTaken++ }),
	},
	{
		ID:      "agent.goal-reworded",
		Title:   "a run puts its goal into other words when it has reached it",
		Looks:   "goal in agent.completed has a full stop that the start had not",
		Breaks:  []string{requirement.RFC103E12},
		Replace: completes(func(p *al.CompletedPayload, _ string) { p.Goal += "." }),
	},
	{
		ID:      "agent.outcome-empty",
		Title:   "a run does not say what it reached",
		Looks:   "outcome is empty in agent.completed",
		Breaks:  []string{requirement.RFC103E13},
		Replace: completes(func(p *al.CompletedPayload, _ string) { p.Outcome = "" }),
	},
	{
		ID:     "agent.artifacts-absolute",
		Title:  "the files of a run, its plan among them, are told by their place on the machine",
		Looks:  "artifacts in agent.completed are absolute paths",
		Breaks: []string{requirement.RFC103E15, requirement.RFC103O6},
		Replace: completes(func(p *al.CompletedPayload, workspace string) {
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
		Replace: completes(func(p *al.CompletedPayload, workspace string) {
			if workspace != "" {
				p.Artifacts = append(p.Artifacts, path.Join("artifacts", "summary.md"))
			}
		}),
	},
	{
		ID:      "agent.wrong-tool-untold",
		Title:   "a run that was given up for a result of another tool does not say so",
		Looks:   "no event beside the status escalated",
		Breaks:  []string{requirement.RFC103L2, requirement.RFC103V7, requirement.RFC103F2},
		Replace: untold(al.RunStatusEscalated, "pending_tool_mismatch"),
	},
	{
		ID:      "agent.budget-untold",
		Title:   "a run that met its budget does not say so",
		Looks:   "no event beside the status escalated",
		Breaks:  []string{requirement.RFC103F7, requirement.RFC103T9},
		Replace: untold(al.RunStatusEscalated, "max_steps_exceeded"),
	},
	{
		ID:      "agent.reframes-untold",
		Title:   "a run whose plans are used up does not say so",
		Looks:   "no event beside the status escalated",
		Breaks:  []string{requirement.RFC103F8, requirement.RFC103T9},
		Replace: untold(al.RunStatusEscalated, "max_reframes_exceeded"),
	},
	{
		ID:      "agent.forbidden-tool-untold",
		Title:   "a run whose planner wants a tool that is not allowed is given up, and does not say so",
		Looks:   "no event beside the status escalated",
		Breaks:  []string{requirement.RFC103G3},
		Twin:    "nothing forbidden is asked for, and nobody hears that the run has ended",
		Replace: untold(al.RunStatusEscalated, "followup_tool_not_allowed"),
	},
}
