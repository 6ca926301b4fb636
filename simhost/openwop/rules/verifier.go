package rules

import "github.com/openassay/assay/simhost/openwop/engine/event"

// Verifier is what a host makes of verdicts on results (RFC 0090).
type Verifier struct {
	// Asked tells whether a result is verified: what a worker brings back, or the end of the run. left is how many verdicts
	// there are still to be had.
	Asked func(end bool, left int) bool

	// Heeded is the verdict that the host goes by, given the one that was found, which has this number in the run, from 1, and
	// whether verdicts gate.
	Heeded func(end bool, v event.VerifiedPayload, n int, gates bool) event.Verdict

	// KeepsCriteria tells whether a decision to terminate keeps its criteria of success at this version of the execution model.
	KeepsCriteria func(version int) bool
}

func honestVerifier() Verifier {
	return Verifier{
		Asked: func(_ bool, left int) bool { return left > 0 },
		Heeded: func(_ bool, v event.VerifiedPayload, _ int, gates bool) event.Verdict {
			if !gates {
				return event.Passes
			}
			return v.Verdict
		},
		KeepsCriteria: func(version int) bool { return version >= 6 },
	}
}
