package browsertest

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// Problems, dialogs and requests of a page are collected.
func TestProblemsAreHeard(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<!doctype html><title>bad</title><link rel=icon href=data:,><img src=/missing>
<script>console.error("told"); alert("opened"); setTimeout(() => { throw new Error("thrown") });
setTimeout(() => { document.title = "late" }, 50)</script>`))
	}))
	t.Cleanup(server.Close)
	p := Open(t, Phone)
	p.Do(chromedp.Navigate(server.URL))
	p.Until(`document.title === "late"`)
	if width := Read[int](p, `window.innerWidth`); width != Phone {
		t.Errorf("the page is %d pixels wide, want %d", width, Phone)
	}
	for what, heard := range map[string][]string{"told": p.Problems(), "thrown": p.Problems(), "404": p.Problems(),
		"opened": p.Dialogs(), "/missing": p.Requests()} {
		if !strings.Contains(strings.Join(heard, "\n"), what) {
			t.Errorf("%q was not heard: %q", what, heard)
		}
	}
}
