package wire

import (
	"strconv"
	"strings"
)

// lookup follows an RFC 6901 pointer. found is false where the path ends early.
func lookup(doc any, pointer string) (v any, found bool) {
	if pointer == "" {
		return doc, true
	}
	rest, more := strings.TrimPrefix(pointer, "/"), true
	for more {
		var segment string
		segment, rest, more = strings.Cut(rest, "/")
		if strings.IndexByte(segment, '~') >= 0 {
			segment = unescaper.Replace(segment)
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

// Made once: a judge looks up every member of every event of a log.
var (
	escaper   = strings.NewReplacer("~", "~0", "/", "~1")
	unescaper = strings.NewReplacer("~1", "/", "~0", "~")
)

// escape makes one object key a pointer segment.
func escape(key string) string {
	if !strings.ContainsAny(key, "~/") {
		return key
	}
	return escaper.Replace(key)
}
