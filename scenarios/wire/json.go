package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Vet refuses JSON that is deeper than depth or holds a number longer than
// chars characters, before anything decodes it: a decoder would recurse or
// compute for as long as the sender likes. It reads the bytes once and does
// not otherwise validate them.
func Vet(raw []byte, depth, chars int) error {
	if !utf8.Valid(raw) {
		return errors.New("not valid UTF-8")
	}
	level, number, inString, escaped := 0, 0, false, false
	for i, c := range raw {
		if inString {
			switch {
			case escaped:
				escaped = false
			case c == '\\':
				escaped = true
			case c == '"':
				inString = false
			}
			continue
		}
		switch c {
		case '"':
			inString, number = true, 0
		case '{', '[':
			number = 0
			if level++; level > depth {
				return fmt.Errorf("nested deeper than %d levels at byte %d", depth, i)
			}
		case '}', ']':
			level--
			number = 0
		case ',', ':', ' ', '\t', '\r', '\n':
			number = 0
		default:
			if number++; number > chars {
				return fmt.Errorf("a number or word longer than %d characters at byte %d", chars, i)
			}
		}
	}
	return nil
}

// decode turns vetted JSON into Go values; numbers stay [json.Number], so that
// a judge sees what the target wrote.
func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one JSON document")
	}
	return v, nil
}

// lookup follows an RFC 6901 pointer. found is false where the path ends early.
func lookup(doc any, pointer string) (v any, found bool) {
	if pointer == "" {
		return doc, true
	}
	for segment := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		segment = unescaper.Replace(segment)
		switch d := doc.(type) {
		case map[string]any:
			if doc, found = d[segment]; !found {
				return nil, false
			}
		case []any:
			i, err := strconv.Atoi(segment)
			if err != nil || i < 0 || i >= len(d) {
				return nil, false
			}
			doc = d[i]
		default:
			return nil, false
		}
	}
	return doc, true
}

// Made once: a judge looks up every member of every event of a log.
var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// escape makes one object key a pointer segment.
func escape(key string) string { return escaper.Replace(key) }
