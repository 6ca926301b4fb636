package console

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/openassay/assay/internal/browsertest"
	"github.com/openassay/assay/simhost/openintent"
	"github.com/openassay/assay/simhost/openwop/surface"
)

// withIntents has a console show an OpenIntent server beside the host.
func withIntents(t *testing.T, o openintent.Options) func(*Options) {
	return func(c *Options) {
		t.Helper()
		o.Store = c.Host.Store()
		host, err := openintent.New(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		c.Intents = host
	}
}

// An intent that waits is shown with a form; time is let pass for it, and the answer ends it.
func TestAnIntentIsAnsweredInABrowser(t *testing.T) {
	r := open(t, surface.Options{}, withIntents(t, openintent.Options{}))
	for name, width := range map[string]int{"wide": browsertest.Wide, "phone": browsertest.Phone} {
		t.Run(name, func(t *testing.T) {
			at := *r
			at.t = t
			p, watching := at.visit(width), at.visit(browsertest.Phone)
			p.Do(chromedp.Click(`a[href="/console/intents"]`))
			p.Until(`document.querySelector("form[action='/console/intents']") && document.querySelector("#lamp.on")`)
			p.Do(chromedp.Click(`form[action="/console/intents"] button`))
			p.Until(`document.querySelector("#asks button[value=yes]") && document.querySelector("#lamp.on")`)
			watching.Until(`document.querySelector("#menu .count")?.textContent === "1"`)
			p.Do(chromedp.Click(`button[value="1h"]`))
			p.Until(`document.querySelector("#log").textContent.includes("renotified") && document.querySelector("#lamp.on")`)
			fits(t, p, "an intent")
			p.Screenshot("console-intent-" + name)
			p.Do(chromedp.Navigate(r.base + "/console/waiting"))
			p.Until(`document.querySelector("#questions form button[value=yes]")`)
			fits(t, p, "what waits")
			p.Do(chromedp.Click(`#questions form button[value=yes]`))
			p.Until(`document.querySelector("#status .word")?.textContent === "active" && document.querySelector("#log").textContent.includes("intent.resumed")`)
			watching.Until(`!document.querySelector("#menu .count")`)
			p.Do(chromedp.Navigate(r.base + "/console/intents"))
			p.Until(`document.querySelector("#intents .run-row") && document.querySelector("#lamp.on")`)
			fits(t, p, "the list")
			p.Screenshot("console-intents-" + name)
			sound(t, p)
			sound(t, watching)
		})
	}
}

func fits(t *testing.T, p *browsertest.Page, page string) {
	t.Helper()
	if over := browsertest.Read[int](p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
		t.Errorf("%s is %d pixels wider than the window", page, over)
	}
}

// Who has a key of one protocol sees the pages of that one.
func TestAKeyOfOneProtocol(t *testing.T) {
	r := open(t, surface.Options{Tenants: map[string]string{"other": "others-key"}},
		withIntents(t, openintent.Options{Callers: map[string]string{"bob": "bobs-key"}}))
	for key, want := range map[string][2]int{"dev": {200, 200}, "others-key": {200, 404}, "bobs-key": {404, 200}} {
		r.signIn(key)
		for i, path := range []string{"/console/goals", "/console/intents"} {
			if got := r.get(path); got.status != want[i] {
				t.Errorf("%s with %s: %d, want %d", path, key, got.status, want[i])
			}
		}
		for _, path := range []string{"/console/waiting", "/console/clock"} {
			if got := r.get(path); got.status != http.StatusOK {
				t.Errorf("%s with %s: %d", path, key, got.status)
			}
		}
		if got := r.get("/console"); (got.status == http.StatusOK) != (want[0] == 200) || want[0] != 200 &&
			got.header.Get("Location") != "/console/intents" {
			t.Errorf("the first page with %s: %d to %q", key, got.status, got.header.Get("Location"))
		}
	}
}

// A server of OpenIntent alone has a console of its own; what it refuses it says.
func TestAConsoleOfIntentsAlone(t *testing.T) {
	host, err := openintent.New(t.Context(), openintent.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := New(Options{Intents: host})
	t.Cleanup(func() {
		c.Close()
		if err := host.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
	cookie := ""
	send := func(method, path string, form url.Values) *httptest.ResponseRecorder {
		q := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(form.Encode()))
		q.RemoteAddr, q.Host = "127.0.0.1:5000", "localhost:7411"
		q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		q.Header.Set("Cookie", cookie)
		w := httptest.NewRecorder()
		c.Handler().ServeHTTP(w, q)
		return w
	}
	if w := send(http.MethodPost, "/console/login", url.Values{"key": {"no"}}); w.Code != http.StatusForbidden {
		t.Errorf("a wrong key: %d", w.Code)
	}
	w := send(http.MethodPost, "/console/login", url.Values{"key": {"dev"}})
	cookie, _, _ = strings.Cut(w.Header().Get("Set-Cookie"), ";")
	if w := send(http.MethodGet, "/console", nil); w.Header().Get("Location") != "/console/intents" {
		t.Errorf("the first page: %d to %q", w.Code, w.Header().Get("Location"))
	}
	for _, path := range []string{"/console/runs/run-x", "/console/goals", "/console/faults", "/console/intents/none"} {
		if w := send(http.MethodGet, path, nil); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	made := send(http.MethodPost, "/console/intents", url.Values{}).Header().Get("Location")
	page := send(http.MethodGet, made, nil)
	id := regexp.MustCompile(`name="suspension" value="([^"]+)"`).FindStringSubmatch(page.Body.String())
	if page.Code != http.StatusOK || id == nil {
		t.Fatalf("the example %s: %d %s", made, page.Code, page.Body)
	}
	for _, c := range []struct {
		path string
		form url.Values
		want int
		says string
	}{
		{"/answer", url.Values{"suspension": {"other"}, "value": {"yes"}}, http.StatusConflict, "does not take"},
		{"/answer", url.Values{"suspension": {id[1]}, "value": {"perhaps"}}, http.StatusUnprocessableEntity, "choices"},
		{"/answer", url.Values{"suspension": {id[1]}, "as": {"json"}, "value": {"{"}}, http.StatusUnprocessableEntity, "no JSON"},
		{"/advance", url.Values{"by": {"-1h"}}, http.StatusUnprocessableEntity, "how far"},
		{"/advance", url.Values{"by": {"90m"}}, http.StatusSeeOther, ""},
		{"/answer", url.Values{"suspension": {id[1]}, "value": {"no"}}, http.StatusSeeOther, ""},
	} {
		if w := send(http.MethodPost, made+c.path, c.form); w.Code != c.want || !strings.Contains(w.Body.String(), c.says) {
			t.Errorf("%s %v: %d, want %d: %s", c.path, c.form, w.Code, c.want, w.Body)
		}
	}
	if page := send(http.MethodGet, made, nil); !strings.Contains(page.Body.String(), "intent.resumed") ||
		strings.Contains(page.Body.String(), `name="suspension"`) {
		t.Errorf("after the answer: %s", page.Body)
	}
}
