package rules

// Requests is what is looked at before a request is done.
type Requests struct {
	// Minds tells whether an operation refuses a body for what its contract does not allow in this member, a JSON pointer.
	Minds func(operation, member string) bool

	// Largest is how many bytes a body may have, given how many are advertised.
	Largest func(advertised int64) int64
}

func honestRequests() Requests {
	return Requests{
		Minds:   func(string, string) bool { return true },
		Largest: func(advertised int64) int64 { return advertised },
	}
}
