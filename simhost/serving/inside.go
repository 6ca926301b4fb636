package serving

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
)

// Inside asks a handler of the same process. A generated client takes it in place of an HTTP client.
type Inside struct{ http.Handler }

// Do answers a request whole. It has no error of its own.
func (i Inside) Do(r *http.Request) (*http.Response, error) {
	if r.Body == nil {
		r.Body = http.NoBody
	}
	w := NewKept(http.Header{})
	i.ServeHTTP(w, r)
	return &http.Response{StatusCode: w.Status, Header: w.header, Body: io.NopCloser(&w.Body), Request: r}, nil
}

// Kept is an answer that is not sent yet.
type Kept struct {
	Status int
	Body   bytes.Buffer
	header http.Header
}

// NewKept returns an answer with these headers.
func NewKept(header http.Header) *Kept { return &Kept{Status: http.StatusOK, header: header} }

// Header implements [http.ResponseWriter], as do the next.
func (k *Kept) Header() http.Header { return k.header }

// WriteHeader notes a status.
func (k *Kept) WriteHeader(status int) { k.Status = status }

// Write adds to the body.
func (k *Kept) Write(b []byte) (int, error) { return k.Body.Write(b) }

// Said is what a host answered.
type Said struct {
	Status int
	Body   []byte
}

// Read takes an answer of a generated client as it comes, and reads it to its end.
func Read(answer *http.Response, err error) (Said, error) {
	if err != nil {
		return Said{}, err
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	return Said{answer.StatusCode, body}, err
}

// OK reports whether what was asked for was done.
func (s Said) OK() bool { return s.Status < http.StatusBadRequest }

// Why is why it was not: the member of the answer that a protocol has for that, or the words of its status.
func (s Said) Why(member string) string {
	var said map[string]any
	if json.Unmarshal(s.Body, &said) == nil {
		if words, ok := said[member].(string); ok && words != "" {
			return words
		}
	}
	return http.StatusText(s.Status)
}
