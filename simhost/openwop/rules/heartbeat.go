package rules

// Heartbeat is what a heartbeat makes of the states that it sees (RFC 0060).
type Heartbeat struct {
	// Changed tells whether a state is another one than that of last time. The first state of all is no question.
	Changed func(last, now string) bool
}

func honestHeartbeat() Heartbeat {
	return Heartbeat{Changed: func(last, now string) bool { return last != now }}
}
