// Package mutate changes what a host answers, from outside of the host: a violation of a protocol is a small function of a
// reply. Neither the host nor its engine knows of it, so the same function can stand in front of any host.
package mutate

import (
	"bytes"
	"encoding/json"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/go-openapi/jsonpointer"
)

// Reply is an answer on its way out. An event stream is none: it is not held back, and its frames are changed one by one.
type Reply struct {
	Request *http.Request // as the client sent it; its body has been read
	Status  int
	Header  http.Header
	Body    []byte
}

// ReplyFunc changes a reply. It may be called concurrently.
type ReplyFunc func(*Reply)

// On limits a change to the replies of an operation, such as "GET /v1/runs/{runId}". A segment in braces stands for any
// one segment, without the verb behind a colon: "POST /v1/runs/{runId}:fork" is an operation of its own.
func On(operation string, change ReplyFunc) ReplyFunc {
	return func(r *Reply) {
		if isOf(r.Request, operation) {
			change(r)
		}
	}
}

// isOf reports whether a request is of an operation.
func isOf(r *http.Request, operation string) bool {
	method, path, _ := strings.Cut(operation, " ")
	return r.Method == method && matches(strings.Split(path, "/"), strings.Split(r.URL.EscapedPath(), "/"))
}

func matches(want, got []string) bool {
	if len(want) != len(got) {
		return false
	}
	for i, segment := range want {
		name, verb, isParameter := strings.Cut(segment, "}")
		switch {
		case !isParameter || !strings.HasPrefix(name, "{"):
			if segment != got[i] {
				return false
			}
		case verb == "" && strings.Contains(got[i], ":"), !strings.HasSuffix(got[i], verb), got[i] == verb:
			return false
		}
	}
	return true
}

// Succeeded limits a change to replies with a status of 2xx.
func Succeeded(change ReplyFunc) ReplyFunc {
	return func(r *Reply) {
		if r.Status/100 == 2 {
			change(r)
		}
	}
}

// Header sets a header of a reply.
func Header(name, value string) ReplyFunc { return func(r *Reply) { r.Header.Set(name, value) } }

// JSON changes the object that a reply holds. A reply that holds none stays as it is.
func JSON(change func(object map[string]any)) ReplyFunc {
	return func(r *Reply) {
		object, ok := Decode(r.Body).(map[string]any)
		if !ok {
			return
		}
		change(object)
		r.Body = Encode(object)
	}
}

// At changes the object at a JSON pointer of a reply, decoded as a T. Members that T does not know stay as they are, and so
// does a reply without such an object.
func At[T any](pointer string, change func(*T)) ReplyFunc {
	return at(pointer, func(object map[string]any) bool { return Object(object, change) })
}

// at changes the object at a JSON pointer of a reply, if change reports that it did.
func at(pointer string, change func(object map[string]any) bool) ReplyFunc {
	return func(r *Reply) { // the pointer is read when it is used: a catalogue of faults is made whenever a program starts
		place, err := jsonpointer.New(pointer)
		if err != nil {
			panic(err) // a pointer in the catalogue
		}
		document := Decode(r.Body)
		found, _, err := place.Get(document)
		object, ok := found.(map[string]any)
		if err != nil || !ok || !change(object) {
			return
		}
		r.Body = Encode(document)
	}
}

// Object changes a JSON object as if it were a T, and reports whether it is one.
func Object[T any](object map[string]any, change func(*T)) bool {
	value := new(T)
	return merge(object, value, func() { change(value) })
}

// merge decodes an object into value, has that changed, and takes over into the object what is another then. All types share
// this code: a program with an instance of it for each would be much larger.
func merge(object map[string]any, value any, change func()) bool {
	if json.Unmarshal(Encode(object), value) != nil {
		return false
	}
	before, ok := Decode(Encode(value)).(map[string]any)
	if !ok {
		return false
	}
	change()
	after, ok := Decode(Encode(value)).(map[string]any)
	if !ok {
		return false
	}
	for name := range before {
		if _, stays := after[name]; !stays {
			delete(object, name)
		}
	}
	for name, now := range after {
		if was, known := before[name]; !known || !reflect.DeepEqual(was, now) {
			object[name] = now
		}
	}
	return true
}

// Decode returns the value of a JSON text, nil if it is none. Numbers keep their spelling.
func Decode(raw []byte) (value any) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&value) != nil {
		return nil
	}
	return value
}

// same reports whether two bodies say the same, whatever the order of their members.
func same(a, b []byte) bool {
	return bytes.Equal(a, b) || reflect.DeepEqual(Decode(a), Decode(b)) && Decode(a) != nil
}

// Encode returns the JSON text of a value that was decoded, or put together for a fault.
func Encode(value any) []byte {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err) // it was decoded from JSON, or a fault put something into it that is none
	}
	return raw
}

// Changes are what faults do to a host from outside.
type Changes struct {
	Requests []RequestFunc
	Replies  []ReplyFunc
	Frames   []FrameFunc
	Events   []EventFunc // applied by the host where it appends

	// Changed is called whenever a request, a reply or a frame is really another one than before. It may be called
	// concurrently; nil hears nothing.
	Changed func()
}

// Front puts the changes of requests, replies and frames in front of a host, in their order. Without any it is the host itself.
func (c Changes) Front(host http.Handler) http.Handler {
	if len(c.Requests)+len(c.Replies)+len(c.Frames) == 0 {
		return host
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		changed, err := in(r, c)
		if err != nil {
			http.Error(w, "the body did not arrive whole", http.StatusBadRequest)
			return
		}
		held := &holder{w: w, frames: frames{w: w, request: r, changes: c}}
		host.ServeHTTP(held, changed)
		if held.streams {
			return
		}
		reply := &Reply{Request: r, Status: held.status, Header: w.Header(), Body: held.body.Bytes()}
		if reply.Status == 0 {
			reply.Status = http.StatusOK
		}
		before := Reply{Status: reply.Status, Body: reply.Body}
		if c.Changed != nil {
			before.Header = reply.Header.Clone()
		}
		for _, change := range c.Replies {
			change(reply)
		}
		if c.Changed != nil && !reply.same(&before) {
			c.Changed()
		}
		if w.Header().Get("Content-Length") != "" {
			w.Header().Set("Content-Length", strconv.Itoa(len(reply.Body)))
		}
		w.WriteHeader(reply.Status)
		_, _ = w.Write(reply.Body) // nothing is left to tell a client that went away
	})
}

// holder keeps a reply until it is whole, and lets an event stream through.
type holder struct {
	w       http.ResponseWriter
	status  int
	body    bytes.Buffer
	streams bool
	frames  frames
}

func (h *holder) Header() http.Header { return h.w.Header() }

func (h *holder) WriteHeader(status int) {
	switch {
	case h.streams || h.status != 0:
	case strings.HasPrefix(h.w.Header().Get("Content-Type"), "text/event-stream"):
		h.streams = true
		h.w.WriteHeader(status)
	default:
		h.status = status
	}
}

func (h *holder) Write(b []byte) (int, error) {
	h.WriteHeader(http.StatusOK)
	switch {
	case h.streams && len(h.frames.changes.Frames) > 0:
		return h.frames.write(b)
	case h.streams:
		return h.w.Write(b)
	}
	return h.body.Write(b)
}

// Flush lets a stream's bytes go.
func (h *holder) Flush() {
	if h.streams {
		_ = http.NewResponseController(h.w).Flush() // a writer that cannot flush shows what it has at the end
	}
}

// Unwrap gives [http.ResponseController] the writer underneath, for deadlines.
func (h *holder) Unwrap() http.ResponseWriter { return h.w }
