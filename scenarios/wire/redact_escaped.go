package wire

import (
	"bytes"
	"slices"
	"strings"
)

// cleanEscaped replaces secrets with any of their characters escaped as in JSON or URLs, once or repeatedly, since
// readers of a record may decode it.
func (r *Redactor) cleanEscaped(text string) string {
	holds := func(escape string) bool { return strings.Contains(text, escape) }
	if !holds(`\u00`) && !holds(`\x`) && !holds(`\/`) && !holds("%") {
		return text
	}
	plain := unescape(text)
	if !r.heads.in(string(plain)) {
		return text
	}
	at := positions(text, len(plain))
	var found []span
	for _, s := range r.raw {
		for from := 0; ; {
			i := bytes.Index(plain[from:], []byte(s.text))
			if i < 0 {
				break
			}
			found = append(found, span{at[from+i], at[from+i+len(s.text)], s.placeholder})
			from += i + len(s.text)
		}
	}
	if len(found) == 0 {
		return text
	}
	slices.SortStableFunc(found, func(a, b span) int { return a.from - b.from })
	var b strings.Builder
	done := 0
	for _, s := range found {
		if s.from >= done { // it does not overlap with the one before
			b.WriteString(text[done:s.from])
			b.WriteString(s.placeholder)
		}
		done = max(done, s.to)
	}
	b.WriteString(text[done:])
	return b.String()
}

// span is a part of a text to replace.
type span struct {
	from, to    int
	placeholder string
}

// unescape decodes every escape of a text.
func unescape(text string) []byte {
	plain := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		if c := text[i]; c != '\\' && c != '%' {
			plain = append(plain, c)
			i++
			continue
		}
		c, size := unescapeOne(text[i:])
		plain = append(plain, c)
		i += size
	}
	return plain
}

// positions returns the position in text of each of the n bytes of the unescaped text, and of its end.
func positions(text string, n int) []int {
	at := make([]int, 0, n+1)
	for i := 0; i < len(text); {
		at = append(at, i)
		_, size := unescapeOne(text[i:])
		i += size
	}
	return append(at, len(text))
}

// unescapeOne decodes a byte, or an escaped ASCII character.
func unescapeOne(text string) (c byte, size int) {
	switch text[0] {
	case '\\':
		n := len(text) - len(strings.TrimLeft(text, `\`))
		rest := text[n:]
		if strings.HasPrefix(rest, "u00") {
			if c, ok := hex(rest[3:]); ok {
				return c, n + 5
			}
		}
		if strings.HasPrefix(rest, "x") {
			if c, ok := hex(rest[1:]); ok {
				return c, n + 3
			}
		}
		if rest != "" && strings.IndexByte(`/"'`, rest[0]) >= 0 {
			return rest[0], n + 1
		}
		return '\\', n // all at once, since there may be a million
	case '%':
		n := 1
		for strings.HasPrefix(text[n:], "25") { // an escaped percent sign
			n += 2
		}
		if c, ok := hex(text[n:]); ok {
			return c, n + 2
		}
	}
	return text[0], 1
}

// hex reads two hexadecimal digits.
func hex(text string) (c byte, ok bool) {
	if len(text) < 2 {
		return 0, false
	}
	for i := range 2 {
		d := text[i]
		switch {
		case d >= '0' && d <= '9':
			c = c<<4 | (d - '0')
		case d >= 'a' && d <= 'f':
			c = c<<4 | (d - 'a' + 10)
		case d >= 'A' && d <= 'F':
			c = c<<4 | (d - 'A' + 10)
		default:
			return 0, false
		}
	}
	return c, true
}
