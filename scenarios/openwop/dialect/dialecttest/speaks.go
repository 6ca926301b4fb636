package dialecttest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios/openwop/dialect"
	"github.com/openassay/assay/scenarios/wire"
)

// Speaks makes a v1 host speak [Other]. It translates requests to v1 and replies back.
func Speaks(v1 http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		told, op, ok := translated(r)
		if !ok {
			http.Error(w, `{"error":"NOT_FOUND","message":"no such path"}`, http.StatusNotFound)
			return
		}
		out := &reply{ResponseWriter: w, op: op}
		v1.ServeHTTP(out, told)
		out.end()
	})
}

// translated returns the request in the words of v1, and its operation.
func translated(r *http.Request) (*http.Request, dialect.Operation, bool) {
	op, ids, ok := asked(r)
	if !ok {
		return nil, op, false
	}
	if strings.Contains(Other.Operations[op], "{prefix}") {
		ids[0] = prefix(ids[0])
	}
	of := op.Of(ids...)
	for name, values := range r.URL.Query() {
		for _, value := range values {
			if name == Other.Cursors[0] {
				name = dialect.V1.Cursors[0]
			}
			of = of.With(name, value)
		}
	}
	call, err := dialect.V1.Say(wire.Call{Operation: of})
	if err != nil {
		return nil, op, false
	}
	out := r.Clone(r.Context())
	out.Method, out.RequestURI = call.Method, call.Path
	if out.URL, err = url.Parse(call.Path); err != nil {
		return nil, op, false
	}
	out.URL.Scheme, out.URL.Host = r.URL.Scheme, r.URL.Host
	for name, word := range Other.Headers {
		if values := out.Header.Values(word); len(values) > 0 {
			out.Header.Del(word)
			out.Header[http.CanonicalHeaderKey(name)] = values
		}
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, op, false
	}
	var doc map[string]any
	if decode(body, &doc) {
		for _, o := range dialect.Options {
			dialect.Move(doc, Other.Options[o], "/configurable/"+string(o))
		}
		if body, err = json.Marshal(doc); err != nil {
			return nil, op, false
		}
	}
	out.Body, out.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	return out, op, true
}

// prefix returns v1's prefix for one of Other's.
func prefix(of string) string {
	if of == Other.Root {
		return dialect.V1.Root
	}
	if i := slices.Index(Other.Seams, of); i >= 0 {
		return dialect.V1.Seams[i]
	}
	return of
}

// asked returns the operation with this method and path, and its ids. If several match, the one with the longest
// fixed part wins.
func asked(r *http.Request) (op dialect.Operation, ids []string, ok bool) {
	longest := -1
	for candidate, template := range Other.Operations {
		method, path, _ := strings.Cut(template, " ")
		if method != r.Method && (method != http.MethodGet || r.Method != http.MethodHead) {
			continue
		}
		found, fits := idsOf(path, r.URL.EscapedPath())
		if words := len(path) - 100*strings.Count(path, "{"); fits && (longest < 0 || words > longest) {
			op, ids, ok, longest = candidate, found, true, max(words, 0)
		}
	}
	return op, ids, ok
}

// idsOf returns what a path has at the template's placeholders.
func idsOf(template, path string) (ids []string, ok bool) {
	before, rest, more := strings.Cut(template, "{")
	if !more {
		return nil, path == template
	}
	name, after, _ := strings.Cut(rest, "}")
	path, ok = strings.CutPrefix(path, before)
	if !ok {
		return nil, false
	}
	if name == "prefix" || name == "seam" {
		for i := len(path); i >= 0; i-- {
			if ids, ok := idsOf(after, path[i:]); ok {
				return append([]string{path[:i]}, ids...), true
			}
		}
		return nil, false
	}
	id, path, _ := strings.Cut(path, "/")
	if path != "" || strings.HasPrefix(after, "/") {
		path = "/" + path
	}
	plain, err := url.PathUnescape(id)
	if ids, ok = idsOf(after, path); !ok || err != nil {
		return nil, false
	}
	return append([]string{strings.TrimPrefix(plain, "id=")}, ids...), true
}

func decode(body []byte, into any) bool {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	return d.Decode(into) == nil && !d.More()
}

// reply translates the reply of a v1 host.
type reply struct {
	http.ResponseWriter
	op       dialect.Operation
	status   int
	held     bytes.Buffer // a document, or the last line of a stream
	streamed bool
}

func (w *reply) WriteHeader(status int) {
	if w.status != 0 {
		return
	}
	w.status = status
	h := w.Header()
	w.streamed = strings.HasPrefix(h.Get("Content-Type"), "text/event-stream")
	for name, word := range Other.Headers {
		if values := h.Values(name); len(values) > 0 {
			h.Del(name)
			h[http.CanonicalHeaderKey(word)] = values
		}
	}
	if w.streamed {
		w.ResponseWriter.WriteHeader(status)
	}
}

func (w *reply) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	w.held.Write(b)
	if w.streamed {
		return len(b), w.lines()
	}
	return len(b), nil
}

// Flush implements [http.Flusher].
func (w *reply) Flush() {
	if w.streamed {
		w.ResponseWriter.(http.Flusher).Flush()
	}
}

// Unwrap gives http.ResponseController access to the connection's deadlines.
func (w *reply) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// lines translates and forwards the complete lines of a stream.
func (w *reply) lines() error {
	for {
		line, rest, whole := bytes.Cut(w.held.Bytes(), []byte("\n"))
		if !whole {
			return nil
		}
		out := append(w.line(string(line)), '\n')
		left := bytes.Clone(rest)
		w.held.Reset()
		w.held.Write(left)
		if _, err := w.ResponseWriter.Write(out); err != nil {
			return err
		}
	}
}

func (w *reply) line(line string) []byte {
	field, value, _ := strings.Cut(line, ": ")
	switch field {
	case "event":
		return []byte("event: " + event(value))
	case "data":
		return append([]byte("data: "), w.document([]byte(value))...)
	}
	return []byte(line)
}

// end translates and forwards a document.
func (w *reply) end() {
	if w.streamed {
		return
	}
	body := w.document(w.held.Bytes())
	h := w.Header()
	if h.Get("Content-Length") != "" {
		h.Del("Content-Length")
	}
	if w.status == 0 {
		w.status = http.StatusOK
	}
	var refused struct{ Error string }
	if w.status == http.StatusConflict && json.Unmarshal(body, &refused) == nil && refused.Error == Other.Codes[dialect.KeyMismatch] {
		w.status = Other.Refusals[dialect.KeyReused].Statuses[0]
	}
	w.ResponseWriter.WriteHeader(w.status)
	if _, err := bufio.NewReader(bytes.NewReader(body)).WriteTo(w.ResponseWriter); err != nil {
		panic(http.ErrAbortHandler)
	}
}

// document translates a JSON document. Anything else stays as it is.
func (w *reply) document(body []byte) []byte {
	var doc any
	if w.op == dialect.ReadContract || w.op == dialect.Discover || !decode(body, &doc) {
		return body
	}
	if run, ok := doc.(map[string]any); ok && (w.op == dialect.ReadRun || w.op == dialect.CreateRun) {
		for _, o := range dialect.Options {
			dialect.Move(run, "/configurable/"+string(o), Other.Options[o])
		}
	}
	out, err := json.Marshal(reworded(doc))
	if err != nil {
		return body
	}
	return out
}

// reworded translates every event and every code.
func reworded(doc any) any {
	switch d := doc.(type) {
	case []any:
		for i := range d {
			d[i] = reworded(d[i])
		}
	case map[string]any:
		for name, value := range d {
			text, isText := value.(string)
			switch {
			case !isText:
				d[name] = reworded(value)
			case name == "type":
				d[name] = event(text)
			case name == "code" || name == "error":
				d[name] = code(text)
			}
		}
	}
	return doc
}

func event(word string) string {
	if other, ok := Other.Events[dialect.Event(word)]; ok {
		return other
	}
	return word
}

func code(word string) string {
	if other, ok := Other.Codes[dialect.Code(word)]; ok {
		return other
	}
	return word
}
