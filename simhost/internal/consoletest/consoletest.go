// Package consoletest opens a console as a person has it, on a socket and in a browser. Only tests use it.
package consoletest

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/openassay/assay/internal/browsertest"
	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/simhost/serving"
)

// Patience bounds what a test waits for; reaching it is a failure.
var Patience = testenv.Patience(20 * time.Second)

// Rig is a console on a socket of its own, and a client with cookies.
type Rig struct {
	Base string // of its addresses
	HTTP *http.Client
	Stop func() // stops it, which must end cleanly; the end of the test does so, too

	t     *testing.T
	conns *conns
}

// conns are the connections of a server, so that they can be cut.
type conns struct {
	net.Listener
	mu   sync.Mutex
	open []net.Conn
}

func (c *conns) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err == nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.open = append(c.open, conn)
	}
	return conn, err
}

// Open starts a console beside the API of its host.
func Open(t *testing.T, o console.Options, api http.Handler) *Rig {
	t.Helper()
	c, r := console.New(o), &Rig{t: t}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.conns = &conns{Listener: listener}
	both := http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if console.Owns(q.URL.Path) {
			c.Handler().ServeHTTP(w, q)
			return
		}
		api.ServeHTTP(w, q)
	})
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- serving.Serve(ctx, r.conns, both, slog.New(slog.DiscardHandler)) }()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	r.Base = "http://" + listener.Addr().String()
	r.HTTP = &http.Client{Transport: transport, Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error {
		return http.ErrUseLastResponse
	}}
	r.Stop = sync.OnceFunc(func() {
		cancel()
		if err := <-served; err != nil {
			t.Errorf("serving ended with %v", err)
		}
		transport.CloseIdleConnections()
		c.Close()
	})
	t.Cleanup(r.Stop)
	return r
}

// In is the rig for a part of the test.
func (r *Rig) In(t *testing.T) *Rig {
	at := *r
	at.t = t
	return &at
}

// Cut ends all connections, as a network does that fails.
func (r *Rig) Cut() {
	r.HTTP.CloseIdleConnections() // on which a request would fail
	r.conns.mu.Lock()
	defer r.conns.mu.Unlock()
	for _, conn := range r.conns.open {
		_ = conn.Close() // one that has ended already cannot be cut
	}
	r.conns.open = nil
}

// Seen is a page as it came.
type Seen struct {
	Status int
	Header http.Header
	Body   string
}

// Send makes a request with a form, nil for none, and headers, each a name and a value.
func (r *Rig) Send(method, path string, form url.Values, headers ...string) Seen {
	r.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	request, err := http.NewRequestWithContext(r.t.Context(), method, r.Base+path, body)
	if err != nil {
		r.t.Fatal(err)
	}
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	reply, err := r.HTTP.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer reply.Body.Close()
	raw, err := io.ReadAll(reply.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return Seen{reply.StatusCode, reply.Header, string(raw)}
}

// Get asks for a page.
func (r *Rig) Get(path string) Seen { r.t.Helper(); return r.Send(http.MethodGet, path, nil) }

// Post sends a form.
func (r *Rig) Post(path string, form url.Values) Seen {
	r.t.Helper()
	return r.Send(http.MethodPost, path, form)
}

// SignIn shows a key.
func (r *Rig) SignIn(key string) {
	r.t.Helper()
	if got := r.Post("/console/login", url.Values{"key": {key}}); got.Status != http.StatusSeeOther ||
		got.Header.Get("Location") != console.Prefix {
		r.t.Fatalf("signing in: %d to %q", got.Status, got.Header.Get("Location"))
	}
}

// Until asks for a page until it holds a text.
func (r *Rig) Until(path, text string) Seen {
	r.t.Helper()
	deadline := time.Now().Add(Patience)
	for {
		got := r.Get(path)
		if strings.Contains(got.Body, text) {
			return got
		}
		if time.Now().After(deadline) {
			r.t.Fatalf("%s does not say %q: %d\n%s", path, text, got.Status, got.Body)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// Ear hears the stream of changes.
type Ear struct {
	Leave func()

	t    *testing.T
	said chan string // closed at the end of the stream
}

// Listen opens the stream.
func (r *Rig) Listen() *Ear {
	r.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.Base+"/console/live", nil)
	if err != nil {
		r.t.Fatal(err)
	}
	reply, err := r.HTTP.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	if got := reply.Header.Get("Content-Type"); reply.StatusCode != http.StatusOK || got != "text/event-stream" {
		r.t.Fatalf("the stream: %d %s", reply.StatusCode, got)
	}
	e := &Ear{t: r.t, said: make(chan string, 100)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer close(e.said)
		defer reply.Body.Close()
		for lines := bufio.NewScanner(reply.Body); lines.Scan(); {
			if topics, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				e.said <- topics
			}
		}
	}()
	e.Leave = func() { cancel(); <-done }
	r.t.Cleanup(e.Leave)
	return e
}

// Next is the next message; "" at the end of the stream.
func (e *Ear) Next() string {
	e.t.Helper()
	select {
	case topics := <-e.said:
		return topics
	case <-time.After(Patience):
		e.t.Fatal("nothing was heard")
		return ""
	}
}

// Until hears messages until one names a topic.
func (e *Ear) Until(topic string) {
	e.t.Helper()
	for {
		topics := e.Next()
		if topics == "" {
			e.t.Fatalf("the stream ended before %s", topic)
		}
		if slices.Contains(strings.Fields(topics), topic) {
			return
		}
	}
}

// Visit signs a browser in.
func (r *Rig) Visit(width int) *browsertest.Page {
	r.t.Helper()
	p := browsertest.Open(r.t, width)
	p.Do(chromedp.Navigate(r.Base + "/console"))
	p.Until(`document.querySelector("#key")`)
	p.Screenshot(fmt.Sprintf("console-login-%d", width))
	p.Do(chromedp.SendKeys("#key", "dev\r"))
	p.Until(`document.querySelector("main h1") && document.querySelector("#lamp.on")`)
	return p
}

// Sound fails where something is wrong in a page.
func Sound(t *testing.T, p *browsertest.Page) {
	t.Helper()
	if problems := p.Problems(); len(problems) > 0 {
		t.Errorf("wrong in the page: %s", strings.Join(problems, "\n"))
	}
	if dialogs := p.Dialogs(); len(dialogs) > 0 {
		t.Errorf("dialogs: %q", dialogs)
	}
}

// Fits fails where a page is wider than the window.
func Fits(t *testing.T, p *browsertest.Page, page string) {
	t.Helper()
	if over := browsertest.Read[int](p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
		t.Errorf("%s is %d pixels wider than the window", page, over)
	}
}
