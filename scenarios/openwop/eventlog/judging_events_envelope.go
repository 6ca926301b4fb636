package eventlog

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/openwop/host"
	"github.com/openassay/assay/scenarios/wire"
)

// allPresent expects a value in every place. A null counts.
func allPresent() check.Matcher {
	return check.Seeing("there", func(s wire.Seen) (bool, string) {
		found, _ := s.(wire.Found)
		for _, v := range found.Values {
			if !v.Present() {
				return false, "absent of " + v.Ref().String()
			}
		}
		return len(found.Values) > 0, fmt.Sprintf("%d", len(found.Values))
	})
}

// anyTimestamp expects a time in RFC 3339 notation.
func anyTimestamp() check.Matcher {
	return check.That("a time by RFC 3339", func(v any) bool { _, ok := timestampOf(v); return ok })
}

func timestampOf(v any) (time.Time, bool) {
	s, _ := v.(string)
	at, err := time.Parse(time.RFC3339, strings.ToUpper(s)) // the T and the Z may be lower case
	return at, err == nil
}

// notEarlier expects times in ascending order.
func notEarlier() check.Matcher {
	return check.That("times, none before the one in front of it", func(v any) bool {
		list, _ := v.([]any)
		var last time.Time
		for _, e := range list {
			at, ok := timestampOf(e)
			if !ok || at.Before(last) {
				return false
			}
			last = at
		}
		return true
	})
}

// withCause returns the events that name their cause.
func withCause(l host.RunLog) wire.Found {
	return l.All().Where(func(e wire.Value) bool { return e.Key("causationId").Actual() != nil })
}

// causedBefore expects that no cause comes after its event and, if the run works
// alone, that all causes are in its own log.
func causedBefore(l host.RunLog, alone bool) check.Matcher {
	place := map[string]int{}
	for i, e := range l.Events {
		place[e.Key("eventId").String()] = i
	}
	at := func(e wire.Value) int { return place[e.Key("eventId").String()] }
	return check.Seeing("caused by an earlier event", func(s wire.Seen) (bool, string) {
		found, _ := s.(wire.Found)
		for _, e := range found.Values {
			cause, known := place[e.Key("causationId").String()]
			switch {
			case known && cause >= at(e):
				return false, fmt.Sprintf("the event of sequence %s is caused by that of sequence %s", e.Key("sequence").JSON(),
					l.Events[cause].Key("sequence").JSON())
			case !known && alone:
				return false, fmt.Sprintf("the event of sequence %s is caused by %s, which is not on the log", e.Key("sequence").JSON(),
					e.Key("causationId").JSON())
			}
		}
		return true, fmt.Sprintf("%d events with earlier causes", len(found.Values))
	})
}

// foreignCauses returns the causes outside the log.
func foreignCauses(l host.RunLog) wire.Found {
	own := map[string]bool{}
	for _, e := range l.Events {
		own[e.Key("eventId").String()] = true
	}
	return withCause(l).Where(func(e wire.Value) bool { return !own[e.Key("causationId").String()] })
}

// vendorForm matches types outside the catalogue. Their first part must not be a
// reserved word.
var vendorForm = lazyregexp.New(`^[a-z][a-zA-Z0-9_-]*(\.[a-zA-Z0-9_-]+)+$`)

var reservedWords = []string{"openwop", "core", "community", "vendor", "private", "local"}

// legalType expects a type from the catalogue or in a vendor's form.
func legalType(d *dialect.Dialect) check.Matcher {
	return check.That("a type of the catalogue, or two or more parts with dots between them", func(v any) bool {
		s, _ := v.(string)
		return d.Event(s).Valid() || vendorForm.MatchString(s)
	})
}

// reserved returns the types outside the catalogue that begin with a reserved
// word, without duplicates.
func reserved(l host.RunLog) []string {
	return typesOf(l.All().Where(func(e wire.Value) bool {
		t := e.Key("type").String()
		first, _, _ := strings.Cut(t, ".")
		return !dialect.EventOf(e).Valid() && slices.Contains(reservedWords, first)
	}))
}
