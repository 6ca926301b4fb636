package rules

import "slices"

// Lifecycle is the state machine of intents (RFC-0001, RFC-0002 and RFC-0025 section 2).
type Lifecycle struct {
	// Allows tells whether a caller may take an intent from one status to another.
	Allows func(from, to string) bool

	// Fills tells whether the server writes a member of the record that was not sent: suspended_at or expires_at.
	Fills func(member string) bool
}

// steps are those that a caller can take. An intent leaves its suspension by an answer, or because nobody answers; blocked
// ones go on by themselves, or by a caller once nothing is in their way.
var steps = map[string][]string{
	"draft":                    {"active", "abandoned"},
	"active":                   {"suspended_awaiting_input", "blocked", "completed", "abandoned"},
	"blocked":                  {"active", "abandoned"},
	"suspended_awaiting_input": {"abandoned"},
}

func honestLifecycle() Lifecycle {
	return Lifecycle{
		Allows: func(from, to string) bool { return slices.Contains(steps[from], to) },
		Fills:  func(string) bool { return true },
	}
}
