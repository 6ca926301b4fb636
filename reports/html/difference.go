package html

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/openassay/assay/internal/textsafe"
)

// part is a piece of text. Mark is its class, or "" if unmarked.
type part struct{ Text, Mark string }

// Classes of marks.
const (
	differs = "differs" // a value that does not match
	alike   = "alike"   // a compared value that matches
)

// difference renders the expected and the actual value and marks where they differ. It marks nothing if the texts have
// too little in common.
func difference(expected, actual string) (want, got []part) {
	lead, value := splitExpectation(expected)
	if wanted, ok := elements(value); ok {
		if came, ok := elements(actual); ok {
			want, got = diffLists(wanted, came)
			return append([]part{{Text: clip(lead, mostWords)}}, want...), got
		}
	}
	if value == "" {
		lead, value = "", expected
	}
	want, got = diffTexts(value, actual)
	if lead != "" {
		want = append([]part{{Text: clip(lead, mostWords)}}, want...)
	}
	return want, got
}

// splitExpectation splits an expectation into its words and the JSON at its end; value is "" without JSON.
func splitExpectation(expected string) (lead, value string) {
	for at := 0; ; {
		if rest := expected[at:]; json.Valid([]byte(rest)) {
			return expected[:at], rest
		}
		next := strings.Index(expected[at:], ": ")
		if next < 0 {
			return expected, ""
		}
		at += next + 2
	}
}

// elements returns the elements of a JSON array.
func elements(text string) ([]string, bool) {
	var list []json.RawMessage
	if !strings.HasPrefix(text, "[") || json.Unmarshal([]byte(text), &list) != nil {
		return nil, false
	}
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = string(e)
	}
	return out, true
}

// diffLists compares element by element: most lists of a protocol are numbered or in time order.
func diffLists(wanted, came []string) (want, got []part) {
	one := func(list, other []string) []part {
		out := []part{{Text: "["}}
		for i, e := range list {
			if i > 0 {
				out = append(out, part{Text: ", "})
			}
			p := part{Text: clip(e, mostWords)}
			if i >= len(other) || other[i] != e {
				p.Mark = differs
			}
			out = append(out, p)
		}
		return append(out, part{Text: "]"})
	}
	return one(wanted, came), one(came, wanted)
}

// diffTexts marks the middle of two texts that share a beginning or an end.
func diffTexts(wanted, came string) (want, got []part) {
	wanted, came = clip(wanted, mostWords), clip(came, mostWords)
	front := commonRunes(wanted, came)
	back := commonEnd(wanted[front:], came[front:])
	if shorter := min(len(wanted), len(came)); wanted == came || 2*(front+back) < shorter || front+back < leastAlike {
		return []part{{Text: wanted}}, []part{{Text: came}}
	}
	one := func(s string) []part {
		return []part{{Text: s[:front]}, {Text: s[front : len(s)-back], Mark: differs}, {Text: s[len(s)-back:]}}
	}
	return one(wanted), one(came)
}

// leastAlike is the number of shared bytes that two texts need before the rest is marked as a difference.
const leastAlike = 12

// commonRunes returns the length in bytes of the common prefix, in whole characters.
func commonRunes(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) {
		r, size := utf8.DecodeRuneInString(a[n:])
		if other, _ := utf8.DecodeRuneInString(b[n:]); other != r {
			break
		}
		n += size
	}
	return n
}

func commonEnd(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) {
		r, size := utf8.DecodeLastRuneInString(a[:len(a)-n])
		if other, _ := utf8.DecodeLastRuneInString(b[:len(b)-n]); other != r {
			break
		}
		n += size
	}
	return n
}

// clip returns a target's text as one safe line of at most n characters.
func clip(s string, n int) string { return textsafe.Clip(s, n) }
