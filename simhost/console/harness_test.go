package console

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/simhost/serving"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience bounds what a test waits for; reaching it is a failure.
var patience = testenv.Patience(20 * time.Second)

// rig is a host with its console on a socket of its own, and a client with cookies.
type rig struct {
	t       *testing.T
	host    *surface.Switchable
	console *Console
	clock   *clock.Manual
	base    string
	http    *http.Client
	stop    func()
	conns   *conns
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

// cut ends all connections, as a network does that fails.
func (c *conns) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.open {
		_ = conn.Close() // one that has ended already cannot be cut
	}
	c.open = nil
}

// open starts a host. It is stopped, and must stop cleanly, when the test ends.
func open(t *testing.T, o surface.Options, settle ...func(*Options)) *rig {
	t.Helper()
	r := &rig{t: t}
	if manual, ok := o.Clock.(*clock.Manual); ok {
		r.clock = manual
	}
	var err error
	if r.host, err = surface.OpenSwitchable(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	options := Options{Host: r.host, Clock: r.clock}
	for _, s := range settle {
		s(&options)
	}
	if intents := options.Intents; intents != nil {
		t.Cleanup(func() {
			if err := intents.Close(context.Background()); err != nil {
				t.Error(err)
			}
		})
	}
	r.console = New(options)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r.conns = &conns{Listener: listener}
	api := r.host.Handler()
	both := http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if Owns(q.URL.Path) {
			r.console.Handler().ServeHTTP(w, q)
			return
		}
		api.ServeHTTP(w, q)
	})
	ctx, cancel := context.WithCancel(context.Background())
	served := make(chan error, 1)
	go func() { served <- serving.Serve(ctx, r.conns, both, r.console.log) }()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	r.base = "http://" + listener.Addr().String()
	r.http = &http.Client{Transport: transport, Jar: jar, CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
	stopped := false
	r.stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-served; err != nil {
			t.Errorf("serving ended with %v", err)
		}
		transport.CloseIdleConnections()
		r.console.Close()
		bounded, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := r.host.Close(bounded); err != nil {
			t.Errorf("closing ended with %v", err)
		}
	}
	t.Cleanup(r.stop)
	return r
}

// seen is a page as it came.
type seen struct {
	status int
	header http.Header
	body   string
}

func (r *rig) send(method, path string, form url.Values, headers ...string) seen {
	r.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	request, err := http.NewRequestWithContext(r.t.Context(), method, r.base+path, body)
	if err != nil {
		r.t.Fatal(err)
	}
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == "Host" {
			request.Host = headers[i+1]
			continue
		}
		request.Header.Set(headers[i], headers[i+1])
	}
	reply, err := r.http.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer reply.Body.Close()
	raw, err := io.ReadAll(reply.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return seen{reply.StatusCode, reply.Header, string(raw)}
}

func (r *rig) get(path string) seen { r.t.Helper(); return r.send(http.MethodGet, path, nil) }

func (r *rig) post(path string, form url.Values) seen {
	r.t.Helper()
	return r.send(http.MethodPost, path, form)
}

// signIn shows a key.
func (r *rig) signIn(key string) {
	r.t.Helper()
	if got := r.post("/console/login", url.Values{"key": {key}}); got.status != http.StatusSeeOther || got.header.Get("Location") != Prefix {
		r.t.Fatalf("signing in: %d to %q", got.status, got.header.Get("Location"))
	}
}

// create starts a run over the API and returns its id.
func (r *rig) create(key, workflow string, inputs map[string]any) string {
	r.t.Helper()
	var made openwopv1.CreateRunResponse
	if inputs == nil {
		inputs = map[string]any{}
	}
	if err := json.Unmarshal(r.api(http.MethodPost, "/v1/runs", key, map[string]any{"workflowId": workflow, "inputs": inputs}),
		&made); err != nil {
		r.t.Fatal(err)
	}
	return made.RunID
}

// until asks for a page until it holds a text.
func (r *rig) until(path, text string) seen {
	r.t.Helper()
	deadline := time.Now().Add(patience)
	for {
		got := r.get(path)
		if strings.Contains(got.body, text) {
			return got
		}
		if time.Now().After(deadline) {
			r.t.Fatalf("%s does not say %q: %d\n%s", path, text, got.status, got.body)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// api makes a request of a client.
func (r *rig) api(method, path, key string, body any) []byte {
	r.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		r.t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(r.t.Context(), method, r.base+path, strings.NewReader(string(raw)))
	if err != nil {
		r.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	request.Header.Set("Content-Type", "application/json")
	reply, err := r.http.Do(request)
	if err != nil {
		r.t.Fatal(err)
	}
	defer reply.Body.Close()
	got, err := io.ReadAll(reply.Body)
	if err != nil || reply.StatusCode >= http.StatusBadRequest {
		r.t.Fatalf("%s %s: %d %v %s", method, path, reply.StatusCode, err, got)
	}
	return got
}

// goal sets up a goal that has been judged once, and goes on by a schedule.
func (r *rig) goal() string {
	r.t.Helper()
	var g openwopv1.Goal
	raw := r.api(http.MethodPost, "/v1/host/sample/goals", "dev", map[string]any{
		"objective": "Keep the changelog in step with what was released", "completion": map[string]any{"check": "host"},
		"continuation": map[string]any{"mode": "schedule", "armRef": "every:10m"},
		"bounds":       map[string]any{"maxLoopIterations": 5, "maxCostUsd": 2.5, "runTimeoutMs": 7200000},
	})
	if err := json.Unmarshal(raw, &g); err != nil {
		r.t.Fatal(err)
	}
	r.api(http.MethodPost, "/v1/host/sample/goals/"+g.ID+"/tick", "dev", map[string]any{"verdict": map[string]any{"satisfied": false,
		"confidence": 0.4}, "costUsd": 0.25})
	return g.ID
}
