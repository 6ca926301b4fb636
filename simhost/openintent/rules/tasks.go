package rules

// Tasks is how tasks mirror their intents (RFC-0026 rule 3).
type Tasks struct {
	// Mirrors tells whether a task in this status is blocked when its intent is suspended.
	Mirrors func(status string) bool

	// Returns tells whether a task goes on when its intent does. reason is why it was blocked.
	Returns func(reason string) bool

	// Returned is the status of a task that goes on, and whether its reason is taken away.
	Returned func() (status string, cleared bool)
}

// IntentSuspended is the reason of a task that mirrors its intent.
const IntentSuspended = "intent_suspended"

func honestTasks() Tasks {
	return Tasks{
		Mirrors:  func(status string) bool { return status == "running" },
		Returns:  func(reason string) bool { return reason == IntentSuspended },
		Returned: func() (string, bool) { return "running", true },
	}
}
