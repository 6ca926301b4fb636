package record

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync"
	"time"

	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/simhost/serving"
	"github.com/openassay/assay/simhost/serving/onward"
)

// Options of a recorder. Target, Dir and Most are required.
type Options struct {
	Target string // base URL of the host
	CAFile string // certificates to trust beside the system's; "" for none
	Dir    string // folder for the files, without a recording yet
	Most   int64  // bytes of all files together, at most
	// Rolling: the oldest file makes room for new ones. Otherwise the recording ends when there is no room.
	Rolling bool
	Now     func() time.Time // nil is time.Now
	Logger  *slog.Logger     // of what could not be passed on or written; nil discards
}

// Recorder is a [http.Handler] that passes requests on to a host, and records them with their replies. Close it.
type Recorder struct {
	proxy    *httputil.ReverseProxy
	now      func() time.Time
	log      *slog.Logger
	files    *files
	redactor wire.Redactor
	closing  context.Context // ends the requests for streams
	close    context.CancelFunc

	queue   chan *passing
	waiting sync.WaitGroup // for exchanges under way
	written chan struct{}  // closed when the whole queue is written
	err     error          // why the recording ended early; read it when written is closed
}

// mostQueued is how many exchanges may wait to be written. Then clients wait, too.
const mostQueued = 64

// New returns a recorder.
func New(o Options) (*Recorder, error) {
	r := &Recorder{now: o.Now, log: cmp.Or(o.Logger, slog.New(slog.DiscardHandler)), queue: make(chan *passing, mostQueued),
		written: make(chan struct{})}
	if r.now == nil {
		r.now = time.Now
	}
	var err error
	if r.proxy, err = onward.New(onward.Options{Target: o.Target, CAFile: o.CAFile, Logger: r.log, Fail: r.unanswered}); err != nil {
		return nil, err
	}
	forward := r.proxy.Rewrite
	r.proxy.Rewrite = func(p *httputil.ProxyRequest) {
		forward(p)
		encodings(p.Out.Header)
		passingOf(p.In).url = p.Out.URL
	}
	if r.files, err = newFiles(o.Dir, o.Most, o.Rolling); err != nil {
		return nil, err
	}
	r.closing, r.close = context.WithCancel(context.Background())
	go r.write()
	return r, nil
}

// encodings takes out of Accept-Encoding what a recorder cannot read: all but gzip, and for a stream gzip, too.
func encodings(h http.Header) {
	takes := h.Get("Accept-Encoding")
	h.Del("Accept-Encoding")
	if strings.Contains(takes, "gzip") && !strings.Contains(h.Get("Accept"), streamType) {
		h.Set("Accept-Encoding", "gzip")
	}
}

// ServeHTTP implements [http.Handler].
func (r *Recorder) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if q.Header.Get("Upgrade") != "" {
		http.Error(w, "assay record passes on no upgrades, such as to WebSocket: ask the host itself for them", http.StatusNotImplemented)
		return
	}
	r.waiting.Add(1)
	p := &passing{now: r.now, at: r.now(), method: q.Method, asked: q.Header.Clone(), url: q.URL}
	defer func() {
		failed := recover() // so the proxy gives up where a reply ends too early
		p.over(failed != nil)
		r.queue <- p
		r.waiting.Done()
		if failed != nil {
			panic(failed)
		}
	}()
	ctx := context.WithValue(q.Context(), passingKey{}, p)
	if strings.Contains(q.Header.Get("Accept"), streamType) {
		var done context.CancelFunc
		ctx, done = serving.Waiting(ctx, r.closing)
		defer done()
	}
	q = q.WithContext(ctx)
	if q.Body != nil {
		q.Body = &sent{q.Body, p}
	}
	r.proxy.ServeHTTP(&reply{w, p}, q)
}

// unanswered answers where the host does not.
func (r *Recorder) unanswered(w http.ResponseWriter, q *http.Request, err error) {
	p := passingOf(q)
	p.unanswered(err)
	if errors.Is(q.Context().Err(), context.Canceled) {
		return // the client left
	}
	r.log.WarnContext(q.Context(), "the target does not answer", "method", q.Method, "path", q.URL.Path, "error", err)
	http.Error(w, "the host behind this recorder does not answer", http.StatusBadGateway)
}

// mostSecrets bounds how many credentials are looked for in each text.
const mostSecrets = 5000

// write writes the exchanges in the order in which they ended.
func (r *Recorder) write() {
	defer close(r.written)
	for p := range r.queue {
		if r.err != nil {
			r.files.left++
			continue
		}
		entry := r.redactor.Entry(p.overheard(), limits)
		switch {
		case r.redactor.Count() > mostSecrets:
			r.err = fmt.Errorf("more than %d credentials passed: nothing more is written", mostSecrets)
		default:
			r.err = r.files.add(entry)
		}
		if r.err != nil {
			r.files.left++
			r.log.Warn("requests still pass, and are not recorded any more", "error", r.err)
		}
	}
}

// Tally says what was written.
type Tally struct {
	Exchanges int // written, also into files that were removed
	Left      int // not written
	Files     int // also those that were removed
	Removed   int // files that made room for others
}

// String says it in words.
func (t Tally) String() string {
	text := fmt.Sprintf("exchanges written: %d, not written: %d, files: %d", t.Exchanges, t.Left, t.Files)
	if t.Removed > 0 {
		text += fmt.Sprintf(", of which the oldest %d made room for others", t.Removed)
	}
	return text
}

// Close ends the streams, waits for the requests under way, and finishes the files. The error says why the recording ended early.
func (r *Recorder) Close() (Tally, error) {
	r.close()
	r.waiting.Wait()
	close(r.queue)
	<-r.written
	err := r.files.close()
	return r.files.tally(), errors.Join(r.err, err)
}
