package host

import (
	"fmt"
	"time"

	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// ReadTime parses a timestamp. One without a zone is in UTC (OIP-R34).
func ReadTime(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

// TimeOf parses a timestamp of the target.
func TimeOf(v wire.Value) (time.Time, bool) { return ReadTime(v.String()) }

// Stamp formats a time as drives write it.
func Stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z07:00") }

// spellings are how clients write a time, the last one without a zone, as the SDK does (OIP-R34).
var spellings = []string{
	"2006-01-02T15:04:05Z07:00", "2006-01-02T15:04:05.000000-07:00", "2006-01-02T15:04:05.000000Z07:00", "2006-01-02T15:04:05.000Z07:00",
	"2006-01-02T15:04:05.000000",
}

// Spelled formats a time as some client would. The id says in which of several ways; only where bare is set may the zone be left off. One
// way has whole seconds, and is up to a second early: use it where intervals are long.
func Spelled(t time.Time, by string, bare bool) string {
	sum, may := 0, spellings
	for _, c := range []byte(by) {
		sum += int(c)
	}
	if !bare {
		may = may[:len(may)-1]
	}
	return t.UTC().Format(may[sum%len(may)])
}

// Moment expects a timestamp, with a zone or without.
func Moment() check.Matcher {
	return check.That("a timestamp", func(v any) bool {
		s, _ := v.(string)
		_, ok := ReadTime(s)
		return ok
	})
}

// Within expects a timestamp from earlier before from to later after to.
func Within(from, to time.Time, earlier, later time.Duration) check.Matcher {
	words := fmt.Sprintf("at %s, not more than %s before and %s after", Stamp(from), earlier, later)
	return check.That(words, func(v any) bool {
		s, _ := v.(string)
		t, ok := ReadTime(s)
		return ok && !t.Before(from.Add(-earlier)) && !t.After(to.Add(later))
	})
}

// ResumesAt returns when a claim that was refused is to come again (OIP-R115).
func ResumesAt(refusal wire.Value) wire.Value {
	at := refusal.Key("expected_resume_at")
	for _, below := range []string{"/detail/expected_resume_at", "/error/expected_resume_at"} {
		if !at.Present() {
			at = refusal.At(below)
		}
	}
	return at
}

// NotBefore expects nothing, a text, or a time that is not before the suspension: nothing that waits resumes then.
func NotBefore(since time.Time) check.Matcher {
	return check.That("null, nothing, or no time before the suspension", func(v any) bool {
		s, isText := v.(string)
		at, isTime := ReadTime(s)
		return v == nil || isText && (!isTime || at.After(since.Add(-time.Minute)))
	})
}
