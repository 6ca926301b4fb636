package fault

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/engine/event"
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
		Replace: causing(event.ChildCompleted, func(log []event.Event, end event.Event) string {
			if slices.ContainsFunc(log, func(e event.Event) bool { return e.CausationID == end.ID }) {
				return end.CausationID // it was harvested
			}
			return byDecision(log, end)
		}),
	},
	{
		ID:      "handoff.failure-caused-by-decision",
		Title:   "the failure of a worker is chained to the decision",
		Looks:   "child.failed names the decided event as its cause, and not dispatch.succeeded",
		Breaks:  []string{openwop.OWP0037B3},
		Replace: causing(event.ChildFailed, byDecision),
	},
	{
		ID:      "handoff.cancellation-caused-by-nothing",
		Title:   "that a worker was cancelled is told as if nothing had come before",
		Looks:   "child.cancelled names no cause",
		Breaks:  []string{openwop.OWP0037B3},
		Replace: causing(event.ChildCancelled, func([]event.Event, event.Event) string { return "" }),
	},
	{
		ID:      "handoff.refusal-caused-by-decision",
		Title:   "that a worker cannot be created is chained to the decision",
		Looks:   "dispatch.failed names the decided event as its cause, and not dispatch.began",
		Breaks:  []string{openwop.OWP0037B4, openwop.OWP0037B3},
		Replace: causing(event.DispatchFailed, byDecision),
	},
	{
		ID:     "handoff.completion-names-no-child",
		Title:  "the end of a worker is told without the run that it was",
		Looks:  "child.completed has no childRunId",
		Breaks: []string{openwop.OWPDSP10, openwop.OWP0037B3},
		Event:  stepping(event.ChildCompleted, func(p *chainStep) { p.ChildRunID = "" }),
	},
	{
		ID:     "handoff.failure-names-no-child",
		Title:  "the failure of a worker is told without the run that it was",
		Looks:  "child.failed has no childRunId",
		Breaks: []string{openwop.OWPDSP10, openwop.OWP0037B3},
		Event:  stepping(event.ChildFailed, func(p *chainStep) { p.ChildRunID = "" }),
	},
	{
		ID:     "handoff.cancellation-names-parent",
		Title:  "that a worker was cancelled is told of the run above it",
		Looks:  "the childRunId of child.cancelled is the parent's runId",
		Breaks: []string{openwop.OWPDSP10, openwop.OWP0037B3},
		Event:  stepping(event.ChildCancelled, func(p *chainStep) { p.ChildRunID = p.ParentRunID }),
	},
	{
		ID:     "handoff.refusal-names-child",
		Title:  "a worker that could not be created is told with a run all the same",
		Looks:  "dispatch.failed has a childRunId",
		Breaks: []string{openwop.OWPDSP10},
		Event:  stepping(event.DispatchFailed, func(p *chainStep) { p.ChildRunID = p.ParentRunID }),
	},
	{
		ID:     "handoff.failure-without-error",
		Title:  "a worker's failure is told without the reason",
		Looks:  "child.failed has no error",
		Breaks: []string{openwop.OWPDSP11},
		Event:  stepping(event.ChildFailed, func(p *chainStep) { p.Error = nil }),
	},
	{
		ID:     "handoff.refusal-without-error",
		Title:  "that a worker could not be created is told without the reason",
		Looks:  "dispatch.failed has no error",
		Breaks: []string{openwop.OWPDSP11},
		Event:  stepping(event.DispatchFailed, func(p *chainStep) { p.Error = nil }),
	},
	{
		ID:      "handoff.harvest-caused-by-decision",
		Title:   "a harvest is chained to the decision, and not to the end of the worker",
		Looks:   "output.harvested names the decided event as its cause, and not child.completed",
		Breaks:  []string{openwop.OWP0037B1, openwop.OWP0037B3},
		Replace: causing(event.OutputHarvested, byDecision),
	},
	{
		ID:     "handoff.later-end-caused-by-decision",
		Title:  "the end of a worker that was lost is chained to the decision, unless it was the first of its decision",
		Looks:  "dispatch.failed or child.failed of a second worker names the decided event as its cause",
		Breaks: []string{openwop.OWP0037B3},
		Twin:   "there it is one phase of every handoff, here one of those that are not the first",
		Replace: func(s *rules.Set) {
			for _, phase := range []event.Phase{event.DispatchFailed, event.ChildFailed} {
				causing(phase, func(log []event.Event, step event.Event) string {
					if before := began(log, step); before < 2 {
						return step.CausationID
					}
					return byDecision(log, step)
				})(s)
			}
		},
	},
	{
		ID:     "handoff.harvest-lists-nothing",
		Title:  "a harvest does not say which variables it wrote",
		Looks:  "output.harvested has no harvestedKeys",
		Breaks: []string{openwop.OWPDSP20},
		Event:  stepping(event.OutputHarvested, func(p *chainStep) { p.HarvestedKeys = nil }),
	},
}

type chainStep = event.HandoffPayload

// steps changes what is told of the steps of handoffs.
func steps(change func(*chainStep)) mutate.EventFunc {
	return mutate.OfType(string(event.Handoff), mutate.Payload(change))
}

// stepping changes what is told of a step of this phase, of a child that the host runs itself. The id of a worker on
// another host has the name of that host in it, before a slash.
func stepping(phase event.Phase, change func(*chainStep)) mutate.EventFunc {
	return steps(func(p *chainStep) {
		if p.Phase == phase && !strings.Contains(p.WorkerID, "/") {
			change(p)
		}
	})
}

// causing changes what a step of this phase names as its cause, of a child that the host runs itself.
func causing(phase event.Phase, cause func(log []event.Event, step event.Event) string) func(*rules.Set) {
	return func(s *rules.Set) {
		retold(s, func(e *event.Event, r rules.Listing) {
			var p chainStep
			if e.Type == event.Handoff && json.Unmarshal(e.Payload, &p) == nil && p.Phase == phase &&
				!strings.Contains(p.WorkerID, "/") {
				e.CausationID = cause(r.Events, *e)
			}
		})
	}
}

// byDecision is the decision that a step of a handoff goes back to.
func byDecision(log []event.Event, step event.Event) string {
	return lastBefore(log, step, func(e event.Event) bool { return e.Type == event.Decided })
}

// began is how many handoffs of a decision have begun when this step is told.
func began(log []event.Event, step event.Event) (n int) {
	for _, e := range log {
		var p chainStep
		switch {
		case e.Sequence >= step.Sequence:
			return n
		case e.Type == event.Decided:
			n = 0
		case e.Type == event.Handoff && json.Unmarshal(e.Payload, &p) == nil && p.Phase == event.DispatchBegan:
			n++
		}
	}
	return n
}

// stepOf limits a change to the events that tell of a step of this phase.
func stepOf(phase event.Phase, change mutate.EventFunc) mutate.EventFunc {
	return mutate.OfType(string(event.Handoff), func(e *mutate.Event) {
		if e.Payload["phase"] == string(phase) {
			change(e)
		}
	})
}
