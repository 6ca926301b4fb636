package wire

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// Inbox is a listener on the loopback interface for requests of the target. It records each as an entry of kind
// inbound. Close it when done.
type Inbox struct {
	URL string // every path below it is accepted

	client *Client
	server *http.Server
	done   chan struct{}
	mu     sync.Mutex
	got    []int // entries of the transcript
}

// OnThisMachine reports whether the target can reach a listener on the loopback interface.
func (c *Client) OnThisMachine() bool { return c.base != nil && isLoopback(c.base) }

// OnThisMachine reports whether the target's address is on the loopback interface.
func (t Target) OnThisMachine() bool {
	base, err := ParseBase(t.URL)
	return err == nil && isLoopback(base)
}

func isLoopback(u *url.URL) bool {
	if u.Hostname() == "localhost" {
		return true
	}
	ip := net.ParseIP(u.Hostname())
	return ip != nil && ip.IsLoopback()
}

// Listen opens an inbox on a free port. It answers requests with 204, and with 413 if the body is larger than a reply
// may be.
func (c *Client) Listen(ctx context.Context) (*Inbox, error) {
	var listener net.ListenConfig
	ln, err := listener.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for what the target sends: %w", err)
	}
	b := &Inbox{URL: "http://" + ln.Addr().String(), client: c, done: make(chan struct{})}
	b.server = &http.Server{
		Handler: http.HandlerFunc(b.take), ReadHeaderTimeout: 5 * time.Second, ReadTimeout: c.network.limits.Request,
		MaxHeaderBytes: int(c.network.limits.HeaderBytes),
	}
	go func() {
		defer close(b.done)
		_ = b.server.Serve(ln) // until it is closed
	}()
	return b, nil
}

// Close closes the inbox and waits until it has stopped.
func (b *Inbox) Close() {
	_ = b.server.Close()
	<-b.done
}

// Received returns the bodies received so far, in order. A body that is not JSON is an absent value.
func (b *Inbox) Received() Values {
	b.mu.Lock()
	got := slices.Clone(b.got)
	b.mu.Unlock()
	out := make(Values, len(got))
	for i, n := range got {
		out[i] = (&Reply{exchange: n, transcript: b.client.transcript}).Value("")
	}
	return out
}

func (b *Inbox) take(w http.ResponseWriter, r *http.Request) {
	c, limit := b.client, b.client.network.limits.BodyBytes
	start := c.network.now()
	body, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	switch {
	case err != nil:
		http.Error(w, "the body could not be read", http.StatusBadRequest)
		return
	case int64(len(body)) > limit:
		http.Error(w, fmt.Sprintf("the body is larger than %d bytes", limit), http.StatusRequestEntityTooLarge)
		return
	}
	doing := "receiving " + r.Method + " " + clip(r.URL.Path)
	if looksLikeJSON(r.Header, body) {
		weight, err := c.network.limits.vetted(doing, body)
		if err == nil {
			err = c.held.decode(r.Context(), doing, weight)
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
	}
	clean := c.network.redactor.Clean
	e := Entry{
		Kind: "inbound", At: start.UTC(), Micros: c.network.now().Sub(start).Microseconds(), Label: "what the target sent",
		Request: &Request{
			Method: r.Method, URL: clean(b.URL + r.URL.RequestURI()), Header: c.headers(r.Header),
			Body: clean(printable(string(body))),
		},
	}
	if err := c.held.keep(doing, e.bytes()); err != nil {
		http.Error(w, err.Error(), http.StatusInsufficientStorage)
		return
	}
	b.mu.Lock()
	b.got = append(b.got, c.transcript.add(e))
	b.mu.Unlock()
	w.WriteHeader(http.StatusNoContent)
}
