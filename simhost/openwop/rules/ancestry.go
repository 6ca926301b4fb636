package rules

// Ancestry is what a host tells other hosts of where runs come from (RFC 0040).
type Ancestry struct {
	// Introduces is what a host says of a loop to the host that it asks for a worker.
	Introduces func(Introduction) Introduction
}

// Introduction is what another host is told of a loop.
type Introduction struct {
	TraceParent  string // the trace that the loop is in, and the place of its worker there
	WellKnownURL string // address of the discovery document of the loop's host; "" is none
}

func honestAncestry() Ancestry {
	return Ancestry{Introduces: func(i Introduction) Introduction { return i }}
}
