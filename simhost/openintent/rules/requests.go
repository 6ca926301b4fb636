package rules

// Requests is how requests are let in and turned away.
type Requests struct {
	// LetsIn tells whether a request is served. known says whether its key is; public whether the operation asks for none.
	LetsIn func(operation string, known, public bool) bool

	// NeedsMatch tells whether a request without If-Match is refused.
	NeedsMatch func(operation string) bool

	// Stale tells whether a request that means one version is refused of a thing that has another.
	Stale func(meant, version int64) bool

	// Minds tells whether a body is refused for what is wrong at this JSON pointer.
	Minds func(operation, pointer string) bool

	// Refuses is how a refusal is told.
	Refuses func(Refusal) Refusal
}

// Refusal is an answer other than success.
type Refusal struct {
	Operation string // "" where none was found
	Status    int
	Code      string // of the member error
	Message   string
	Details   map[string]any // further members
	Unparsed  bool           // the body is no JSON, or no object
}

func honestRequests() Requests {
	return Requests{
		LetsIn:     func(_ string, known, public bool) bool { return known || public },
		NeedsMatch: func(string) bool { return true },
		Stale:      func(meant, version int64) bool { return meant != version },
		Minds:      func(string, string) bool { return true },
		Refuses:    func(r Refusal) Refusal { return r },
	}
}
