package fault

import (
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
)

var handoffFaults = slices.Concat(handoffStepFaults, handoffChildFaults, handoffMappingFaults, handoffStopFaults)

// handoffStepFaults are about what the log says of a handoff.
var handoffStepFaults = []Fault{
	{
		ID:     "handoff.completion-caused-by-decision",
		Title:  "the end of a worker that brings nothing back is chained to the decision",
		Looks:  "child.completed names the decided event as its cause, and not dispatch.succeeded",
		Breaks: []string{openwop.OWP0037B3},
		Spots:  []int{15},
		Replace: stepping(openwopv1.ChainPhaseChildCompleted, func(step *rules.Step) {
			if !step.Mapped {
				step.Cause = step.Decided
			}
		}),
	},
	{
		ID:      "handoff.failure-caused-by-decision",
		Title:   "the failure of a worker is chained to the decision",
		Looks:   "child.failed names the decided event as its cause, and not dispatch.succeeded",
		Breaks:  []string{openwop.OWP0037B3},
		Replace: stepping(openwopv1.ChainPhaseChildFailed, func(step *rules.Step) { step.Cause = step.Decided }),
	},
	{
		ID:      "handoff.cancellation-caused-by-nothing",
		Title:   "that a worker was cancelled is told as if nothing had come before",
		Looks:   "child.cancelled names no cause",
		Breaks:  []string{openwop.OWP0037B3},
		Replace: stepping(openwopv1.ChainPhaseChildCancelled, func(step *rules.Step) { step.Cause = "" }),
	},
	{
		ID:      "handoff.refusal-caused-by-decision",
		Title:   "that a worker cannot be created is chained to the decision",
		Looks:   "dispatch.failed names the decided event as its cause, and not dispatch.began",
		Breaks:  []string{openwop.OWP0037B4},
		Replace: stepping(openwopv1.ChainPhaseDispatchFailed, func(step *rules.Step) { step.Cause = step.Decided }),
	},
	{
		ID:      "handoff.completion-names-no-child",
		Title:   "the end of a worker is told without the run that it was",
		Looks:   "child.completed has no childRunId",
		Breaks:  []string{openwop.OWPDSP10},
		Replace: stepping(openwopv1.ChainPhaseChildCompleted, func(step *rules.Step) { step.Payload.ChildRunID = "" }),
	},
	{
		ID:      "handoff.failure-names-no-child",
		Title:   "the failure of a worker is told without the run that it was",
		Looks:   "child.failed has no childRunId",
		Breaks:  []string{openwop.OWPDSP10},
		Replace: stepping(openwopv1.ChainPhaseChildFailed, func(step *rules.Step) { step.Payload.ChildRunID = "" }),
	},
	{
		ID:     "handoff.cancellation-names-parent",
		Title:  "that a worker was cancelled is told of the run above it",
		Looks:  "the childRunId of child.cancelled is the parent's runId",
		Breaks: []string{openwop.OWPDSP10},
		Replace: stepping(openwopv1.ChainPhaseChildCancelled, func(step *rules.Step) {
			step.Payload.ChildRunID = step.Payload.ParentRunID
		}),
	},
	{
		ID:     "handoff.refusal-names-child",
		Title:  "a worker that could not be created is told with a run all the same",
		Looks:  "dispatch.failed has a childRunId",
		Breaks: []string{openwop.OWPDSP10},
		Replace: stepping(openwopv1.ChainPhaseDispatchFailed, func(step *rules.Step) {
			step.Payload.ChildRunID = step.Payload.ParentRunID
		}),
	},
	{
		ID:      "handoff.failure-without-error",
		Title:   "a worker's failure is told without the reason",
		Looks:   "child.failed has no error",
		Breaks:  []string{openwop.OWPDSP11},
		Replace: stepping(openwopv1.ChainPhaseChildFailed, func(step *rules.Step) { step.Payload.Error = nil }),
	},
	{
		ID:      "handoff.refusal-without-error",
		Title:   "that a worker could not be created is told without the reason",
		Looks:   "dispatch.failed has no error",
		Breaks:  []string{openwop.OWPDSP11},
		Replace: stepping(openwopv1.ChainPhaseDispatchFailed, func(step *rules.Step) { step.Payload.Error = nil }),
	},
	{
		ID:      "handoff.harvest-caused-by-decision",
		Title:   "a harvest is chained to the decision, and not to the end of the worker",
		Looks:   "output.harvested names the decided event as its cause, and not child.completed",
		Breaks:  []string{openwop.OWP0037B1, openwop.OWP0037B3},
		Replace: stepping(openwopv1.ChainPhaseOutputHarvested, func(step *rules.Step) { step.Cause = step.Decided }),
	},
	{
		ID:      "handoff.harvest-lists-nothing",
		Title:   "a harvest does not say which variables it wrote",
		Looks:   "output.harvested has no harvestedKeys",
		Breaks:  []string{openwop.OWPDSP20},
		Replace: stepping(openwopv1.ChainPhaseOutputHarvested, func(step *rules.Step) { step.Payload.HarvestedKeys = nil }),
	},
}

// stepping changes how a step of this phase is told, of a child that the host runs itself.
func stepping(phase openwopv1.ChainPhase, change func(*rules.Step)) func(*rules.Set) {
	return func(s *rules.Set) {
		told := s.Handoff.Step
		s.Handoff.Step = func(step rules.Step) rules.Step {
			if step = told(step); step.Payload.Phase == phase && !step.Abroad {
				change(&step)
			}
			return step
		}
	}
}
