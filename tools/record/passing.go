package record

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/openassay/assay/scenarios/wire"
)

// limits bound what is kept of an exchange.
var limits = wire.DefaultLimits()

const streamType = "text/event-stream"

// passing is an exchange on its way.
type passing struct {
	now    func() time.Time
	at     time.Time
	method string
	asked  http.Header
	url    *url.URL

	mu     sync.Mutex // the transport may still read the body of the request when the reply is over
	took   time.Duration
	sent   []byte
	status int
	told   http.Header
	got    []byte
	stream bool
	rest   []byte // of a stream: a line whose end is missing
	chunks []wire.Chunk
	kept   int64 // bytes of the chunks
	why    string
}

type passingKey struct{}

func passingOf(q *http.Request) *passing { return q.Context().Value(passingKey{}).(*passing) }

// sent is the body of a request.
type sent struct {
	io.ReadCloser
	of *passing
}

func (b *sent) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	b.of.mu.Lock()
	defer b.of.mu.Unlock()
	b.of.sent = keep(b.of.sent, into[:n], limits.BodyBytes)
	return n, err
}

// keep appends to a body, up to one byte more than it may have.
func keep(body, more []byte, most int64) []byte {
	return append(body, more[:min(int64(len(more)), most+1-int64(len(body)))]...)
}

// reply is what the client gets.
type reply struct {
	http.ResponseWriter
	of *passing
}

// Unwrap is for [http.ResponseController].
func (w *reply) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader implements [http.ResponseWriter], as does the next.
func (w *reply) WriteHeader(code int) {
	if p := w.of; code >= http.StatusOK {
		p.mu.Lock()
		if p.status == 0 && p.why == "" {
			p.status, p.told = code, w.Header().Clone()
			p.stream = code == http.StatusOK && strings.HasPrefix(p.told.Get("Content-Type"), streamType)
		}
		p.mu.Unlock()
	}
	w.ResponseWriter.WriteHeader(code)
}

func (w *reply) Write(b []byte) (int, error) {
	n, err := w.ResponseWriter.Write(b)
	w.of.note(b[:n])
	return n, err
}

// note notes a part of the reply.
func (p *passing) note(part []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.why != "":
	case !p.stream:
		p.got = keep(p.got, part, limits.DiscoveryBytes)
	default:
		p.rest = append(p.rest, part...)
		p.lines(bytes.LastIndexAny(p.rest, "\r\n") + 1)
	}
}

// lines makes a chunk of the first n bytes of rest: whole lines, in which no credential is cut in two.
func (p *passing) lines(n int) {
	if n == 0 && int64(len(p.rest)) <= limits.EventBytes {
		return
	}
	if p.kept += int64(n); n == 0 || p.kept > limits.DriveBytes {
		p.why, p.rest = "more of the stream was not kept: it is too long", nil
		return
	}
	p.chunks = append(p.chunks, wire.Chunk{Micros: p.now().Sub(p.at).Microseconds(), Text: string(p.rest[:n])})
	p.rest = append([]byte(nil), p.rest[n:]...)
}

// unanswered notes that the host did not answer: what the client gets then is not the host's.
func (p *passing) unanswered(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.why = "no answer: " + err.Error()
}

// over notes the end of the exchange. cut: the reply was not complete. A stream may end anywhere.
func (p *passing) over(cut bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.took = p.now().Sub(p.at)
	if p.stream && len(p.rest) > 0 && p.why == "" {
		p.lines(len(p.rest))
	}
	if cut && !p.stream && p.why == "" {
		p.why = "the reply was cut off"
	}
}

// overheard returns what passed.
func (p *passing) overheard() wire.Overheard {
	p.mu.Lock()
	defer p.mu.Unlock()
	return wire.Overheard{
		At: p.at, Took: p.took, Method: p.method, URL: p.url, Asked: p.asked, Sent: bytes.Clone(p.sent),
		Status: p.status, Told: p.told, Got: p.got, Stream: p.stream, Chunks: p.chunks, Error: p.why,
	}
}
