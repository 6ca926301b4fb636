package pages

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"go.uber.org/goleak"

	"github.com/openassay/assay/internal/browsertest"
	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/simhost/internal/consoletest"
	"github.com/openassay/assay/simhost/openintent/faulty"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open starts a server with its console. It is stopped when the test ends.
func open(t *testing.T) *consoletest.Rig {
	t.Helper()
	host, err := faulty.OpenSwitchable(t.Context(), faulty.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := host.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return consoletest.Open(t, console.Options{Parts: []console.Part{Part(host)}, Store: host.Store()}, host.Handler())
}

// An intent that waits is shown with a form; time is let pass for it, and the answer ends it.
func TestAnIntentIsAnsweredInABrowser(t *testing.T) {
	r := open(t)
	for name, width := range map[string]int{"wide": browsertest.Wide, "phone": browsertest.Phone} {
		t.Run(name, func(t *testing.T) {
			at := r.In(t)
			p, watching := at.Visit(width), at.Visit(browsertest.Phone)
			p.Do(chromedp.Click(`a[href="/console/intents"]`))
			p.Until(`document.querySelector("form[action='/console/intents']") && document.querySelector("#lamp.on")`)
			p.Do(chromedp.Click(`form[action="/console/intents"] button`))
			p.Until(`document.querySelector("#asks button[value=yes]") && document.querySelector("#lamp.on")`)
			watching.Until(`document.querySelector("#menu .count")?.textContent === "1"`)
			p.Do(chromedp.Click(`button[value="1h"]`))
			p.Until(`document.querySelector("#log").textContent.includes("renotified") && document.querySelector("#lamp.on")`)
			consoletest.Fits(t, p, "an intent")
			p.Screenshot("console-intent-" + name)
			p.Do(chromedp.Navigate(r.Base + "/console/waiting"))
			p.Until(`document.querySelector("#questions form button[value=yes]")`)
			consoletest.Fits(t, p, "what waits")
			p.Do(chromedp.Click(`#questions form button[value=yes]`))
			p.Until(`document.querySelector("#status .word")?.textContent === "active" && document.querySelector("#log").textContent.includes("intent.resumed")`)
			watching.Until(`!document.querySelector("#menu .count")`)
			p.Do(chromedp.Navigate(r.Base + "/console/intents"))
			p.Until(`document.querySelector("#intents .run-row") && document.querySelector("#lamp.on")`)
			consoletest.Fits(t, p, "the list")
			p.Screenshot("console-intents-" + name)
			consoletest.Sound(t, p)
			consoletest.Sound(t, watching)
		})
	}
}

// A server of OpenIntent alone has a console of its own; what it refuses it says.
func TestAConsoleOfIntentsAlone(t *testing.T) {
	r := open(t)
	if got := r.Post("/console/login", url.Values{"key": {"no"}}); got.Status != http.StatusForbidden {
		t.Errorf("a wrong key: %d", got.Status)
	}
	r.SignIn("dev")
	if got := r.Get("/console"); got.Header.Get("Location") != "/console/intents" {
		t.Errorf("the first page: %d to %q", got.Status, got.Header.Get("Location"))
	}
	for _, path := range []string{"/console/runs/run-x", "/console/goals", "/console/intents/none"} {
		if got := r.Get(path); got.Status != http.StatusNotFound {
			t.Errorf("%s: %d", path, got.Status)
		}
	}
	made := r.Post("/console/intents", url.Values{}).Header.Get("Location")
	page := r.Get(made)
	id := regexp.MustCompile(`name="suspension" value="([^"]+)"`).FindStringSubmatch(page.Body)
	if page.Status != http.StatusOK || id == nil {
		t.Fatalf("the example %s: %d %s", made, page.Status, page.Body)
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
		if got := r.Post(made+c.path, c.form); got.Status != c.want || !strings.Contains(got.Body, c.says) {
			t.Errorf("%s %v: %d, want %d: %s", c.path, c.form, got.Status, c.want, got.Body)
		}
	}
	if page := r.Get(made); !strings.Contains(page.Body, "intent.resumed") ||
		strings.Contains(page.Body, `name="suspension"`) {
		t.Errorf("after the answer: %s", page.Body)
	}
}
