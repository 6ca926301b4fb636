package check_test

import (
	"testing"
	"time"

	. "github.com/onsi/gomega" //nolint:revive,staticcheck // as its users write it
	"github.com/onsi/gomega/types"

	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

type state string

// Gomega's own matchers look at wire values, and say what they expect as ours do.
func TestGomegasMatchers(t *testing.T) {
	doc := wiretest.Value(t, document)
	at := doc.Key
	for _, c := range []struct {
		name     string
		seen     wire.Seen
		matcher  types.GomegaMatcher
		ok       bool
		expected string
		actual   string
	}{
		{"Equal", at("one"), Equal(1), true, "1", "1"},
		{"Equal of a whole float", at("whole"), Equal(2), true, "2", "2.0"},
		{"Equal of a named string", at("text"), Equal(state("a")), true, `"a"`, `"a"`},
		{"Equal of an object", at("events").Items()[0], Equal(map[string]any{"iteration": 1}), true, `{"iteration":1}`, `{"iteration":1}`},
		{"Equal of a list", at("list").Items(), Equal([]int{1, 2}), false, "[1,2]", "[1,2,3]"},
		{"BeTrue", at("on"), BeTrue(), true, "to be true", "true"},
		{"BeNil", at("null"), BeNil(), true, "to be nil", "null"},
		{"BeEmpty", at("list"), BeEmpty(), false, "to be empty", "[1,2,3]"},
		{"HaveLen", at("list"), HaveLen(3), true, "a length of 3", "[1,2,3]"},
		{"HaveLen of values", at("gap").Items(), HaveLen(3), false, "a length of 3", "[1,3]"},
		{"BeNumerically", at("float"), BeNumerically("<", 3), true, "a number < 3", "1.5"},
		{"BeNumerically within", at("float"), BeNumerically("~", 2, 0.1), false, "a number within 0.1 of 2", "1.5"},
		{"ContainElement", at("list"), ContainElement(2), true, "a list with 2", "[1,2,3]"},
		{"ContainElement of ours", at("list").Items(), ContainElement(check.Integer(4, 0)), false,
			"a list with an integer of at least 4", "[1,2,3]"},
		{"HaveEach", at("list"), HaveEach(BeNumerically(">", 1)), false, "one or more, each a number > 1", "[1,2,3]"},
		{"HaveEach of ours that takes objects", at("events"), HaveEach(check.Equal(map[string]any{"iteration": 1})), false,
			`one or more, each {"iteration":1}`, `[{"iteration":1},{"iteration":2}]`},
		{"HaveKeyWithValue", at("events").Items()[1], HaveKeyWithValue("iteration", 2), true,
			`to have {key: value} { "iteration": 2, }`, `{"iteration":2}`},
		{"HaveKeyWithValue of ours", at("events").Items()[1], HaveKeyWithValue("iteration", check.Text()), false,
			`to have {key: value} matching { "iteration": a non-empty string, }`, `{"iteration":2}`},
		{"ConsistOf", at("list"), ConsistOf(3, 2, 1), true, "to consist of [3, 2, 1]", "[1,2,3]"},
		{"HavePrefix", at("date"), HavePrefix("2027-"), true, "to have prefix 2027-", `"2027-02-03"`},
		{"WithTransform", at("list"), WithTransform(func(v any) any { return v.([]any)[0] }, Equal(2)), false, "to equal 2", "[1,2,3]"},
		{"Not", at("one"), Not(Equal(2)), true, "not 2", "1"},
		{"Not of ours that must see the wire", at("null"), Not(check.Absent()), true, "not absent", "null"},
		{"Not of the same, absent", at("nowhere"), Not(check.Absent()), false, "not absent", "absent"},
		{"And", at("list").Items(), And(check.Len(3), HaveEach(BeNumerically("<", 9))), true,
			"3 of them and one or more, each a number < 9", "[1,2,3]"},
		{"And of which the first fails", at("list").Items(), And(check.Len(2), ContainElement(3)), false, "2 of them and a list with 3", "3"},
		{"Or", at("null"), Or(Equal("a"), check.Equal(nil)), true, `"a" or null`, "null"},
		{"Or of none", at("one"), Or(Equal("a"), And(check.Text(), HaveLen(3))), false,
			`"a" or (a non-empty string and a length of 3)`, "1"},
		{"Satisfy", at("one"), Satisfy(func(n int) bool { return n == 1 }), true, "to satisfy predicate", "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var tally check.Tally
			to, notTo := tally.Check("R-1", c.seen).To(c.matcher), tally.Check("R-1", c.seen).NotTo(c.matcher)
			r := tally.Results()
			if to != c.ok || r[0].OK != c.ok ||
				r[0].Expected != c.expected || r[0].Actual != c.actual {
				t.Errorf("noted %v: expected %q, got %q\nwant  %v: expected %q, got %q",
					r[0].OK, r[0].Expected, r[0].Actual, c.ok, c.expected, c.actual)
			}
			if notTo == c.ok || r[1].OK == c.ok || r[1].Expected != "not "+r[0].Expected {
				t.Errorf("the opposite was noted as %v, expected %q", r[1].OK, r[1].Expected)
			}
		})
	}
}

// A matcher that cannot take a value proves nothing of it, whichever way round it is asked.
func TestWhatCannotBeMatchedNeverHolds(t *testing.T) {
	doc := wiretest.Value(t, document)
	for _, c := range []struct {
		name    string
		seen    wire.Seen
		matcher types.GomegaMatcher
		actual  string
	}{
		{"a boolean of nothing", doc.Key("nowhere"), BeTrue(),
			"absent (runtime error: invalid memory address or nil pointer dereference)"},
		{"the first of no list", doc.Key("one"), WithTransform(func(v any) any { return v.([]any)[0] }, Equal(1)),
			"1 (interface conversion: interface {} is int, not []interface {})"},
		{"a number of a string", doc.Key("text"), BeNumerically("<", 3), `"a" (Expected a number.)`},
		{"a member of nothing", doc.Key("nowhere"), HaveKey("id"), "absent (HaveKey matcher expects a map/iter.Seq2.)"},
		{"nil of nil", doc.Key("null"), Equal(nil), "null (Refusing to compare <nil> to <nil>.)"},
		{"within Not", doc.Key("text"), Not(BeNumerically("<", 3)), `"a" (Expected a number.)`},
		{"within And", doc.Key("text"), And(Equal("a"), HaveKey("id")), `"a" (HaveKey matcher expects a map/iter.Seq2.)`},
		{"within Or", doc.Key("text"), Or(HaveKey("id"), Equal("a")), `"a" (HaveKey matcher expects a map/iter.Seq2.)`},
		{"an And of nothing", doc.Key("text"), And(), `"a" (no matcher stands in it)`},
		{"an Or of nothing", doc.Key("text"), Not(Or()), `"a" (no matcher stands in it)`},
		{"one that must see the wire, deeper in", doc.Key("list"), HaveEach(check.Absent()),
			"[1,2,3] (absent can only be asked of a value from the wire)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var tally check.Tally
			if tally.Check("R-1", c.seen).To(c.matcher) || tally.Check("R-1", c.seen).NotTo(c.matcher) {
				t.Error("it holds")
			}
			for _, r := range tally.Results() {
				if r.OK || r.Actual != c.actual {
					t.Errorf("noted %v: expected %q, got %q", r.OK, r.Expected, r.Actual)
				}
			}
		})
	}
}

// An expectation has words also where Gomega's matcher has none: before it has failed.
func TestMatcherWithoutWords(t *testing.T) {
	var tally check.Tally
	firstAndAll := WithTransform(func(v any) any { return v }, And(HaveLen(3), ContainElement(1)))
	if !tally.Check("R-1", wiretest.Value(t, "[1,2,3]")).To(firstAndAll) ||
		tally.Results()[0].Expected != "what *matchers.WithTransformMatcher takes" {
		t.Errorf("noted %+v", tally.Results()[0])
	}
}

// Our matchers are Gomega matchers: of wire values, of Go values, and inside of Gomega's own.
func TestOurMatchersWithExpect(t *testing.T) {
	g := NewWithT(t)
	doc := wiretest.Value(t, document)
	at := doc.Key
	g.Expect(at("one")).To(check.Equal(1))
	g.Expect(at("one")).NotTo(check.Equal(2))
	g.Expect(1).To(check.Equal(1))
	g.Expect(state("a")).To(check.OneOf("a", "b"))
	g.Expect(at("list")).To(check.Len(3))
	g.Expect([]any{1, "a"}).To(check.Len(2))
	g.Expect(at("nowhere")).To(check.Absent())
	g.Expect(at("null")).NotTo(check.Absent())
	g.Expect(wire.Wait{Reached: true}).To(check.Reached())
	g.Expect(at("list").Items()).To(And(check.CountFromOne(3), HaveLen(3), ContainElement(check.Equal(2))))
	g.Expect(wire.Found{Values: at("holed").Items()}.Each("/iteration")).NotTo(check.Each(check.Integer(1, 0)))
	g.Expect([][]int{{1, 2}, {1}}).To(ConsistOf(check.Len(1), check.CountFromOne(2)))
	g.Expect(map[string]any{"n": 1}).To(check.Equal(map[string]any{"n": 1}))

	// A wire value is for Gomega's own matchers what it is decoded.
	g.Expect(check.Decoded(at("list"))).To(And(HaveLen(3), ContainElement(2)))
	g.Expect(at("one")).To(WithTransform(check.Decoded, BeNumerically("==", 1)))
	g.Expect(check.Decoded(doc)).To(HaveKeyWithValue("float", 1.5))
}

// What Expect says of our matchers has the words of our reports, and the place.
func TestFailureMessages(t *testing.T) {
	doc := wiretest.Value(t, document)
	var said string
	g := NewGomega(func(message string, _ ...int) { said = message })
	for _, c := range []struct {
		name   string
		expect func()
		want   string
	}{
		{"of a wire value", func() { g.Expect(doc.Key("text")).To(check.Integer(1, 6)) }, `expected an integer from 1 to 6, got "a" at #1 /text`},
		{"the opposite", func() { g.Expect(doc.Key("one")).NotTo(check.Equal(1)) }, "expected not 1, got 1 at #1 /one"},
		{"of what was found", func() { g.Expect(doc.Key("list").Items()).To(check.Len(2)) }, "expected 2 of them, got 3 at #1 /list/0"},
		{"of a wait", func() { g.Expect(wire.Wait{What: "the run has ended", Patience: time.Second}).To(check.Reached()) },
			"expected in time, got not within 1s: the run has ended; the target answered 0 other requests meanwhile, last seen: absent at #0"},
		{"of a Go value", func() { g.Expect(3).To(check.OneOf("a", "b")) }, `expected "a" or "b", got 3`},
		{"of what must come from the wire", func() { g.Expect("a").To(check.Absent()) }, "absent can only be asked of a value from the wire"},
		{"of Gomega's, which holds ours and a wire value", func() { g.Expect(doc.Key("gap").Items()).To(HaveEach(check.Equal(1))) },
			"Expected\n    <wire.Values | len:2, cap:2>: [1 at #1 /gap/0, 3 at #1 /gap/1]\nto contain element matching\n    <check.Matcher>: 1"},
	} {
		said = ""
		if c.expect(); said != c.want {
			t.Errorf("%s: said %q\nwant %q", c.name, said, c.want)
		}
	}
}
