package onward

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"log/slog"
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

// Others puts other hosts beside a host: what it does not serve goes to fallback, and front is asked before it, so that it answers
// only what front has not (404) or cannot do (501). Requests that come back are refused: their Via header names this place.
func (h Host) Others(front, fallback Other) (http.Handler, error) {
	name := "assay-" + strings.ToLower(rand.Text()[:10])
	handler := h.Handler
	if fallback.URL != "" {
		proxy, err := h.proxy(fallback, name)
		if err != nil {
			return nil, err
		}
		own := handler
		handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if h.Serves(r) {
				own.ServeHTTP(w, r)
			} else {
				bothWays(w)
				proxy.ServeHTTP(w, r)
			}
		})
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
			h.Fail(w, r, refusal.New(refusal.TooLarge, fmt.Sprintf("the host in front does not serve this, and the body is too large to be "+
				"shown to another one: %d bytes at most", largestAgain)))
			return
		}
		own.ServeHTTP(w, again)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		in := &inbound{r: r, rest: r.Body}
		shown := r.WithContext(context.WithValue(r.Context(), inboundKey{}, in))
		if r.Body != nil && r.Body != http.NoBody {
			shown.Body = in
		}
		bothWays(w)
		front.ServeHTTP(w, shown)
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
