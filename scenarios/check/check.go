package check

import (
	"encoding/json"
	"fmt"

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
type Tally struct {
	results []Result
	keep    bool
	seen    []wire.Seen // what each was about, if keep is set
}

// Results are the expectations evaluated so far.
func (t *Tally) Results() []Result { return t.results }

// Keep has the tally hold on to what expectations are about, for [Tally.Seen]. Ordinarily it does not, since decoded
// values take many times the memory of the reply.
func (t *Tally) Keep() { t.keep = true }

// Seen returns what each expectation was about, in the order of [Tally.Results]; nil for one that was noted.
func (t *Tally) Seen() []wire.Seen { return t.seen }

// Note adds an expectation that somebody else evaluated.
func (t *Tally) Note(r Result) { t.add(r, nil) }

func (t *Tally) add(r Result, seen wire.Seen) {
	t.results = append(t.results, r)
	if t.keep {
		t.seen = append(t.seen, seen)
	}
}

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

// To notes whether the matcher, ours or one of Gomega's, matches, and returns
// that. The explanation, a format and its arguments, goes before the matcher's
// own words in the report. A matcher that cannot take the value at all, such as
// BeNumerically a string, fails the check here and in NotTo.
func (a Assertion) To(m types.GomegaMatcher, explanation ...any) bool {
	return a.note(m, true, explanation)
}

// NotTo notes whether the matcher does not match.
func (a Assertion) NotTo(m types.GomegaMatcher, explanation ...any) bool {
	return a.note(m, false, explanation)
}

func (a Assertion) note(m types.GomegaMatcher, want bool, explanation []any) bool {
	ok, actual, err := evaluate(m, a.seen)
	r := Result{
		Requirement: a.requirement,
		Expected:    words(m, a.seen),
		Actual:      actual,
		OK:          ok == want,
		Where:       where(a.seen),
	}
	if !want {
		r.Expected = "not " + r.Expected
	}
	if err != nil { // neither the expectation nor its opposite holds of a value that the matcher cannot take
		r.OK, r.Actual = false, actual+" ("+reason(err)+")"
	}
	if len(explanation) > 0 {
		if format, isText := explanation[0].(string); isText {
			r.Expected = fmt.Sprintf(format, explanation[1:]...) + ": " + r.Expected
		}
	}
	a.tally.add(r, a.seen)
	return r.OK
}

func where(seen wire.Seen) wire.Ref {
	if refs := seen.Refs(); len(refs) > 0 {
		return refs[0]
	}
	return wire.Ref{}
}

// Plain turns json.Number into int64 where it is a whole number, else into
// float64, all the way down.
func Plain(v any) any { return plain(v, func(i int64) any { return i }) }

// Decoded returns a wire value for Gomega's own matchers: nil, a bool, string,
// int, float64, []any or map[string]any. Whole numbers are int, the type of Go's
// literals, so that Equal(3) and ContainElement(3) match a 3. Absent is nil, as
// null is.
func Decoded(s wire.Seen) any {
	return plain(s.Actual(), func(i int64) any {
		if n := int(i); int64(n) == i {
			return n
		}
		return i
	})
}

func plain(v any, whole func(int64) any) any {
	switch v := v.(type) {
	case json.Number:
		if i, ok := wire.Integer(v); ok {
			return whole(i)
		}
		f, err := v.Float64()
		if err != nil {
			return v.String()
		}
		return f
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = plain(e, whole)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = plain(e, whole)
		}
		return out
	}
	return v
}
