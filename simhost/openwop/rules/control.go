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

	// Pauses tells whether a run that is to be paused stands still now, given whether a node is under way and whether the run is
	// suspended.
	Pauses func(drain, working, suspended bool) bool

	// Holds tells whether a paused run stands still, and does not do this.
	Holds func(Standing) bool

	// Compares tells whether this member of an event counts when runs are compared.
	Compares func(member string) bool
}

// Standing is what a paused run might do.
type Standing struct {
	Answer  bool  // it might take an answer; else a step
	Waiting bool  // a node waits for a time
	Behind  int64 // events since the run was paused
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
		Pauses:   func(drain, working, _ bool) bool { return !drain || !working },
		Holds:    func(Standing) bool { return true },
		Compares: func(member string) bool { return member != "eventId" && member != "runId" && member != "timestamp" },
	}
}
