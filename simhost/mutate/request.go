package mutate

import (
	"bytes"
	"io"
	"net/http"
	"reflect"
	"strings"
)

// Request is a request on its way in.
type Request struct {
	*http.Request
	Raw []byte // the body
}

// RequestFunc changes a request. It may be called concurrently.
type RequestFunc func(*Request)

// Asked limits a change to the requests of an operation, as [On] does for replies.
func Asked(operation string, change RequestFunc) RequestFunc {
	of := operationOf(operation)
	return func(r *Request) {
		if of.is(r.Request) {
			change(r)
		}
	}
}

// Body changes the object that a request holds. A request that holds none stays as it is.
func Body(change func(object map[string]any)) RequestFunc {
	return func(r *Request) {
		object, ok := decode(r.Raw).(map[string]any)
		if !ok {
			return
		}
		change(object)
		r.Raw = encode(object)
	}
}

// operation is a method and the segments of a path.
type operation struct {
	method string
	path   []string
}

func operationOf(text string) operation {
	method, path, _ := strings.Cut(text, " ")
	return operation{method, strings.Split(path, "/")}
}

func (o operation) is(r *http.Request) bool {
	return r.Method == o.method && matches(o.path, strings.Split(r.URL.EscapedPath(), "/"))
}

// largest bounds what is read of a body before the host has looked at it: more than a host takes, so that the host refuses
// what is too large.
const largest = 4 << 20

// in returns the request that the host gets in place of r, and the one that replies are changed by. A body that is larger
// than hosts take, or that does not arrive, is the host's to refuse.
func in(r *http.Request, c Changes) (*http.Request, error) {
	if len(c.Requests) == 0 {
		return r, nil
	}
	raw, err := io.ReadAll(io.LimitReader(r.Body, largest))
	if err != nil {
		return r, err
	}
	changed := &Request{Request: r.Clone(r.Context()), Raw: raw}
	for _, change := range c.Requests {
		change(changed)
	}
	if c.Changed != nil && (!same(raw, changed.Raw) || changed.URL.String() != r.URL.String() || !reflect.DeepEqual(changed.Header,
		r.Header)) {
		c.Changed()
	}
	out := changed.Request
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(changed.Raw)), int64(len(changed.Raw))
	return out, nil
}
