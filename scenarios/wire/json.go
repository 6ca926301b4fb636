package wire

import (
	"strconv"
	"strings"

	"github.com/go-openapi/jsonpointer"
)

// lookup follows a JSON pointer (RFC 6901). found is false if the path ends early.
func lookup(doc any, pointer string) (v any, found bool) {
	if pointer == "" {
		return doc, true
	}
	rest, more := strings.TrimPrefix(pointer, "/"), true
	for more {
		var segment string
		segment, rest, more = strings.Cut(rest, "/")
		if strings.IndexByte(segment, '~') >= 0 {
			segment = jsonpointer.Unescape(segment)
		}
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

// escape returns the key of an object as a segment of a pointer. Most keys need no escapes.
func escape(key string) string {
	if !strings.ContainsAny(key, "~/") {
		return key
	}
	return jsonpointer.Escape(key)
}
