package variation

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
)

// reply holds a reply back until it is whole; the frames of a stream pass through one by one.
type reply struct {
	set          *Set
	w            http.ResponseWriter
	Method, Path string // of the request, as the server got it

	Status   int
	Document any // nil where it is no JSON
	body     bytes.Buffer
	stream   bool
}

// Header, WriteHeader, Write and Unwrap make it a response writer.

func (r *reply) Header() http.Header { return r.w.Header() }

func (r *reply) WriteHeader(status int) {
	if r.Status != 0 {
		return
	}
	r.Status = status
	if r.stream = strings.HasPrefix(r.Header().Get("Content-Type"), "text/event-stream"); r.stream {
		r.w.WriteHeader(status)
	}
}

func (r *reply) Write(b []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	if !r.stream {
		return r.body.Write(b)
	}
	r.body.Write(b)
	for {
		end := bytes.Index(r.body.Bytes(), []byte("\n\n"))
		if end < 0 {
			return len(b), nil
		}
		if _, err := r.w.Write(r.frame(r.body.Next(end + 2))); err != nil {
			return 0, err
		}
	}
}

func (r *reply) Unwrap() http.ResponseWriter { return r.w }

// frame is one frame of a stream in the manner of the set.
func (r *reply) frame(text []byte) []byte {
	head, data, ok := bytes.Cut(text, []byte("\ndata: "))
	doc, is := decode(bytes.TrimSpace(data)).(object)
	if !ok || !is {
		return append([]byte(nil), text...)
	}
	kind, _ := doc["event_type"].(string)
	r.walk(doc)
	for _, change := range r.set.frames {
		doc = change(kind, doc)
	}
	return append(append(append(append([]byte(nil), head...), "\ndata: "...), encode(doc)...), "\n\n"...)
}

func (r *reply) finish() {
	if r.stream {
		return
	}
	r.WriteHeader(http.StatusOK)
	body := r.body.Bytes()
	if r.Document = decode(body); r.Document != nil {
		r.walk(r.Document)
		for _, change := range r.set.replies {
			change(r)
		}
		body = encode(r.Document)
	}
	r.w.WriteHeader(r.Status)
	_, _ = r.w.Write(body) // nothing is left to tell a client that went away
}

// walk has the set change every object in v, inner ones first.
func (r *reply) walk(v any) {
	switch v := v.(type) {
	case object:
		for _, x := range v {
			r.walk(x)
		}
		for _, change := range r.set.objects {
			change(v)
		}
	case []any:
		for _, x := range v {
			r.walk(x)
		}
	}
}

// Object is the reply where that is an object.
func (r *reply) Object() object {
	doc, _ := r.Document.(object)
	return doc
}

// refused is the code of a refusal, "" where the reply is none.
func (r *reply) refused() string {
	doc := r.Object()
	if inner, ok := doc["detail"].(object); ok {
		doc = inner // as errors-under-detail left it
	}
	code, _ := doc["error"].(string)
	if r.Status < http.StatusBadRequest {
		return ""
	}
	return code
}

// to tells whether the request went to a path that ends so, below the prefix. A star stands for one segment.
func (r *reply) to(method, pattern string) bool {
	if r.Method != method {
		return false
	}
	have, want := strings.Split(strings.TrimPrefix(r.Path, "/api/v1/"), "/"), strings.Split(pattern, "/")
	if len(have) != len(want) {
		return false
	}
	for i := range want {
		if want[i] != "*" && want[i] != have[i] {
			return false
		}
	}
	return true
}

func decode(body []byte) (v any) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil
	}
	return v
}

func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return []byte("null") // it was decoded, or is made of texts and numbers
	}
	return bytes.TrimSpace(b.Bytes())
}
