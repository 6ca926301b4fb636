package fault

import (
	"slices"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/rules"
)

var confidenceFaults = slices.Concat(confidenceFloorFaults, confidenceAnswerFaults, confidenceUnsureFaults)

const (
	nextWorker = string(openwopv1.NextWorkerDecisionKindNextWorker)
	askUser    = string(openwopv1.AskUserDecisionKindAskUser)
	terminate  = string(openwopv1.TerminateDecisionKindTerminate)
)

// confidenceFloorFaults are about which decisions are held, and how that is told.
var confidenceFloorFaults = []Fault{
	{
		ID:     "confidence.floor-in-percent",
		Title:  "the floor is advertised in percent",
		Looks:  "confidenceEscalationFloor is 50",
		Breaks: []string{openwopv1.OWPCNF1},
		Lies:   true,
		Replace: func(s *rules.Set) {
			advertised := s.Confidence.Advertised
			s.Confidence.Advertised = func(floor float64, kind string) (float64, string) {
				floor, kind = advertised(floor, kind)
				return 100 * floor, kind
			}
		},
	},
	{
		ID:     "confidence.kind-unknown",
		Title:  "the interrupt of held decisions is advertised by a name that no kind has",
		Looks:  "confidenceEscalationInterruptKind is question",
		Breaks: []string{openwopv1.OWPCNF2, openwopv1.OWPCNF8},
		Lies:   true,
		Replace: func(s *rules.Set) {
			advertised := s.Confidence.Advertised
			s.Confidence.Advertised = func(floor float64, kind string) (float64, string) {
				floor, _ = advertised(floor, kind)
				return floor, "question"
			}
		},
	},
	{
		ID:     "confidence.floor-lower-than-advertised",
		Title:  "a worker is dispatched on a decision that is below the floor, if not by far",
		Looks:  "a decision a little below the floor is carried out and nobody is asked",
		Breaks: []string{openwopv1.OWPINT5},
		Spots:  []int{16},
		Replace: escalating(func(d rules.Doubt, honest bool) bool {
			return honest && (d.Kind != nextWorker || *d.Confidence < d.Floor-0.1)
		}),
	},
	{
		ID:      "confidence.floor-itself-held",
		Title:   "a worker waits for a person where its decision is at the floor",
		Looks:   "a decision with a confidence equal to the floor is held",
		Breaks:  []string{openwopv1.OWPCNF5},
		Replace: escalating(atFloor(nextWorker)),
	},
	{
		ID:      "confidence.end-at-floor-held",
		Title:   "the end waits for a person where its decision is at the floor",
		Looks:   "a decision to terminate with a confidence equal to the floor is held",
		Breaks:  []string{openwopv1.OWPCNF5},
		Replace: escalating(atFloor(terminate)),
	},
	{
		ID:     "confidence.any-confidence-held",
		Title:  "every decision that says how sure it is is held, how ever sure that is",
		Looks:  "a decision above the floor is held",
		Breaks: []string{openwopv1.OWPCNF5},
		Spots:  []int{16},
		Replace: escalating(func(d rules.Doubt, honest bool) bool {
			return honest || d.Version >= 2 && d.Confidence != nil
		}),
	},
	{
		ID:     "confidence.silence-held",
		Title:  "a decision for a worker that is new to the run counts as not sure where it does not say how sure it is",
		Looks:  "a decision without a confidence is held",
		Breaks: []string{openwopv1.OWPCNF6},
		Replace: escalating(func(d rules.Doubt, honest bool) bool {
			return honest || d.Version >= 2 && d.Confidence == nil && d.Newcomer
		}),
	},
	{
		ID:     "confidence.end-not-held",
		Title:  "a decision to terminate is carried out how ever unsure it is",
		Looks:  "a run ends on a decision below the floor, and nobody is asked",
		Breaks: []string{openwopv1.OWPCNF7},
		Replace: escalating(func(d rules.Doubt, honest bool) bool {
			return honest && d.Kind != terminate
		}),
	},
	{
		ID:     "confidence.told-below-2",
		Title:  "decisions below the floor are held before the version that has one",
		Looks:  "a host of version 1 writes confidence-escalated",
		Breaks: []string{openwopv1.OWPCNF13},
		Under:  Under{Version: 1},
		Replace: escalating(func(d rules.Doubt, honest bool) bool {
			return honest || d.Confidence != nil && *d.Confidence < d.Floor
		}),
	},
	{
		ID:     "confidence.told-the-wrong-way-round",
		Title:  "a held dispatch is told with the floor for its confidence",
		Looks:  "confidence and floor of confidence-escalated are exchanged",
		Breaks: []string{openwopv1.OWPCNF3},
		Replace: escalated(func(p *openwopv1.CoreWorkflowChainConfidenceEscalatedPayload) {
			if p.WorkerID != "" {
				p.Confidence, p.Floor = p.Floor, p.Confidence
			}
		}),
	},
	{
		ID:     "confidence.end-told-with-worker",
		Title:  "a held decision to terminate is told as if it were for a worker",
		Looks:  "confidence-escalated of a decision to terminate has a workerId",
		Breaks: []string{openwopv1.OWPCNF3},
		Replace: escalated(func(p *openwopv1.CoreWorkflowChainConfidenceEscalatedPayload) {
			if p.WorkerID == "" {
				p.WorkerID = terminate
			}
		}),
	},
	{
		ID:      "confidence.told-after-suspension",
		Title:   "that a dispatch is held is told when its supervisor is suspended already",
		Looks:   "confidence-escalated follows node.suspended",
		Breaks:  []string{openwopv1.OWPCNF4},
		Replace: tellingLate(nextWorker),
	},
	{
		ID:      "confidence.end-told-after-suspension",
		Title:   "that a decision to terminate is held is told when its supervisor is suspended already",
		Looks:   "confidence-escalated of a decision to terminate follows node.suspended",
		Breaks:  []string{openwopv1.OWPCNF4},
		Replace: tellingLate(terminate),
	},
	{
		ID:     "confidence.another-interrupt",
		Title:  "a held decision asks for an approval whatever the host advertises",
		Looks:  "the interrupt is of kind approval, and clarification is advertised",
		Breaks: []string{openwopv1.OWPCNF8},
		Replace: func(s *rules.Set) {
			s.Confidence.Raises = func(openwopv1.InterruptKind) openwopv1.InterruptKind { return openwopv1.InterruptKindApproval }
		},
	},
}

// escalating has decisions held where this says so, given whether they honestly are.
func escalating(held func(d rules.Doubt, honest bool) bool) func(*rules.Set) {
	return func(s *rules.Set) {
		escalates := s.Confidence.Escalates
		s.Confidence.Escalates = func(d rules.Doubt) bool { return held(d, escalates(d)) }
	}
}

// atFloor holds decisions of this kind that are at the floor as well.
func atFloor(kind string) func(rules.Doubt, bool) bool {
	return func(d rules.Doubt, honest bool) bool {
		return honest || d.Version >= 2 && d.Kind == kind && d.Confidence != nil && *d.Confidence == d.Floor
	}
}

// escalated changes how a held decision is told.
func escalated(change func(*openwopv1.CoreWorkflowChainConfidenceEscalatedPayload)) func(*rules.Set) {
	return func(s *rules.Set) {
		told := s.Confidence.Told
		s.Confidence.Told = func(p openwopv1.CoreWorkflowChainConfidenceEscalatedPayload) openwopv1.CoreWorkflowChainConfidenceEscalatedPayload {
			p = told(p)
			change(&p)
			return p
		}
	}
}

// tellingLate has decisions of this kind told when they are held already.
func tellingLate(kind string) func(*rules.Set) {
	return func(s *rules.Set) {
		first := s.Confidence.TellsFirst
		s.Confidence.TellsFirst = func(of string) bool { return of != kind && first(of) }
	}
}

// confidenceAnswerFaults are about what becomes of a decision below the floor.
var confidenceAnswerFaults = []Fault{
	{
		ID:      "confidence.carried-out-twice",
		Title:   "a held decision is carried out once for the decision and once for the answer",
		Looks:   "the worker of a held decision is dispatched twice",
		Breaks:  []string{openwopv1.OWPCNF9, openwopv1.OWP0061D1},
		Spots:   []int{17},
		Replace: carryingOutTwice(false),
	},
	{
		ID:      "confidence.accepted-dropped",
		Title:   "the answer to a held decision takes its place: the supervisor goes on with its next turn",
		Looks:   "the worker of a held decision is never dispatched, although nobody refused it",
		Breaks:  []string{openwopv1.OWPCNF10},
		Replace: after(false, false, rules.Dropped),
	},
	{
		ID:      "confidence.rejected-carried-out",
		Title:   "a held decision is carried out whatever the answer is",
		Looks:   "a worker is dispatched after its decision was rejected",
		Breaks:  []string{openwopv1.OWPCNF11},
		Under:   Under{EscalationInterrupt: string(openwopv1.InterruptKindApproval)},
		Replace: after(true, false, rules.CarriedOut),
	},
	{
		ID:      "confidence.rejected-left-open",
		Title:   "a run stands still for good when a held decision is rejected",
		Looks:   "the rejection is accepted, and the run neither goes on nor ends",
		Breaks:  []string{openwopv1.OWPCNF12},
		Under:   Under{EscalationInterrupt: string(openwopv1.InterruptKindApproval)},
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
		Breaks: []string{openwopv1.OWPCNF14},
		Replace: unsure(func(_, _ float64, given, honest bool) bool {
			return honest && !given
		}),
	},
	{
		ID:     "confidence.no-default-threshold",
		Title:  "an agent is held only where the run sets a threshold",
		Looks:  "an agent that is 0.5 sure decides at once in a run that sets none",
		Breaks: []string{openwopv1.OWPCNF18},
		Replace: unsure(func(_, _ float64, given, honest bool) bool {
			return honest && given
		}),
	},
	{
		ID:     "confidence.threshold-itself-unsure",
		Title:  "an agent that is just sure enough is held",
		Looks:  "an agent whose confidence equals its threshold is suspended",
		Breaks: []string{openwopv1.OWPCNF17},
		Replace: unsure(func(confidence, threshold float64, _, honest bool) bool {
			return honest || confidence == threshold
		}),
	},
	{
		ID:     "confidence.unsure-told-the-wrong-way-round",
		Title:  "what is told of an agent that is not sure has the threshold for its confidence",
		Looks:  "threshold and observed of node.suspended are exchanged",
		Breaks: []string{openwopv1.OWPCNF15},
		Replace: func(s *rules.Set) {
			told := s.Confidence.UnsureTold
			s.Confidence.UnsureTold = func(d openwopv1.LowConfidenceData) openwopv1.LowConfidenceData {
				d = told(d)
				d.Threshold, d.Observed = d.Observed, d.Threshold
				return d
			}
		},
	},
	{
		ID:      "confidence.unsure-carried-out-twice",
		Title:   "what an agent was not sure of is carried out once for the agent and once for who accepted",
		Looks:   "the worker of an accepted decision is dispatched twice",
		Breaks:  []string{openwopv1.OWPCNF16},
		Replace: carryingOutTwice(true),
	},
	{
		ID:      "confidence.unsure-rejected-carried-out",
		Title:   "what an agent was not sure of is carried out whatever the answer is",
		Looks:   "a worker is dispatched although somebody rejected that",
		Breaks:  []string{openwopv1.OWPCNF19},
		Replace: after(true, true, rules.CarriedOut),
	},
}

// unsure has agents held where this says so, given whether they honestly are.
func unsure(held func(confidence, threshold float64, given, honest bool) bool) func(*rules.Set) {
	return func(s *rules.Set) {
		honest := s.Confidence.Unsure
		s.Confidence.Unsure = func(confidence, threshold float64, given bool) bool {
			return held(confidence, threshold, given, honest(confidence, threshold, given))
		}
	}
}
