package fault

import (
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// confidenceAnswerFaults are about what becomes of a decision below the floor.
var confidenceAnswerFaults = []Fault{
	{
		ID:      "confidence.carried-out-twice",
		Title:   "a held decision is carried out once for the decision and once for the answer",
		Looks:   "the worker of a held decision is dispatched twice",
		Breaks:  []string{openwop.OWPCNF9, openwop.OWP0061D1},
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
		Under:   Under{EscalationInterrupt: string(openwopv1.InterruptKindApproval)},
		Replace: after(true, false, rules.CarriedOut),
	},
	{
		ID:      "confidence.rejected-left-open",
		Title:   "a run stands still for good when a held decision is rejected",
		Looks:   "the rejection is accepted, and the run neither goes on nor ends",
		Breaks:  []string{openwop.OWPCNF12},
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
