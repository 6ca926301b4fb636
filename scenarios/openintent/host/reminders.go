package host

import (
	"fmt"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
)

// How early and how late an event may be, by the clock of the server (OIP-READ-5).
const (
	Early = time.Second / 4
	Late  = 3 * time.Second / 2
)

// Beginning returns the range of times at which the suspension began, by the server's clock: from the time in its
// record to that of the later write, or the other way round (OIP-R35).
func (s Suspension) Beginning() (from, to time.Time) {
	written, _ := ReadTime(fmt.Sprint(s.SentMember("suspended_at")))
	began, ok := s.Began()
	switch {
	case !ok:
		return written, written
	case began.Before(written):
		return began, written
	}
	return written, began
}

// Due expects a timestamp n intervals of so many seconds after the beginning.
func (s Suspension) Due(interval, n int) check.Matcher {
	from, to := s.Beginning()
	d := time.Duration(n) * time.Duration(interval) * time.Second
	return Within(from.Add(d), to.Add(d), scenarios.Spare(d, Early), scenarios.Spare(d, Late))
}

// Attempts expects a list of these attempts, each once, in any order.
func Attempts(want ...int64) check.Matcher {
	return check.That(fmt.Sprintf("of attempts %v, each once", want), func(v any) bool {
		list, _ := v.([]any)
		seen := map[int64]int{}
		for _, n := range list {
			i, ok := n.(int64)
			if !ok {
				return false
			}
			seen[i]++
		}
		for _, w := range want {
			if seen[w] != 1 {
				return false
			}
		}
		return len(list) == len(want)
	})
}

// AttemptOf returns the attempt of a reminder or an escalation.
func AttemptOf(event wire.Value) int64 {
	n, _ := event.At("/payload/attempt").Int()
	return n
}

// IsNone reports whether a value is null, empty or absent, which mean the same (OIP-R15).
func IsNone(v any) bool { return v == nil || v == "" }

// TextOrNull expects any text, or none.
func TextOrNull() check.Matcher {
	return check.That("a text, or null", func(v any) bool { _, isText := v.(string); return isText || v == nil })
}

// TextOrNone expects a text, or none if want is "".
func TextOrNone(want string) check.Matcher {
	if want == "" {
		return check.That("null", IsNone)
	}
	return check.Equal(want)
}

// NextAttempt expects the time of the attempt after n of so many. After the last one it may be the end of the window (OIP-R109).
func (s Suspension) NextAttempt(interval, n, attempts int) check.Matcher {
	next := s.Due(interval, n)
	if n < attempts {
		return next
	}
	return check.That("null, or the end of the window", func(v any) bool {
		ok, _ := next.Match(v)
		return IsNone(v) || ok
	})
}
