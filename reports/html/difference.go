package html

import (
	"encoding/json"
	"strings"
	"unicode/utf8"

	"github.com/openassay/assay/internal/textsafe"
)

// part is a piece of text; Mark is the class of the mark that it stands in, "" for none.
type part struct{ Text, Mark string }

// Classes of marks.
const (
	differs = "differs" // what is not as it should be
	alike   = "alike"   // what was compared too, and is as it should be
)

// difference is what was expected and what came, with the parts marked in which they differ. Where there is no telling which,
// nothing is marked.
func difference(expected, actual string) (want, got []part) {
	lead, value := valueIn(expected)
	if wanted, ok := elements(value); ok {
		if came, ok := elements(actual); ok {
			want, got = ofLists(wanted, came)
			return append([]part{{Text: clip(lead, mostWords)}}, want...), got
		}
	}
	if value == "" {
		lead, value = "", expected
	}
	want, got = ofTexts(value, actual)
	if lead != "" {
		want = append([]part{{Text: clip(lead, mostWords)}}, want...)
	}
	return want, got
}

// valueIn splits an expectation into the words before and the JSON that ends it; value is "" where none does.
func valueIn(expected string) (lead, value string) {
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

// elements are those of a JSON array.
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

// ofLists compares place by place: most lists of a protocol are counted or in the order of time.
func ofLists(wanted, came []string) (want, got []part) {
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

// ofTexts marks the middle in which two texts differ, where they have a beginning or an end in common.
func ofTexts(wanted, came string) (want, got []part) {
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

// leastAlike is how many bytes two texts have in common at least before the rest is called their difference.
const leastAlike = 12

// commonRunes is the length in bytes of the beginning that two texts share.
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

// clip is text of a target, fit to be shown, on one line.
func clip(s string, n int) string { return textsafe.Clip(s, n) }
