package pages

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/simhost/openwop/surface"
)

// Nothing is shown, and nothing is done, before a key was given; the policy stands on every answer.
func TestNothingWithoutAKey(t *testing.T) {
	r := open(t, surface.Options{})
	id := r.create("dev", "assay-questions", nil)
	for _, path := range []string{"/console", "/console/", "/console/start", "/console/runs/" + id, "/console/runs/" + id + "/files",
		"/console/waiting", "/console/goals", "/console/faults", "/console/clock", "/console/else"} {
		got := r.Get(path)
		if got.Status != http.StatusSeeOther || got.Header.Get("Location") != "/console/login?next="+url.QueryEscape(path) {
			t.Errorf("%s: %d to %q", path, got.Status, got.Header.Get("Location"))
		}
		if !strings.HasPrefix(got.Header.Get("Content-Security-Policy"), "default-src 'none'; ") ||
			got.Header.Get("Cache-Control") != "no-store" || got.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: headers %v", path, got.Header)
		}
	}
	for _, path := range []string{"/console/start", "/console/faults", "/console/clock", "/console/runs/" + id + "/answer",
		"/console/runs/" + id + "/do"} {
		if got := r.Post(path, url.Values{"fault": {"loop.seam-constant"}, "do": {"cancel"}}); got.Status != http.StatusSeeOther ||
			got.Header.Get("Location") != "/console/login" {
			t.Errorf("%s: %d to %q", path, got.Status, got.Header.Get("Location"))
		}
	}
	if got := r.Get("/console/live"); got.Status != http.StatusUnauthorized {
		t.Errorf("the stream: %d", got.Status)
	}
	r.SignIn("dev")
	if on := r.host.On().Faults; len(on) > 0 {
		t.Errorf("faults are on: %q", on)
	}
	r.Until("/console/runs/"+id, "waiting-input")
}

// Who may see a run need not be who may answer it.
func TestAKeyThatMayNotAnswer(t *testing.T) {
	r := open(t, surface.Options{LowScopeKey: "low"})
	r.SignIn("low")
	id := r.create("dev", "assay-questions", nil)
	if got := r.Post("/console/runs/"+id+"/answer", url.Values{"node": {"ask"},
		"text:q1": {"no"}}); got.Status != http.StatusForbidden || !strings.Contains(got.Body, "approvals:respond") {
		t.Errorf("who may not answer: %d", got.Status)
	}
	if got := r.Get("/console/clock"); !strings.Contains(got.Body, `id="who">low-scope of local<`) {
		t.Errorf("who that is: %s", got.Body)
	}
}

// A request that a page of somebody else makes changes nothing, whatever the browser sends along.
func TestPagesOfOthersDoNothing(t *testing.T) {
	r := open(t, surface.Options{})
	r.SignIn("dev")
	for _, from := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "http://evil.example"},
		{"Origin", "http://127.0.0.1:1"}, {"Origin", "null"},
	} {
		for _, path := range []string{"/console/faults", "/console/start", "/console/login", "/console/logout"} {
			if got := r.Send(http.MethodPost, path, url.Values{"fault": {"loop.seam-constant"}, "workflow": {"conformance-noop"}},
				from...); got.Status != http.StatusForbidden {
				t.Errorf("%s with %q: %d", path, from, got.Status)
			}
		}
	}
	if on := r.host.On().Faults; len(on) > 0 {
		t.Errorf("faults are on: %q", on)
	}
	if got := r.Get("/console"); got.Status != http.StatusOK || !strings.Contains(got.Body, "No run yet") {
		t.Errorf("a run was started, or nobody is signed in: %d", got.Status)
	}
	if got := r.Send(http.MethodPost, "/console/start", url.Values{"workflow": {"conformance-noop"}}, "Origin", r.Base,
		"Sec-Fetch-Site", "same-origin"); got.Status != http.StatusSeeOther {
		t.Errorf("the page itself: %d", got.Status)
	}
}

// Tenants see their own, in lists, by id, and in what they hear.
func TestTenantsAreApart(t *testing.T) {
	r := open(t, surface.Options{Tenants: map[string]string{"other": "others-key"}})
	theirs := r.create("others-key", "assay-questions", nil)
	r.SignIn("dev")
	if got := r.Get("/console"); !strings.Contains(got.Body, "No run yet") {
		t.Errorf("the list holds what is not mine: %s", got.Body)
	}
	if got := r.Get("/console/waiting"); !strings.Contains(got.Body, "Nothing waits") {
		t.Errorf("what waits holds what is not mine: %s", got.Body)
	}
	for _, path := range []string{"/console/runs/" + theirs, "/console/runs/" + theirs + "/files",
		"/console/runs/run-aaaaaaaaaaaaaaaaaaaaaaaaaa", "/console/runs/host-starts"} {
		if got := r.Get(path); got.Status != http.StatusNotFound {
			t.Errorf("%s: %d", path, got.Status)
		}
	}
	if got := r.Post("/console/runs/"+theirs+"/answer", url.Values{"node": {"ask"}, "text:q1": {"mine"}}); got.Status != http.StatusNotFound {
		t.Errorf("answering: %d", got.Status)
	}
	if got := r.Post("/console/runs/"+theirs+"/do", url.Values{"do": {"cancel"}}); got.Status != http.StatusNotFound {
		t.Errorf("cancelling: %d", got.Status)
	}
	heard := r.Listen()
	if first := heard.Next(); first != "*" {
		t.Fatalf("the stream begins with %q", first)
	}
	r.create("others-key", "conformance-noop", nil)
	mine := r.create("dev", "conformance-noop", nil)
	if got := heard.Next(); !slices.Contains(strings.Fields(got), topicOf(mine)) || strings.Count(got, "run/") != 1 {
		t.Errorf("heard %q", got)
	}
}
