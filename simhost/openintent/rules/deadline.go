package rules

// Deadline is what happens to the members of a portfolio whose deadline passes (RFC-0026 rule 5).
type Deadline struct {
	// Hits tells whether a member in this status is abandoned.
	Hits func(status string) bool

	// Ends is how it ends.
	Ends func(DeadlineEnd) DeadlineEnd
}

// DeadlineEnd is the end of a member by a deadline.
type DeadlineEnd struct {
	Status      string // that it takes; "" leaves it as it is
	Abandonment string // abandonment_reason
	Audited     bool   // intent.suspension_expired is told
	Reason      string // of that event
	Fallback    bool   // the fallback value is taken for the answer
	Resolution  string // of the record
}

func honestDeadline() Deadline {
	return Deadline{
		Hits: func(status string) bool { return status == "suspended_awaiting_input" },
		Ends: func(e DeadlineEnd) DeadlineEnd { return e },
	}
}
