package rules

// Requests is how requests are let in and turned away.
type Requests struct {
	// LetsIn tells whether a request is served. known says whether its key is; public whether the operation asks for none.
	LetsIn func(operation string, known, public bool) bool

	// NeedsMatch tells whether a request without If-Match is refused.
	NeedsMatch func(operation string) bool

	// Stale tells whether a request that means one version is refused of a thing that has another.
	Stale func(meant, version int64) bool
}

func honestRequests() Requests {
	return Requests{
		LetsIn:     func(_ string, known, public bool) bool { return known || public },
		NeedsMatch: func(string) bool { return true },
		Stale:      func(meant, version int64) bool { return meant != version },
	}
}
