package mutate

import (
	"context"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"sync"
)

// chances counts how often a change could have shown.
type chances struct {
	mu   sync.Mutex
	seen int
}

// come notes a chance, and reports whether it is the n-th or one behind that.
func (c *chances) come(n int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seen++
	return c.seen >= n
}

// From returns changes that each let pass their first n-1 chances to show. An event that was let pass stays as it is, however
// often it is read.
func (c Changes) From(n int) Changes {
	if n <= 1 {
		return c
	}
	return Changes{
		Requests: each(c.Requests, func(f RequestFunc) RequestFunc { return f.from(n) }),
		Replies:  each(c.Replies, func(f ReplyFunc) ReplyFunc { return f.from(n) }),
		Frames:   each(c.Frames, func(f FrameFunc) FrameFunc { return f.from(n) }),
		Events:   each(c.Events, func(f EventFunc) EventFunc { return f.from(n) }),
		Changed:  c.Changed,
	}
}

// each makes other changes of changes.
func each[F any](changes []F, other func(F) F) (others []F) {
	for _, change := range changes {
		others = append(others, other(change))
	}
	return others
}

func (change RequestFunc) from(n int) RequestFunc {
	var seen chances
	return func(r *Request) {
		changed := &Request{Request: r.Clone(r.Context()), Raw: slices.Clone(r.Raw)}
		change(changed)
		if !r.same(changed) && seen.come(n) {
			*r = *changed
		}
	}
}

// same reports whether two requests ask the same.
func (r *Request) same(other *Request) bool {
	return same(r.Raw, other.Raw) && r.Method == other.Method && r.URL.String() == other.URL.String() &&
		reflect.DeepEqual(r.Header, other.Header)
}

func (change ReplyFunc) from(n int) ReplyFunc {
	var seen chances
	return func(r *Reply) {
		before := Reply{Status: r.Status, Header: r.Header.Clone(), Body: slices.Clone(r.Body)}
		change(r)
		if r.same(&before) || seen.come(n) {
			return
		}
		clear(r.Header) // it is the header of the writer, so it stays the same map
		maps.Copy(r.Header, before.Header)
		r.Status, r.Body = before.Status, before.Body
	}
}

// same reports whether two replies say the same.
func (r *Reply) same(other *Reply) bool {
	return r.Status == other.Status && same(r.Body, other.Body) && reflect.DeepEqual(r.Header, other.Header)
}

func (change FrameFunc) from(n int) FrameFunc {
	var seen chances
	return func(r *http.Request, f Frame) []Frame {
		out := change(r, f)
		if len(out) == 1 && f.same(out[0]) || seen.come(n) {
			return out
		}
		return []Frame{f}
	}
}

// same reports whether two frames say the same.
func (f Frame) same(other Frame) bool {
	return f.ID == other.ID && f.Event == other.Event && same(f.Data, other.Data)
}

func (change EventFunc) from(n int) EventFunc {
	type place struct {
		run      string
		sequence int64
	}
	var mu sync.Mutex
	passed := map[place]bool{}
	return func(e *Event) {
		before := *e
		before.Payload, _ = Decode(Encode(e.Payload)).(map[string]any)
		change(e)
		if e.same(&before) {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		at := place{e.RunID, e.Sequence}
		if len(passed) < n-1 {
			passed[at] = true
		}
		if passed[at] {
			*e = before
		}
	}
}

// same reports whether two events are the same.
func (e *Event) same(other *Event) bool {
	return e.NodeID == other.NodeID && e.CausationID == other.CausationID && same(Encode(e.Payload), Encode(other.Payload))
}

type tenantKey struct{}

// WithTenant notes in a request in whose name it comes, for [Changes.Of].
func WithTenant(r *http.Request, tenant string) *http.Request {
	return r.WithContext(context.WithValue(r.Context(), tenantKey{}, tenant))
}

// Of returns changes that act on what a tenant asks for and gets, and on nothing else. It knows the tenant of no event.
func (c Changes) Of(tenant string) Changes {
	of := func(r *http.Request) bool { return r.Context().Value(tenantKey{}) == tenant }
	return Changes{
		Requests: each(c.Requests, func(change RequestFunc) RequestFunc {
			return func(r *Request) {
				if of(r.Request) {
					change(r)
				}
			}
		}),
		Replies: each(c.Replies, func(change ReplyFunc) ReplyFunc {
			return func(r *Reply) {
				if of(r.Request) {
					change(r)
				}
			}
		}),
		Frames: each(c.Frames, func(change FrameFunc) FrameFunc {
			return func(r *http.Request, f Frame) []Frame {
				if of(r) {
					return change(r, f)
				}
				return []Frame{f}
			}
		}),
		Events:  c.Events,
		Changed: c.Changed,
	}
}
