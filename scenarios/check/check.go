package check

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/onsi/gomega/types"

	"github.com/openassay/assay/scenarios/wire"
)

// Result is one evaluated expectation.
type Result struct {
	Requirement string   `json:"requirement"`
	Expected    string   `json:"expected"`
	Actual      string   `json:"actual"`
	OK          bool     `json:"ok"`
	Where       wire.Ref `json:"where"`
}

// Tally notes every expectation of one scenario, in order.
type Tally struct{ results []Result }

// Results are the expectations evaluated so far.
func (t *Tally) Results() []Result { return t.results }

// Note adds an expectation that somebody else evaluated.
func (t *Tally) Note(r Result) { t.results = append(t.results, r) }

// Check starts an expectation about v that speaks for a requirement.
func (t *Tally) Check(requirement string, v wire.Seen) Assertion {
	return Assertion{tally: t, requirement: requirement, seen: v}
}

// Assertion is an expectation that still lacks its matcher.
type Assertion struct {
	tally       *Tally
	requirement string
	seen        wire.Seen
}

// To notes whether the matcher matches, and says so. The explanation, a format
// and its arguments, goes before the matcher's own words in the report.
func (a Assertion) To(m types.GomegaMatcher, explanation ...any) bool {
	return a.note(m, true, explanation)
}

// NotTo notes whether the matcher does not match.
func (a Assertion) NotTo(m types.GomegaMatcher, explanation ...any) bool {
	return a.note(m, false, explanation)
}

// seenMatcher is a matcher that needs more than the decoded value: whether it
// was there at all, or how a wait ended.
type seenMatcher interface {
	MatchSeen(wire.Seen) (ok bool, actual string)
}

// chooser is a matcher that expects other words of one target than of another.
type chooser interface {
	For(wire.Seen) types.GomegaMatcher
}

// expecter is a matcher that can say what it expects before it has failed.
type expecter interface{ Expected() string }

func (a Assertion) note(m types.GomegaMatcher, want bool, explanation []any) bool {
	if c, chooses := m.(chooser); chooses {
		m = c.For(a.seen)
	}
	ok, actual := evaluate(m, a.seen)
	r := Result{
		Requirement: a.requirement,
		Expected:    expected(m, a.seen, want),
		Actual:      actual,
		OK:          ok == want,
		Where:       where(a.seen),
	}
	if len(explanation) > 0 {
		if format, isText := explanation[0].(string); isText {
			r.Expected = fmt.Sprintf(format, explanation[1:]...) + ": " + r.Expected
		}
	}
	a.tally.results = append(a.tally.results, r)
	return r.OK
}

func evaluate(m types.GomegaMatcher, seen wire.Seen) (ok bool, actual string) {
	if s, special := m.(seenMatcher); special {
		return s.MatchSeen(seen)
	}
	v := Plain(seen.Actual())
	ok, err := m.Match(v)
	actual = describe(seen)
	if err != nil { // a matcher that cannot take the value at all: the value is of the wrong kind
		return false, actual + " (" + firstLine(err.Error()) + ")"
	}
	return ok, actual
}

func describe(seen wire.Seen) string {
	if v, single := seen.(wire.Value); single {
		return v.JSON()
	}
	return wire.Compact(seen.Actual())
}

func expected(m types.GomegaMatcher, seen wire.Seen, want bool) string {
	var s string
	if e, ok := m.(expecter); ok {
		s = e.Expected()
	} else {
		s = firstLine(strings.Join(strings.Fields(m.FailureMessage(Plain(seen.Actual()))), " "))
	}
	if !want {
		return "not " + s
	}
	return s
}

func where(seen wire.Seen) wire.Ref {
	if refs := seen.Refs(); len(refs) > 0 {
		return refs[0]
	}
	return wire.Ref{}
}

func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}

// Plain turns json.Number into int64 where it is a whole number, else into
// float64, all the way down, so that Gomega's own matchers can compare.
func Plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		if i, ok := wire.Integer(v); ok {
			return i
		}
		f, err := v.Float64()
		if err != nil {
			return v.String()
		}
		return f
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = Plain(e)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = Plain(e)
		}
		return out
	}
	return v
}
