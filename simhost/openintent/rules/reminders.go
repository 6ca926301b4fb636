package rules

import (
	"time"

	"github.com/openassay/assay/simhost/openintent/suspension"
)

// Reminders is how a person is asked again (RFC-0026 sections 4 and 5).
type Reminders struct {

	// Resolve fills in what nobody said. fallback is that of the record.
	Resolve func(p *suspension.Policy, fallback string) suspension.Resolved

	// Course is when what is due.
	Course func(r suspension.Record, p suspension.Resolved, start time.Time) suspension.Course

	// Due is when an attempt is due. last is when the one before it happened.
	Due func(c suspension.Course, attempt int, last time.Time) time.Time

	// Window is the end of a suspension that its record says.
	Window func(c suspension.Course) time.Time

	// Between is the status of an intent after a reminder; "" leaves it as it is.
	Between func(attempt int) string

	// Rung is the step of the ladder for an attempt.
	Rung func(c suspension.Course, attempt int) (suspension.Step, bool)

	// Sends tells whether a reminder goes out for an attempt.
	Sends func(attempt int) bool

	// ID is the id of the suspension that an attempt names.
	ID func(id string, attempt int) string

	// Stops tells whether an answer ends the reminders.
	Stops func() bool

	// Goes tells whether a reminder may go to somebody; allowed is whether the allowlist has them.
	Goes func(allowed bool) bool

	// Takes tells whether a record is taken that names somebody; allowed is whether the allowlist has them.
	Takes func(allowed bool) bool

	// Notice is what a reminder says, given that and the suspension record.
	Notice func(notice, record map[string]any) map[string]any
}

func honestReminders() Reminders {
	return Reminders{
		Resolve: suspension.Resolve,
		Course:  suspension.CourseOf,
		Due:     func(c suspension.Course, attempt int, _ time.Time) time.Time { return c.AttemptAt(attempt) },
		Window:  func(c suspension.Course) time.Time { return *c.Expires },
		Between: func(int) string { return "" },
		Rung:    func(c suspension.Course, attempt int) (suspension.Step, bool) { return c.Rung(attempt) },
		Sends:   func(int) bool { return true },
		ID:      func(id string, _ int) string { return id },
		Stops:   func() bool { return true },
		Takes:   func(allowed bool) bool { return allowed },
		Goes:    func(allowed bool) bool { return allowed },
		Notice:  func(notice, _ map[string]any) map[string]any { return notice },
	}
}

// Expiry is what happens when nobody answers (RFC-0026 sections 4.2 and 4.3).
type Expiry struct {
	// Audited tells whether intent.suspension_expired is told.
	Audited func() bool

	// Ends is how the suspension ends.
	Ends func(ExpiryEnd) ExpiryEnd

	// Overrules tells whether the end of the window applies to an intent that was answered.
	Overrules func() bool
}

// ExpiryEnd is the end of a suspension that nobody answered.
type ExpiryEnd struct {
	Fallback    string // that applies
	Status      string // of the intent from now on; that of a suspension leaves it suspended
	Abandonment string // abandonment_reason
	Value       bool   // the fallback value is taken for the answer
	Resolution  string // of the record; "" leaves it open
	Drops       bool   // the fallback value is taken out of the record
}

func honestExpiry() Expiry {
	return Expiry{
		Audited:   func() bool { return true },
		Ends:      func(e ExpiryEnd) ExpiryEnd { return e },
		Overrules: func() bool { return false },
	}
}
