package wire

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// mostCompact is the number of characters that [Compact] shows.
const mostCompact = 300

// Compact returns a decoded value as JSON, clipped to 300 characters.
func Compact(v any) string {
	b, err := appendBegin(nil, v)
	if err != nil {
		return fmt.Sprintf("%v", v)
	}
	n := 0
	for at := range string(b) {
		if n++; n > mostCompact {
			return string(b[:at]) + "…"
		}
	}
	return string(b)
}

// appendBegin appends what [json.Marshal] makes of a value, or only its beginning if that is long: a target may send 20 MiB,
// and judges show what they saw thousands of times.
func appendBegin(b []byte, v any) ([]byte, error) {
	const enough = 4*mostCompact + 4 // bytes of so many characters and one more
	var err error
	switch v := v.(type) {
	case string:
		if len(v) > enough { // each of its bytes takes a byte at least
			v = v[:enough]
		}
		return appendJSON(b, v)
	case []any:
		if v == nil {
			return appendJSON(b, v)
		}
		b = append(b, '[')
		for i, e := range v {
			if len(b) > enough {
				return b, nil
			}
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = appendBegin(b, e); err != nil {
				return b, err
			}
		}
		return append(b, ']'), nil
	case map[string]any:
		if v == nil {
			return appendJSON(b, v)
		}
		b = append(b, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if len(b) > enough {
				return b, nil
			}
			if i > 0 {
				b = append(b, ',')
			}
			if b, err = appendJSON(b, name); err != nil {
				return b, err
			}
			if b, err = appendBegin(append(b, ':'), v[name]); err != nil {
				return b, err
			}
		}
		return append(b, '}'), nil
	}
	return appendJSON(b, v)
}

func appendJSON(b []byte, v any) ([]byte, error) {
	raw, err := json.Marshal(v)
	return append(b, raw...), err
}
