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

	// Due is when an attempt is due.
	Due func(c suspension.Course, attempt int) time.Time

	// Window is the end of a suspension that its record says.
	Window func(c suspension.Course) time.Time

	// Between is the status of an intent after a reminder; "" leaves it as it is.
	Between func(attempt int) string

	// Sends tells whether a reminder goes out for an attempt; waits is whether the intent still waits for an answer.
	Sends func(attempt int, waits bool) bool

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
		Due:     suspension.Course.AttemptAt,
		Window:  func(c suspension.Course) time.Time { return *c.Expires },
		Between: func(int) string { return "" },
		Sends:   func(_ int, waits bool) bool { return waits },
		Takes:   func(allowed bool) bool { return allowed },
		Goes:    func(allowed bool) bool { return allowed },
		Notice:  func(notice, _ map[string]any) map[string]any { return notice },
	}
}

// Expiry is what happens when nobody answers (RFC-0026 sections 4.2 and 4.3).
type Expiry struct {
	// Ends is the status that the intent takes, by the fallback that applies. That of a suspension leaves it suspended.
	Ends func(fallback string) string

	// Precedes tells whether the end of a suspension is told before the fallback is applied.
	Precedes func(fallback string) bool

	// Overrules tells whether the end of the window applies to an intent that was answered.
	Overrules func() bool
}

func honestExpiry() Expiry {
	return Expiry{
		Ends: func(fallback string) string {
			if suspension.Continues(fallback) {
				return "active"
			}
			return "abandoned"
		},
		Precedes:  func(string) bool { return true },
		Overrules: func() bool { return false },
	}
}
