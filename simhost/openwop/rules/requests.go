package rules

import "github.com/openassay/assay/gen/openwopv1"

// Requests is what is looked at before a request is done, and what is done then.
type Requests struct {
	// Minds tells whether an operation refuses a body for what its contract does not allow in this member, a JSON pointer.
	Minds func(operation, member string) bool

	// Largest is how many bytes a body may have, given how many are advertised.
	Largest func(advertised int64) int64

	// Absent is the code with which an operation on a run that never was is refused, given the right one, and whether the
	// host's own tenant asks and not another.
	Absent func(operation, code string, own bool) string

	// Made is the workflow that a run is made of, given the one that was asked for and whether there is one.
	Made func(workflow string, known bool) string

	// Streams tells whether there is a stream in a mode, given whether the protocol knows it.
	Streams func(mode string, known bool) bool

	// Combines tells whether a mode can stand beside others, given whether it stands alone.
	Combines func(mode string, alone bool) bool

	// CancelSays is the status in the reply to a cancellation, given the run before it and its status after it.
	CancelSays func(before openwopv1.RunSnapshot, after openwopv1.RunStatus) openwopv1.RunStatus
}

func honestRequests() Requests {
	return Requests{
		Minds:      func(string, string) bool { return true },
		Largest:    func(advertised int64) int64 { return advertised },
		Absent:     func(_, code string, _ bool) string { return code },
		Made:       func(workflow string, _ bool) string { return workflow },
		Streams:    func(_ string, known bool) bool { return known },
		Combines:   func(_ string, alone bool) bool { return !alone },
		CancelSays: func(_ openwopv1.RunSnapshot, after openwopv1.RunStatus) openwopv1.RunStatus { return after },
	}
}
