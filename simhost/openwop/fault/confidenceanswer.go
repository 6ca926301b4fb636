package fault

import (
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// confidenceAnswerFaults are about what becomes of a decision below the floor.
var confidenceAnswerFaults = []Fault{
	{
		ID:      "confidence.carried-out-twice",
		Title:   "a held decision is carried out once for the decision and once for the answer",
		Looks:   "the worker of a held decision is dispatched twice",
		Breaks:  []string{openwop.OWPCNF9, openwop.OWP0061D1, openwop.OWP0037B3, openwop.OWPDSP1},
		Spots:   []int{17},
		Replace: carryingOutTwice(false),
	},
	{
		ID:      "confidence.accepted-dropped",
		Title:   "the answer to a held decision takes its place: the supervisor goes on with its next turn",
		Looks:   "the worker of a held decision is never dispatched, although nobody refused it",
		Breaks:  []string{openwop.OWPCNF10},
		Replace: after(false, false, rules.Dropped),
	},
	{
		ID:      "confidence.rejected-carried-out",
		Title:   "a held decision is carried out whatever the answer is",
		Looks:   "a worker is dispatched after its decision was rejected",
		Breaks:  []string{openwop.OWPCNF11},
		Under:   Under{EscalationInterrupt: string(event.Approval)},
		Replace: after(true, false, rules.CarriedOut),
	},
	{
		ID:      "confidence.rejected-left-open",
		Title:   "a run stands still for good when a held decision is rejected",
		Looks:   "the rejection is accepted, and the run neither goes on nor ends",
		Breaks:  []string{openwop.OWPCNF12},
		Under:   Under{EscalationInterrupt: string(event.Approval)},
		Replace: after(true, false, rules.LeftOpen),
	},
}

// after has held decisions go this way after such an answer.
func after(rejected, unsure bool, course rules.Course) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Confidence.After
		s.Confidence.After = func(r, u bool) rules.Course {
			if r == rejected && u == unsure {
				return course
			}
			return honest(r, u)
		}
	}
}

func carryingOutTwice(unsure bool) func(*rules.Set) {
	return func(s *rules.Set) {
		workers := s.Confidence.Workers
		s.Confidence.Workers = func(named []string, of bool) []string {
			named = workers(named, of)
			if of == unsure {
				return slices.Repeat(named, 2)
			}
			return named
		}
	}
}

// confidenceUnsureFaults are about agents that are not sure of what they mean to decide.
var confidenceUnsureFaults = []Fault{
	{
		ID:     "confidence.given-threshold-ignored",
		Title:  "an agent whose threshold the run sets decides whatever it is",
		Looks:  "an agent below the escalationThreshold of its run decides at once",
		Breaks: []string{openwop.OWPCNF14},
		Replace: unsure(func(_, _ float64, given, honest bool) bool {
			return honest && !given
		}),
	},
	{
		ID:     "confidence.no-default-threshold",
		Title:  "an agent is held only where the run sets a threshold",
		Looks:  "an agent that is 0.5 sure decides at once in a run that sets none",
		Breaks: []string{openwop.OWPCNF18},
		Replace: unsure(func(_, _ float64, given, honest bool) bool {
			return honest && given
		}),
	},
	{
		ID:     "confidence.threshold-itself-unsure",
		Title:  "an agent that is just sure enough is held",
		Looks:  "an agent whose confidence equals its threshold is suspended",
		Breaks: []string{openwop.OWPCNF17},
		Replace: unsure(func(confidence, threshold float64, _, honest bool) bool {
			return honest || confidence == threshold
		}),
	},
	{
		ID:     "confidence.threshold-zero-is-none",
		Title:  "a threshold of 0 counts as none, so that the default holds",
		Looks:  "an agent that is 0.5 sure is suspended in a run whose escalationThreshold is 0",
		Breaks: []string{openwop.OWPCNF17},
		Twin:   "there the threshold itself counts as too little, here a threshold of 0 counts as none",
		Replace: unsure(func(confidence, threshold float64, given, honest bool) bool {
			return honest || given && threshold == 0 && confidence < 0.7
		}),
	},
	{
		ID:     "confidence.threshold-one-in-percent",
		Title:  "a threshold of 1 counts as one in a hundred",
		Looks:  "an agent that is 0.5 sure decides at once in a run whose escalationThreshold is 1",
		Breaks: []string{openwop.OWPCNF14},
		Twin:   "there a threshold is passed over, here one value is misread",
		Replace: unsure(func(confidence, threshold float64, _, honest bool) bool {
			return honest && (threshold < 1 || confidence < threshold/100)
		}),
	},
	{
		ID:     "confidence.unsure-told-the-wrong-way-round",
		Title:  "what is told of an agent that is not sure has the threshold for its confidence",
		Looks:  "threshold and observed of node.suspended are exchanged",
		Breaks: []string{openwop.OWPCNF15},
		Event: mutate.OfType(string(event.NodeSuspended), mutate.Payload(func(d *openwopv1.LowConfidenceData) {
			d.Threshold, d.Observed = d.Observed, d.Threshold
		})),
	},
	{
		ID:      "confidence.unsure-carried-out-twice",
		Title:   "what an agent was not sure of is carried out once for the agent and once for who accepted",
		Looks:   "the worker of an accepted decision is dispatched twice",
		Breaks:  []string{openwop.OWPCNF16, openwop.OWP0037B3, openwop.OWPDSP1},
		Replace: carryingOutTwice(true),
	},
	{
		ID:      "confidence.unsure-rejected-carried-out",
		Title:   "what an agent was not sure of is carried out whatever the answer is",
		Looks:   "a worker is dispatched although somebody rejected that",
		Breaks:  []string{openwop.OWPCNF19},
		Replace: after(true, true, rules.CarriedOut),
	},
}

// unsure has agents held where this says so, given whether they honestly are.
func unsure(held func(confidence, threshold float64, given, honest bool) bool) func(*rules.Set) {
	return func(s *rules.Set) {
		holds := s.Confidence.Holds
		s.Confidence.Holds = func(d rules.Doubt) bool {
			if !d.Agent {
				return holds(d)
			}
			return held(*d.Confidence, d.Floor, d.Set, holds(d))
		}
	}
}
