package console_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/simhost/internal/consoletest"
)

// Other machines, and names that are not this machine's, are turned away, unless that is asked for.
func TestTheConsoleIsForThisMachine(t *testing.T) {
	near, far := console.New(console.Options{}), console.New(console.Options{Remote: true})
	for _, c := range []struct {
		from, host   string
		here, remote int
	}{
		{"127.0.0.1:5000", "127.0.0.1:7411", http.StatusOK, http.StatusOK},
		{"[::1]:5000", "[::1]:7411", http.StatusOK, http.StatusOK},
		{"[::ffff:127.0.0.1]:5000", "localhost:7411", http.StatusOK, http.StatusOK},
		{"127.0.0.1:5000", "LOCALHOST.", http.StatusOK, http.StatusOK},
		{"127.0.0.1:5000", "console.localhost:7411", http.StatusOK, http.StatusOK},
		{"127.0.0.1:5000", "evil.example:7411", http.StatusForbidden, http.StatusOK}, // a name that was pointed here
		{"127.0.0.1:5000", "127.0.0.1.evil.example", http.StatusForbidden, http.StatusOK},
		{"192.0.2.7:5000", "192.0.2.1:7411", http.StatusForbidden, http.StatusOK},
		{"192.0.2.7:5000", "localhost:7411", http.StatusForbidden, http.StatusOK},
		{"", "localhost:7411", http.StatusForbidden, http.StatusOK},
	} {
		for at, want := range map[*console.Console]int{near: c.here, far: c.remote} {
			q := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/console/login", nil)
			q.RemoteAddr, q.Host = c.from, c.host
			w := httptest.NewRecorder()
			at.Handler().ServeHTTP(w, q)
			if w.Code != want {
				t.Errorf("from %q to %q, remote %t: %d, want %d", c.from, c.host, at == far, w.Code, want)
			}
			if got := w.Header().Get("Content-Security-Policy"); got != console.Policy {
				t.Errorf("from %q to %q: the policy %q", c.from, c.host, got)
			}
		}
	}
}

func TestSigningIn(t *testing.T) {
	wire := clock.NewManual(time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC))
	r, _ := open(t, console.Options{Wire: wire}, shop{name: "books", keys: []string{"a key"}})
	if got := r.Post("/console/login", url.Values{"key": {"dev"}}); got.Status != http.StatusForbidden ||
		len(got.Header.Values("Set-Cookie")) > 0 || !strings.Contains(got.Body, "does not know that key") {
		t.Errorf("a wrong key: %d %v", got.Status, got.Header)
	}
	got := r.Post("/console/login", url.Values{"key": {" a key\n"}, "next": {"/console/books?x=1"}})
	if got.Status != http.StatusSeeOther || got.Header.Get("Location") != "/console/books?x=1" {
		t.Fatalf("the key: %d to %q", got.Status, got.Header.Get("Location"))
	}
	cookie := got.Header.Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Strict", "Path=/console"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookie %q has no %s", cookie, want)
		}
	}
	if strings.Contains(cookie, "key") {
		t.Errorf("the cookie %q holds the key", cookie)
	}
	if got := r.Get("/console/books"); got.Status != http.StatusOK {
		t.Errorf("signed in: %d", got.Status)
	}
	wire.Advance(console.SessionLife - time.Minute)
	if got := r.Get("/console/books"); got.Status != http.StatusOK {
		t.Errorf("a session that is in use: %d", got.Status)
	}
	wire.Advance(console.SessionLife + time.Minute)
	if got := r.Get("/console/books"); got.Status != http.StatusSeeOther {
		t.Errorf("a session that nobody used for long: %d", got.Status)
	}
	r.SignIn("a key")
	if got := r.Post("/console/logout", url.Values{}); got.Status != http.StatusSeeOther {
		t.Errorf("signing out: %d", got.Status)
	}
	if got := r.Send(http.MethodGet, "/console/books", nil, "Cookie", strings.SplitN(cookie, ";", 2)[0]); got.Status != http.StatusSeeOther {
		t.Errorf("a token that is over: %d", got.Status)
	}
	for range console.Guesses {
		r.Post("/console/login", url.Values{"key": {"guess"}})
	}
	if got := r.Post("/console/login", url.Values{"key": {"a key"}}); got.Status != http.StatusTooManyRequests {
		t.Errorf("after %d guesses: %d", console.Guesses, got.Status)
	}
	wire.Advance(2 * console.Guessing)
	r.SignIn("a key")
}

func TestSignedInGoesToPagesOfTheConsole(t *testing.T) {
	const first = console.Prefix
	for asked, want := range map[string]string{
		"": first, "/console/runs/x?from=3": "/console/runs/x?from=3", "https://evil.example/console": first, "//evil.example/console": first,
		"/v1/runs": first, "/consoles": first, "/console\\@evil.example": first, "javascript:alert(1)": first, "/console/../v1/runs": first,
	} {
		if got := console.NextOf(asked); got != want {
			t.Errorf("%q leads to %q, want %q", asked, got, want)
		}
	}
}

// Streams end when the page goes, when its session ends, and at once when the server stops.
func TestStreamsEnd(t *testing.T) {
	r, store := open(t, console.Options{}, shop{name: "books", keys: []string{"dev"}})
	r.SignIn("dev")
	gone, signedOut, last := r.Listen(), r.Listen(), r.Listen()
	for _, e := range []*consoletest.Ear{gone, signedOut, last} {
		e.Until("*")
	}
	gone.Leave()
	r.Post("/console/logout", url.Values{})
	if _, err := store.Append(t.Context(), "books", 0, []byte("{}")); err != nil {
		t.Fatal(err)
	}
	for _, e := range []*consoletest.Ear{signedOut, last} {
		if got := e.Next(); got != "" {
			t.Errorf("who has signed out hears %q", got)
		}
	}
	r.SignIn("dev")
	last = r.Listen()
	last.Until("*")
	r.Stop() // fails the test where the stream is still open when the server's patience is over
	if got := last.Next(); got != "" {
		t.Errorf("heard %q", got)
	}
}

// Who has a key of one host sees the pages of that one; who has a key of several sees them beside each other.
func TestAKeyOfOneHost(t *testing.T) {
	r, _ := open(t, console.Options{},
		shop{"books", []string{"both", "reader"}, []string{"which"}}, shop{"tools", []string{"both", "smith"}, []string{"how"}})
	for key, c := range map[string]struct {
		first, menu, waiting string
		books, tools         int
	}{
		"both":   {"books", "books tools Waiting Clock broken-books broken-tools", "which? how?", http.StatusOK, http.StatusOK},
		"reader": {"books", "books Waiting Clock broken-books", "which?", http.StatusOK, http.StatusNotFound},
		"smith":  {"tools", "tools Waiting Clock broken-tools", "how?", http.StatusNotFound, http.StatusOK},
	} {
		r.SignIn(key)
		first := r.Get("/console").Body
		if !strings.Contains(first, "<h1>The goods of "+c.first+"</h1>") || !strings.Contains(first, ">a client of "+c.first+"<") {
			t.Errorf("the first page with %s: %s", key, first)
		}
		if got := all(first, `<a href="/console[^"]*"[^>]*>([\w-]+)[ <]`); got != c.menu {
			t.Errorf("the menu with %s: %q", key, got)
		}
		if got := all(first, `<span class="count">(\d)</span>`); got != strconv.Itoa(len(strings.Fields(c.waiting))) {
			t.Errorf("with %s %q are counted", key, got)
		}
		if got := all(r.Get("/console/waiting").Body, `<form>(\w+\?)</form>`); got != c.waiting {
			t.Errorf("with %s there waits %q", key, got)
		}
		for path, want := range map[string]int{"/console/books": c.books, "/console/tools": c.tools, "/console/tools/none": http.StatusNotFound,
			"/console/clock": http.StatusOK, "/console/else": http.StatusNotFound} {
			if got := r.Get(path); got.Status != want {
				t.Errorf("%s with %s: %d, want %d", path, key, got.Status, want)
			}
		}
	}
}

// all is what a group of an expression matches, one after the other.
func all(page, expression string) string {
	var found []string
	for _, m := range regexp.MustCompile(expression).FindAllStringSubmatch(page, -1) {
		found = append(found, m[1])
	}
	return strings.Join(found, " ")
}

func TestNothingWaits(t *testing.T) {
	r, _ := open(t, console.Options{}, shop{name: "books", keys: []string{"dev"}}, shop{name: "tools"})
	r.SignIn("dev")
	if got := r.Get("/console/waiting").Body; !strings.Contains(got, "<p>Nothing waits for anybody.</p>books asks nothing.</div>") {
		t.Errorf("what waits: %s", got)
	}
}
