package console

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/openwop/surface"
)

// Other machines, and names that are not this machine's, are turned away, unless that is asked for.
func TestTheConsoleIsForThisMachine(t *testing.T) {
	r := open(t, surface.Options{})
	far := open(t, surface.Options{}, func(o *Options) { o.Remote = true })
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
		for console, want := range map[*Console]int{r.console: c.here, far.console: c.remote} {
			q := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/console/login", nil)
			q.RemoteAddr, q.Host = c.from, c.host
			w := httptest.NewRecorder()
			console.Handler().ServeHTTP(w, q)
			if w.Code != want {
				t.Errorf("from %q to %q, remote %t: %d, want %d", c.from, c.host, console.o.Remote, w.Code, want)
			}
		}
	}
}

// Nothing is shown, and nothing is done, before a key was given; the policy stands on every answer.
func TestNothingWithoutAKey(t *testing.T) {
	r := open(t, surface.Options{})
	id := r.create("dev", "assay-questions", nil)
	for _, path := range []string{"/console", "/console/", "/console/start", "/console/runs/" + id, "/console/runs/" + id + "/files",
		"/console/waiting", "/console/goals", "/console/faults", "/console/clock", "/console/else"} {
		got := r.get(path)
		if got.status != http.StatusSeeOther || got.header.Get("Location") != "/console/login?next="+url.QueryEscape(path) {
			t.Errorf("%s: %d to %q", path, got.status, got.header.Get("Location"))
		}
		if got.header.Get("Content-Security-Policy") != policy || got.header.Get("Cache-Control") != "no-store" ||
			got.header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: headers %v", path, got.header)
		}
	}
	for _, path := range []string{"/console/start", "/console/faults", "/console/clock", "/console/runs/" + id + "/answer",
		"/console/runs/" + id + "/do"} {
		if got := r.post(path, url.Values{"fault": {"loop.seam-constant"}, "do": {"cancel"}}); got.status != http.StatusSeeOther ||
			got.header.Get("Location") != "/console/login" {
			t.Errorf("%s: %d to %q", path, got.status, got.header.Get("Location"))
		}
	}
	if got := r.get("/console/live"); got.status != http.StatusUnauthorized {
		t.Errorf("the stream: %d", got.status)
	}
	r.signIn("dev")
	if on := r.host.Faults(); len(on) > 0 {
		t.Errorf("faults are on: %q", on)
	}
	r.until("/console/runs/"+id, "waiting-input")
}

func TestSigningIn(t *testing.T) {
	wire := clock.NewManual(time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC))
	r := open(t, surface.Options{Key: "a key", LowScopeKey: "low"}, func(o *Options) { o.Wire = wire })
	if got := r.post("/console/login", url.Values{"key": {"dev"}}); got.status != http.StatusForbidden ||
		len(got.header.Values("Set-Cookie")) > 0 || !strings.Contains(got.body, "does not know that key") {
		t.Errorf("a wrong key: %d %v", got.status, got.header)
	}
	got := r.post("/console/login", url.Values{"key": {" a key\n"}, "next": {"/console/goals?x=1"}})
	if got.status != http.StatusSeeOther || got.header.Get("Location") != "/console/goals?x=1" {
		t.Fatalf("the key: %d to %q", got.status, got.header.Get("Location"))
	}
	cookie := got.header.Get("Set-Cookie")
	for _, want := range []string{"HttpOnly", "SameSite=Strict", "Path=/console"} {
		if !strings.Contains(cookie, want) {
			t.Errorf("the cookie %q has no %s", cookie, want)
		}
	}
	if strings.Contains(cookie, "key") {
		t.Errorf("the cookie %q holds the key", cookie)
	}
	if got := r.get("/console/goals"); got.status != http.StatusOK {
		t.Errorf("signed in: %d", got.status)
	}
	wire.Advance(sessionLife - time.Minute)
	if got := r.get("/console/goals"); got.status != http.StatusOK {
		t.Errorf("a session that is in use: %d", got.status)
	}
	wire.Advance(sessionLife + time.Minute)
	if got := r.get("/console/goals"); got.status != http.StatusSeeOther {
		t.Errorf("a session that nobody used for long: %d", got.status)
	}
	r.signIn("a key")
	if got := r.post("/console/logout", url.Values{}); got.status != http.StatusSeeOther {
		t.Errorf("signing out: %d", got.status)
	}
	if got := r.send(http.MethodGet, "/console/goals", nil, "Cookie", strings.SplitN(cookie, ";", 2)[0]); got.status != http.StatusSeeOther {
		t.Errorf("a token that is over: %d", got.status)
	}
	for range guesses {
		r.post("/console/login", url.Values{"key": {"guess"}})
	}
	if got := r.post("/console/login", url.Values{"key": {"a key"}}); got.status != http.StatusTooManyRequests {
		t.Errorf("after %d guesses: %d", guesses, got.status)
	}
	wire.Advance(2 * guessing)
	r.signIn("low")
	id := r.create("a key", "assay-questions", nil)
	if got := r.post("/console/runs/"+id+"/answer", url.Values{"node": {"ask"},
		"text:q1": {"no"}}); got.status != http.StatusForbidden || !strings.Contains(got.body, "approvals:respond") {
		t.Errorf("who may not answer: %d", got.status)
	}
}

func TestSignedInGoesToPagesOfTheConsole(t *testing.T) {
	for asked, want := range map[string]string{
		"": Prefix, "/console/runs/x?from=3": "/console/runs/x?from=3", "https://evil.example/console": Prefix, "//evil.example/console": Prefix,
		"/v1/runs": Prefix, "/consoles": Prefix, "/console\\@evil.example": Prefix, "javascript:alert(1)": Prefix, "/console/../v1/runs": Prefix,
	} {
		if got := nextOf(asked); got != want {
			t.Errorf("%q leads to %q, want %q", asked, got, want)
		}
	}
}

// A request that a page of somebody else makes changes nothing, whatever the browser sends along.
func TestPagesOfOthersDoNothing(t *testing.T) {
	r := open(t, surface.Options{})
	r.signIn("dev")
	for _, from := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "http://evil.example"},
		{"Origin", "http://127.0.0.1:1"}, {"Origin", "null"},
	} {
		for _, path := range []string{"/console/faults", "/console/start", "/console/login", "/console/logout"} {
			if got := r.send(http.MethodPost, path, url.Values{"fault": {"loop.seam-constant"}, "workflow": {"conformance-noop"}},
				from...); got.status != http.StatusForbidden {
				t.Errorf("%s with %q: %d", path, from, got.status)
			}
		}
	}
	if on := r.host.Faults(); len(on) > 0 {
		t.Errorf("faults are on: %q", on)
	}
	if got := r.get("/console"); got.status != http.StatusOK || !strings.Contains(got.body, "No run yet") {
		t.Errorf("a run was started, or nobody is signed in: %d", got.status)
	}
	if got := r.send(http.MethodPost, "/console/start", url.Values{"workflow": {"conformance-noop"}}, "Origin", r.base,
		"Sec-Fetch-Site", "same-origin"); got.status != http.StatusSeeOther {
		t.Errorf("the page itself: %d", got.status)
	}
}

// Tenants see their own, in lists, by id, and in what they hear.
func TestTenantsAreApart(t *testing.T) {
	r := open(t, surface.Options{Tenants: map[string]string{"other": "others-key"}})
	theirs := r.create("others-key", "assay-questions", nil)
	r.signIn("dev")
	if got := r.get("/console"); !strings.Contains(got.body, "No run yet") {
		t.Errorf("the list holds what is not mine: %s", got.body)
	}
	if got := r.get("/console/waiting"); !strings.Contains(got.body, "Nothing waits") {
		t.Errorf("what waits holds what is not mine: %s", got.body)
	}
	for _, path := range []string{"/console/runs/" + theirs, "/console/runs/" + theirs + "/files",
		"/console/runs/run-aaaaaaaaaaaaaaaaaaaaaaaaaa", "/console/runs/host-starts"} {
		if got := r.get(path); got.status != http.StatusNotFound {
			t.Errorf("%s: %d", path, got.status)
		}
	}
	if got := r.post("/console/runs/"+theirs+"/answer", url.Values{"node": {"ask"}, "text:q1": {"mine"}}); got.status != http.StatusNotFound {
		t.Errorf("answering: %d", got.status)
	}
	if got := r.post("/console/runs/"+theirs+"/do", url.Values{"do": {"cancel"}}); got.status != http.StatusNotFound {
		t.Errorf("cancelling: %d", got.status)
	}
	heard := r.listen()
	if first := heard.next(); first != "*" {
		t.Fatalf("the stream begins with %q", first)
	}
	r.create("others-key", "conformance-noop", nil)
	mine := r.create("dev", "conformance-noop", nil)
	if got := heard.next(); !slices.Contains(strings.Fields(got), topicOf(mine)) || strings.Count(got, "run/") != 1 {
		t.Errorf("heard %q", got)
	}
}
