package rules

import "time"

// Watchers is what coordinators do about a suspension (RFC-0026 section 3).
type Watchers struct {
	// Escalates tells whether a coordinator with this policy raises the suspension of a phase that it raised so often before.
	Escalates func(policy string, before int) bool
	// Pauses tells whether a coordinator with this policy blocks what is wired to the suspended phase.
	Pauses func(policy string) bool
}

func honestWatchers() Watchers {
	return Watchers{
		Escalates: func(policy string, _ int) bool { return policy == "escalate" },
		Pauses:    func(policy string) bool { return policy == "block_dependents" },
	}
}

// Claims is how claims of work are held against the inputs that it needs (RFC-0026 section 6).
type Claims struct {
	// Refuses says why a claim is refused, by one input and the status of the phase that it comes from ("" where there is no
	// such phase); there tells whether the value is.
	Refuses func(upstream string, there bool) ClaimRefusal
}

// ClaimRefusal is why a claim is refused.
type ClaimRefusal int

// Why a claim is refused.
const (
	Claimable ClaimRefusal = iota
	UpstreamSuspended
	Unresolvable
)

func honestClaims() Claims {
	return Claims{
		Refuses: func(upstream string, there bool) ClaimRefusal {
			switch {
			case upstream == "suspended_awaiting_input":
				return UpstreamSuspended
			case upstream != "completed" || !there:
				return Unresolvable
			}
			return Claimable
		},
	}
}

// Leases is how long a claim lasts (RFC-0003, and RFC-0025 section 2).
type Leases struct {
	// Holds tells whether a lease still keeps others out.
	Holds func(expires, now time.Time, suspended bool) bool

	// Renews tells whether a lease can be renewed while its intent is suspended.
	Renews func() bool

	// Found tells whether a lease is found by an operation on it, given whether it is one of the intent in the path.
	Found func(operation string, ofIntent bool) bool
}

func honestLeases() Leases {
	return Leases{
		Holds:  func(expires, now time.Time, suspended bool) bool { return suspended || now.Before(expires) },
		Renews: func() bool { return true },
		Found:  func(_ string, ofIntent bool) bool { return ofIntent },
	}
}
