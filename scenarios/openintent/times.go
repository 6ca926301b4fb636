package openintent

import (
	"fmt"
	"time"

	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// readTime reads a timestamp with a zone, or without one, which is UTC (C34).
func readTime(text string) (time.Time, bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}

func timeOf(v wire.Value) (time.Time, bool) { return readTime(v.String()) }

// stamp is a moment as we write it.
func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z07:00") }

// moment expects a timestamp, with a zone or without.
func moment() check.Matcher {
	return check.That("a timestamp", func(v any) bool {
		s, _ := v.(string)
		_, ok := readTime(s)
		return ok
	})
}

// within expects a timestamp from earlier before from to later after to.
func within(from, to time.Time, earlier, later time.Duration) check.Matcher {
	words := fmt.Sprintf("at %s, not more than %s before and %s after", stamp(from), earlier, later)
	return check.That(words, func(v any) bool {
		s, _ := v.(string)
		t, ok := readTime(s)
		return ok && !t.Before(from.Add(-earlier)) && !t.After(to.Add(later))
	})
}
