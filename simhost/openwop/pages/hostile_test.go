package pages

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/openassay/assay/internal/browsertest"
	"github.com/openassay/assay/simhost/internal/consoletest"
	"github.com/openassay/assay/simhost/openwop/surface"
)

// What clients have stored is text, wherever it is shown: nothing of it runs, loads or closes a tag.
func TestWhatClientsStoredIsInert(t *testing.T) {
	r := open(t, surface.Options{})
	const hostile = `"'><script>alert(1)</script><img src=/v1/stolen onerror=alert(2)></textarea></pre></dd><svg onload=alert(3)>{{.}}javascript:alert(4)&amp;` + "\u202e"
	r.SignIn("dev")
	asks := r.create("dev", "assay-loop-ask-user", map[string]any{
		hostile: hostile, "deep": map[string]any{hostile: []any{hostile}},
		"plan": []any{map[string]any{"kind": "ask-user", "prompt": hostile}, map[string]any{"kind": "terminate", "reason": hostile}},
	})
	questions := r.create("dev", "assay-questions", map[string]any{"questions": []any{
		map[string]any{"id": `q"><script>alert(5)</script>`, "question": hostile, "schema": map[string]any{"type": "string",
			"enum": []any{hostile, "plain"}}},
		map[string]any{"id": "json:x", "question": hostile, "schema": map[string]any{"type": "object", "title": hostile}},
	}})
	files := r.create("dev", "assay-loop-workspace", map[string]any{"writes": []any{[]any{map[string]any{"path": "notes/hostile.md",
		"content": hostile}}}})
	r.api(http.MethodPost, "/v1/host/sample/goals", "dev", map[string]any{
		"objective": hostile, "completion": map[string]any{"check": "host"}, "continuation": map[string]any{"mode": "manual"},
		"bounds": map[string]any{"maxLoopIterations": 5},
	})
	r.Until("/console/runs/"+asks, "waiting-input")
	r.Until("/console/runs/"+files, ">completed<")
	p := r.Visit(browsertest.Phone)
	for _, path := range []string{
		"/console", "/console/runs/" + asks, "/console/runs/" + questions, "/console/runs/" + files, "/console/runs/" + files + "/files?turn=2",
		"/console/runs/" + files + "/files?turn=" + url.QueryEscape(hostile) + "&path=" + url.QueryEscape(hostile), "/console/waiting",
		"/console/goals",
		"/console/start?workflow=" + url.QueryEscape(hostile),
	} {
		p.Do(chromedp.Navigate(r.Base + path))
		p.Until(`document.querySelector("#lamp.on")`)
		if n := browsertest.Read[int](p,
			`document.querySelectorAll("script:not([src='/console/assets/console.js']), main img, main svg:not(.arrows), main [onload], main [onerror]").length`); n > 0 {
			t.Errorf("%s: %d elements came out of what was stored", path, n)
		}
		consoletest.Fits(t, p, path)
	}
	p.Do(chromedp.Navigate(r.Base + "/console/waiting"))
	p.Until(`document.querySelector("#lamp.on")`)
	if !browsertest.Read[bool](p, `document.querySelector("main").textContent.includes("<script>alert(1)</scr" + "ipt>")`) {
		t.Error("the text itself is not shown")
	}
	// The page takes in the same text as it comes by the stream.
	later := r.create("dev", "assay-questions", map[string]any{"questions": []any{map[string]any{"id": "q1", "question": "later " + hostile}}})
	p.Until(`document.querySelector("main").textContent.includes("later \"'><script>")`)
	if got := r.Post("/console/runs/"+later+"/answer", url.Values{"node": {"ask"}, "text:q1": {hostile}}); got.Status != http.StatusSeeOther {
		t.Errorf("answering: %d", got.Status)
	}
	consoletest.Sound(t, p)
	for _, asked := range p.Requests() {
		if !strings.HasPrefix(asked, r.Base+"/console") {
			t.Errorf("the page asked for %s", asked)
		}
	}
}

// Arrows lead from the cause of an event, and to what it caused: for a pointer, and for the keyboard alone.
func TestArrowsOfCauses(t *testing.T) {
	r := open(t, surface.Options{})
	r.SignIn("dev")
	id := r.create("dev", "assay-loop", nil)
	r.Until("/console/runs/"+id, "run.completed")
	p := r.Visit(browsertest.Wide)
	p.Do(chromedp.Navigate(r.Base + "/console/runs/" + id))
	p.Until(`document.querySelector("#lamp.on")`)
	p.Do(tell(emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})) // as a window that is in front
	const decided = `[...document.querySelectorAll("#timeline .event.turn-event")].find(e => e.textContent.includes("decided"))`
	if n := browsertest.Read[int](p, `document.querySelectorAll("svg.arrows").length`); n != 0 {
		t.Errorf("%d arrows before anything is pointed at", n)
	}
	caused := browsertest.Read[int](p, `document.querySelectorAll('[data-cause="' + CSS.escape(`+decided+`.id.slice(2)) + '"]').length`)
	if caused == 0 {
		t.Fatal("the decision caused nothing")
	}
	p.Do(chromedp.Evaluate[chromedp.Void](decided + `.querySelector("summary").focus()`))
	p.Until(`document.querySelectorAll("svg.arrows path.out.head").length > 0`)
	if n := browsertest.Read[int](p, `document.querySelectorAll("svg.arrows path.out.head").length`); n != caused {
		t.Errorf("%d arrows lead to what the decision caused, want %d", n, caused)
	}
	p.Screenshot("console-arrows-wide")
	at := browsertest.Read[[]float64](p,
		`(() => { const e = [...document.querySelectorAll("#timeline .event[data-cause]")].find(e => e.dataset.cause && document.getElementById("e-" + e.dataset.cause)); const s = e.querySelector("summary"); s.scrollIntoView({block: "center"}); const r = s.getBoundingClientRect(); window.pointedAt = e; return [r.left + 60, r.top + r.height / 2] })()`)
	p.Do(chromedp.MouseEvent("mouseMoved", at[0], at[1]))
	p.Until(`document.querySelectorAll("svg.arrows path.in.head").length === 1 && pointedAt.classList.contains("linked")`)
	inside := `(() => { const b = document.getElementById("timeline").getBoundingClientRect(); return [...document.querySelectorAll("svg.arrows path")].every(e => { const r = e.getBoundingClientRect(); return r.left >= b.left - 1 && r.right <= b.right + 1 && r.top >= b.top - 1 && r.bottom <= b.bottom + 1 }) })()`
	if !browsertest.Read[bool](p, inside) {
		t.Error("an arrow leaves the timeline")
	}
	consoletest.Sound(t, p)
}

// tell has the browser do one more thing.
func tell[P any](command cdp.Command[P, cdp.Empty], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, command, params)
		return err
	})
}

// contrasts lists the texts of a page that stand out too little from what is behind them (WCAG 2.2, 1.4.3: 4.5 to 1).
const contrasts = `(() => {
  const rgb = (c) => (c.match(/[\d.]+/g) || []).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4).reduce((l, v, i) => l + v * [.2126, .7152, .0722][i], 0);
  const behind = (e) => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length === 3 || c[3] === 1) return c; } return [255, 255, 255]; };
  const poor = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const e = walk.currentNode.parentElement;
    if (!walk.currentNode.data.trim() || !e.checkVisibility() || e.closest(".unseen")) continue;
    const [a, b] = [light(rgb(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
    if ((a + .05) / (b + .05) < 4.5) poor.add(e.className + " " + e.tagName + ": " + walk.currentNode.data.trim().slice(0, 40) + " " + ((a + .05) / (b + .05)).toFixed(1));
  }
  return [...poor];
})()`

// Every page can be read, in the light and in the dark.
func TestThePagesCanBeRead(t *testing.T) {
	r, pages := furnished(t)
	p := r.Visit(browsertest.Wide)
	for _, scheme := range []string{"light", "dark"} {
		p.Do(tell(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		}))
		for name, path := range pages {
			p.Do(chromedp.Navigate(r.Base + path))
			p.Until(`document.querySelector("h1")`)
			for _, poor := range browsertest.Read[[]string](p, contrasts) {
				t.Errorf("%s in the %s: %s", name, scheme, poor)
			}
			if scheme == "dark" {
				p.Screenshot("console-" + name + "-dark")
			}
		}
	}
}
