package mutate

import (
	"bytes"
	"io"
	"net/http"
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
	return func(r *Request) {
		if isOf(r.Request, operation) {
			change(r)
		}
	}
}

// Body changes the object that a request holds. A request that holds none stays as it is.
func Body(change func(object map[string]any)) RequestFunc {
	return func(r *Request) {
		object, ok := Decode(r.Raw).(map[string]any)
		if !ok {
			return
		}
		change(object)
		r.Raw = Encode(object)
	}
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
	if c.Changed != nil && !changed.same(&Request{Request: r, Raw: raw}) {
		c.Changed()
	}
	out := changed.Request
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(changed.Raw)), int64(len(changed.Raw))
	return out, nil
}
