package fault

import (
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openwop/rules"
)

var cancelFaults = []Fault{
	{
		ID:     "control.cancelled-wait-ends",
		Title:  "a node that waits for a time is not given up when somebody cancels its run",
		Looks:  "node.completed follows run.cancelled when the time has come",
		Breaks: []string{openwop.OWPCTL11},
		Spots:  []int{9},
		Replace: func(s *rules.Set) {
			s.Control.GivesUp = func(stopped rules.Stopped) bool { return stopped != (rules.Stopped{}) }
		},
	},
	{
		ID:      "control.cancel-reason-lost",
		Title:   "the reason of a cancellation is not written down",
		Looks:   "run.cancelled has no reason",
		Breaks:  []string{openwop.OWPCTL12},
		Replace: func(s *rules.Set) { loseReason(s, openwopv1.RunEventTypeRunCancelled) },
	},
	{
		ID:     "control.bulk-tells-the-status-before",
		Title:  "a bulk cancel tells the status that each run had before it was cancelled",
		Looks:  "the result of a run under way is ok with status running",
		Breaks: []string{openwop.OWPCTL13},
		Replace: func(s *rules.Set) {
			eachResult(s, func(r *openwopv1.BulkCancelResult) {
				if r.Status == openwopv1.RunStatusCancelled {
					r.Status = openwopv1.RunStatusRunning
				}
			})
		},
	},
	{
		ID:     "control.bulk-out-of-order",
		Title:  "the results of a bulk cancel come in the order in which they were finished",
		Looks:  "the results stand in the opposite order of the request",
		Breaks: []string{openwop.OWPCTL14},
		Replace: func(s *rules.Set) {
			s.Control.Results = func(all []openwopv1.BulkCancelResult) []openwopv1.BulkCancelResult {
				all = slices.Clone(all)
				slices.Reverse(all)
				return all
			}
		},
	},
	{
		ID:      "control.bulk-gives-no-error",
		Title:   "a bulk cancel does not say why a run was not cancelled",
		Looks:   "a result that is not ok has no error",
		Breaks:  []string{openwop.OWPCTL15},
		Replace: func(s *rules.Set) { eachResult(s, func(r *openwopv1.BulkCancelResult) { r.Error = nil }) },
	},
	{
		ID:     "control.bulk-says-cancelled",
		Title:  "a bulk cancel says cancelled of every run that it took, also where the run had ended before",
		Looks:  "the result of a completed run is ok with status cancelled",
		Breaks: []string{openwop.OWPCTL16},
		Replace: func(s *rules.Set) {
			eachResult(s, func(r *openwopv1.BulkCancelResult) {
				if r.Ok {
					r.Status = openwopv1.RunStatusCancelled
				}
			})
		},
	},
	{
		ID:      "control.bulk-cancels-some-of-too-many",
		Title:   "a bulk cancel of too many runs cancels as many as it may before it is refused",
		Looks:   "a run among the first is cancelled by a request that is answered 400",
		Breaks:  []string{openwop.OWPCTL17},
		Replace: func(s *rules.Set) { s.Control.Bulk = func(n, most int) (int, bool) { return min(n, most), n > most } },
	},
	{
		ID:     "control.bulk-of-none-unprocessable",
		Title:  "a bulk cancel that names no run is refused as what cannot be processed",
		Looks:  "it is answered 422",
		Breaks: []string{openwop.OWPCTL18},
		Replace: func(s *rules.Set) {
			misfit := s.Control.Misfit
			s.Control.Misfit = func(operation, field string) int {
				if operation == rules.OperationBulk {
					return http.StatusUnprocessableEntity
				}
				return misfit(operation, field)
			}
		},
	},
	{
		ID:      "control.bulk-refusal-without-words",
		Title:   "a bulk cancel of too many runs is refused without words",
		Looks:   "the message of its 400 is empty",
		Breaks:  []string{openwop.OWPERR4},
		Replace: func(s *rules.Set) { loseWords(s, "validation_error") },
	},
	{
		ID:      "control.bulk-cancels-foreign",
		Title:   "a bulk cancel does not look whose runs it names",
		Looks:   "a tenant cancels the run of another by naming it in a bulk cancel",
		Breaks:  []string{openwop.OWPCTL38},
		Replace: visits("", onRun(rules.OperationBulk)),
	},
}

// eachResult changes what a bulk cancel tells of each run.
func eachResult(s *rules.Set, change func(*openwopv1.BulkCancelResult)) {
	s.Control.Results = func(all []openwopv1.BulkCancelResult) []openwopv1.BulkCancelResult {
		all = slices.Clone(all)
		for i := range all {
			change(&all[i])
		}
		return all
	}
}
