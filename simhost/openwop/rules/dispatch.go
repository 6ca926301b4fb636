package rules

import "github.com/openassay/assay/gen/openwopv1"

// Dispatch is what decisions bring about (RFC 0006, RFC 0007).
type Dispatch struct {
	// DecidesFirst tells whether a decision is on the log before what it brings about.
	DecidesFirst func(Doubt) bool

	// Ends tells whether a decision to terminate ends the run, given how many more decisions the script holds.
	Ends func(left int) bool

	// Takes tells whether a dispatch node goes by what came before it. If not, it fails.
	Takes func(Order) bool
}

// Order is what a dispatch node is to do.
type Order struct {
	Decided bool // there is a decision; else the node has nothing to do
	Workers int  // that the decision names
	Policy  openwopv1.DispatchConfigFanOutPolicy
}

func honestDispatch() Dispatch {
	return Dispatch{
		DecidesFirst: func(Doubt) bool { return true },
		Ends:         func(int) bool { return true },
		Takes: func(o Order) bool {
			return o.Decided && (o.Workers == 1 || o.Policy != openwopv1.DispatchConfigFanOutPolicyReject)
		},
	}
}
