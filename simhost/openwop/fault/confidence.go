package fault

import (
	"encoding/json"
	"slices"
	"sync"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/rules"
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
		Breaks: []string{openwop.OWPCNF1},
		Lies:   true,
		Reply: advertises(func(m *openwopv1.ExecutionModel) {
			if m.ConfidenceEscalationFloor != nil {
				*m.ConfidenceEscalationFloor *= 100
			}
		}),
	},
	{
		ID:     "confidence.kind-unknown",
		Title:  "the interrupt of held decisions is advertised by a name that no kind has",
		Looks:  "confidenceEscalationInterruptKind is question",
		Breaks: []string{openwop.OWPCNF2, openwop.OWPCNF8},
		Lies:   true,
		Reply:  saying("multiAgent/executionModel/confidenceEscalationInterruptKind", "question"),
	},
	{
		ID:     "confidence.floor-lower-than-advertised",
		Title:  "a worker is dispatched on a decision that is below the floor, if not by far",
		Looks:  "a decision a little below the floor is carried out and nobody is asked",
		Breaks: []string{openwop.OWPINT5},
		Spots:  []int{16},
		Replace: escalating(func(d rules.Doubt, honest bool) bool {
			return honest && (d.Kind != nextWorker || *d.Confidence < d.Floor-0.1)
		}),
	},
	{
		ID:     "confidence.zero-is-none",
		Title:  "a decision for a worker that says it is not sure at all counts as one that says nothing",
		Looks:  "a decision with confidence 0 is carried out and nobody is asked",
		Breaks: []string{openwop.OWPINT5, openwop.OWPCNF3},
		Replace: escalating(func(d rules.Doubt, honest bool) bool {
			return honest && (d.Kind != nextWorker || *d.Confidence > 0)
		}),
	},
	{
		ID:     "confidence.held-once",
		Title:  "a run that was suspended and resumed once has no decision held any more",
		Looks:  "the second decision below the floor is carried out and nobody is asked",
		Breaks: []string{openwop.OWPINT5, openwop.OWPCNF3},
		Twin:   "there it is a confidence that is not held, here a second time",
		Replace: escalating(func(d rules.Doubt, honest bool) bool {
			return honest && !d.Again
		}),
	},
	{
		ID:     "confidence.told-as-before",
		Title:  "each decision of a run that is held is told with the confidence of the first",
		Looks:  "the second confidence-escalated has the confidence of the first",
		Breaks: []string{openwop.OWPCNF3},
		Remembers: func() mutate.Changes {
			var first sync.Map // by the id of the run
			return mutate.Changes{Events: []mutate.EventFunc{
				mutate.OfType(string(event.Escalated), func(e *mutate.Event) {
					mutate.Object(e.Payload, func(p *event.EscalatedPayload) {
						told, _ := first.LoadOrStore(e.RunID, p.Confidence)
						p.Confidence, _ = told.(float64)
					})
				}),
			}}
		},
	},
	{
		ID:      "confidence.floor-itself-held",
		Title:   "a worker waits for a person where its decision is at the floor",
		Looks:   "a decision with a confidence equal to the floor is held",
		Breaks:  []string{openwop.OWPCNF5},
		Replace: escalating(atFloor(nextWorker)),
	},
	{
		ID:      "confidence.end-at-floor-held",
		Title:   "the end waits for a person where its decision is at the floor",
		Looks:   "a decision to terminate with a confidence equal to the floor is held",
		Breaks:  []string{openwop.OWPCNF5},
		Replace: escalating(atFloor(terminate)),
	},
	{
		ID:     "confidence.any-confidence-held",
		Title:  "every decision that says how sure it is is held, how ever sure that is",
		Looks:  "a decision above the floor is held",
		Breaks: []string{openwop.OWPCNF5},
		Spots:  []int{16},
		Replace: escalating(func(d rules.Doubt, honest bool) bool {
			return honest || d.Version >= 2 && d.Confidence != nil
		}),
	},
	{
		ID:     "confidence.silence-held",
		Title:  "a decision for a worker that is new to the run counts as not sure where it does not say how sure it is",
		Looks:  "a decision without a confidence is held",
		Breaks: []string{openwop.OWPCNF6},
		Replace: escalating(func(d rules.Doubt, honest bool) bool {
			return honest || d.Version >= 2 && d.Confidence == nil && d.Newcomer
		}),
	},
	{
		ID:     "confidence.end-not-held",
		Title:  "a decision to terminate is carried out how ever unsure it is",
		Looks:  "a run ends on a decision below the floor, and nobody is asked",
		Breaks: []string{openwop.OWPCNF7},
		Replace: escalating(func(d rules.Doubt, honest bool) bool {
			return honest && d.Kind != terminate
		}),
	},
	{
		ID:     "confidence.told-below-2",
		Title:  "decisions below the floor are held before the version that has one",
		Looks:  "a host of version 1 writes confidence-escalated",
		Breaks: []string{openwop.OWPCNF13},
		Under:  Under{Version: 1},
		Replace: escalating(func(d rules.Doubt, honest bool) bool {
			return honest || d.Confidence != nil && *d.Confidence < d.Floor
		}),
	},
	{
		ID:     "confidence.told-the-wrong-way-round",
		Title:  "a held dispatch is told with the floor for its confidence",
		Looks:  "confidence and floor of confidence-escalated are exchanged",
		Breaks: []string{openwop.OWPCNF3},
		Event: escalated(func(p *event.EscalatedPayload) {
			if p.WorkerID != "" {
				p.Confidence, p.Floor = p.Floor, p.Confidence
			}
		}),
	},
	{
		ID:     "confidence.end-told-with-worker",
		Title:  "a held decision to terminate is told as if it were for a worker",
		Looks:  "confidence-escalated of a decision to terminate has a workerId",
		Breaks: []string{openwop.OWPCNF3},
		Event: escalated(func(p *event.EscalatedPayload) {
			if p.WorkerID == "" {
				p.WorkerID = terminate
			}
		}),
	},
	{
		ID:     "confidence.criteria-left-out",
		Title:  "a held decision to terminate is told without its criteria of success",
		Looks:  "originalDecision of confidence-escalated lacks the successCriteria that the decision has in its turn",
		Breaks: []string{openwop.OWPCNF3},
		Depth:  "standard", // at quick no decision that is held has any
		Event: escalated(func(p *event.EscalatedPayload) {
			decision, _ := mutate.Decode(p.OriginalDecision).(map[string]any)
			delete(decision, "successCriteria")
			p.OriginalDecision = mutate.Encode(decision)
		}),
	},
	{
		ID:      "confidence.told-after-suspension",
		Title:   "that a dispatch is held is told when its supervisor is suspended already",
		Looks:   "confidence-escalated follows node.suspended",
		Breaks:  []string{openwop.OWPCNF4, openwop.OWPEVT6},
		Replace: tellingLate(nextWorker),
	},
	{
		ID:      "confidence.end-told-after-suspension",
		Title:   "that a decision to terminate is held is told when its supervisor is suspended already",
		Looks:   "confidence-escalated of a decision to terminate follows node.suspended",
		Breaks:  []string{openwop.OWPCNF4, openwop.OWPEVT6},
		Replace: tellingLate(terminate),
	},
	{
		ID:     "confidence.another-interrupt",
		Title:  "a held decision asks for an approval whatever the host advertises",
		Looks:  "the interrupt is of kind approval, and clarification is advertised",
		Breaks: []string{openwop.OWPCNF8},
		Replace: func(s *rules.Set) {
			s.Confidence.Raises = func(event.Interrupt) event.Interrupt { return event.Approval }
		},
	},
}

// escalating has decisions of supervisors held where this says so, given whether they honestly are.
func escalating(held func(d rules.Doubt, honest bool) bool) func(*rules.Set) {
	return func(s *rules.Set) {
		holds := s.Confidence.Holds
		s.Confidence.Holds = func(d rules.Doubt) bool {
			if d.Agent {
				return holds(d)
			}
			return held(d, holds(d))
		}
	}
}

// atFloor holds decisions of this kind that are at the floor as well.
func atFloor(kind string) func(rules.Doubt, bool) bool {
	return func(d rules.Doubt, honest bool) bool {
		return honest || d.Version >= 2 && d.Kind == kind && d.Confidence != nil && *d.Confidence == d.Floor
	}
}

// escalated changes what the log says of a held decision.
func escalated(change func(*event.EscalatedPayload)) mutate.EventFunc {
	return mutate.OfType(string(event.Escalated), mutate.Payload(change))
}

// tellingLate has that a decision of this kind is held told behind the suspension that follows from it.
func tellingLate(kind string) func(*rules.Set) {
	return func(s *rules.Set) {
		reread(s, func(log []event.Event) []event.Event {
			told := slices.Clone(log)
			for i, e := range log {
				if i == 0 || e.Type != event.NodeSuspended || !holds(log[i-1], kind) {
					continue
				}
				told[i-1], told[i] = e, log[i-1]
				told[i-1].Sequence, told[i].Sequence = log[i-1].Sequence, e.Sequence
				told[i-1].Timestamp, told[i].Timestamp = log[i-1].Timestamp, e.Timestamp
			}
			return told
		})
	}
}

// holds tells the events which say that a decision of this kind is held.
func holds(e event.Event, kind string) bool {
	var p event.EscalatedPayload
	if e.Type != event.Escalated || json.Unmarshal(e.Payload, &p) != nil {
		return false
	}
	return (p.WorkerID == "") == (kind == terminate)
}
