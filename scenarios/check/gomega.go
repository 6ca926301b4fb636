package check

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"

	"github.com/onsi/gomega/matchers"
	"github.com/onsi/gomega/types"

	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios/wire"
)

// Chooser is a matcher that expects other words of one target than of another.
type Chooser interface {
	types.GomegaMatcher
	For(wire.Seen) types.GomegaMatcher
}

// errEmpty keeps an And or Or without matchers from holding of everything, or
// its opposite.
var errEmpty = errors.New("no matcher stands in it")

// evaluate reports whether m matches, and says what was there. err says why m
// cannot take the value.
//
// Gomega's own matchers get the plain value. Those that combine others are taken
// apart, since ours want to see the wire value.
func evaluate(m types.GomegaMatcher, seen wire.Seen) (ok bool, actual string, err error) {
	switch m := m.(type) {
	case Matcher:
		ok, actual = m.MatchSeen(seen)
		return ok, actual, nil
	case Chooser:
		return evaluate(m.For(seen), seen)
	case *matchers.NotMatcher:
		ok, actual, err = evaluate(m.Matcher, seen)
		return !ok, actual, err
	case *matchers.AndMatcher:
		return decide(m.Matchers, seen, false)
	case *matchers.OrMatcher:
		return decide(m.Matchers, seen, true)
	case *matchers.EqualMatcher:
		if m.Expected != nil { // which Gomega refuses to compare
			return evaluate(Equal(m.Expected), seen)
		}
	}
	ok, err = try(m, Decoded(seen))
	return ok, describe(seen), err
}

// try matches a plain value. A matcher that trips over it, as BeTrue does over
// nil and many a function over the wrong kind, cannot take it: the target sent it.
func try(m types.GomegaMatcher, v any) (ok bool, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case runtime.Error:
			ok, err = false, p
		default:
			panic(p)
		}
	}()
	return m.Match(v)
}

// decide asks matchers in turn until one says what decides for all, or cannot
// take the value.
func decide(all []types.GomegaMatcher, seen wire.Seen, decisive bool) (ok bool, actual string, err error) {
	actual, err = describe(seen), errEmpty
	for _, m := range all {
		if ok, actual, err = evaluate(m, seen); ok == decisive || err != nil {
			break
		}
	}
	return ok, actual, err
}

// words are what m expects, as a noun phrase where that is known.
func words(m any, seen wire.Seen) string {
	switch m := m.(type) {
	case Matcher:
		return m.want
	case Chooser:
		return words(m.For(seen), seen)
	case *matchers.EqualMatcher:
		return wire.Compact(m.Expected)
	case *matchers.NotMatcher:
		return "not " + words(m.Matcher, seen)
	case *matchers.AndMatcher:
		return join(m.Matchers, " and ", seen)
	case *matchers.OrMatcher:
		return join(m.Matchers, " or ", seen)
	case *matchers.HaveLenMatcher:
		return fmt.Sprintf("a length of %d", m.Count)
	case *matchers.BeNumericallyMatcher:
		if len(m.CompareTo) == 2 {
			return fmt.Sprintf("a number within %v of %v", m.CompareTo[1], m.CompareTo[0])
		}
		return "a number " + m.Comparator + " " + strings.Trim(fmt.Sprint(m.CompareTo), "[]")
	case *matchers.ContainElementMatcher:
		return "a list with " + words(m.Element, seen)
	case *matchers.HaveEachMatcher:
		return "one or more, each " + words(m.Element, seen)
	case types.GomegaMatcher:
		return told(m, Decoded(seen))
	}
	return wire.Compact(m) // an element, which stands for its Equal
}

func join(all []types.GomegaMatcher, by string, seen wire.Seen) string {
	parts := make([]string, len(all))
	for i, m := range all {
		if parts[i] = words(m, seen); len(all) > 1 && compound(m) {
			parts[i] = "(" + parts[i] + ")"
		}
	}
	return strings.Join(parts, by)
}

func compound(m types.GomegaMatcher) bool {
	switch m.(type) {
	case *matchers.AndMatcher, *matchers.OrMatcher:
		return true
	}
	return false
}

// typed is how Gomega writes the type of a value before it, <int>: 3, and a
// function with it: <func() bool>: 0x6122e0.
var typed = lazyregexp.New(`<(?:nil|string|bool|u?int\d*|float\d+|[\w./]+\.\w+|(?:\*|\[\]|map\[|func\()[^<>]*)>(?:: (?:0x[0-9a-f]+)?)?`)

// told is what m expects in its own words: its failure message without the
// value, which the report has anyway, and without types. Gomega asks for that
// message after a failed match alone, and some matchers have none at other times.
func told(m types.GomegaMatcher, v any) (expected string) {
	defer func() {
		if recover() != nil {
			expected = "what " + reflect.TypeOf(m).String() + " takes"
		}
	}()
	lines := strings.Split(m.FailureMessage(v), "\n")
	if lines[0] == "Expected" {
		for lines = lines[1:]; len(lines) > 1 && strings.HasPrefix(lines[0], "    "); lines = lines[1:] {
		}
	}
	return strings.TrimSpace(typed.ReplaceAllString(strings.Join(strings.Fields(strings.Join(lines, " ")), " "), ""))
}

// reason is what an error of a matcher says before it repeats the value.
func reason(err error) string {
	s, _, _ := strings.Cut(err.Error(), "\n")
	s, _, _ = strings.Cut(s, "Got:")
	return strings.TrimSpace(s)
}
