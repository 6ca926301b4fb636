package rules

import "github.com/openassay/assay/gen/openwopv1"

// Confidence is what a host does with a supervisor that is not sure (RFC 0039 A), and with an agent that is not (RFC 0006 C).
type Confidence struct {
	// Escalates tells whether a decision is held for a person.
	Escalates func(Doubt) bool

	// Raises is the interrupt of a held decision, given the one that is advertised (RFC 0044 A).
	Raises func(advertised openwopv1.InterruptKind) openwopv1.InterruptKind

	// TellsFirst tells whether the log says that a decision of this kind is held before its supervisor is suspended.
	TellsFirst func(kind string) bool

	// Unsure tells whether an agent holds its decision back; given says whether the run set the threshold.
	Unsure func(confidence, threshold float64, given bool) bool

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
	Newcomer   bool // it names a worker that the run has not dispatched before, and not the first one
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
		Escalates: func(d Doubt) bool {
			return d.Version >= 2 && d.Confidence != nil && *d.Confidence < d.Floor
		},
		Raises:     func(advertised openwopv1.InterruptKind) openwopv1.InterruptKind { return advertised },
		TellsFirst: func(string) bool { return true },
		Unsure:     func(confidence, threshold float64, _ bool) bool { return confidence < threshold },
		After: func(rejected, _ bool) Course {
			if rejected {
				return Dropped
			}
			return CarriedOut
		},
		Workers: func(named []string, _ bool) []string { return named },
	}
}
