package rules

// Deadline is what happens to the members of a portfolio whose deadline passes (RFC-0026 rule 5).
type Deadline struct {
	// Ends is the status that a member in this status takes; "" is none. recorded tells whether it has the record of a suspension
	// that waits.
	Ends func(status string, recorded bool) string
}

func honestDeadline() Deadline {
	return Deadline{Ends: func(status string, _ bool) string {
		if status == "suspended_awaiting_input" {
			return "abandoned"
		}
		return ""
	}}
}
