package rules

// Confidence is what a host does with a supervisor that is not sure (RFC 0039 A).
type Confidence struct {
	// Escalates tells whether a decision is held for a person. A nil confidence is no opinion.
	Escalates func(version int, confidence *float64, floor float64) bool
}

func honestConfidence() Confidence {
	return Confidence{
		Escalates: func(version int, confidence *float64, floor float64) bool {
			return version >= 2 && confidence != nil && *confidence < floor
		},
	}
}
