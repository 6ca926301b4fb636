package agent

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// The functions below read parts of a request that is known to be JSON: a result of 20 MiB is checked once, not once for
// each object around it.

// textOf is the text that a value is, "" for any other. Values can be large: one that is no text is not read.
func textOf(raw json.RawMessage) string {
	if len(raw) == 0 || raw[0] != '"' {
		return ""
	}
	if bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1])
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}

// membersOf are the members of a value that is an object, nil for any other.
func membersOf(raw json.RawMessage) object {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	members := object{}
	for i := afterSpace(raw, 1); raw[i] != '}'; i = afterSpace(raw, i) {
		if raw[i] == ',' {
			i = afterSpace(raw, i+1)
		}
		end := endOfText(raw, i)
		name := textOf(raw[i:end])
		i = afterSpace(raw, afterSpace(raw, end)+1) // past the colon
		end = endOfValue(raw, i)
		members[name] = raw[i:end:end]
		i = end
	}
	return members
}

func afterSpace(raw []byte, i int) int {
	for raw[i] == ' ' || raw[i] == '\t' || raw[i] == '\r' || raw[i] == '\n' {
		i++
	}
	return i
}

// endOfText is where the text that begins at i is over.
func endOfText(raw []byte, i int) int {
	for {
		i += 1 + bytes.IndexByte(raw[i+1:], '"')
		escapes := 0
		for raw[i-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return i + 1
		}
	}
}

// endOfValue is where the value that begins at i is over.
func endOfValue(raw []byte, i int) int {
	for depth := 0; i < len(raw); i++ {
		switch raw[i] {
		case '"':
			i = endOfText(raw, i) - 1
		case '{', '[':
			depth++
			continue
		case '}', ']':
			if depth == 0 {
				return i // of what the value, a word, stands in
			}
			depth--
		case ',', ' ', '\t', '\r', '\n':
			if depth == 0 {
				return i
			}
			continue
		default:
			continue
		}
		if depth == 0 {
			return i + 1
		}
	}
	return i
}
