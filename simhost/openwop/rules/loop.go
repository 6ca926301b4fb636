package rules

import "github.com/openassay/assay/gen/openwopv1"

// Loop is how the orchestrator loop turns.
type Loop struct {
	// Next counts supervisor turns: the number of the turn that begins, given that of the turn before (0 before the first)
	// and what became of that one (RFC 0061 B and D).
	Next func(previous int, past Past) int

	// Replays is Next of a replay, given the number that its source had there.
	Replays func(recorded int, past Past) int

	// Carries tells whether this decision carries its iteration, where decisions do (RFC 0061 B).
	Carries func(openwopv1.OrchestratorDecision) bool

	// Numbers is the iteration that a decision carries in this turn, given how many workers the loop has had (RFC 0061 B).
	Numbers func(iteration, workers int) int

	// Script is what a supervisor goes by, decision for decision, given whether the caller has bounded the turns (RFC 0037 A).
	Script func(plan []any, bounded bool) []any

	// Writes is a decision as it stands on the log, and is carried out from there (RFC 0037 A).
	Writes func(openwopv1.RunOrchestratorDecidedPayload) openwopv1.RunOrchestratorDecidedPayload

	// Rests tells whether a loop begins no turn once it has ended (RFC 0061 E).
	Rests func() bool

	// Suspends tells whether the seam can suspend a loop of so many turns in this turn, and resume it if it is to.
	Suspends func(turns, at int64, resume bool) bool

	// Replies is what the seam says of a loop, given what it was asked for.
	Replies func(ask openwopv1.AgentloopRequest, reply openwopv1.AgentloopReply) openwopv1.AgentloopReply

	// Shows tells whether decided events carry their iteration at this version of the execution model; 0 is a host without
	// one (RFC 0061 B).
	Shows func(version int) bool

	// Refreshes tells whether a turn sees the workspace and the memory as they are when it begins, rather than as they were
	// when the run began (RFC 0061 C, RFC 0059 D).
	Refreshes func(version int) bool
}

// Past is what became of a turn.
type Past struct {
	Suspended bool // and resumed
	Held      bool // that was for a decision below the confidence floor
	Again     bool // an earlier turn was suspended as well
}

func honestLoop() Loop {
	return Loop{
		Next:     func(previous int, _ Past) int { return previous + 1 },
		Replays:  func(recorded int, _ Past) int { return recorded },
		Carries:  func(openwopv1.OrchestratorDecision) bool { return true },
		Writes:   func(p openwopv1.RunOrchestratorDecidedPayload) openwopv1.RunOrchestratorDecidedPayload { return p },
		Numbers:  func(iteration, _ int) int { return iteration },
		Script:   func(plan []any, _ bool) []any { return plan },
		Rests:    func() bool { return true },
		Suspends: func(turns, at int64, resume bool) bool { return at < turns || at == turns && !resume },
		Replies: func(_ openwopv1.AgentloopRequest, reply openwopv1.AgentloopReply) openwopv1.AgentloopReply {
			return reply
		},
		Shows:     func(version int) bool { return version >= 5 },
		Refreshes: func(version int) bool { return version >= 5 },
	}
}
