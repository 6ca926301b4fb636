package wire

import (
	"bytes"
	"slices"
	"strings"
)

// cleanEscaped takes out secrets whose characters are spelled with escapes of
// JSON or of URLs, any of them, each once or several times over: whoever reads
// a record decodes it, and so do we. text is returned as it is where it holds
// no escape that matters.
func (r *Redactor) cleanEscaped(text string) string {
	if !strings.Contains(text, `\u00`) && !strings.Contains(text, `\x`) && !strings.Contains(text, `\/`) && !strings.Contains(text, "%") {
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
		if s.from >= done { // or else it overlaps with what is out already
			b.WriteString(text[done:s.from])
			b.WriteString(s.placeholder)
		}
		done = max(done, s.to)
	}
	b.WriteString(text[done:])
	return b.String()
}

// span is a part of a text that is replaced.
type span struct {
	from, to    int
	placeholder string
}

// unescape undoes every escape of a text.
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

// positions has, for each of the n bytes of an unescaped text and for its end, where that stood in text.
func positions(text string, n int) []int {
	at := make([]int, 0, n+1)
	for i := 0; i < len(text); {
		at = append(at, i)
		_, size := unescapeOne(text[i:])
		i += size
	}
	return append(at, len(text))
}

// unescapeOne reads one byte or one escape of an ASCII character.
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
		return '\\', n // all at once: they may be a million
	case '%':
		n := 1
		for strings.HasPrefix(text[n:], "25") { // a percent sign that is itself escaped
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
