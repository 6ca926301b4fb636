package fault

import (
	"slices"
	"time"

	"github.com/openassay/assay/gen/openwop"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/rules"
)

// over reports whether a run has ended by what its snapshot says.
func over(s *openwopv1.RunSnapshot) bool { return !s.CompletedAt.IsZero() }

// controlFaults are violations of what is said of runs that are looked at, cancelled, paused and compared.
var controlFaults = slices.Concat(shownFaults, cancelFaults, pauseFaults, diffFaults)

var shownFaults = []Fault{
	{
		ID:     "control.cancelled-run-loses-workflow",
		Title:  "a run that was cancelled is kept without the id of its workflow, where nobody dispatched it",
		Looks:  "workflowId in the snapshot of a cancelled run is empty",
		Breaks: []string{openwop.OWPCTL1},
		Reply: snapshots(func(run *openwopv1.RunSnapshot) {
			if run.Status == openwopv1.RunStatusCancelled && run.ParentRunID == nil {
				run.WorkflowID = ""
			}
		}),
	},
	{
		ID:     "control.status-of-its-own",
		Title:  "a run under way has a status that the protocol does not know",
		Looks:  "the snapshot of a running run says executing",
		Breaks: []string{openwop.OWPCTL2},
		Reply: snapshots(func(run *openwopv1.RunSnapshot) {
			if run.Status == openwopv1.RunStatusRunning {
				run.Status = "executing"
			}
		}),
	},
	{
		ID:      "control.failed-node-passed-over",
		Title:   "a run whose node failed completes all the same, where it dispatches nobody, asks nobody and is nobody's child",
		Looks:   "node.failed is followed by run.completed, and the status is completed",
		Breaks:  []string{openwop.OWPCTL3},
		Replace: func(s *rules.Set) { s.Control.Fails = func(alone bool) bool { return !alone } },
	},
	{
		ID:     "control.error-without-message",
		Title:  "the snapshot of a failed run gives the code of its error and no words",
		Looks:  "error.message in the snapshot is empty",
		Breaks: []string{openwop.OWPCTL4},
		Reply: snapshots(func(run *openwopv1.RunSnapshot) {
			if run.Error != nil {
				run.Error.Message = ""
			}
		}),
	},
	{
		ID:     "control.cancelled-run-has-error",
		Title:  "the snapshot of a cancelled run has an error",
		Looks:  "error stands beside the status cancelled",
		Breaks: []string{openwop.OWPCTL5},
		Reply: snapshots(func(run *openwopv1.RunSnapshot) {
			if run.Status == openwopv1.RunStatusCancelled {
				run.Error = &openwopv1.RunError{Code: "cancelled", Message: "the run was cancelled"}
			}
		}),
	},
	{
		ID:     "control.end-before-its-beginning",
		Title:  "the snapshot of an ended run says that it ended a second before it began",
		Looks:  "completedAt is before startedAt",
		Breaks: []string{openwop.OWPCTL6},
		Reply: snapshots(func(run *openwopv1.RunSnapshot) {
			if over(run) {
				run.CompletedAt = run.StartedAt.Add(-time.Second)
			}
		}),
	},
	{
		ID:     "control.tags-lost-at-the-end",
		Title:  "a run that ended is kept without its tags",
		Looks:  "the snapshot of an ended run has no tags",
		Breaks: []string{openwop.OWPCTL7},
		Reply: snapshots(func(run *openwopv1.RunSnapshot) {
			if over(run) {
				run.Tags = nil
			}
		}),
	},
	{
		ID:     "control.suspended-names-no-node",
		Title:  "the snapshot of a suspended loop does not say which node waits",
		Looks:  "neither currentNodeId nor interrupt.nodeId is there",
		Breaks: []string{openwop.OWPCTL9},
		Reply: snapshots(func(run *openwopv1.RunSnapshot) {
			if run.RunOrchestrator == nil {
				return
			}
			run.CurrentNodeID = nil
			if run.Interrupt != nil {
				run.Interrupt.NodeID = nil
			}
		}),
	},
}

// snapshots changes the snapshot of a run as it is read.
func snapshots(change func(*openwopv1.RunSnapshot)) mutate.ReplyFunc {
	return mutate.On("GET /v1/runs/{runId}", mutate.Succeeded(mutate.At("", change)))
}
