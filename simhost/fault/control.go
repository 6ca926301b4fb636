package fault

import (
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/rules"
)

// over tells whether a run has ended by what its snapshot says.
func over(s openwopv1.RunSnapshot) bool { return !s.CompletedAt.IsZero() }

var controlFaults = []Fault{
	{
		ID:     "control.cancelled-run-loses-workflow",
		Title:  "a run that was cancelled is kept without the id of its workflow, where nobody dispatched it",
		Looks:  "workflowId in the snapshot of a cancelled run is empty",
		Breaks: []string{openwopv1.OWPCTL1},
		Replace: func(s *rules.Set) {
			s.Control.Shows = func(run openwopv1.RunSnapshot) openwopv1.RunSnapshot {
				if run.Status == openwopv1.RunStatusCancelled && run.ParentRunID == nil {
					run.WorkflowID = ""
				}
				return run
			}
		},
	},
	{
		ID:     "control.status-of-its-own",
		Title:  "a run under way has a status that the protocol does not know",
		Looks:  "the snapshot of a running run says executing",
		Breaks: []string{openwopv1.OWPCTL2},
		Replace: func(s *rules.Set) {
			s.Control.Shows = func(run openwopv1.RunSnapshot) openwopv1.RunSnapshot {
				if run.Status == openwopv1.RunStatusRunning {
					run.Status = "executing"
				}
				return run
			}
		},
	},
	{
		ID:      "control.failed-node-passed-over",
		Title:   "a run whose node failed completes all the same, where it dispatches nobody, asks nobody and is nobody's child",
		Looks:   "node.failed is followed by run.completed, and the status is completed",
		Breaks:  []string{openwopv1.OWPCTL3},
		Replace: func(s *rules.Set) { s.Control.Fails = func(alone bool) bool { return !alone } },
	},
	{
		ID:     "control.error-without-message",
		Title:  "the snapshot of a failed run gives the code of its error and no words",
		Looks:  "error.message in the snapshot is empty",
		Breaks: []string{openwopv1.OWPCTL4},
		Replace: func(s *rules.Set) {
			s.Control.Shows = func(run openwopv1.RunSnapshot) openwopv1.RunSnapshot {
				if run.Error != nil {
					run.Error = &openwopv1.RunError{Code: run.Error.Code, Details: run.Error.Details}
				}
				return run
			}
		},
	},
	{
		ID:     "control.cancelled-run-has-error",
		Title:  "the snapshot of a cancelled run has an error",
		Looks:  "error stands beside the status cancelled",
		Breaks: []string{openwopv1.OWPCTL5},
		Replace: func(s *rules.Set) {
			s.Control.Shows = func(run openwopv1.RunSnapshot) openwopv1.RunSnapshot {
				if run.Status == openwopv1.RunStatusCancelled {
					run.Error = &openwopv1.RunError{Code: "cancelled", Message: "the run was cancelled"}
				}
				return run
			}
		},
	},
	{
		ID:     "control.end-before-its-beginning",
		Title:  "the snapshot of an ended run says that it ended a second before it began",
		Looks:  "completedAt is before startedAt",
		Breaks: []string{openwopv1.OWPCTL6},
		Replace: func(s *rules.Set) {
			s.Control.Shows = func(run openwopv1.RunSnapshot) openwopv1.RunSnapshot {
				if over(run) {
					run.CompletedAt = run.StartedAt.Add(-time.Second)
				}
				return run
			}
		},
	},
	{
		ID:     "control.tags-lost-at-the-end",
		Title:  "a run that ended is kept without its tags",
		Looks:  "the snapshot of an ended run has no tags",
		Breaks: []string{openwopv1.OWPCTL7},
		Replace: func(s *rules.Set) {
			s.Control.Shows = func(run openwopv1.RunSnapshot) openwopv1.RunSnapshot {
				if over(run) {
					run.Tags = nil
				}
				return run
			}
		},
	},
	{
		ID:     "control.suspended-names-no-node",
		Title:  "the snapshot of a suspended loop does not say which node waits",
		Looks:  "neither currentNodeId nor interrupt.nodeId is there",
		Breaks: []string{openwopv1.OWPCTL9},
		Replace: func(s *rules.Set) {
			s.Control.Shows = func(run openwopv1.RunSnapshot) openwopv1.RunSnapshot {
				if run.RunOrchestrator == nil {
					return run
				}
				run.CurrentNodeID = nil
				if run.Interrupt != nil {
					asked := *run.Interrupt
					asked.NodeID = nil
					run.Interrupt = &asked
				}
				return run
			}
		},
	},
	{
		ID:     "control.cancelled-wait-ends",
		Title:  "a node that waits for a time is not given up when somebody cancels its run",
		Looks:  "node.completed follows run.cancelled when the time has come",
		Breaks: []string{openwopv1.OWPCTL11},
		Spots:  []int{9},
		Replace: func(s *rules.Set) {
			s.Control.GivesUp = func(stopped rules.Stopped) bool { return stopped != (rules.Stopped{}) }
		},
	},
	{
		ID:      "control.cancel-reason-lost",
		Title:   "the reason of a cancellation is not written down",
		Looks:   "run.cancelled has no reason",
		Breaks:  []string{openwopv1.OWPCTL12},
		Replace: func(s *rules.Set) { loseReason(s, openwopv1.RunEventTypeRunCancelled) },
	},
	{
		ID:     "control.bulk-tells-the-status-before",
		Title:  "a bulk cancel tells the status that each run had before it was cancelled",
		Looks:  "the result of a run under way is ok with status running",
		Breaks: []string{openwopv1.OWPCTL13},
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
		Breaks: []string{openwopv1.OWPCTL14},
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
		Breaks:  []string{openwopv1.OWPCTL15},
		Replace: func(s *rules.Set) { eachResult(s, func(r *openwopv1.BulkCancelResult) { r.Error = nil }) },
	},
	{
		ID:     "control.bulk-says-cancelled",
		Title:  "a bulk cancel says cancelled of every run that it took, also where the run had ended before",
		Looks:  "the result of a completed run is ok with status cancelled",
		Breaks: []string{openwopv1.OWPCTL16},
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
		Breaks:  []string{openwopv1.OWPCTL17},
		Replace: func(s *rules.Set) { s.Control.Bulk = func(n, most int) (int, bool) { return min(n, most), n > most } },
	},
	{
		ID:     "control.bulk-of-none-unprocessable",
		Title:  "a bulk cancel that names no run is refused as what cannot be processed",
		Looks:  "it is answered 422",
		Breaks: []string{openwopv1.OWPCTL18},
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
		Breaks:  []string{openwopv1.OWPERR4},
		Replace: func(s *rules.Set) { loseWords(s, "validation_error") },
	},
	{
		ID:      "control.pause-at-once-forgotten",
		Title:   "a pause that is to be immediate is taken and forgotten",
		Looks:   "it is answered 202, and the run goes on to its end",
		Breaks:  []string{openwopv1.OWPCTL19},
		Replace: func(s *rules.Set) { s.Control.Pauses = func(drain, working, _ bool) bool { return drain && !working } },
	},
	{
		ID:     "control.drain-forgotten",
		Title:  "a pause that drains is forgotten when the node under way ends",
		Looks:  "it is answered 202, and the run begins the next node and goes on to its end",
		Breaks: []string{openwopv1.OWPCTL19},
		Replace: func(s *rules.Set) {
			s.Control.Pauses = func(drain, _, suspended bool) bool { return !drain || suspended }
		},
	},
	{
		ID:      "control.paused-wait-ends",
		Title:   "a node that waits for a time ends while its run is paused",
		Looks:   "node.completed stands behind run.paused before anybody has resumed the run",
		Breaks:  []string{openwopv1.OWPCTL20},
		Replace: func(s *rules.Set) { s.Control.Holds = func(waiting bool, _ int64) bool { return !waiting } },
	},
	{
		ID:     "control.drained-begins-the-next",
		Title:  "a run that was paused when its node had ended begins the next one all the same",
		Looks:  "a node.started stands behind run.paused",
		Breaks: []string{openwopv1.OWPCTL20, openwopv1.OWPCTL21},
		Replace: func(s *rules.Set) {
			s.Control.Holds = func(waiting bool, behind int64) bool { return waiting || behind > 0 }
		},
	},
	{
		ID:     "control.pause-does-not-drain-unasked",
		Title:  "a pause without a policy does not let the node under way end",
		Looks:  "run.paused comes before the node.completed of the node under way",
		Breaks: []string{openwopv1.OWPCTL21},
		Replace: func(s *rules.Set) {
			s.Control.Drains = func(p openwopv1.PauseRunRequestDrainPolicy) bool {
				return p == openwopv1.PauseRunRequestDrainPolicyDrainCurrentNode
			}
		},
	},
	{
		ID:      "control.immediate-drains",
		Title:   "an immediate pause lets the node under way end first",
		Looks:   "run.paused comes behind the node.completed of the node under way",
		Breaks:  []string{openwopv1.OWPCTL22},
		Replace: func(s *rules.Set) { s.Control.Drains = func(openwopv1.PauseRunRequestDrainPolicy) bool { return true } },
	},
	{
		ID:     "control.second-pause-taken",
		Title:  "a paused run can be paused again",
		Looks:  "the second pause is answered 202",
		Breaks: []string{openwopv1.OWPCTL23},
		Replace: func(s *rules.Set) {
			s.Control.Paused = func(status openwopv1.RunStatus) bool { return status != openwopv1.RunStatusPaused }
		},
	},
	{
		ID:      "control.pause-refusal-without-words",
		Title:   "a pause of what stands still already is refused without words",
		Looks:   "the message of its 409 is empty",
		Breaks:  []string{openwopv1.OWPERR4},
		Replace: func(s *rules.Set) { loseWords(s, "run_paused") },
	},
	{
		ID:    "control.result-lost-by-a-pause",
		Title: "a run that was paused puts out nothing",
		Looks: "outputs in run.completed is empty where the run was paused",
		Breaks: []string{
			openwopv1.OWPCTL24,
		},
		Replace: func(s *rules.Set) {
			s.Control.PutsOut = func(outputs map[string]any, paused bool) map[string]any {
				if paused {
					return map[string]any{}
				}
				return outputs
			}
		},
	},
	{
		ID:      "control.resume-unlogged",
		Title:   "that a paused run goes on is not put on its log",
		Looks:   "run.paused stands on the log, and no run.resumed behind it",
		Breaks:  []string{openwopv1.OWPCTL25},
		Replace: func(s *rules.Set) { s.Control.Logs = func() bool { return false } },
	},
	{
		ID:      "control.pause-reason-lost",
		Title:   "the reason of a pause is not written down",
		Looks:   "run.paused has no reason",
		Breaks:  []string{openwopv1.OWPCTL26},
		Replace: func(s *rules.Set) { loseReason(s, openwopv1.RunEventTypeRunPaused) },
	},
	{
		ID:     "control.paused-not-cancelled",
		Title:  "a paused run must be resumed before it can be cancelled",
		Looks:  "the cancel of a paused run is refused with 409",
		Breaks: []string{openwopv1.OWPCTL27},
		Replace: func(s *rules.Set) {
			s.Control.Cancels = func(status openwopv1.RunStatus) bool { return status != openwopv1.RunStatusPaused }
		},
	},
	{
		ID:      "control.paused-loses-answer",
		Title:   "an answer to a paused run is taken and lost",
		Looks:   "the answer is answered 200, and the run still waits for one when it was resumed",
		Breaks:  []string{openwopv1.OWPCTL28},
		Replace: func(s *rules.Set) { s.Control.Takes = func(bool) bool { return true } },
	},
	{
		ID:     "control.diff-of-itself-names-one",
		Title:  "a run that is compared with itself is named once",
		Looks:  "b is empty where the run of the path is the one that it is compared with",
		Breaks: []string{openwopv1.OWPCTL30},
		Replace: func(s *rules.Set) {
			s.Control.Diff = func(d openwopv1.RunDiffResponse) openwopv1.RunDiffResponse {
				if d.A == d.B {
					d.B = ""
				}
				return d
			}
		},
	},
	{
		ID:     "control.diff-names-swapped",
		Title:  "a diff takes the run of the path for the one that it is compared with",
		Looks:  "a and b name each other's run",
		Breaks: []string{openwopv1.OWPCTL30},
		Replace: func(s *rules.Set) {
			s.Control.Diff = func(d openwopv1.RunDiffResponse) openwopv1.RunDiffResponse {
				d.A, d.B = d.B, d.A
				return d
			}
		},
	},
	{
		ID:     "control.diff-tells-equal-states",
		Title:  "a diff tells the status of both runs, also where it is the same",
		Looks:  "stateDiff of a run and itself has a status",
		Breaks: []string{openwopv1.OWPCTL31},
		Replace: func(s *rules.Set) {
			s.Control.Diff = func(d openwopv1.RunDiffResponse) openwopv1.RunDiffResponse {
				if _, differs := d.StateDiff["status"]; !differs {
					d.StateDiff = maps.Clone(d.StateDiff)
					d.StateDiff["status"] = map[string]any{}
				}
				return d
			}
		},
	},
	{
		ID:     "control.diff-passes-over-payloads",
		Title:  "events of one type and node do not differ, whatever their payloads",
		Looks:  "a diff of two runs that put out other values tells of no place",
		Breaks: []string{openwopv1.OWPCTL32},
		Replace: func(s *rules.Set) {
			compares := s.Control.Compares
			s.Control.Compares = func(member string) bool { return member != "payload" && compares(member) }
		},
	},
	{
		ID:     "control.diff-events-swapped",
		Title:  "a diff shows the events of the one run as those of the other",
		Looks:  "aEvent is what stands on the log of b",
		Breaks: []string{openwopv1.OWPCTL33},
		Replace: func(s *rules.Set) {
			s.Control.Diff = func(d openwopv1.RunDiffResponse) openwopv1.RunDiffResponse {
				d.EventDiffs = slices.Clone(d.EventDiffs)
				for i, p := range d.EventDiffs {
					if p.AEvent != nil && p.BEvent != nil {
						d.EventDiffs[i].AEvent, d.EventDiffs[i].BEvent = p.BEvent, p.AEvent
					}
				}
				return d
			}
		},
	},
	{
		ID:     "control.diverged-counts-from-one",
		Title:  "a diff counts the place at which two runs part from 1",
		Looks:  "divergedAtSeq is one more than the seq of the first place",
		Breaks: []string{openwopv1.OWPCTL34},
		Replace: func(s *rules.Set) {
			s.Control.Diff = func(d openwopv1.RunDiffResponse) openwopv1.RunDiffResponse {
				if d.DivergedAtSeq != nil {
					d.DivergedAtSeq = new(*d.DivergedAtSeq + 1)
				}
				return d
			}
		},
	},
	{
		ID:     "control.diff-counts-times",
		Title:  "events that happened at other times differ",
		Looks:  "a diff of two runs of one workflow tells of every event",
		Breaks: []string{openwopv1.OWPCTL35},
		Replace: func(s *rules.Set) {
			compares := s.Control.Compares
			s.Control.Compares = func(member string) bool { return member == "timestamp" || compares(member) }
		},
	},
	{
		ID:     "control.diff-of-logs-only",
		Title:  "a diff does not compare states",
		Looks:  "stateDiff of a run that completed and one that failed is empty",
		Breaks: []string{openwopv1.OWPCTL36},
		Replace: func(s *rules.Set) {
			s.Control.Diff = func(d openwopv1.RunDiffResponse) openwopv1.RunDiffResponse {
				d.StateDiff = map[string]any{}
				return d
			}
		},
	},
	{
		ID:     "control.diff-against-unknown-not-provided",
		Title:  "a diff against a run that never was is refused as what the host does not do",
		Looks:  "it is answered 501",
		Breaks: []string{openwopv1.OWPCTL37},
		Replace: func(s *rules.Set) {
			s.Control.Code = func(code string) string {
				if code == rules.NotFound {
					return "capability_not_provided"
				}
				return code
			}
		},
	},
	{
		ID:      "control.diff-refusal-without-words",
		Title:   "a diff against a run that never was is refused without words",
		Looks:   "the message of its 404 is empty",
		Breaks:  []string{openwopv1.OWPERR4},
		Replace: func(s *rules.Set) { loseWords(s, rules.NotFound) },
	},
	{
		ID:      "control.bulk-cancels-foreign",
		Title:   "a bulk cancel does not look whose runs it names",
		Looks:   "a tenant cancels the run of another by naming it in a bulk cancel",
		Breaks:  []string{openwopv1.OWPCTL38},
		Replace: visits("", onRun(rules.OperationBulk)),
	},
	{
		ID:      "control.diff-tells-foreign-from-unknown",
		Title:   "a diff against the run of another tenant is refused otherwise than one against a run that never was",
		Looks:   "the one is answered 403, the other 404",
		Breaks:  []string{openwopv1.OWPISO2},
		Replace: visits(forbidden, onRun("diffRun")),
	},
}

func loseReason(s *rules.Set, of openwopv1.RunEventType) {
	reason := s.Control.Reason
	s.Control.Reason = func(t openwopv1.RunEventType, given string) string {
		if t == of {
			return ""
		}
		return reason(t, given)
	}
}

func loseWords(s *rules.Set, of string) {
	words := s.Control.Words
	s.Control.Words = func(code, message string) string {
		if code == of {
			return ""
		}
		return words(code, message)
	}
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
