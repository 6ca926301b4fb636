package onward

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync"

	"github.com/openassay/assay/simhost/refusal"
	"github.com/openassay/assay/simhost/serving"
)

// Host is a simulated host that answers together with others. All members are required.
type Host struct {
	Handler http.Handler
	// Serves reports whether the host has the operation that a request is for.
	Serves func(*http.Request) bool
	// Leave takes the keys of the host out of the headers of a request that leaves it. Where one was there, that of the other host
	// takes its place, unless it is "".
	Leave func(h http.Header, key string)
	// Fail answers with a refusal in the form of the protocol.
	Fail   func(http.ResponseWriter, *http.Request, error)
	Logger *slog.Logger
}

// Other is another host; the zero value is nobody.
type Other struct {
	URL    string
	Key    string // that requests get there which came with a key of the simulated host; "" for none
	CAFile string // certificates to trust beside the system's; "" for none
}

// largestAgain is the most of a body that can be shown to a second host: more than a simulated host takes.
const largestAgain = 8 << 20

// Others puts other hosts beside a host: what it does not serve, or cannot do (501), goes to fallback, and front is asked before
// it, so that it answers only what front has not (404) or cannot do (501). Requests that come back are refused: their Via header
// names this place.
func (h Host) Others(front, fallback Other) (http.Handler, error) {
	name := "assay-" + strings.ToLower(rand.Text()[:10])
	handler := h.Handler
	if fallback.URL != "" {
		proxy, err := h.proxy(fallback, name)
		if err != nil {
			return nil, err
		}
		handler = h.before(proxy)
	}
	if front.URL != "" {
		proxy, err := h.proxy(front, name)
		if err != nil {
			return nil, err
		}
		handler = h.behind(proxy, handler)
	}
	return h.unlooped(name, handler), nil
}

// unlooped refuses requests that were here before.
func (h Host) unlooped(name string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, via := range r.Header.Values("Via") {
			for hop := range strings.SplitSeq(via, ",") {
				if fields := strings.Fields(hop); len(fields) > 1 && fields[1] == name {
					h.Fail(w, r, refusal.New(refusal.Loop, "this request came back to where it was before: the hosts behind --front or "+
						"--fallback pass requests round in a circle: name another URL"))
					return
				}
			}
		}
		next.ServeHTTP(w, r)
	})
}

func (h Host) proxy(to Other, name string) (*httputil.ReverseProxy, error) {
	proxy, err := New(Options{Target: to.URL, CAFile: to.CAFile, Logger: h.Logger, Fail: h.unanswered(to.URL)})
	if err != nil {
		return nil, err
	}
	rewrite, hop := proxy.Rewrite, "1.1 "+name
	proxy.Rewrite = func(r *httputil.ProxyRequest) {
		rewrite(r)
		h.Leave(r.Out.Header, to.Key)
		// Cookies of this machine's names belong to whatever else listens on it.
		r.Out.Header.Del("Cookie")
		r.Out.Header.Add("Via", hop)
	}
	proxy.ModifyResponse = func(r *http.Response) error {
		r.Header.Del("Set-Cookie")
		r.Header.Add("Via", hop)
		if strings.HasPrefix(r.Header.Get("Content-Type"), "text/event-stream") {
			serving.Waits(r.Request.Context())
		}
		return nil
	}
	return proxy, nil
}

// unanswered tells that the other host does not answer.
func (h Host) unanswered(target string) func(http.ResponseWriter, *http.Request, error) {
	return func(w http.ResponseWriter, r *http.Request, err error) {
		if r.Context().Err() != nil {
			return // the client left
		}
		h.Logger.WarnContext(r.Context(), "the other host does not answer", "host", target, "method", r.Method, "error", err)
		h.Fail(w, r, refusal.New(refusal.Upstream, fmt.Sprintf("%s, which this simulated host passes requests on to, does not answer: see "+
			"that it runs, or leave --front and --fallback out", target)))
	}
}

// before asks the own host first, and the other one for what that does not serve.
func (h Host) before(fallback *httputil.ReverseProxy) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !h.Serves(r) {
			bothWays(w)
			fallback.ServeHTTP(w, r)
			return
		}
		in := &inbound{r: r, rest: r.Body}
		own := &unlessUnable{ResponseWriter: w, before: w.Header().Clone()}
		h.Handler.ServeHTTP(own, in.shown(r))
		if !own.unable {
			return
		}
		again, ok := in.again()
		if !ok {
			h.Fail(w, r, tooLargeAgain("this host"))
			return
		}
		fallback.ServeHTTP(w, again)
	})
}

// unlessUnable passes on an answer, unless it says that the host cannot do what was asked for.
type unlessUnable struct {
	http.ResponseWriter
	before http.Header
	unable bool
}

// WriteHeader implements [http.ResponseWriter], as does the next.
func (u *unlessUnable) WriteHeader(code int) {
	if code != http.StatusNotImplemented {
		u.ResponseWriter.WriteHeader(code)
		return
	}
	u.unable = true
	h := u.Header()
	clear(h)
	maps.Copy(h, u.before)
}

func (u *unlessUnable) Write(b []byte) (int, error) {
	if u.unable {
		return len(b), nil
	}
	return u.ResponseWriter.Write(b)
}

// Unwrap is for [http.ResponseController].
func (u *unlessUnable) Unwrap() http.ResponseWriter { return u.ResponseWriter }

func tooLargeAgain(who string) error {
	return refusal.New(refusal.TooLarge, fmt.Sprintf("%s does not serve this, and the body is too large to be shown to another one: %d "+
		"bytes at most", who, largestAgain))
}

// errElsewhere means that the host in front does not have what was asked for.
var errElsewhere = errors.New("the host in front does not serve this")

type inboundKey struct{}

// behind asks front first.
func (h Host) behind(front *httputil.ReverseProxy, own http.Handler) http.Handler {
	modify, fail := front.ModifyResponse, front.ErrorHandler
	front.ModifyResponse = func(r *http.Response) error {
		if r.StatusCode == http.StatusNotFound || r.StatusCode == http.StatusNotImplemented {
			return errElsewhere
		}
		return modify(r)
	}
	front.ErrorHandler = func(w http.ResponseWriter, r *http.Request, err error) {
		in, _ := r.Context().Value(inboundKey{}).(*inbound)
		if !errors.Is(err, errElsewhere) || in == nil {
			fail(w, r, err)
			return
		}
		again, ok := in.again()
		if !ok {
			h.Fail(w, r, tooLargeAgain("the host in front"))
			return
		}
		own.ServeHTTP(w, again)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		in := &inbound{r: r, rest: r.Body}
		bothWays(w)
		front.ServeHTTP(w, in.shown(r.WithContext(context.WithValue(r.Context(), inboundKey{}, in))))
	})
}

// bothWays lets a reply begin while the body still comes in, where the connection can do that.
func bothWays(w http.ResponseWriter) { _ = http.NewResponseController(w).EnableFullDuplex() }

// inbound is a request that can be shown again: it keeps what one host has read of its body.
type inbound struct {
	r *http.Request

	mu   sync.Mutex // held while the body is read
	rest io.ReadCloser
	seen []byte
	full bool
	over bool // the first host is done with it
}

// shown returns the request for the first host.
func (b *inbound) shown(r *http.Request) *http.Request {
	first := r.WithContext(r.Context())
	if b.rest != nil && b.rest != http.NoBody {
		first.Body = b
	}
	return first
}

// Read implements [io.Reader] for the first host.
func (b *inbound) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.over {
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := b.rest.Read(p)
	if len(b.seen)+n > largestAgain {
		b.full, b.seen = true, nil
	}
	if !b.full {
		b.seen = append(b.seen, p[:n]...)
	}
	return n, err
}

// Close implements [io.Closer]. The body stays open for the second host; the server closes it in the end.
func (b *inbound) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
	return nil
}

// again returns the request with its body from the start; ok is false where that is not kept.
func (b *inbound) again() (r *http.Request, ok bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
	if b.full {
		return nil, false
	}
	r = b.r
	if b.rest != nil && b.rest != http.NoBody {
		r = b.r.Clone(b.r.Context())
		r.Body = struct {
			io.Reader
			io.Closer
		}{io.MultiReader(strings.NewReader(string(b.seen)), b.rest), b.rest}
	}
	return r, true
}
