package check

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

// Matcher is a Gomega matcher that says in plain words what it expects. It takes
// wire values and plain Go values, in [Assertion.To] and in Gomega's Expect.
type Matcher struct {
	want  string
	match func(v any) bool                         // of a plain value; nil where only a wire value will do
	seen  func(wire.Seen) (ok bool, actual string) // of a wire value; nil where its plain value will do
}

// Expected is what the matcher expects, as a noun phrase.
func (m Matcher) Expected() string { return m.want }

// GomegaString is how Gomega's own matchers show m where they hold it.
func (m Matcher) GomegaString() string { return m.want }

// Match implements Gomega's matcher for wire values and for Go values, in which
// any integer stands for a JSON integer. It is an error to ask a matcher that
// has to see a wire value (see [Seeing]) about another one.
func (m Matcher) Match(actual any) (bool, error) {
	if s, sealed := actual.(wire.Seen); sealed {
		ok, _ := m.MatchSeen(s)
		return ok, nil
	}
	if m.match == nil {
		return false, fmt.Errorf("%s can only be asked of a value from the wire", m.want)
	}
	return m.match(normal(actual)), nil
}

// FailureMessage implements Gomega's matcher.
func (m Matcher) FailureMessage(actual any) string { return m.message("expected ", actual) }

// NegatedFailureMessage implements Gomega's matcher.
func (m Matcher) NegatedFailureMessage(actual any) string { return m.message("expected not ", actual) }

func (m Matcher) message(expected string, actual any) string {
	s, sealed := actual.(wire.Seen)
	if !sealed {
		return expected + m.want + ", got " + wire.Compact(actual)
	}
	_, found := m.MatchSeen(s)
	return expected + m.want + ", got " + found + " at " + where(s).String()
}

// MatchSeen reports whether m matches a wire value, and says what it found there.
func (m Matcher) MatchSeen(s wire.Seen) (bool, string) {
	if m.seen != nil {
		return m.seen(s)
	}
	return m.match(Plain(s.Actual())), describe(s)
}

func describe(seen wire.Seen) string {
	if v, single := seen.(wire.Value); single {
		return v.JSON()
	}
	return wire.Compact(seen.Actual())
}

// That makes a matcher from words and a predicate over plain Go values (see [Plain]).
func That(want string, match func(v any) bool) Matcher { return Matcher{want: want, match: match} }

// Seeing makes a matcher from words and a look at the wire value itself, which
// says what it found. Of Gomega's matchers, And, Or and Not can hold it.
func Seeing(want string, look func(wire.Seen) (ok bool, found string)) Matcher {
	return Matcher{want: want, seen: look}
}

// Equal expects exactly this JSON value; any Go integer stands for a JSON integer.
func Equal(want any) Matcher {
	want = normal(want)
	return That(wire.Compact(want), func(v any) bool { return reflect.DeepEqual(v, want) })
}

// OneOf expects one of these JSON values: an accept-set. Say beside it which text leaves it open.
func OneOf(accepted ...any) Matcher {
	words, values := make([]string, len(accepted)), make([]any, len(accepted))
	for i, a := range accepted {
		values[i] = normal(a)
		words[i] = wire.Compact(values[i])
	}
	return That(strings.Join(words, " or "), func(v any) bool {
		return slices.ContainsFunc(values, func(a any) bool { return reflect.DeepEqual(v, a) })
	})
}

// normal makes of Go values what Plain makes of JSON: integers are int64, named
// strings string, all the way down.
func normal(v any) any {
	if n, isNumber := v.(json.Number); isNumber {
		return Plain(n)
	}
	switch r := reflect.ValueOf(v); r.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return r.Int()
	case reflect.String:
		return r.String()
	case reflect.Slice:
		out := make([]any, r.Len())
		for i := range out {
			out[i] = normal(r.Index(i).Interface())
		}
		return out
	case reflect.Map:
		if r.Type().Key().Kind() != reflect.String {
			return v
		}
		out := make(map[string]any, r.Len())
		for name, value := range r.Seq2() {
			out[name.String()] = normal(value.Interface())
		}
		return out
	}
	return v
}

// Integer expects a JSON integer between least and most; most 0 means no upper end.
func Integer(least, most int64) Matcher {
	want := fmt.Sprintf("an integer of at least %d", least)
	if most > 0 {
		want = fmt.Sprintf("an integer from %d to %d", least, most)
	}
	return That(want, func(v any) bool {
		i, ok := v.(int64)
		return ok && i >= least && (most == 0 || i <= most)
	})
}

// Boolean expects true or false.
func Boolean() Matcher {
	return That("a boolean", func(v any) bool { _, ok := v.(bool); return ok })
}

// Text expects a string that is not empty.
func Text() Matcher {
	return That("a non-empty string", func(v any) bool { s, ok := v.(string); return ok && s != "" })
}

// Date expects a calendar date YYYY-MM-DD between from and to, both inclusive.
func Date(from, to time.Time) Matcher {
	want := fmt.Sprintf("a date YYYY-MM-DD from %s to %s", from.Format(time.DateOnly), to.Format(time.DateOnly))
	return That(want, func(v any) bool {
		s, _ := v.(string)
		d, err := time.Parse(time.DateOnly, s)
		return err == nil && s >= from.Format(time.DateOnly) && !d.After(to)
	})
}

// Len expects a list of n elements.
func Len(n int) Matcher {
	m := That(fmt.Sprintf("%d of them", n), func(v any) bool {
		list, ok := v.([]any)
		return ok && len(list) == n
	})
	m.seen = func(s wire.Seen) (bool, string) {
		list, ok := s.Actual().([]any)
		if !ok {
			return false, describe(s)
		}
		return len(list) == n, strconv.Itoa(len(list))
	}
	return m
}

// CountFromOne expects exactly the integers 1, 2, … n, in this order.
func CountFromOne(n int) Matcher {
	want := make([]any, n)
	words := make([]string, n)
	for i := range want {
		want[i] = int64(i + 1)
		words[i] = fmt.Sprint(i + 1)
	}
	return That("["+strings.Join(words, ",")+"]", func(v any) bool { return reflect.DeepEqual(v, want) })
}

// Each expects a list with at least one element, and every element to match.
func Each(m Matcher) Matcher {
	return That("one or more, each "+m.want, func(v any) bool {
		list, ok := v.([]any)
		if !ok || len(list) == 0 {
			return false
		}
		for _, e := range list {
			if ok, err := m.Match(e); !ok || err != nil {
				return false
			}
		}
		return true
	})
}

// HasIn expects a list of as many objects as want, each with at least the
// members that its counterpart has, and their values. A host may say more.
func HasIn(want []any) Matcher {
	want = normal(want).([]any)
	return That(wire.Compact(want)+", more members allowed", func(v any) bool {
		list, ok := v.([]any)
		if !ok || len(list) != len(want) {
			return false
		}
		for i := range list {
			got, _ := list[i].(map[string]any)
			asked, _ := want[i].(map[string]any)
			for name, value := range asked {
				if !reflect.DeepEqual(got[name], value) {
					return false
				}
			}
		}
		return true
	})
}

// Distinct expects a list of non-empty strings, none of them twice and none of
// them one of these.
func Distinct(others ...string) Matcher {
	return That("non-empty strings, none twice and none of "+wire.Compact(others), func(v any) bool {
		list, ok := v.([]any)
		seen := map[any]bool{}
		for _, o := range others {
			seen[o] = true
		}
		for _, e := range list {
			if s, isText := e.(string); !isText || s == "" || seen[s] {
				return false
			}
			seen[e] = true
		}
		return ok && len(list) > 0
	})
}

// Absent expects that nothing stands there: not even a null.
func Absent() Matcher {
	return Matcher{want: "absent", seen: func(s wire.Seen) (bool, string) {
		switch v := s.(type) {
		case wire.Value:
			return !v.Present(), v.JSON()
		case wire.Values:
			return noneThere(v)
		case wire.Found:
			return noneThere(v.Values)
		}
		return false, describe(s)
	}}
}

func noneThere(values wire.Values) (bool, string) {
	for _, v := range values {
		if v.Present() {
			return false, v.JSON()
		}
	}
	return true, "absent"
}

// SameAs expects what stood in another place: a copy is compared with its source.
func SameAs(source wire.Seen) Matcher {
	want := Plain(source.Actual())
	return That("as in the source, "+wire.Compact(source.Actual()), func(v any) bool { return reflect.DeepEqual(v, want) })
}

// Status expects an HTTP status of these classes or codes: 2 for 2xx, 404 for exactly that.
func Status(accepted ...int) Matcher {
	words := make([]string, len(accepted))
	for i, a := range accepted {
		if words[i] = fmt.Sprint(a); a < 10 {
			words[i] += "xx"
		}
	}
	return That("HTTP "+strings.Join(words, " or "), func(v any) bool {
		code, _ := v.(int64)
		for _, a := range accepted {
			if code == int64(a) || a < 10 && code/100 == int64(a) {
				return true
			}
		}
		return false
	})
}

// Reached expects that what was waited for happened within the stated patience.
func Reached() Matcher {
	return Matcher{want: "in time", seen: func(s wire.Seen) (bool, string) {
		w, ok := s.(wire.Wait)
		if !ok {
			return false, describe(s)
		}
		if w.Reached {
			return true, w.What + " after " + round(w.Took)
		}
		return false, fmt.Sprintf("not within %s: %s; the target answered %d other requests meanwhile, last seen: %s",
			round(w.Patience), w.What, w.Answers, w.Last.JSON())
	}}
}

func round(d time.Duration) string {
	if d > time.Second {
		return d.Round(100 * time.Millisecond).String()
	}
	return d.Round(time.Millisecond).String()
}
