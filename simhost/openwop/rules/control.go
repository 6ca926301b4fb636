package rules

import (
	"net/http"

	"github.com/openassay/assay/gen/openwopv1"
)

// Control is what a host says of a run, and what it does when somebody cancels, pauses, resumes or compares runs.
type Control struct {
	// Shows is a run as its snapshot is served. It must leave what it is given as it is.
	Shows func(openwopv1.RunSnapshot) openwopv1.RunSnapshot

	// Fails tells whether a run of which a node failed fails, given whether it is alone: nobody's child or fork, it dispatches
	// nobody and it asked nobody.
	Fails func(alone bool) bool

	// GivesUp tells whether a node that waits for a time is given up when its run is stopped.
	GivesUp func(Stopped) bool

	// Reason is what the event of this type says of the reason that was given for it.
	Reason func(t openwopv1.RunEventType, given string) string

	// Cancels tells whether a run of this status can be cancelled.
	Cancels func(openwopv1.RunStatus) bool

	// Bulk is how many of n runs one bulk cancel looks at, from the first on, and whether it is refused then.
	Bulk func(n, most int) (looks int, refused bool)

	// Results are what a bulk cancel tells, of all that it looked at in the order of the request.
	Results func([]openwopv1.BulkCancelResult) []openwopv1.BulkCancelResult

	// Drains tells whether a pause with this policy, "" for none, lets the node under way end first.
	Drains func(openwopv1.PauseRunRequestDrainPolicy) bool

	// Pauses tells whether a run that is to be paused stands still now, given whether a node is under way and whether the run is
	// suspended.
	Pauses func(drain, working, suspended bool) bool

	// Holds tells whether a paused run takes no step, given whether a node waits for a time and how many events there are since the
	// run was paused.
	Holds func(waiting bool, behind int64) bool

	// Paused tells whether a pause of a run of this status is refused.
	Paused func(openwopv1.RunStatus) bool

	// Details are the facts in a refusal to pause a run or to have it go on.
	Details func(details map[string]any) map[string]any

	// Takes tells whether a run that may be paused takes an answer.
	Takes func(paused bool) bool

	// Logs tells whether that a paused run goes on is an event.
	Logs func() bool

	// PutsOut is what a run puts out, given whether it was ever paused.
	PutsOut func(outputs map[string]any, paused bool) map[string]any

	// Compares tells whether this member of an event counts when runs are compared.
	Compares func(member string) bool

	// Diff is how runs differ as it is served.
	Diff func(openwopv1.RunDiffResponse) openwopv1.RunDiffResponse

	// Code is that of a refusal to pause, to cancel in bulk or to compare, and Words are its words.
	Code  func(code string) string
	Words func(code, message string) string

	// Misfit is the status with which an operation refuses a body that breaks its contract at this field.
	Misfit func(operation, field string) int
}

// Stopped is a run that is stopped.
type Stopped struct {
	Overtime bool // for its bound on time
	Child    bool // it has a parent
	Paused   bool // it was, at some time
}

// OperationBulk is the bulk cancel, by its name in the contract.
const OperationBulk = "bulkCancelRuns"

func honestControl() Control {
	return Control{
		Shows:   func(s openwopv1.RunSnapshot) openwopv1.RunSnapshot { return s },
		Fails:   func(bool) bool { return true },
		GivesUp: func(Stopped) bool { return true },
		Reason:  func(_ openwopv1.RunEventType, given string) string { return given },
		Cancels: func(openwopv1.RunStatus) bool { return true },
		Bulk: func(n, most int) (int, bool) {
			if n > most {
				return 0, true
			}
			return n, false
		},
		Results: func(all []openwopv1.BulkCancelResult) []openwopv1.BulkCancelResult { return all },
		Drains: func(p openwopv1.PauseRunRequestDrainPolicy) bool {
			return p != openwopv1.PauseRunRequestDrainPolicyImmediate
		},
		Pauses:   func(drain, working, _ bool) bool { return !drain || !working },
		Holds:    func(bool, int64) bool { return true },
		Paused:   func(openwopv1.RunStatus) bool { return true },
		Details:  func(details map[string]any) map[string]any { return details },
		Takes:    func(paused bool) bool { return !paused },
		Logs:     func() bool { return true },
		PutsOut:  func(outputs map[string]any, _ bool) map[string]any { return outputs },
		Compares: func(member string) bool { return member != "eventId" && member != "runId" && member != "timestamp" },
		Diff:     func(d openwopv1.RunDiffResponse) openwopv1.RunDiffResponse { return d },
		Code:     func(code string) string { return code },
		Words:    func(_, message string) string { return message },
		Misfit:   func(_, _ string) int { return http.StatusBadRequest },
	}
}
