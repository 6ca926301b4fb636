package mutate

import (
	"net/http"
	"sync"
)

// Behind returns changes by which a host carries out what it refuses, of the requests that are meant: mend makes a request fit and
// reports whether it did not, and refuse is how the host answers it then.
func Behind(meant func(*http.Request) bool, mend func(*Request) bool, refuse ReplyFunc) (RequestFunc, ReplyFunc) {
	var mended sync.Map // contexts of requests, which their replies share
	asks := func(r *Request) {
		if meant(r.Request) && mend(r) {
			mended.Store(r.Context(), true)
		}
	}
	answers := func(r *Reply) {
		if _, was := mended.LoadAndDelete(r.Request.Context()); was && r.Status < http.StatusBadRequest {
			refuse(r)
		}
	}
	return asks, answers
}

// Mend is a mend of the object that a request holds.
func Mend(change func(object map[string]any) bool) func(*Request) bool {
	return func(r *Request) (odd bool) {
		Body(func(object map[string]any) { odd = change(object) })(r)
		return odd
	}
}
