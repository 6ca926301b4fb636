package html

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/go-openapi/jsonpointer"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios/wire"
)

// place is a value in an entry of a transcript, and the class of its mark.
type place struct {
	exchange int
	pointer  string
	class    string
}

// replies decodes the replies of a transcript. It caches the last one, because successive checks tend to read the same
// reply.
type replies struct {
	*wire.Transcript
	last int
	kept any
	ok   bool
}

// document returns the reply of an entry if it is JSON.
func (r *replies) document(n int) (any, bool) {
	if r.last != n || n == 0 {
		r.last, r.kept = n, nil
		text := replyOf(r.Entry(n))
		r.ok = len(text) <= mostParsed && json.Unmarshal([]byte(text), &r.kept) == nil
	}
	return r.kept, r.ok
}

// marked returns the places that a violation is about. A check records only the place of its first value. If it
// compared a list gathered from an array, marked finds the other elements again. It gives the class differs to the ones
// that are unexpected, or, if no list was expected, unlike the first.
func marked(c results.Check, t *replies) []place {
	if c.Exchange == 0 || c.Part != "" && !strings.HasPrefix(c.Part, "event:") || c.Pointer == "" {
		return nil
	}
	_, value := splitExpectation(c.Expected)
	wanted, isList := elements(value)
	came, cameList := elements(c.Actual)
	if cameList && c.Part == "" {
		if found := gatheredPlaces(c, t, came); found != nil {
			same := !slices.ContainsFunc(came, func(e string) bool { return e != came[0] })
			for i := range found {
				if isList && (i >= len(wanted) || wanted[i] != came[i]) || !isList && (same || came[i] != came[0]) {
					found[i].class = differs
				}
			}
			return found
		}
	}
	return []place{{int(c.Exchange), c.Pointer, differs}}
}

// index matches an array index within a JSON pointer.
var index = lazyregexp.New(`/\d+(/|$)`)

// gatheredPlaces finds the elements of a list that a check compared: the values at its pointer with another array
// index, in this reply and in later pages of the same log. It returns nil if the check compared something else.
func gatheredPlaces(c results.Check, t *replies, came []string) []place {
	if e := t.Entry(int(c.Exchange)); e != nil && e.Process != nil {
		if found := turnPlaces(c, t, came); found != nil {
			return found
		}
	}
	at := index.FindStringIndex(c.Pointer)
	if at == nil || len(came) == 0 {
		return nil
	}
	list, rest := c.Pointer[:at[0]], strings.TrimLeft(c.Pointer[at[0]+1:], "0123456789")
	var out []place
	first, kind := t.Entry(int(c.Exchange)), kindOf(c, t)
	for n := int(c.Exchange); n <= t.Len() && len(out) < len(came); n++ {
		e := t.Entry(n)
		if !samePath(first, e) {
			break
		}
		document, ok := t.document(n)
		if !ok {
			return nil
		}
		items, _ := look(document, list).([]any)
		for i, item := range items {
			found := look(item, rest)
			if found == nil || kind != "" && typeOf(item) != kind {
				continue
			}
			if len(out) == len(came) || !sameJSON(found, came[len(out)]) {
				return nil
			}
			out = append(out, place{n, list + "/" + strconv.Itoa(i) + rest, alike})
		}
	}
	if len(out) != len(came) {
		return nil
	}
	return out
}

// turnPlaces finds the elements of a compared list that came one from each of several consecutive processes, all at the
// same pointer.
func turnPlaces(c results.Check, t *replies, came []string) []place {
	if len(came) < 2 {
		return nil
	}
	var out []place
	for i, element := range came {
		n := int(c.Exchange) + i
		document, ok := t.document(n)
		if e := t.Entry(n); !ok || e.Process == nil {
			return nil
		}
		if found := look(document, c.Pointer); found == nil || !sameJSON(found, element) {
			return nil
		}
		out = append(out, place{n, c.Pointer, alike})
	}
	return out
}

// kindOf returns the type of the event that a pointer goes through, or "". Checks gather lists from events of one type.
func kindOf(c results.Check, t *replies) string {
	at := index.FindStringIndex(c.Pointer)
	if at == nil {
		return ""
	}
	document, _ := t.document(int(c.Exchange))
	rest := strings.TrimLeft(c.Pointer[at[0]+1:], "0123456789")
	return typeOf(look(document, strings.TrimSuffix(c.Pointer, rest)))
}

func typeOf(event any) string {
	members, _ := event.(map[string]any)
	kind, _ := members["type"].(string)
	return kind
}

func samePath(a, b *wire.Entry) bool {
	if a == b {
		return true
	}
	if a == nil || b == nil || a.Request == nil || b.Request == nil || a.Request.Method != b.Request.Method {
		return false
	}
	one, err := url.Parse(a.Request.URL)
	other, err2 := url.Parse(b.Request.URL)
	return err == nil && err2 == nil && one.Path == other.Path
}

func replyOf(e *wire.Entry) string {
	switch {
	case e == nil:
		return ""
	case e.Process != nil:
		return e.Process.Output
	case e.Files != nil:
		return e.Files.Content
	case e.Kind == "inbound" && e.Request != nil:
		return e.Request.Body
	case e.Response != nil:
		return e.Response.Body
	}
	return ""
}

func sameJSON(v any, text string) bool {
	var other any
	if json.Unmarshal([]byte(text), &other) != nil {
		return false
	}
	a, _ := json.Marshal(v) // decoded JSON always encodes
	b, _ := json.Marshal(other)
	return string(a) == string(b)
}

// look returns the value at a JSON pointer, or nil.
func look(v any, pointer string) any {
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if pointer == "" {
			return v
		}
		token = jsonpointer.Unescape(token)
		switch container := v.(type) {
		case map[string]any:
			v = container[token]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(container) {
				return nil
			}
			v = container[i]
		default:
			return nil
		}
	}
	return v
}
