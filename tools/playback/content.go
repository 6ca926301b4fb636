package playback

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"io"
	"maps"
	"mime"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/openassay/assay/scenarios/wire"
)

// content is a body, as it is compared.
type content struct {
	whole [sha256.Size]byte
	// shape is the same for bodies of JSON that differ only in strings, and for all other bodies.
	shape [sha256.Size]byte
	texts []string // of JSON its strings, without the names of members; else the body
	json  bool
}

// contentOf reads a body. JSON is compared by its values, a form by its fields, anything else byte by byte.
func contentOf(media, body string) (c content) {
	shape := sha256.New()
	if doc, is := decoded(body); is {
		c.json = true
		each(doc, nil, shape, func(_ []string, text string) bool {
			c.texts = append(c.texts, text)
			return true
		})
	} else {
		if m, _, _ := mime.ParseMediaType(media); m == "application/x-www-form-urlencoded" {
			if form, err := url.ParseQuery(body); err == nil {
				body = fields(form)
			}
		}
		c.texts = []string{body}
	}
	shape.Sum(c.shape[:0])
	whole := sha256.New()
	whole.Write(c.shape[:])
	for _, text := range c.texts {
		var size [8]byte
		whole.Write(binary.BigEndian.AppendUint64(size[:0], uint64(len(text))))
		io.WriteString(whole, text)
	}
	whole.Sum(c.whole[:0])
	return c
}

// decoded returns a body that is JSON, and within the limits of a recording.
func decoded(body string) (doc any, is bool) {
	limits := wire.DefaultLimits()
	if strings.TrimSpace(body) == "" {
		return nil, false
	}
	if _, err := wire.Vet([]byte(body), limits.Depth, limits.NumberChars); err != nil {
		return nil, false
	}
	doc, err := wire.Decode(body)
	return doc, err == nil
}

// each writes the shape of a document, and yields its strings until that returns false. Members come in the order of their names.
func each(doc any, at []string, shape hash.Hash, yield func(at []string, text string) bool) bool {
	switch v := doc.(type) {
	case map[string]any:
		io.WriteString(shape, "{"+strconv.Itoa(len(v)))
		for _, name := range slices.Sorted(maps.Keys(v)) {
			io.WriteString(shape, strconv.Quote(name))
			if !each(v[name], append(at, name), shape, yield) {
				return false
			}
		}
	case []any:
		io.WriteString(shape, "["+strconv.Itoa(len(v)))
		for i, item := range v {
			if !each(item, append(at, strconv.Itoa(i)), shape, yield) {
				return false
			}
		}
	case string:
		io.WriteString(shape, "s")
		return yield(at, v)
	case json.Number:
		io.WriteString(shape, "n"+number(v)+";")
	case bool:
		io.WriteString(shape, strconv.FormatBool(v))
	default:
		io.WriteString(shape, "null")
	}
	return true
}

// number returns the same text for equal numbers, such as 1, 1.0 and 1e0.
func number(n json.Number) string {
	if i, whole := wire.Integer(n); whole {
		return strconv.FormatInt(i, 10)
	}
	if strings.Trim(n.String(), "-0123456789") == "" {
		return n.String() // larger than any that a float tells from its neighbours
	}
	f, err := n.Float64()
	if err != nil {
		return n.String()
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// pointers returns the JSON pointers of strings in a body, by their places in [content.texts].
func pointers(body string, places []int) (out []string) {
	doc, is := decoded(body)
	if !is || len(places) == 0 {
		return nil // only bodies of JSON may differ
	}
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	n := 0
	each(doc, nil, sha256.New(), func(at []string, _ string) bool {
		if n == places[len(out)] {
			pointer := ""
			for _, name := range at {
				pointer += "/" + escape.Replace(name)
			}
			out = append(out, pointer)
		}
		n++
		return len(out) < len(places)
	})
	return out
}

// differences returns the places of the texts that do not fit those that were recorded. Both have the same shape. There are no more than
// most.
func (f *fitting) differences(recorded, sent content, most int) (places []int) {
	for i, text := range recorded.texts {
		if text != sent.texts[i] && !f.text(text, sent.texts[i]) {
			if places = append(places, i); len(places) > most {
				break
			}
		}
	}
	return places
}

// escaped returns a text with these characters escaped, of which a percent sign is the first.
func escaped(text, special string) string {
	if !strings.ContainsAny(text, special) {
		return text
	}
	for _, c := range special {
		text = strings.ReplaceAll(text, string(c), fmt.Sprintf("%%%X", c))
	}
	return text
}

// pathOf returns a path with only those characters escaped that would make it another one, however it was escaped.
func pathOf(u *url.URL) string {
	segments := strings.Split(u.EscapedPath(), "/")
	for i, s := range segments {
		if plain, err := url.PathUnescape(s); err == nil {
			segments[i] = escaped(plain, "%/?")
		}
	}
	if path := strings.Join(segments, "/"); path != "" {
		return path
	}
	return "/"
}

// fields returns the fields of a query or a form in the order of their names and values.
func fields(form url.Values) string {
	var all []string
	for name, values := range form {
		for _, value := range values {
			all = append(all, escaped(name, "%&=")+"="+escaped(value, "%&="))
		}
	}
	slices.Sort(all)
	return strings.Join(all, "&")
}

// addressOf returns the path and the query of an address, which are equal where they ask the same.
func addressOf(u *url.URL) string {
	if u.RawQuery == "" {
		return pathOf(u)
	}
	form, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return pathOf(u) + "?" + u.RawQuery
	}
	return pathOf(u) + "?" + fields(form)
}
