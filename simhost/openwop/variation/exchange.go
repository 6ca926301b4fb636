package variation

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/openassay/assay/internal/lazyregexp"
)

// object is a JSON object whose numbers are as they were written.
type object = map[string]any

// exchange is a request and its reply while they pass through.
type exchange struct {
	set   *Set
	host  http.Handler
	knows func(*http.Request) bool

	asked *http.Request       // as it came; not to be changed
	r     *http.Request       // as the host gets it
	w     http.ResponseWriter // to the client

	status int // of the reply; 0 while there is none
	header http.Header
	doc    object // the reply, where that is a JSON object
}

// serve asks the host and passes on what it says.
func (x *exchange) serve(w http.ResponseWriter) {
	x.w, x.header = w, w.Header()
	for i := len(x.set.asks) - 1; i >= 0 && x.status == 0; i-- {
		x.set.asks[i](x)
	}
	held := &reply{x: x, w: w}
	if x.status == 0 {
		x.host.ServeHTTP(held, x.r)
	}
	if held.stream != nil {
		return
	}
	held.WriteHeader(http.StatusOK) // a handler that says nothing means that
	body := held.body.Bytes()
	if x.doc == nil {
		x.doc = decode(x.header, body, x.r.URL.Path)
	}
	x.vary()
	if x.doc != nil {
		body = encode(x.doc)
	}
	w.WriteHeader(x.status)
	_, _ = w.Write(body) // nothing is left to tell a client that went away
}

// vary has the set change a whole reply.
func (x *exchange) vary() {
	for _, e := range x.runEvents() {
		for _, change := range x.set.events {
			change(x, e)
		}
	}
	if x.doc != nil && x.to(oneRun) && x.r.Method == http.MethodGet && x.succeeded() {
		for _, change := range x.set.snapshots {
			change(x.doc)
		}
	}
	for _, change := range x.set.replies {
		change(x)
	}
}

// refuse answers in place of the host.
func (x *exchange) refuse(status int, code, message string) {
	x.status, x.doc = status, object{"error": code, "message": message}
	x.header.Set("Content-Type", "application/json")
}

// restate has a refusal of the host in other words.
func (x *exchange) restate(status int, code string) {
	x.status = status
	if x.doc != nil {
		x.doc["error"] = code
	}
}

// look asks the host itself, with the credential of the client.
func (x *exchange) look(path string) (status int, doc object) {
	r := x.r.Clone(x.r.Context())
	r.Method, r.URL.Path, r.URL.RawPath, r.URL.RawQuery = http.MethodGet, path, "", ""
	r.Body, r.ContentLength = http.NoBody, 0
	inner := &exchange{set: &Set{}, r: r, header: http.Header{}}
	held := &reply{x: inner}
	x.host.ServeHTTP(held, r)
	return inner.status, decode(inner.header, held.body.Bytes(), path)
}

// What is read of a body to change it, and for how long, is bounded; a host has the same patience with one.
const (
	mostBody     = 1 << 20
	bodyPatience = 20 * time.Second
)

// editBody changes the body of a request, where that is a JSON object of a size that the host reads.
func (x *exchange) editBody(change func(object)) {
	control := http.NewResponseController(x.w)
	_ = control.SetReadDeadline(time.Now().Add(bodyPatience)) // a writer without deadlines has none to set
	raw, err := io.ReadAll(io.LimitReader(x.r.Body, mostBody+1))
	_ = control.SetReadDeadline(time.Time{})
	doc := decode(x.r.Header, raw, x.r.URL.Path)
	if err != nil || len(raw) > mostBody || doc == nil {
		x.r.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(bytes.NewReader(raw), x.r.Body), x.r.Body}
		return
	}
	change(doc)
	raw = encode(doc)
	x.r.Body, x.r.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
}

// Where requests go, by the host's own paths.
var (
	oneRun     = lazyregexp.New(`^/v1/runs/[^/:]+$`)
	anyRun     = lazyregexp.New(`^/v1/runs/[^/]`)
	runPoll    = lazyregexp.New(`^(/v1/runs/[^/]+)/events/poll$`)
	runStream  = lazyregexp.New(`^/v1/runs/[^/]+/events$`)
	ancestry   = lazyregexp.New(`^/v1/runs/[^/]+/ancestry$`)
	runFork    = lazyregexp.New(`^/v1/runs/[^/]+:fork$`)
	runDiff    = lazyregexp.New(`^/v1/runs/[^/]+:diff$`)
	runAnswer  = lazyregexp.New(`^(/v1/runs/[^/]+/interrupts/[^/]+|/v1/interrupts/[^/]+)$`)
	tokens     = lazyregexp.New(`^/v1/interrupts/`)
	goals      = lazyregexp.New(`^/v1/host/sample/goals(/|$)`)
	oneGoal    = lazyregexp.New(`^/v1/host/sample/goals/[^/]+$`)
	files      = lazyregexp.New(`^/v1/host/workspace/`)
	underV1    = lazyregexp.New(`^/v1(/|$)`)
	createRun  = lazyregexp.New(`^/v1/runs$`)
	discovery  = lazyregexp.New(`^/\.well-known/openwop$`)
	createGoal = lazyregexp.New(`^/v1/host/sample/goals$`)
)

// to tells whether the request goes there.
func (x *exchange) to(path *lazyregexp.Regexp) bool { return path.MatchString(x.r.URL.Path) }

// posts tells whether the request is a POST that goes there.
func (x *exchange) posts(path *lazyregexp.Regexp) bool {
	return x.r.Method == http.MethodPost && x.to(path)
}

func (x *exchange) succeeded() bool { return x.status/100 == 2 }

// refused tells whether the reply is a refusal, and with which code.
func (x *exchange) refused() (code string, is bool) {
	code, is = x.doc["error"].(string)
	return code, is && x.status >= http.StatusBadRequest
}

// runEvents are the events of a run in the reply, wherever they stand.
func (x *exchange) runEvents() (events []object) {
	switch {
	case x.doc == nil:
	case x.to(runPoll), x.to(runStream):
		events = objects(x.doc["events"])
	case x.to(runDiff):
		for _, d := range objects(x.doc["eventDiffs"]) {
			for _, side := range []string{"aEvent", "bEvent"} {
				if e, ok := d[side].(object); ok {
					events = append(events, e)
				}
			}
		}
	}
	return events
}

// objects are the objects of a JSON array.
func objects(v any) (list []object) {
	items, _ := v.([]any)
	for _, item := range items {
		if o, ok := item.(object); ok {
			list = append(list, o)
		}
	}
	return list
}

// decode reads a JSON object; nil where there is none, and where it is the document of the contract, which no host changes.
func decode(h http.Header, body []byte, path string) (doc object) {
	kind, _, err := mime.ParseMediaType(h.Get("Content-Type"))
	if err != nil || kind != "application/json" || strings.HasSuffix(path, "/openapi.json") {
		return nil
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if d.Decode(&doc) != nil {
		return nil
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) { // what stands behind it makes it no JSON
		return nil
	}
	return doc
}

func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // it was decoded, or is made of texts and numbers
	}
	return bytes.TrimSpace(b.Bytes())
}

// reply holds a reply back until it is whole; the frames of a stream pass through one by one.
type reply struct {
	x      *exchange
	w      http.ResponseWriter
	body   bytes.Buffer
	stream *stream
}

func (h *reply) Header() http.Header { return h.x.header }

func (h *reply) WriteHeader(status int) {
	if h.x.status != 0 {
		return
	}
	h.x.status = status
	if h.w == nil || !strings.HasPrefix(h.x.header.Get("Content-Type"), "text/event-stream") {
		return
	}
	h.stream = &stream{x: h.x, w: h.w}
	h.x.vary()
	h.w.WriteHeader(h.x.status)
}

func (h *reply) Write(b []byte) (int, error) {
	h.WriteHeader(http.StatusOK)
	if h.stream != nil {
		return h.stream.write(b)
	}
	return h.body.Write(b)
}

// Unwrap lets deadlines and flushes through.
func (h *reply) Unwrap() http.ResponseWriter { return h.w }
