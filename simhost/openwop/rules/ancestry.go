package rules

// Ancestry is what a host tells other hosts of where runs come from (RFC 0040).
type Ancestry struct {
	// Trace is the trace that a worker on another host is asked for in, given that of its parent and what the host calls the
	// worker's run.
	Trace func(trace, child string) string

	// WellKnown is the address of its discovery document that the host gives to others, given the one that it has.
	WellKnown func(url string) string
}

func honestAncestry() Ancestry {
	return Ancestry{
		Trace:     func(trace, _ string) string { return trace },
		WellKnown: func(url string) string { return url },
	}
}
