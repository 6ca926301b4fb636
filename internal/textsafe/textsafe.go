// Package textsafe makes text that somebody else wrote fit to be shown. A target chooses its own name, its error
// messages and every value in its replies; none of that may move a cursor, hide or reorder what stands beside it,
// become a link or a tag, or make a document that another program cannot read.
package textsafe

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Line is s as one line of plain text: what cannot be seen, or would change how its neighbours are seen (control
// characters, ANSI escapes, line breaks, bidirectional marks, invisible characters, bytes that are not UTF-8), is
// spelled out as \x1b, \n or \u202e. So is ##[, with which a text can command the runner of GitHub Actions from anywhere in
// a line (see [Log] for its other way). What is left is also legal XML. It is meant for terminals and logs.
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

// A runner of GitHub Actions reads these in the output of a step as commands: the old one anywhere in a line, the new one
// where a line begins with it, blanks before it or not.
const (
	oldCommand = "##["
	newCommand = "::"
)

// Log is a text of several lines in which none is a command to a runner of GitHub Actions, whatever it begins with.
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

// plain is the fast way out: printable ASCII needs no care.
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

// invisible are letters and symbols that draw nothing, though Unicode counts them as graphic.
const invisible = "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u3164\uffa0\ufffc"

// visible tells whether a character shows itself and nothing else. Format characters (bidirectional marks, joiners,
// tags) and variation selectors do not, nor do all spaces but the ordinary one: they make two names look the same.
func visible(r rune) bool {
	return r == ' ' || unicode.IsGraphic(r) && !unicode.IsSpace(r) &&
		!unicode.Is(unicode.Variation_Selector, r) && !strings.ContainsRune(invisible, r)
}

// Clip is [Line] of at most n characters; the last one says that something was left out.
func Clip(s string, n int) string {
	// A long text is cut before it is spelled out, which can make it ten times as long.
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

// Markdown is s as a code span of one line that may also stand in a table: no tag, link, mention or emphasis works
// inside it. A pipe is spelled out, because no way to write one inside a table's code span is read alike everywhere.
func Markdown(s string) string {
	s = strings.ReplaceAll(Line(s), "|", `\x7c`)
	if strings.TrimSpace(s) == "" {
		return "`(empty)`"
	}
	fence := strings.Repeat("`", longestRun(s, '`')+1)
	if s[0] == '`' || s[len(s)-1] == '`' || s[0] == ' ' && s[len(s)-1] == ' ' {
		s = " " + s + " " // one space on either side is not part of the span
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

// JSON is an encoded JSON document in which every character that [Line] would spell out is written as its escape.
// It decodes to the same value. Line breaks and tabs between the tokens stay.
func JSON(encoded []byte) []byte {
	encoded = bytes.ReplaceAll(encoded, []byte(oldCommand), []byte(`\u0023#[`)) // it can stand in strings only
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

// hidden tells a character that an encoded document may hold only inside a string and that must not be shown.
func hidden(r rune) bool { return r >= 0x7f && !visible(r) }
