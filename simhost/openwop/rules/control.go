package rules

import "github.com/openassay/assay/gen/openwopv1"

// Control is what a host does when a node fails, and when somebody cancels, pauses, resumes or compares runs.
type Control struct {
	// Fails tells whether a run of which a node failed fails, given whether it is alone: nobody's child or fork, it dispatches
	// nobody and it asked nobody.
	Fails func(alone bool) bool

	// GivesUp tells whether a node that waits for a time is given up when its run is stopped.
	GivesUp func(Stopped) bool

	// Cancels tells whether a run of this status can be cancelled.
	Cancels func(openwopv1.RunStatus) bool

	// Bulk is how many of n runs one bulk cancel looks at, from the first on, and whether it is refused then.
	Bulk func(n, most int) (looks int, refused bool)

	// Drains tells whether a pause with this policy, "" for none, lets the node under way end first.
	Drains func(openwopv1.PauseRunRequestDrainPolicy) bool

	// Pauses tells whether a run that is to be paused stands still now, given whether a node is under way and whether the run is
	// suspended.
	Pauses func(drain, working, suspended bool) bool

	// Holds tells whether a paused run takes no step, given whether a node waits for a time and how many events there are since the
	// run was paused.
	Holds func(waiting bool, behind int64) bool

	// Takes tells whether a run that may be paused takes an answer.
	Takes func(paused bool) bool

	// Compares tells whether this member of an event counts when runs are compared.
	Compares func(member string) bool
}

// Stopped is a run that is stopped.
type Stopped struct {
	Overtime bool // for its bound on time
	Child    bool // it has a parent
	Paused   bool // it was, at some time
}

func honestControl() Control {
	return Control{
		Fails:   func(bool) bool { return true },
		GivesUp: func(Stopped) bool { return true },
		Cancels: func(openwopv1.RunStatus) bool { return true },
		Bulk: func(n, most int) (int, bool) {
			if n > most {
				return 0, true
			}
			return n, false
		},
		Drains: func(p openwopv1.PauseRunRequestDrainPolicy) bool {
			return p != openwopv1.PauseRunRequestDrainPolicyImmediate
		},
		Pauses:   func(drain, working, _ bool) bool { return !drain || !working },
		Holds:    func(bool, int64) bool { return true },
		Takes:    func(paused bool) bool { return !paused },
		Compares: func(member string) bool { return member != "eventId" && member != "runId" && member != "timestamp" },
	}
}
