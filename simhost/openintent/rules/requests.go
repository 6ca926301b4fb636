package rules

// Requests is how requests are let in and turned away.
type Requests struct {
	// LetsIn tells whether a request is served.
	LetsIn func(Knock) bool

	// Late tells whether a request that is turned away is carried out before.
	Late func(Knock) bool

	// NeedsMatch tells whether a request without If-Match is refused.
	NeedsMatch func(operation string) bool

	// Stale tells whether a request that means one version is refused of a thing that has another.
	Stale func(operation string, meant, version int64) bool
}

// Knock is a request before it is let in.
type Knock struct {
	Operation string
	Known     bool        // its key is known
	Public    bool        // the operation asks for no key
	Sent      bool        // a key was sent, be it an empty one
	Key       string      // that was sent
	Begins    func() bool // what was sent begins with a key that is known
}

func honestRequests() Requests {
	return Requests{
		LetsIn:     func(k Knock) bool { return k.Known || k.Public },
		Late:       func(Knock) bool { return false },
		NeedsMatch: func(string) bool { return true },
		Stale:      func(_ string, meant, version int64) bool { return meant != version },
	}
}
