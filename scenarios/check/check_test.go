package check_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega/types"

	"github.com/openassay/assay/scenarios/check"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/scenarios/wire/wiretest"
)

const document = `{"one":1,"float":1.5,"whole":2.0,"text":"a","empty":"","null":null,"on":true,
	"list":[1,2,3],"gap":[1,3],"none":[],"date":"2027-02-03",
	"events":[{"iteration":1},{"iteration":2}],"holed":[{"iteration":1},{}]}`

// One row a matcher: what it takes, what it refuses, and the words it uses.
func TestMatchers(t *testing.T) {
	doc := wiretest.Value(t, document)
	at := doc.Key
	day := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name     string
		seen     wire.Seen
		matcher  types.GomegaMatcher
		ok       bool
		expected string
		actual   string
	}{
		{"equal", at("one"), check.Equal(1), true, "1", "1"},
		{"equal to a whole float", at("whole"), check.Equal(2), true, "2", "2.0"},
		{"not equal", at("text"), check.Equal("b"), false, `"b"`, `"a"`},
		{"equal list", at("list"), check.Equal([]any{1, 2, 3}), true, "[1,2,3]", "[1,2,3]"},
		{"one of", at("null"), check.OneOf(nil, false), true, "null or false", "null"},
		{"none of", at("one"), check.OneOf(nil, false), false, "null or false", "1"},
		{"integer", at("whole"), check.Integer(1, 6), true, "an integer from 1 to 6", "2.0"},
		{"no integer", at("float"), check.Integer(1, 0), false, "an integer of at least 1", "1.5"},
		{"absent is no integer", at("nowhere"), check.Integer(1, 0), false, "an integer of at least 1", "absent"},
		{"boolean", at("on"), check.Boolean(), true, "a boolean", "true"},
		{"a word is no boolean", at("text"), check.Boolean(), false, "a boolean", `"a"`},
		{"text", at("text"), check.Text(), true, "a non-empty string", `"a"`},
		{"empty text", at("empty"), check.Text(), false, "a non-empty string", `""`},
		{"date", at("date"), check.Date(day, day.AddDate(1, 0, 0)), true,
			"a date YYYY-MM-DD from 2026-11-21 to 2027-11-21", `"2027-02-03"`},
		{"date passed", at("date"), check.Date(day.AddDate(1, 0, 0), day.AddDate(2, 0, 0)), false,
			"a date YYYY-MM-DD from 2027-11-21 to 2028-11-21", `"2027-02-03"`},
		{"length", at("list").Items(), check.Len(3), true, "3 of them", "3"},
		{"another length", at("none").Items(), check.Len(1), false, "1 of them", "0"},
		{"counts", at("list").Items(), check.CountFromOne(3), true, "[1,2,3]", "[1,2,3]"},
		{"counts with a gap", at("gap").Items(), check.CountFromOne(2), false, "[1,2]", "[1,3]"},
		{"counts too far", at("list").Items(), check.CountFromOne(2), false, "[1,2]", "[1,2,3]"},
		{"each", at("events").Items().Each("/iteration"), check.Each(check.Integer(1, 0)), true,
			"one or more, each an integer of at least 1", "[1,2]"},
		{"each but one", wire.Found{Values: at("holed").Items()}.Each("/iteration"), check.Each(check.Integer(1, 0)), false,
			"one or more, each an integer of at least 1", "[1,null]"},
		{"each of none", at("none").Items(), check.Each(check.Integer(1, 0)), false, "one or more, each an integer of at least 1", "[]"},
		{"absent", at("nowhere"), check.Absent(), true, "absent", "absent"},
		{"null is not absent", at("null"), check.Absent(), false, "absent", "null"},
		{"one of several is there", wire.Found{Values: at("holed").Items()}.Each("/iteration"), check.Absent(), false, "absent", "1"},
		{"none of several is there", at("events").Items().Each("/turn"), check.Absent(), true, "absent", "absent"},
		{"same", at("list").Items(), check.SameAs(at("list").Items()), true, "as in the source, [1,2,3]", "[1,2,3]"},
		{"not the same", at("gap").Items(), check.SameAs(at("list").Items()), false, "as in the source, [1,2,3]", "[1,3]"},
		{"status class", wiretest.Status(t, 201), check.Status(2), true, "HTTP 2xx", "201"},
		{"status code", wiretest.Status(t, 201), check.Status(200, 404), false, "HTTP 200 or 404", "201"},
		{"reached", wire.Wait{What: "the run has ended", Reached: true, Took: 3 * time.Millisecond}, check.Reached(), true,
			"in time", "the run has ended after 3ms"},
		{"not reached", wire.Wait{What: "the run has ended", Patience: 10 * time.Second, Answers: 4}, check.Reached(), false,
			"in time", "not within 10s: the run has ended; the target answered 4 other requests meanwhile, last seen: absent"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var tally check.Tally
			if got := tally.Check("R-1", c.seen).To(c.matcher); got != c.ok {
				t.Errorf("matched: %v, want %v", got, c.ok)
			}
			r := tally.Results()[0]
			if r.OK != c.ok || r.Expected != c.expected || r.Actual != c.actual {
				t.Errorf("noted %v: expected %q, got %q\nwant  %v: expected %q, got %q", r.OK, r.Expected, r.Actual, c.ok, c.expected, c.actual)
			}
			tally.Check("R-1", c.seen).NotTo(c.matcher)
			if r := tally.Results()[1]; r.OK == c.ok || !strings.HasPrefix(r.Expected, "not ") {
				t.Errorf("the opposite was noted as %v, expected %q", r.OK, r.Expected)
			}
		})
	}
}

func TestEveryCheckIsCountedWithItsPlace(t *testing.T) {
	doc := wiretest.Value(t, document)
	var tally check.Tally
	tally.Check("R-1", doc.Key("list").Items()).To(check.Len(3), "turns of run %d", 7)
	tally.Check("R-2", doc.Key("on")).To(check.Equal(false))
	r := tally.Results()
	if len(r) != 2 || r[0].Requirement != "R-1" || r[0].Expected != "turns of run 7: 3 of them" || r[0].Where.Pointer != "/list/0" {
		t.Errorf("first: %+v", r[0])
	}
	if r[1].OK || r[1].Where != (wire.Ref{Exchange: 1, Pointer: "/on"}) {
		t.Errorf("second: %+v", r[1])
	}
}

// Lists of accepted values are shared by all who ask.
func TestAnAcceptSetIsLeftAsItIs(t *testing.T) {
	type status string
	accepted := []any{status("a"), 1}
	if want := check.OneOf(accepted...); !slices.Equal(accepted, []any{status("a"), 1}) {
		t.Errorf("%v became %v", want, accepted)
	}
}
