package playback

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"math"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/simhost/serving"
)

// Options of a playback. Origin and Entries are required.
type Options struct {
	Origin  string       // scheme and address of the recorded host
	Entries []wire.Entry // in the order in which they were sent
	Prefix  string       // path below which the recorded host is, such as /api; "" for none
	// Pace is by how much recorded times are multiplied: 0 answers at once, 1 takes as long as the recorded host.
	Pace   float64
	Logger *slog.Logger // of the requests that the recording does not have; nil discards
}

// Host is a [http.Handler] that answers as a recorded host did. An exchange is played once; only reads get their last reply again.
type Host struct {
	origin   string
	base     string // its address, with the prefix
	pace     float64
	log      *slog.Logger
	recorded *recorded

	mu            sync.Mutex // for the following, and for what the recorded exchanges know of being asked
	secrets, keys pairs      // of credentials, and of values of Idempotency-Key
	tally         tally
}

// New returns a host.
func New(o Options) *Host {
	var entries []wire.Entry
	for _, e := range o.Entries {
		if e.Request != nil && (e.Kind == "http" || e.Kind == "stream") {
			entries = append(entries, e)
		}
	}
	prefix := strings.TrimSuffix(o.Prefix, "/")
	return &Host{
		origin: o.Origin, base: o.Origin + prefix, pace: o.Pace,
		log: cmp.Or(o.Logger, slog.New(slog.DiscardHandler)), recorded: recordedOf(entries, prefix), secrets: newPairs(), keys: newPairs(),
	}
}

const (
	// bodyPatience is how long a client may take to send a body.
	bodyPatience = 30 * time.Second
	// mostDrained is the number of bytes that are read of a body that is too large to be compared.
	mostDrained = 64 << 20
)

// ServeHTTP implements [http.Handler].
func (h *Host) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	q, err := h.request(w, r)
	if err != nil {
		http.Error(w, "the body of the request cannot be read", http.StatusBadRequest)
		return
	}
	h.mu.Lock()
	m := h.find(q)
	var near []Near
	if m == nil {
		near = h.nearest(q)
	}
	h.mu.Unlock()
	switch {
	case m == nil:
		h.leave(w, r, q, near)
	case m.exchange.why != "":
		h.unkept(w, r, q, m.exchange.why)
	default:
		said := Request{Method: r.Method}
		if !m.equal(q) {
			var clean func(string) string
			said.Path, clean = cleaned(q, r)
			said.Says = m.notes(q, clean)
		}
		h.count(played, said)
		h.play(w, r, began, m.exchange)
	}
}

// request reads a request.
func (h *Host) request(w http.ResponseWriter, r *http.Request) (*asked, error) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Now().Add(bodyPatience)) // a writer without deadlines has none to set
	most := wire.DefaultLimits().BodyBytes
	body, err := io.ReadAll(io.LimitReader(r.Body, most+1))
	q := &asked{method: r.Method, path: pathOf(r.URL), address: addressOf(r.URL), way: wayOf(r.Header.Get), key: r.Header.Get(keyHeader),
		who: callerOf(h.recorded.named, r.Header.Get)}
	if int64(len(body)) > most {
		q.large = true
		_, err = io.CopyN(io.Discard, r.Body, mostDrained)
		if err == io.EOF {
			err = nil
		}
	}
	_ = control.SetReadDeadline(time.Time{})
	q.body = strings.ToValidUTF8(string(body), "\uFFFD") // as it is recorded
	if !q.large {
		q.content = contentOf(r.Header.Get("Content-Type"), q.body)
	}
	return q, err
}

// cleaned returns the address of a request without credentials, and what takes those out of its texts.
func cleaned(q *asked, r *http.Request) (address string, clean func(string) string) {
	var hidden wire.Redactor
	e := hidden.Entry(wire.Overheard{Method: r.Method, URL: r.URL, Asked: r.Header, Sent: []byte(q.body)}, wire.DefaultLimits())
	address = q.path
	if at, err := url.Parse(e.Request.URL); err == nil {
		address = addressOf(at)
	}
	return textsafe.Clip(address, mostShown*2), hidden.Clean
}

// refusal is the body of a reply that is not the recorded host's.
type refusal struct {
	Error   string `json:"error"` // not_in_recording, or left_out_of_recording
	Message string `json:"message"`
	Method  string `json:"method"`
	Path    string `json:"path"`           // with the query
	With    string `json:"with,omitempty"` // headers that make it another request
	Nearest []Near `json:"nearest,omitempty"`
}

func (r refusal) write(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusNotImplemented)
	_ = json.NewEncoder(w).Encode(r) // a client that is gone reads nothing
}

// leave answers a request that the recording does not have.
func (h *Host) leave(w http.ResponseWriter, r *http.Request, q *asked, near []Near) {
	method := textsafe.Clip(r.Method, mostShown)
	address, clean := cleaned(q, r)
	way := textsafe.Clip(clean(q.way), mostShown)
	if h.count(left, Request{Method: method, Path: address, With: way, Nearest: near}) {
		nearest := "nothing"
		if len(near) > 0 {
			nearest = near[0].Method + " " + near[0].Path + " (" + near[0].Why + ")"
		}
		h.log.WarnContext(r.Context(), "not in the recording", "method", method, "path", address, "with", way, "nearest", nearest)
	}
	refusal{"not_in_recording", "the recording has no such request, or not so often: this reply is of assay simhost --recorded", method,
		address, way, near}.write(w)
}

// unkept answers a request whose reply is not in the recording.
func (h *Host) unkept(w http.ResponseWriter, r *http.Request, q *asked, why string) {
	method, why := textsafe.Clip(r.Method, mostShown), textsafe.Clip(why, mostShown*2)
	address, _ := cleaned(q, r)
	if h.count(unkept, Request{Method: method, Path: address, Says: []string{why}}) {
		h.log.WarnContext(r.Context(), "its reply was left out of the recording", "method", method, "path", address, "why", why)
	}
	refusal{"left_out_of_recording", "the recording has this request without its reply: " + why, method, address, "", nil}.write(w)
}

// framed are headers about how a reply was sent. It is sent in another way now.
var framed = [...]string{"Content-Length", "Content-Encoding", "Transfer-Encoding", "Connection", "Keep-Alive", "Trailer", "Upgrade",
	"Proxy-Connection"}

// play sends a recorded reply.
func (h *Host) play(w http.ResponseWriter, r *http.Request, began time.Time, x *exchange) {
	told, head := x.entry.Response, w.Header()
	for name, value := range told.Header {
		head.Set(name, value)
	}
	for _, name := range framed {
		if name != "Content-Length" || r.Method != http.MethodHead {
			head.Del(name)
		}
	}
	for _, name := range []string{"Location", "Content-Location"} {
		if rest, own := strings.CutPrefix(head.Get(name), h.base+"/"); own {
			head.Set(name, "/"+rest) // so that the client stays with the recording
		}
	}
	if head.Get("Content-Type") == "" {
		head["Content-Type"] = nil // or net/http guesses one
	}
	ctx, done := serving.Waiting(r.Context(), context.Background())
	defer done()
	out := sender{w, http.NewResponseController(w)}
	if x.entry.Kind != "stream" {
		if h.wait(ctx, began, x.entry.Micros) {
			out.send(told.Status, told.Body, false)
		}
		return
	}
	out.send(told.Status, "", true)
	for _, c := range x.entry.Chunks {
		if !h.wait(ctx, began, c.Micros) || !out.send(0, c.Text, true) {
			return
		}
	}
	if x.entry.Error != "" {
		panic(http.ErrAbortHandler) // the recording has no more of it, which is not its end
	}
	h.wait(ctx, began, x.entry.Micros)
}

// longestWait is the longest recorded time that is waited for.
const longestWait = 24 * time.Hour

// wait waits until a recorded time. It reports whether the client is still there.
func (h *Host) wait(ctx context.Context, began time.Time, micros int64) bool {
	after := time.Duration(math.Min(math.Max(float64(micros), 0)*h.pace*float64(time.Microsecond), float64(longestWait)))
	left := time.Until(began.Add(after))
	if after == 0 || left <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(left)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// sender sends a reply, and gives up a client that does not read.
type sender struct {
	http.ResponseWriter
	control *http.ResponseController
}

// send sends a part of a reply, the first one with its status. flush: the client gets it at once. It returns false for a client that does
// not take it.
func (s sender) send(status int, text string, flush bool) bool {
	_ = s.control.SetWriteDeadline(time.Now().Add(serving.WritePatience)) // a writer without deadlines has none to set
	if status > 0 {
		s.WriteHeader(status)
	}
	if text != "" {
		if _, err := io.WriteString(s.ResponseWriter, text); err != nil {
			return false
		}
	}
	return !flush || s.control.Flush() == nil
}
