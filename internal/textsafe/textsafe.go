// Package textsafe makes untrusted text safe to show. A target chooses its name, its error messages and all values in
// its replies. None of that may move a cursor, hide or reorder other text, become a link or a tag, or make a document
// invalid.
package textsafe

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Line returns s as one line of plain text for terminals and logs. It escapes characters that are invisible or change
// how others are shown (control characters, ANSI escapes, line breaks, bidirectional marks, bytes that are not UTF-8)
// as \x1b, \n or \u202e. It also escapes ##[, which starts a command to GitHub Actions anywhere in a line (see [Log]
// for the other form). The result is also valid in XML.
func Line(s string) string {
	s = strings.ReplaceAll(s, oldCommand, `\x23#[`)
	if plain(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&b, `\x%02x`, s[i])
		} else {
			spell(&b, r)
		}
		i += size
	}
	return b.String()
}

// GitHub Actions reads these in the output of a step as the start of a command: the old one anywhere in a line, the new
// one after leading blanks.
const (
	oldCommand = "##["
	newCommand = "::"
)

// Log returns a text of several lines without commands to GitHub Actions.
func Log(text string) string {
	if !strings.Contains(text, newCommand) && !strings.Contains(text, oldCommand) {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(text, oldCommand, `\x23#[`)) {
		if rest := strings.TrimLeftFunc(line, unicode.IsSpace); strings.HasPrefix(rest, newCommand) {
			b.WriteString(line[:len(line)-len(rest)] + `\x3a` + rest[1:])
			continue
		}
		b.WriteString(line)
	}
	return b.String()
}

// plain reports whether s is printable ASCII.
func plain(s string) bool {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return false
		}
	}
	return true
}

func spell(b *strings.Builder, r rune) {
	switch {
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == '\t':
		b.WriteString(`\t`)
	case visible(r):
		b.WriteRune(r)
	case r < 0x80:
		fmt.Fprintf(b, `\x%02x`, r)
	case r < 0x10000:
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		fmt.Fprintf(b, `\U%08x`, r)
	}
}

// invisible holds letters and symbols that Unicode counts as graphic but that are not drawn.
const invisible = "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u3164\uffa0\ufffc"

// visible reports whether a character shows only itself. Format characters (bidirectional marks, joiners, tags),
// variation selectors and special spaces do not: they can make two names look the same.
func visible(r rune) bool {
	return r == ' ' || unicode.IsGraphic(r) && !unicode.IsSpace(r) &&
		!unicode.Is(unicode.Variation_Selector, r) && !strings.ContainsRune(invisible, r)
}

// Clip is like [Line], of at most n characters. If it leaves anything out, the last one is an ellipsis.
func Clip(s string, n int) string {
	// Escapes can make a text ten times as long, so a long one is cut before.
	cut := false
	if most := utf8.UTFMax * (n + 1); n >= 0 && len(s) > most { // more than n characters, whatever they are
		s = s[:most]
	}
	if utf8.RuneCountInString(s) > n {
		runes := 0
		for i := range s {
			if runes++; runes > n {
				s, cut = s[:i], true
				break
			}
		}
	}
	line := []rune(Line(s))
	if len(line) > n || cut {
		return string(line[:min(len(line), max(n-1, 0))]) + "…"
	}
	return string(line)
}

// Markdown returns s as a code span of one line, which disables tags, links, mentions and emphasis, also in a table. It
// escapes pipes, since parsers disagree on how to write one in a code span of a table.
func Markdown(s string) string {
	s = strings.ReplaceAll(Line(s), "|", `\x7c`)
	if strings.TrimSpace(s) == "" {
		return "`(empty)`"
	}
	fence := strings.Repeat("`", longestRun(s, '`')+1)
	if s[0] == '`' || s[len(s)-1] == '`' || s[0] == ' ' && s[len(s)-1] == ' ' {
		s = " " + s + " " // one space on each side is not part of the span
	}
	return fence + s + fence
}

func longestRun(s string, c byte) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] != c {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return longest
}

// JSON returns an encoded JSON document with JSON escapes for all characters in strings that [Line] escapes. It decodes
// to the same value.
func JSON(encoded []byte) []byte {
	encoded = bytes.ReplaceAll(encoded, []byte(oldCommand), []byte(`\u0023#[`)) // only strings can hold it
	if utf8.Valid(encoded) && bytes.IndexFunc(encoded, hidden) < 0 {
		return encoded
	}
	out := make([]byte, 0, len(encoded)+64)
	for _, r := range string(encoded) {
		switch {
		case !hidden(r):
			out = utf8.AppendRune(out, r)
		case r < 0x10000:
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			out = fmt.Appendf(out, `\u%04x\u%04x`, high, low)
		}
	}
	return out
}

// hidden reports whether a character must be escaped. Only strings of an encoded document can hold it.
func hidden(r rune) bool { return r >= 0x7f && !visible(r) }

// Shell returns s as one word of a shell command, in quotes where it needs them.
func Shell(s string) string {
	plain := s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		letter := r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
		return !letter && !strings.ContainsRune("-_./:=@%+,", r)
	})
	if plain {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// Count returns a number of things: 1 scenario, 2 scenarios.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
