package rules

import "github.com/openassay/assay/gen/openwopv1"

// Dispatch is what decisions bring about (RFC 0006, RFC 0007).
type Dispatch struct {
	// DecidesFirst tells whether a decision is on the log before what it brings about.
	DecidesFirst func(Doubt) bool

	// Agent is whose decision one is, given the supervisor's agent and whether a person has answered in this run.
	Agent func(agentID string, answered bool) string

	// Ends tells whether a decision to terminate ends the run, given how many more decisions the script holds.
	Ends func(left int) bool

	// Takes tells whether a dispatch node of this policy carries out a decision for so many workers.
	Takes func(policy openwopv1.DispatchConfigFanOutPolicy, workers int) bool

	// NeedsDecision tells whether a dispatch node fails that no decision came before.
	NeedsDecision func() bool

	// Told is how the dispatch node tells of a worker.
	Told func(Dispatched) Dispatched

	// Rests tells whether a loop takes no more turns once its run is to stop.
	Rests func() bool
}

// Dispatched is a worker that the dispatch node tells of.
type Dispatched struct {
	Cause   string // eventId of the decision
	Payload openwopv1.NodeDispatchedPayload

	By      string // id of the workflow that the dispatch node is in
	Started string // eventId of the start of the supervisor's node
}

func honestDispatch() Dispatch {
	return Dispatch{
		DecidesFirst: func(Doubt) bool { return true },
		Agent:        func(agentID string, _ bool) string { return agentID },
		Ends:         func(int) bool { return true },
		Takes: func(policy openwopv1.DispatchConfigFanOutPolicy, workers int) bool {
			return workers == 1 || policy != openwopv1.DispatchConfigFanOutPolicyReject
		},
		NeedsDecision: func() bool { return true },
		Told:          func(d Dispatched) Dispatched { return d },
		Rests:         func() bool { return true },
	}
}
