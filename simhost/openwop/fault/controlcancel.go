package fault

import (
	"net/http"
	"slices"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/engine/event"
	"github.com/openassay/assay/simhost/openwop/rules"
)

var cancelFaults = []Fault{
	{
		ID:     "control.cancelled-wait-ends",
		Title:  "a node that waits for a time is not given up when somebody cancels its run",
		Looks:  "node.completed follows run.cancelled when the time has come",
		Breaks: []string{openwop.OWPCTL11, openwop.OWPEVT10},
		Spots:  []int{9},
		Replace: func(s *rules.Set) {
			s.Control.GivesUp = func(stopped rules.Stopped) bool { return stopped != (rules.Stopped{}) }
		},
	},
	{
		ID:     "control.cancel-reason-lost",
		Title:  "the reason of a cancellation is not written down",
		Looks:  "run.cancelled has no reason",
		Breaks: []string{openwop.OWPCTL12},
		Event:  cancelled(func(p *event.RunCancelledPayload) { p.Reason = nil }),
	},
	{
		ID:     "control.bulk-tells-the-status-before",
		Title:  "a bulk cancel tells the status that each run had before it was cancelled",
		Looks:  "the result of a run under way is ok with status running",
		Breaks: []string{openwop.OWPCTL13},
		Reply: eachResult(func(r *openwopv1.BulkCancelResult) {
			if r.Status == openwopv1.RunStatusCancelled {
				r.Status = openwopv1.RunStatusRunning
			}
		}),
	},
	{
		ID:     "control.bulk-out-of-order",
		Title:  "the results of a bulk cancel come in the order in which they were finished",
		Looks:  "the results stand in the opposite order of the request",
		Breaks: []string{openwop.OWPCTL14},
		Reply:  results(slices.Reverse[[]openwopv1.BulkCancelResult]),
	},
	{
		ID:     "control.bulk-gives-no-error",
		Title:  "a bulk cancel does not say why a run was not cancelled",
		Looks:  "a result that is not ok has no error",
		Breaks: []string{openwop.OWPCTL15},
		Reply:  eachResult(func(r *openwopv1.BulkCancelResult) { r.Error = nil }),
	},
	{
		ID:     "control.bulk-says-cancelled",
		Title:  "a bulk cancel says cancelled of every run that it took, also where the run had ended before",
		Looks:  "the result of a completed run is ok with status cancelled",
		Breaks: []string{openwop.OWPCTL16},
		Reply: eachResult(func(r *openwopv1.BulkCancelResult) {
			if r.Ok {
				r.Status = openwopv1.RunStatusCancelled
			}
		}),
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
		Reply: bulk(refusing(func(r refused) bool { return r.Error == validationError && !tooMany(r) }, func(r *mutate.Reply) {
			r.Status = http.StatusUnprocessableEntity
		})),
	},
	{
		ID:     "control.bulk-refusal-without-words",
		Title:  "a bulk cancel of too many runs is refused without words",
		Looks:  "the message of its 400 is empty",
		Breaks: []string{openwop.OWPERR4},
		Reply:  bulk(refusing(tooMany, wordlessly)),
	},
	{
		ID:      "control.bulk-cancels-foreign",
		Title:   "a bulk cancel does not look whose runs it names",
		Looks:   "a tenant cancels the run of another by naming it in a bulk cancel",
		Breaks:  []string{openwop.OWPCTL38, openwop.OWPISO3},
		Replace: visits("", by("bulkCancelRuns")),
	},
}

// cancelled changes what the log of a run says of its cancellation.
func cancelled(change func(*event.RunCancelledPayload)) mutate.EventFunc {
	return mutate.OfType(string(event.RunCancelled), mutate.Payload(change))
}

// bulk limits a change to the replies of a bulk cancel.
func bulk(change mutate.ReplyFunc) mutate.ReplyFunc {
	return mutate.On("POST /v1/runs:bulk-cancel", change)
}

// results changes what a bulk cancel tells of all runs, in the order of the request.
func results(change func([]openwopv1.BulkCancelResult)) mutate.ReplyFunc {
	return bulk(mutate.Succeeded(mutate.At("", func(r *openwopv1.BulkCancelResponse) { change(r.Results) })))
}

// eachResult changes what a bulk cancel tells of each run.
func eachResult(change func(*openwopv1.BulkCancelResult)) mutate.ReplyFunc {
	return results(func(all []openwopv1.BulkCancelResult) {
		for i := range all {
			change(&all[i])
		}
	})
}

// tooMany reports whether a bulk cancel is refused because it names more runs than it may.
func tooMany(r refused) bool { return r.Details["maxRunIds"] != nil }
