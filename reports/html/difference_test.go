package html

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// told writes parts with their marks in brackets.
func told(parts []part) string {
	var b strings.Builder
	for _, p := range parts {
		switch p.Mark {
		case differs:
			b.WriteString("«" + p.Text + "»")
		case alike:
			b.WriteString("‹" + p.Text + "›")
		default:
			b.WriteString(p.Text)
		}
	}
	return b.String()
}

func TestDifference(t *testing.T) {
	for _, c := range []struct{ expected, actual, want, got string }{
		{"turns: [1,2,3]", "[1,2,1]", "turns: [1, 2, «3»]", "[1, 2, «1»]"},
		{"turns: [1,2,3]", "[1]", "turns: [1, «2», «3»]", "[1]"},
		{"turns: [1]", "[1,1]", "turns: [1]", "[1, «1»]"},
		{`a: b: ["x: y"]`, `["x: z"]`, `a: b: [«"x: y"»]`, `[«"x: z"»]`},
		{"HTTP 404", "200", "HTTP 404", "200"},
		{`title: "the same beginning, one end"`, `"the same beginning, an end"`, `title: "the same beginning, «one» end"`,
			`"the same beginning, «an» end"`},
		{"in time", "not within 10s", "in time", "not within 10s"},
		{"the same words all along", "the same words all along", "the same words all along", "the same words all along"},
		{"[1,2]", "\x1b[31m", "[1,2]", `\x1b[31m`},
		{"", "", "", ""},
	} {
		want, got := difference(c.expected, c.actual)
		if diff := cmp.Diff([]string{c.want, c.got}, []string{told(want), told(got)}); diff != "" {
			t.Errorf("%q against %q (-want +got):\n%s", c.expected, c.actual, diff)
		}
	}
}

// Whatever a target sends, no character of it is cut in two or acts on the page, and all of a short text is there.
func FuzzDifference(f *testing.F) {
	f.Add("turns: [1,2]", "[1,\u202e2]")
	f.Add("ä: \"öööööööööööööööö\"", "\"öööööööööööööööü\"")
	f.Fuzz(func(t *testing.T, expected, actual string) {
		want, got := difference(expected, actual)
		for _, parts := range [][]part{want, got} {
			for _, p := range parts {
				if !utf8.ValidString(p.Text) || strings.ContainsFunc(p.Text, func(r rune) bool { return r < ' ' || r == '\u202e' }) {
					t.Errorf("%q is shown", p.Text)
				}
			}
		}
	})
}
