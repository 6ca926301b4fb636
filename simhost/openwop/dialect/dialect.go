// Package dialect has a host speak another major version of OpenWOP than v1: a table of its words, and one place at which
// requests are put into those of v1 and what goes out into its own.
package dialect

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/engine/event"
)

// Dialect is the words of a major version. What a table does not list is called as in v1.
type Dialect struct {
	// Operations are the methods and paths of v1, such as "GET /v1/runs/{runId}", with its own for each. The parameters have
	// the same names and the same order; one that is written {name...} takes all that is left of the path.
	Operations map[string]string
	// ID takes an id out of a path; nil leaves it as it is.
	ID func(string) string
	// Verbatim are paths of which the replies go out as they are.
	Verbatim []string

	Query   map[string]string // parameters: its own name to that of v1
	Headers map[string]string // of v1 to its own
	Events  map[event.Type]string
	Codes   map[string]string // of refusals and errors
	// Statuses are those of refusals that have another one than in v1, by the code of v1.
	Statuses map[string]int
	// Options are members of the body that creates a run and of its snapshot: names with slashes between them, of v1 to its own.
	Options map[string]string
}

// Front has a host that speaks v1 speak the dialect.
func (d *Dialect) Front(v1 http.Handler) http.Handler {
	return mutate.Changes{
		Requests: []mutate.RequestFunc{d.ask}, Replies: []mutate.ReplyFunc{d.reply}, Frames: []mutate.FrameFunc{d.frame},
	}.Front(v1)
}

// ask puts a request into the words of v1. What this dialect does not have is nowhere in v1 either.
func (d *Dialect) ask(r *mutate.Request) {
	operation, values := d.asked(r.Request)
	if operation == "" {
		r.URL = &url.URL{Path: "/nowhere"}
		return
	}
	method, path, _ := strings.Cut(operation, " ")
	for _, value := range values {
		before, rest, _ := strings.Cut(path, "{")
		_, after, _ := strings.Cut(rest, "}")
		path = before + value + after
	}
	at, err := url.Parse(path)
	if err != nil {
		r.URL = &url.URL{Path: "/nowhere"}
		return
	}
	query := r.URL.Query()
	for own, name := range d.Query {
		if values, there := query[own]; there {
			query[name] = values
			delete(query, own)
		}
	}
	if at.RawQuery = query.Encode(); r.Method != http.MethodHead {
		r.Method = method
	}
	r.URL = at
	for name, own := range d.Headers {
		rename(r.Header, own, name)
	}
	if body, ok := mutate.Decode(r.Raw).(map[string]any); ok {
		for name, own := range d.Options {
			move(body, own, name)
		}
		r.Raw = mutate.Encode(body)
	}
}

// asked finds the operation of a request by its name in v1, and the values of its parameters; "" where there is none. Of several
// that fit it is the one with the most words of its own.
func (d *Dialect) asked(r *http.Request) (operation string, values []string) {
	most := -1
	for name, own := range d.Operations {
		method, path, _ := strings.Cut(own, " ")
		if method != r.Method && (method != http.MethodGet || r.Method != http.MethodHead) {
			continue
		}
		found, fits := d.match(strings.Split(path, "/"), strings.Split(r.URL.EscapedPath(), "/"))
		if words := strings.Count(path, "/") - strings.Count(path, "{"); fits && words > most {
			operation, values, most = name, found, words
		}
	}
	return operation, values
}

func (d *Dialect) match(want, got []string) (values []string, ok bool) {
	for i, segment := range want {
		switch name, isParameter := strings.CutPrefix(segment, "{"); {
		case isParameter && strings.HasSuffix(name, "...}") && len(got) > i:
			return append(values, strings.Join(got[i:], "/")), true
		case len(got) <= i:
			return nil, false
		case isParameter:
			values = append(values, d.id(got[i]))
		case segment != got[i]:
			return nil, false
		}
	}
	return values, len(want) == len(got)
}

func (d *Dialect) id(escaped string) string {
	plain, err := url.PathUnescape(escaped)
	if err != nil || d.ID == nil {
		return escaped
	}
	return url.PathEscape(d.ID(plain))
}

// reply puts a reply of v1 into the words of the dialect.
func (d *Dialect) reply(r *mutate.Reply) {
	for name, own := range d.Headers {
		rename(r.Header, name, own)
	}
	for _, path := range d.Verbatim {
		if r.Request.URL.Path == path {
			return
		}
	}
	doc := mutate.Decode(r.Body)
	if doc == nil {
		return
	}
	if object, ok := doc.(map[string]any); ok {
		if code, _ := object["error"].(string); r.Status >= http.StatusBadRequest && d.Statuses[code] != 0 {
			r.Status = d.Statuses[code]
		}
		for name, own := range d.Options {
			move(object, name, own)
		}
	}
	r.Body = mutate.Encode(d.reworded(doc))
}

func (d *Dialect) frame(_ *http.Request, f mutate.Frame) []mutate.Frame {
	f.Event = d.event(f.Event)
	if doc := mutate.Decode(f.Data); doc != nil {
		f.Data = mutate.Encode(d.reworded(doc))
	}
	return []mutate.Frame{f}
}

// reworded changes every type of an event and every code.
func (d *Dialect) reworded(doc any) any {
	switch doc := doc.(type) {
	case []any:
		for i := range doc {
			doc[i] = d.reworded(doc[i])
		}
	case map[string]any:
		for name, value := range doc {
			text, isText := value.(string)
			switch code := d.Codes[text]; {
			case !isText:
				doc[name] = d.reworded(value)
			case name == "type":
				doc[name] = d.event(text)
			case (name == "code" || name == "error") && code != "":
				doc[name] = code
			}
		}
	}
	return doc
}

func (d *Dialect) event(name string) string {
	if own := d.Events[event.Type(name)]; own != "" {
		return own
	}
	return name
}

func rename(h http.Header, from, to string) {
	if values := h.Values(from); len(values) > 0 && from != to {
		h.Del(from)
		h[http.CanonicalHeaderKey(to)] = values
	}
}

// move moves a member of a document, if it is there, and takes away objects that are empty then.
func move(doc map[string]any, from, to string) {
	if value, there := take(doc, strings.Split(from, "/")); there {
		mutate.Put(doc, strings.Split(to, "/"), value)
	}
}

func take(doc map[string]any, place []string) (value any, there bool) {
	value, there = doc[place[0]]
	inner, isObject := value.(map[string]any)
	switch {
	case len(place) == 1:
		delete(doc, place[0])
	case !isObject:
		return nil, false
	default:
		if value, there = take(inner, place[1:]); there && len(inner) == 0 {
			delete(doc, place[0])
		}
	}
	return value, there
}
