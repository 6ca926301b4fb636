package rules

import "github.com/openassay/assay/simhost/openwop/engine/event"

// Confidence is what a host does with a supervisor that is not sure (RFC 0039 A), and with an agent that is not (RFC 0006 C).
type Confidence struct {
	// Holds tells whether a decision is held for a person.
	Holds func(Doubt) bool

	// Raises is the interrupt of a held decision, given the one that is advertised (RFC 0044 A).
	Raises func(advertised event.Interrupt) event.Interrupt

	// After is what becomes of a decision that was held, by an agent that was unsure or below the floor, when somebody has
	// answered.
	After func(rejected, unsure bool) Course

	// Workers are those that a decision that was held is carried out by, given those that it names.
	Workers func(named []string, unsure bool) []string
}

// Doubt is a decision that might be held.
type Doubt struct {
	Version    int // of the execution model
	Kind       string
	Confidence *float64 // nil is no opinion
	Floor      float64
	Again      bool // the run was suspended and resumed before
	Newcomer   bool // it names a worker that the run has not dispatched before, and not the first one
	Agent      bool // it is held back by its agent, before the supervisor has it; the version does not matter then
	Set        bool // the run has set the floor
}

// Course is what becomes of a decision.
type Course int

// The courses.
const (
	CarriedOut Course = iota
	Dropped           // the supervisor goes on to its next turn
	LeftOpen          // the run waits on
)

func honestConfidence() Confidence {
	return Confidence{
		Holds: func(d Doubt) bool {
			return (d.Agent || d.Version >= 2) && d.Confidence != nil && *d.Confidence < d.Floor
		},
		Raises: func(advertised event.Interrupt) event.Interrupt { return advertised },
		After: func(rejected, _ bool) Course {
			if rejected {
				return Dropped
			}
			return CarriedOut
		},
		Workers: func(named []string, _ bool) []string { return named },
	}
}
