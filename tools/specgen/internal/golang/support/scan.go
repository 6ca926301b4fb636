package support

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// The kinds of JSON values, as bits of a set.
const (
	kindNull = 1 << iota
	kindBool
	kindNumber
	kindString
	kindArray
	kindObject
)

// kindOf tells the kind of a JSON value by its first character.
func kindOf(data []byte) int {
	data = bytes.TrimLeft(data, " \t\r\n")
	if len(data) == 0 {
		return 0
	}
	switch data[0] {
	case 'n':
		return kindNull
	case 't', 'f':
		return kindBool
	case '"':
		return kindString
	case '[':
		return kindArray
	case '{':
		return kindObject
	}
	return kindNumber
}

// eachMember calls f for each member of an object, which must be valid JSON.
func eachMember(data []byte, f func(name string, value []byte) error) error {
	return scan(data, '{', func(key, value []byte) error {
		name, err := unquote(key)
		if err != nil {
			return err
		}
		return f(name, value)
	})
}

// eachItem calls f for each item of an array, which must be valid JSON.
func eachItem(data []byte, f func(item []byte) error) error {
	return scan(data, '[', func(_, value []byte) error { return f(value) })
}

// scan walks over the values of an object or an array. It trusts that the JSON is valid, but never reads past its end.
func scan(data []byte, open byte, f func(key, value []byte) error) error {
	broken := wrong(data, "JSON")
	i := space(data, 0)
	if i >= len(data) || data[i] != open {
		return broken
	}
	i = space(data, i+1)
	if i < len(data) && (data[i] == ']' || data[i] == '}') {
		return nil
	}
	for i < len(data) {
		var key []byte
		if open == '{' {
			end := skip(data, i)
			key = data[i:end]
			i = space(data, end)
			if i >= len(data) || data[i] != ':' {
				return broken
			}
			i = space(data, i+1)
		}
		end := skip(data, i)
		if end == i {
			return broken
		}
		if err := f(key, data[i:end]); err != nil {
			return err
		}
		i = space(data, end)
		if i >= len(data) || data[i] != ',' {
			break
		}
		i = space(data, i+1)
	}
	if i >= len(data) || data[i] != ']' && data[i] != '}' {
		return broken
	}
	return nil
}

func space(data []byte, i int) int {
	for i < len(data) && (data[i] == ' ' || data[i] == '\n' || data[i] == '\t' || data[i] == '\r') {
		i++
	}
	return i
}

// skip returns the end of the value that starts at i.
func skip(data []byte, i int) int {
	depth := 0
	for i < len(data) {
		switch data[i] {
		case '"':
			if i = endOfString(data, i); depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ':', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return min(i, len(data))
}

// unquote reads a JSON string.
func unquote(data []byte) (string, error) {
	if n := len(data); n >= 2 && data[0] == '"' && bytes.IndexByte(data, '\\') < 0 && utf8.Valid(data) {
		return string(data[1 : n-1]), nil
	}
	var s string
	if err := json.Unmarshal(data, &s); err != nil {
		return "", wrong(data, "a string")
	}
	return s, nil
}

// plain writes a scalar as text.
func plain(raw []byte) string {
	raw = bytes.TrimSpace(raw)
	switch kindOf(raw) {
	case kindNull:
		return ""
	case kindString:
		if s, err := unquote(raw); err == nil {
			return s
		}
	}
	return string(raw)
}
