package snapshot

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
)

// A short value is a secret only where it stands alone: it would be found by chance within others.
const short = 8

// hider replaces secrets in data.
type hider struct {
	values []hidden
	texts  []*regexp.Regexp
}

type hidden struct{ value, placeholder []byte }

func newHider(s Secrets) *hider {
	h := &hider{texts: s.Texts}
	number := 0
	for _, value := range s.Values {
		if value == "" || slices.ContainsFunc(h.values, func(o hidden) bool { return string(o.value) == value }) {
			continue
		}
		number++
		quoted, _ := json.Marshal(value) // a string always encodes
		for _, spelling := range []string{value, string(bytes.Trim(quoted, `"`)), url.QueryEscape(value), url.PathEscape(value)} {
			h.values = append(h.values, hidden{[]byte(spelling), fmt.Appendf(nil, "<secret:%d>", number)})
		}
	}
	// The longest first, or the end of one that begins as another does would be left.
	slices.SortStableFunc(h.values, func(a, b hidden) int { return len(b.value) - len(a.value) })
	return h
}

// clean returns data without secrets.
func (h *hider) clean(data []byte) []byte {
	for _, v := range h.values {
		if !bytes.Contains(data, v.value) {
			continue
		}
		if len(v.value) >= short {
			data = bytes.ReplaceAll(data, v.value, v.placeholder)
		} else {
			data = replaceAlone(data, v)
		}
	}
	for _, text := range h.texts {
		data = text.ReplaceAllLiteral(data, []byte("<secret>"))
	}
	return data
}

// replaceAlone replaces a value where no word goes on before or behind it.
func replaceAlone(data []byte, v hidden) (out []byte) {
	before := byte(0)
	for {
		at := bytes.Index(data, v.value)
		if at < 0 {
			return append(out, data...)
		}
		if at > 0 {
			before = data[at-1]
		}
		rest := data[at+len(v.value):]
		out = append(out, data[:at]...)
		if word(before) || len(rest) > 0 && word(rest[0]) {
			out = append(out, v.value...)
		} else {
			out = append(out, v.placeholder...)
		}
		before, data = v.value[len(v.value)-1], rest
	}
}

func word(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || c >= 0x80
}
