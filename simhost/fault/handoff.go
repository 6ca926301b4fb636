package fault

import (
	"maps"
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/rules"
)

var handoffFaults = slices.Concat(handoffStepFaults, handoffChildFaults, handoffMappingFaults, handoffStopFaults)

// handoffStepFaults are about what the log says of a handoff.
var handoffStepFaults = []Fault{
	{
		ID:     "handoff.completion-caused-by-decision",
		Title:  "the end of a worker that brings nothing back is chained to the decision",
		Looks:  "child.completed names the decided event as its cause, and not dispatch.succeeded",
		Breaks: []string{openwopv1.OWP0037B3},
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
		Breaks:  []string{openwopv1.OWP0037B3},
		Replace: stepping(openwopv1.ChainPhaseChildFailed, func(step *rules.Step) { step.Cause = step.Decided }),
	},
	{
		ID:      "handoff.cancellation-caused-by-nothing",
		Title:   "that a worker was cancelled is told as if nothing had come before",
		Looks:   "child.cancelled names no cause",
		Breaks:  []string{openwopv1.OWP0037B3},
		Replace: stepping(openwopv1.ChainPhaseChildCancelled, func(step *rules.Step) { step.Cause = "" }),
	},
	{
		ID:      "handoff.refusal-caused-by-decision",
		Title:   "that a worker cannot be created is chained to the decision",
		Looks:   "dispatch.failed names the decided event as its cause, and not dispatch.began",
		Breaks:  []string{openwopv1.OWP0037B4},
		Replace: stepping(openwopv1.ChainPhaseDispatchFailed, func(step *rules.Step) { step.Cause = step.Decided }),
	},
	{
		ID:      "handoff.completion-names-no-child",
		Title:   "the end of a worker is told without the run that it was",
		Looks:   "child.completed has no childRunId",
		Breaks:  []string{openwopv1.OWPDSP10},
		Replace: stepping(openwopv1.ChainPhaseChildCompleted, func(step *rules.Step) { step.Payload.ChildRunID = "" }),
	},
	{
		ID:      "handoff.failure-names-no-child",
		Title:   "the failure of a worker is told without the run that it was",
		Looks:   "child.failed has no childRunId",
		Breaks:  []string{openwopv1.OWPDSP10},
		Replace: stepping(openwopv1.ChainPhaseChildFailed, func(step *rules.Step) { step.Payload.ChildRunID = "" }),
	},
	{
		ID:     "handoff.cancellation-names-parent",
		Title:  "that a worker was cancelled is told of the run above it",
		Looks:  "the childRunId of child.cancelled is the parent's runId",
		Breaks: []string{openwopv1.OWPDSP10},
		Replace: stepping(openwopv1.ChainPhaseChildCancelled, func(step *rules.Step) {
			step.Payload.ChildRunID = step.Payload.ParentRunID
		}),
	},
	{
		ID:     "handoff.refusal-names-child",
		Title:  "a worker that could not be created is told with a run all the same",
		Looks:  "dispatch.failed has a childRunId",
		Breaks: []string{openwopv1.OWPDSP10},
		Replace: stepping(openwopv1.ChainPhaseDispatchFailed, func(step *rules.Step) {
			step.Payload.ChildRunID = step.Payload.ParentRunID
		}),
	},
	{
		ID:      "handoff.failure-without-error",
		Title:   "a worker's failure is told without the reason",
		Looks:   "child.failed has no error",
		Breaks:  []string{openwopv1.OWPDSP11},
		Replace: stepping(openwopv1.ChainPhaseChildFailed, func(step *rules.Step) { step.Payload.Error = nil }),
	},
	{
		ID:      "handoff.refusal-without-error",
		Title:   "that a worker could not be created is told without the reason",
		Looks:   "dispatch.failed has no error",
		Breaks:  []string{openwopv1.OWPDSP11},
		Replace: stepping(openwopv1.ChainPhaseDispatchFailed, func(step *rules.Step) { step.Payload.Error = nil }),
	},
	{
		ID:      "handoff.harvest-caused-by-decision",
		Title:   "a harvest is chained to the decision, and not to the end of the worker",
		Looks:   "output.harvested names the decided event as its cause, and not child.completed",
		Breaks:  []string{openwopv1.OWP0037B1, openwopv1.OWP0037B3},
		Replace: stepping(openwopv1.ChainPhaseOutputHarvested, func(step *rules.Step) { step.Cause = step.Decided }),
	},
	{
		ID:      "handoff.harvest-lists-nothing",
		Title:   "a harvest does not say which variables it wrote",
		Looks:   "output.harvested has no harvestedKeys",
		Breaks:  []string{openwopv1.OWPDSP20},
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

// handoffChildFaults are about the run that a worker is, and what becomes of the loop with it.
var handoffChildFaults = []Fault{
	{
		ID:     "handoff.child-is-no-run",
		Title:  "the log names a child that nobody can find",
		Looks:  "reading the childRunId of dispatch.succeeded is answered 404",
		Breaks: []string{openwopv1.OWPDSP12, openwopv1.OWP0037A3, openwopv1.OWPCAU1},
		Spots:  []int{13},
		Replace: func(s *rules.Set) {
			told := s.Handoff.Step
			s.Handoff.Step = func(step rules.Step) rules.Step {
				step = told(step)
				if id := []byte(step.Payload.ChildRunID); len(id) > 0 {
					slices.Reverse(id)
					step.Payload.ChildRunID = string(id)
				}
				return step
			}
		},
	},
	{
		ID:      "handoff.completed-child-of-itself",
		Title:   "a worker that completed is shown as its own parent",
		Looks:   "the parentRunId in the snapshot of a completed child is its runId",
		Breaks:  []string{openwopv1.OWPDSP12},
		Replace: showingChild(openwopv1.RunStatusCompleted, func(c *openwopv1.RunSnapshot) { c.ParentRunID = &c.RunID }),
	},
	{
		ID:      "handoff.failed-child-shown-completed",
		Title:   "a worker that failed is shown as one that completed",
		Looks:   "the snapshot of a child is completed, its log ends with run.failed",
		Breaks:  []string{openwopv1.OWPDSP12},
		Replace: showingChild(openwopv1.RunStatusFailed, func(c *openwopv1.RunSnapshot) { c.Status = openwopv1.RunStatusCompleted }),
	},
	{
		ID:      "handoff.cancelled-child-of-itself",
		Title:   "a worker that was cancelled is shown as its own parent",
		Looks:   "the parentRunId in the snapshot of a cancelled child is its runId",
		Breaks:  []string{openwopv1.OWPDSP12},
		Replace: showingChild(openwopv1.RunStatusCancelled, func(c *openwopv1.RunSnapshot) { c.ParentRunID = &c.RunID }),
	},
	{
		ID:      "handoff.completed-child-without-parent",
		Title:   "a worker forgets its parent when it completes",
		Looks:   "the snapshot of a completed child has no parentRunId",
		Breaks:  []string{openwopv1.OWPDSP13},
		Replace: showingChild(openwopv1.RunStatusCompleted, orphaned),
	},
	{
		ID:      "handoff.failed-child-without-parent",
		Title:   "a worker forgets its parent when it fails",
		Looks:   "the snapshot of a failed child has no parentRunId",
		Breaks:  []string{openwopv1.OWPDSP13},
		Replace: showingChild(openwopv1.RunStatusFailed, orphaned),
	},
	{
		ID:      "handoff.cancelled-child-without-parent",
		Title:   "a worker forgets its parent when it is cancelled",
		Looks:   "the snapshot of a cancelled child has no parentRunId",
		Breaks:  []string{openwopv1.OWPDSP13},
		Replace: showingChild(openwopv1.RunStatusCancelled, orphaned),
	},
	{
		ID:     "handoff.next-worker-beside-waiting-one",
		Title:  "a worker that waits for a person is taken to be done, and the next of its decision begins",
		Looks:  "two children of one decision are at work at the same time",
		Breaks: []string{openwopv1.OWPDSP14, openwopv1.OWP0037A5},
		Spots:  []int{19},
		Replace: func(s *rules.Set) {
			counts := s.Handoff.CountsAs
			s.Handoff.CountsAs = func(child openwopv1.RunStatus, more bool) openwopv1.RunStatus {
				if child == openwopv1.RunStatusWaitingInput && more {
					return openwopv1.RunStatusCompleted
				}
				return counts(child, more)
			}
		},
	},
	{
		ID:      "handoff.loop-fails-with-worker",
		Title:   "a worker that fails takes the loop with it",
		Looks:   "the parent is failed after child.failed",
		Breaks:  []string{openwopv1.OWPDSP15},
		Spots:   []int{22},
		Replace: failingAfter(openwopv1.ChainPhaseChildFailed),
	},
	{
		ID:      "handoff.loop-fails-with-cancelled-worker",
		Title:   "a worker that is cancelled takes the loop with it",
		Looks:   "the parent is failed after child.cancelled",
		Breaks:  []string{openwopv1.OWPDSP15},
		Replace: failingAfter(openwopv1.ChainPhaseChildCancelled),
	},
	{
		ID:      "handoff.loop-fails-without-worker",
		Title:   "a worker that cannot be created takes the loop with it",
		Looks:   "the parent is failed after dispatch.failed",
		Breaks:  []string{openwopv1.OWPDSP15},
		Replace: failingAfter(openwopv1.ChainPhaseDispatchFailed),
	},
}

// showingChild changes how a run of this status is shown that another one dispatched.
func showingChild(status openwopv1.RunStatus, change func(*openwopv1.RunSnapshot)) func(*rules.Set) {
	return func(s *rules.Set) {
		shown := s.Handoff.Child
		s.Handoff.Child = func(c openwopv1.RunSnapshot) openwopv1.RunSnapshot {
			if c = shown(c); c.Status == status {
				change(&c)
			}
			return c
		}
	}
}

func orphaned(c *openwopv1.RunSnapshot) { c.ParentRunID = nil }

// failingAfter has the loop fail after a handoff that this step ended.
func failingAfter(last openwopv1.ChainPhase) func(*rules.Set) {
	return func(s *rules.Set) {
		goesOn := s.Handoff.GoesOn
		s.Handoff.GoesOn = func(phase openwopv1.ChainPhase) bool { return phase != last && goesOn(phase) }
	}
}

// handoffMappingFaults are about what mappings carry.
var handoffMappingFaults = []Fault{
	{
		ID:     "handoff.unmapped-harvested",
		Title:  "where nothing at all is mapped back every worker that completes is harvested",
		Looks:  "output.harvested stands on the log of a loop that maps nothing back",
		Breaks: []string{openwopv1.OWP0037B1},
		Replace: harvesting(func(child openwopv1.RunStatus, _, maps bool) bool {
			return child == openwopv1.RunStatusCompleted && !maps
		}),
	},
	{
		ID:     "handoff.failed-harvested",
		Title:  "a worker that fails is harvested as far as it came",
		Looks:  "output.harvested follows child.failed, and the parent's variable has changed",
		Breaks: []string{openwopv1.OWP0037B2},
		Spots:  []int{14},
		Replace: harvesting(func(child openwopv1.RunStatus, mapped, _ bool) bool {
			return child == openwopv1.RunStatusFailed && mapped
		}),
	},
	{
		ID:     "handoff.cancelled-harvested",
		Title:  "a worker that is cancelled is harvested as far as it came",
		Looks:  "output.harvested follows child.cancelled",
		Breaks: []string{openwopv1.OWP0037B2},
		Replace: harvesting(func(child openwopv1.RunStatus, mapped, _ bool) bool {
			return child == openwopv1.RunStatusCancelled && mapped
		}),
	},
	{
		ID:     "handoff.later-results-lost",
		Title:  "of the workers of a decision only the first brings anything back",
		Looks:  "output.harvested stands on the log, and the parent's variable is as it was",
		Breaks: []string{openwopv1.OWP0037A4},
		Replace: func(s *rules.Set) {
			brought := s.Handoff.Brought
			s.Handoff.Brought = func(values map[string]any, first bool) map[string]any {
				if !first {
					return map[string]any{}
				}
				return brought(values, first)
			}
		},
	},
	{
		ID:     "handoff.first-worker-short-of-inputs",
		Title:  "the first worker of a decision is given one of the inputs that are mapped to it, and none of the others",
		Looks:  "the snapshot of the child lacks an input whose source has a value",
		Breaks: []string{openwopv1.OWPDSP16},
		Replace: func(s *rules.Set) {
			given := s.Handoff.Given
			s.Handoff.Given = func(g rules.Given) map[string]any {
				inputs := given(g)
				if g.Brought == nil && len(inputs) > 1 {
					delete(inputs, slices.Min(slices.Collect(maps.Keys(inputs))))
				}
				return inputs
			}
		},
	},
	{
		ID:     "handoff.unset-given-empty",
		Title:  "a variable without a value is handed on as an empty text",
		Looks:  "a child has an empty input whose source the parent never had",
		Breaks: []string{openwopv1.OWPDSP17},
		Replace: func(s *rules.Set) {
			given := s.Handoff.Given
			s.Handoff.Given = func(g rules.Given) map[string]any {
				inputs := given(g)
				for name := range g.Mapping {
					if _, set := inputs[name]; !set {
						inputs[name] = ""
					}
				}
				return inputs
			}
		},
	},
	{
		ID:     "handoff.default-inputs-added",
		Title:  "a worker with an input mapping of its own is given what the default one names as well",
		Looks:  "a child has an input that only the default mapping has",
		Breaks: []string{openwopv1.OWPDSP18},
		Replace: func(s *rules.Set) {
			mapping := s.Handoff.Mapping
			s.Handoff.Mapping = func(byDefault, own *openwopv1.VariableMapping, back bool) openwopv1.VariableMapping {
				honest := mapping(byDefault, own, back)
				if back || byDefault == nil || own == nil {
					return honest
				}
				both := maps.Clone(*byDefault)
				maps.Copy(both, honest)
				return both
			}
		},
	},
	{
		ID:     "handoff.inputs-from-before-decision",
		Title:  "all workers of a decision are given what the parent had before the first of them",
		Looks:  "the second worker lacks what the first has just brought back",
		Breaks: []string{openwopv1.OWPDSP19},
		Replace: func(s *rules.Set) {
			given := s.Handoff.Given
			s.Handoff.Given = func(g rules.Given) map[string]any {
				g.Variables = maps.Clone(g.Variables)
				maps.DeleteFunc(g.Variables, func(name string, _ any) bool {
					_, brought := g.Brought[name]
					return brought
				})
				return given(g)
			}
		},
	},
	{
		ID:     "handoff.checksum-of-something-else",
		Title:  "the checksum is made over the outputs in a wrapper of the host's own",
		Looks:  "attestation.checksum of output.harvested fits nothing that the child put out",
		Breaks: []string{openwopv1.OWPDSP27},
		Replace: func(s *rules.Set) {
			attested := s.Handoff.Attested
			s.Handoff.Attested = func(outputs, harvest map[string]any) any {
				return map[string]any{"outputs": attested(outputs, harvest)}
			}
		},
	},
}

// harvesting has these children harvested as well.
func harvesting(also func(child openwopv1.RunStatus, mapped, maps bool) bool) func(*rules.Set) {
	return func(s *rules.Set) {
		harvests := s.Handoff.Harvests
		s.Handoff.Harvests = func(child openwopv1.RunStatus, mapped, maps bool) bool {
			return harvests(child, mapped, maps) || also(child, mapped, maps)
		}
	}
}

// handoffStopFaults are about trees of runs that are cancelled.
var handoffStopFaults = []Fault{
	{
		ID:     "handoff.grandchild-goes-on",
		Title:  "who cancels a run cancels its children, and not what they have dispatched",
		Looks:  "the grandchild of a cancelled run is still at work",
		Breaks: []string{openwopv1.OWPDSP21},
		Spots:  []int{28},
		Replace: func(s *rules.Set) {
			stops := s.Handoff.Stops
			s.Handoff.Stops = func(depth int) bool { return depth < 2 && stops(depth) }
		},
	},
	{
		ID:     "handoff.cancelled-without-reason",
		Title:  "a run that ended with its parent does not say so",
		Looks:  "run.cancelled of a child has neither a reason nor a parentRunId",
		Breaks: []string{openwopv1.OWPDSP22},
		Replace: func(s *rules.Set) {
			s.Handoff.Because = func(string) (reason, names string) { return "", "" }
		},
	},
	{
		ID:     "handoff.cancelled-loop-decides-on",
		Title:  "a loop that is cancelled while its worker is at work makes one more decision",
		Looks:  "a cancelled run has a second turn before run.cancelled",
		Breaks: []string{openwopv1.OWPDSP23},
		Spots:  []int{9},
		Replace: func(s *rules.Set) {
			s.Dispatch.Rests = func() bool { return false }
		},
	},
}
