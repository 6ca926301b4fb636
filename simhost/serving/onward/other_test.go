package onward_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/openassay/assay/simhost/refusal"
	"github.com/openassay/assay/simhost/serving/onward"
)

// served puts a handler on a socket for the time of the test.
func served(t *testing.T, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// own is a simulated host that has /own, and whose key is "mine".
func own() onward.Host {
	return onward.Host{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				w.WriteHeader(http.StatusBadRequest)
			}
			if r.URL.Path == "/unclaimed" {
				w.Header().Set("Own", "yes")
				w.WriteHeader(http.StatusNotImplemented)
			}
			fmt.Fprintf(w, "own %s %q %s", r.Header.Get("Key"), body, r.Header.Get("Via"))
		}),
		Serves: func(r *http.Request) bool { return r.URL.Path == "/own" || r.URL.Path == "/unclaimed" },
		Leave: func(h http.Header, key string) {
			if h.Get("Key") == "mine" {
				h.Del("Key")
				if key != "" {
					h.Set("Key", key)
				}
			}
		},
		Fail: func(w http.ResponseWriter, _ *http.Request, err error) {
			code := map[string]int{refusal.Upstream: http.StatusBadGateway, refusal.Loop: http.StatusLoopDetected, refusal.TooLarge: 413}
			http.Error(w, err.Error(), code[refusal.In(err).Code])
		},
		Logger: slog.New(slog.DiscardHandler),
	}
}

// beside puts other hosts beside an own one.
func beside(t *testing.T, front, fallback onward.Other) string {
	t.Helper()
	h, err := own().Others(front, fallback)
	if err != nil {
		t.Fatal(err)
	}
	return served(t, h)
}

// other is another host: /missing and /unable are not there, all else tells what came.
func other(t *testing.T) string {
	return served(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Set-Cookie", "a=b")
		switch r.URL.Path {
		case "/missing", "/own":
			_, _ = io.CopyN(io.Discard, r.Body, 3) // as a host that looks at the body first
			w.WriteHeader(http.StatusNotFound)
		case "/unable":
			w.WriteHeader(http.StatusNotImplemented)
		case "/broken":
			w.WriteHeader(http.StatusInternalServerError)
		default:
			body, _ := io.ReadAll(r.Body)
			fmt.Fprintf(w, "other %s %q cookie=%s", r.Header.Get("Key"), body, r.Header.Get("Cookie"))
		}
	}))
}

func ask(t *testing.T, method, url, key, body string) (status int, text string, header http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Cookie", "session=1")
	if key != "" {
		r.Header.Set("Key", key)
	}
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer reply.Body.Close()
	got, err := io.ReadAll(reply.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply.StatusCode, strings.TrimSpace(string(got)), reply.Header
}

func TestWhoAnswers(t *testing.T) {
	there := other(t)
	front, fallback := beside(t, onward.Other{URL: there, Key: "theirs"}, onward.Other{}), beside(t, onward.Other{},
		onward.Other{URL: there, Key: "theirs"})
	for _, c := range []struct{ base, path, key, want string }{
		{fallback, "/own", "mine", `200 own mine "body" `},
		{fallback, "/else", "mine", `200 other theirs "body" cookie=`},      // a key of the host is replaced
		{fallback, "/unclaimed", "mine", `200 other theirs "body" cookie=`}, // what the host cannot do
		{fallback, "/else", "client's", `200 other client's "body" cookie=`},
		{fallback, "/else", "", `200 other  "body" cookie=`}, // who has no key of the host gets none of the other one
		{fallback, "/missing", "mine", `404 `},
		{front, "/own", "mine", `200 own mine "body" `},
		{front, "/missing", "mine", `200 own mine "body" `},
		{front, "/unable", "client's", `200 own client's "body" `},
		{front, "/else", "mine", `200 other theirs "body" cookie=`},
		{front, "/broken", "mine", `500 `},
	} {
		status, text, header := ask(t, http.MethodPost, c.base+c.path, c.key, "body")
		if got := fmt.Sprintf("%d %s", status, text); got != c.want && got != strings.TrimSuffix(c.want, " ") {
			t.Errorf("%s with %q: %s, want %s", c.path, c.key, got, c.want)
		}
		if header.Get("Own") != "" {
			t.Errorf("%s: a header of the answer that was not given came through", c.path)
		}
		if header.Get("Set-Cookie") != "" {
			t.Errorf("%s: a cookie of the other host came through", c.path)
		}
		if fromOther := !strings.Contains(c.want, "own"); (header.Get("Via") != "") != fromOther {
			t.Errorf("%s: Via is %q", c.path, header.Get("Via"))
		}
	}
	plain := beside(t, onward.Other{}, onward.Other{URL: there})
	if _, text, _ := ask(t, http.MethodPost, plain+"/else", "mine", ""); text != `other  "" cookie=` {
		t.Errorf("without a key for the other host: %s", text)
	}
}

// A body of any size that comes through is whole, whoever answers; one that cannot be shown again is refused.
func TestBodies(t *testing.T) {
	there := other(t)
	base := beside(t, onward.Other{URL: there}, onward.Other{})
	large := strings.Repeat("x", 1<<20)
	if _, text, _ := ask(t, http.MethodPost, base+"/missing", "", large); len(text) < len(large) || !strings.HasPrefix(text, "own") {
		t.Errorf("%d bytes of %d, %.20s", len(text), len(large), text)
	}
	if _, text, _ := ask(t, http.MethodPost, base+"/else", "", large); len(text) < len(large) || !strings.HasPrefix(text, "other") {
		t.Errorf("%d bytes of %d, %.20s", len(text), len(large), text)
	}
	swallows := served(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(http.StatusNotFound)
	}))
	base = beside(t, onward.Other{URL: swallows}, onward.Other{})
	if status, text, _ := ask(t, http.MethodPost, base+"/missing", "", strings.Repeat("x", 9<<20)); status != 413 {
		t.Errorf("a body that cannot be kept: %d %.80s", status, text)
	}
}

// Events come through one by one, in both directions at once where somebody sends a body as it is made.
func TestStreams(t *testing.T) {
	there := served(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		control := http.NewResponseController(w)
		if err := control.EnableFullDuplex(); err != nil {
			t.Error(err)
		}
		for lines := bufio.NewScanner(r.Body); lines.Scan(); {
			fmt.Fprintf(w, "data: %s\n\n", lines.Text())
			_ = control.Flush()
		}
	}))
	for name, base := range map[string]string{
		"fallback": beside(t, onward.Other{}, onward.Other{URL: there}), "front": beside(t, onward.Other{URL: there}, onward.Other{}),
	} {
		body, write := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, base+"/events", body)
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = io.WriteString(write, "1\n") }()
		reply, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(reply.Body)
		for i := 1; i <= 3; i++ { // the next is sent when the one before has arrived
			if got, err := lines.ReadString('\n'); err != nil || got != fmt.Sprintf("data: %d\n", i) {
				t.Fatalf("%s: event %d: %q %v", name, i, got, err)
			}
			if _, err := lines.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			if _, err := fmt.Fprintln(write, i+1); err != nil {
				t.Fatal(err)
			}
		}
		cancel()
		_ = write.Close()
		_ = reply.Body.Close()
	}
}

// Two hosts that pass requests on to each other refuse what comes round, and so does one before itself.
func TestLoops(t *testing.T) {
	var one, two http.Handler
	at := func(h *http.Handler) string {
		return served(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { (*h).ServeHTTP(w, r) }))
	}
	first, second := at(&one), at(&two)
	var err error
	if one, err = own().Others(onward.Other{}, onward.Other{URL: second}); err != nil {
		t.Fatal(err)
	}
	if two, err = own().Others(onward.Other{}, onward.Other{URL: first}); err != nil {
		t.Fatal(err)
	}
	if status, text, _ := ask(t, http.MethodGet, first+"/else", "", ""); status != http.StatusLoopDetected ||
		!strings.Contains(text, "circle") {
		t.Errorf("round: %d %s", status, text)
	}
	if two, err = own().Others(onward.Other{URL: second}, onward.Other{}); err != nil {
		t.Fatal(err)
	}
	if status, _, _ := ask(t, http.MethodGet, second+"/else", "", ""); status != http.StatusLoopDetected {
		t.Errorf("before itself: %d", status)
	}
}

func TestNobodyAnswers(t *testing.T) {
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	nobody, there := onward.Other{}, onward.Other{URL: gone.URL}
	for _, base := range []string{beside(t, there, nobody), beside(t, nobody, there)} {
		if status, text, _ := ask(t, http.MethodGet, base+"/else", "", ""); status != http.StatusBadGateway || !strings.Contains(text,
			gone.URL+", which this simulated host passes requests on to, does not answer") {
			t.Errorf("%d %s", status, text)
		}
	}
	for _, wrong := range []string{"nowhere", "ftp://example.com", "http://"} {
		if _, err := own().Others(onward.Other{}, onward.Other{URL: wrong}); err == nil {
			t.Errorf("%q is an address", wrong)
		}
	}
}

// Many bodies at once are each shown to the right host, whole.
func TestManyAtOnce(t *testing.T) {
	base := beside(t, onward.Other{URL: other(t)}, onward.Other{})
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			body := strings.Repeat(fmt.Sprint(i), 50_000)
			path, from := "/missing", "own"
			if i%2 == 0 {
				path, from = "/else", "other"
			}
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+path, bytes.NewReader([]byte(body)))
			if err != nil {
				t.Error(err)
				return
			}
			reply, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			defer reply.Body.Close()
			got, _ := io.ReadAll(reply.Body)
			if !strings.HasPrefix(string(got), from) || !strings.Contains(string(got), body) {
				t.Errorf("%s: %.20s, %d bytes", path, got, len(got))
			}
		})
	}
	all.Wait()
}
