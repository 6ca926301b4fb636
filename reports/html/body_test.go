package html

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func laidOut(lines []line) string {
	var out []string
	for _, l := range lines {
		out = append(out, told(l))
	}
	return strings.Join(out, "\n")
}

func TestBody(t *testing.T) {
	events := make([]string, 40)
	marks := map[string]string{}
	for i := range events {
		events[i] = fmt.Sprintf(`{"type":"t","payload":{"n":%d,"of":"x"}}`, i)
		if i%10 == 2 {
			marks[fmt.Sprintf("/events/%d/payload/n", i)] = alike
		}
	}
	marks["/events/32/payload/n"] = differs
	for _, c := range []struct {
		name, text string
		marks      map[string]string
		want       string
	}{
		{"nothing", " \n", nil, ""},
		{"no JSON", "one\r\ntwo\x1b[2J\n", nil, "one\ntwo\\x1b[2J"},
		{"no marks", `{"b":{"x":[1,2]},"a":"\u202e"}`, nil, "{\n  \"b\": {\"x\": [1, 2]},\n  \"a\": \"\\u202e\"\n}"},
		{"a mark", `{"a":1,"b":{"c":[true,{"d":null}],"e":2}}`, map[string]string{"/b/c/1/d": differs},
			"{\n  \"a\": 1,\n  \"b\": {\n    \"c\": [\n      true,\n      {\n        \"d\": «null»\n      }\n    ],\n    \"e\": 2\n  }\n}"},
		{"a mark on an object", `{"a":{"b":1}}`, map[string]string{"/a": differs}, "{\n  \"a\": «{\"b\": 1}»\n}"},
		{"what is not there", `{"a":{"b":1}}`, map[string]string{"/a/c": differs}, "{\n  \"a\": {\n    \"b\": 1\n    «absent: c»\n  }\n}"},
		{"nothing at all is there", `[]`, map[string]string{"/0/id": differs}, "[\n  «absent: 0/id»\n]"},
		{"escaped keys", `{"a/b":{"~":1}}`, map[string]string{"/a~1b/~0": differs}, "{\n  \"a/b\": {\n    \"~\": «1»\n  }\n}"},
		{"a long list", `{"events":[` + strings.Join(events, ",") + `]}`, marks, strings.Join([]string{
			"{", `  "events": [`, `    {"type": "t", "payload": {"n": 0, "of": "x"}},`, "    … 1 more", `    {… "payload": {"n": ‹2› …}},`,
			"    … 9 more",
			`    {… "payload": {"n": ‹12› …}},`, "    … 9 more", `    {… "payload": {"n": ‹22› …}},`, "    … 8 more",
			`    {"type": "t", "payload": {"n": 31, "of": "x"}},`, "    {", `      "type": "t",`, `      "payload": {`,
			`        "n": «32»,`, `        "of": "x"`,
			"      }", "    },", `    {"type": "t", "payload": {"n": 33, "of": "x"}},`, "    … 6 more", "  ]", "}"}, "\n")},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, laidOut(body(c.text, c.marks))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// A body that means harm is shown in part.
func TestBodyIsBounded(t *testing.T) {
	for name, text := range map[string]string{
		"long":  strings.Repeat("x", 1<<21),
		"deep":  strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
		"wide":  `{"a":[` + strings.Repeat(`{"b":{"c":1}},`, 20000) + `1]}`,
		"lines": strings.Repeat("\n", 5000),
		"keys":  `{"` + strings.Repeat("k", 100000) + `":{"a":1}}`,
	} {
		lines := body(text, map[string]string{"/a/19999/b/c": differs, "/a/3/b": alike})
		if n := len(laidOut(lines)); n > 40000 || len(lines) > mostLines+1 {
			t.Errorf("%s: %d lines of %d bytes", name, len(lines), n)
		}
	}
}

func FuzzBody(f *testing.F) {
	f.Add(`{"a":[{"b":"\u202e"}]}`, "/a/0/b")
	f.Add(`[1,`, "/0")
	f.Add("{\"\\ud800\":1}", "/~")
	f.Fuzz(func(t *testing.T, text, pointer string) {
		for _, class := range []string{alike, differs} {
			for _, l := range body(text, map[string]string{pointer: class}) {
				for _, p := range l {
					if !utf8.ValidString(p.Text) || strings.ContainsFunc(p.Text,
						func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e }) {
						t.Errorf("%q is shown", p.Text)
					}
				}
			}
		}
	})
}
