package html_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/openassay/assay/internal/browsertest"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
)

// opened opens the report of a folder from disk.
func opened(t *testing.T, dir string, width int) *browsertest.Page {
	t.Helper()
	p := browsertest.Open(t, width)
	p.Do(chromedp.Navigate(fileURL(dir)))
	p.Until(`document.readyState === "complete"`)
	return p
}

func fileURL(dir string) string {
	return "file://" + filepath.ToSlash(filepath.Join(dir, reports.ReportName))
}

// quiet fails where the page did anything but stand there.
func quiet(t *testing.T, p *browsertest.Page, dir string) {
	t.Helper()
	if problems := p.Problems(); len(problems) > 0 {
		t.Errorf("problems in the page: %s", strings.Join(problems, "\n"))
	}
	if dialogs := p.Dialogs(); len(dialogs) > 0 {
		t.Errorf("dialogs were opened: %q", dialogs)
	}
	for _, url := range p.Requests() {
		if url != fileURL(dir) && url != "data:," && !strings.HasPrefix(url, fileURL(dir)+"#") {
			t.Errorf("the page asked for %s", url)
		}
	}
	if width, window := browsertest.Read[int](p, `document.documentElement.scrollWidth`), browsertest.Read[int](p,
		`window.innerWidth`); width > window {
		t.Errorf("the page is %d pixels wide in a window of %d: %s", width, window, browsertest.Read[string](p, `[...document.querySelectorAll("body *")].filter((e) =>
			e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, pre, .unseen, .skip")).slice(0, 5).map((e) => e.outerHTML.slice(0, 200)).join("\n")`))
	}
}

func TestHostileHostIsInert(t *testing.T) {
	asked := scenarios.Selection{Suites: []string{"discovery", "errors", "version5-shape", "iteration-monotonic", "stateful-resume",
		"interrupts", "goal-bounds", "memory"}}
	var dir string
	for patience := 300 * time.Millisecond; ; patience *= 4 { // a busy machine takes longer to get as far, and no judge says how long
		var report *scenarios.Report
		dir, report = certified(t, served(t, hostile(t)), scenarios.Options{Patience: patience, DriveTimeout: 20 * patience, Select: asked})
		n := report.Totals()[scenarios.Failed]
		if n >= 10 {
			break
		}
		if patience > 10*time.Second {
			t.Fatalf("%d scenarios failed: the report would show too little of what the host sent", n)
		}
	}
	content := page(t, dir)
	for _, r := range content {
		if r != '\n' && (r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069) {
			t.Fatalf("%U stands in the report as it is", r)
		}
	}
	if strings.Contains(content, key) {
		t.Error("the key stands in the report")
	}
	if !strings.Contains(content, "&lt;script&gt;alert(1)") || !strings.Contains(content, `\u202e`) {
		t.Error("what the host sent is not shown at all")
	}
	for _, width := range []int{browsertest.Wide, browsertest.Phone} {
		p := opened(t, dir, width)
		p.Screenshot(fmt.Sprintf("hostile-%d", width))
		run(p, unfoldAll)
		if made := browsertest.Read[int](p,
			`document.querySelectorAll("img, iframe, object, embed, base, form:not(#filter), [onerror], [onload], a[href^='javascript']").length`); made > 0 {
			t.Errorf("%d elements are not the report's own", made)
		}
		if scripts := browsertest.Read[int](p, `document.scripts.length`); scripts != 1 {
			t.Errorf("%d scripts", scripts)
		}
		if elsewhere := browsertest.Read[string](p,
			`[...document.links].map((a) => a.getAttribute("href")).filter((h) => !/^(#[\w.-]+|transcripts\/[\w.-]+)$/.test(h)).join(" ")`); elsewhere != "" {
			t.Errorf("links lead to %s", elsewhere)
		}
		quiet(t, p, dir)
	}
}

func TestReportInABrowser(t *testing.T) {
	dir, _, report := resetting(t, scenarios.Selection{})
	for _, look := range []struct {
		name   string
		width  int
		scheme string
	}{{"violated-light", browsertest.Wide, "light"}, {"violated-dark", browsertest.Wide, "dark"},
		{"violated-phone", browsertest.Phone, "dark"}} {
		t.Run(look.name, func(t *testing.T) {
			p := opened(t, dir, look.width)
			media(p, "", look.scheme)
			const ink = `(() => { const [r, g, b] = getComputedStyle(document.body).color.match(/\d+/g).map(Number); return (r + g + b) / 3 })()`
			if bright := browsertest.Read[float64](p, ink) > 128; bright != (look.scheme == "dark") {
				t.Errorf("the ink is bright: %v, in a %s scheme", bright, look.scheme)
			}
			p.Screenshot(look.name)
			run(p, unfoldAll)
			quiet(t, p, dir)
		})
	}
	p := opened(t, dir, browsertest.Wide)
	again := func(name string, test func(*testing.T, *browsertest.Page)) {
		t.Run(name, func(t *testing.T) {
			p.Do(chromedp.Navigate(fileURL(dir)))
			p.Until(`document.readyState === "complete"`)
			test(t, p)
		})
	}
	again("filters", func(t *testing.T, p *browsertest.Page) {
		filters(t, p, len(report.Outcomes), report.Totals()[scenarios.Failed])
	})
	again("keyboard", keyboard)
	again("links", linksUnfold)
	again("names", names)
	again("paper", paper)
}

// media has the page shown as on this medium ("print"; "" is a screen), in this scheme.
func media(p *browsertest.Page, medium, scheme string) {
	p.Do(chromedp.Func(func(ctx context.Context, tab *chromedp.Target) error {
		_, err := cdp.Call(ctx, tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
			Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
		})
		return err
	}))
}

// run runs statements in the page.
func run(p *browsertest.Page, statements string) {
	browsertest.Read[bool](p, "(() => { "+statements+"; return true })()")
}

const unfoldAll = `for (const fold of document.querySelectorAll("details")) fold.open = true`

// visible counts the elements that a person sees.
func visible(p *browsertest.Page, selector string) int {
	return browsertest.Read[int](p, seen(selector))
}

// seen is a script that counts the elements that a person sees.
func seen(selector string) string {
	return fmt.Sprintf(`[...document.querySelectorAll(%q)].filter((e) => e.checkVisibility({contentVisibilityAuto: true}) && e.getClientRects().length > 0).length`, selector)
}

func filters(t *testing.T, p *browsertest.Page, all, failed int) {
	t.Helper()
	if visible(p, "#filter") != 1 {
		t.Fatal("the filters are not there")
	}
	if n := visible(p, ".scenario"); n != 0 {
		t.Errorf("%d scenarios stand open at first", n)
	}
	p.Do(chromedp.Click("#unfold"))
	if n := visible(p, ".scenario"); n != all {
		t.Errorf("%d of %d scenarios are unfolded", n, all)
	}
	run(p, `for (const box of document.querySelectorAll("input[name=verdict]")) if (box.value !== "failed") box.click()`)
	if n := visible(p, ".scenario"); n != failed || visible(p, ".scenario[data-verdict=failed]") != failed {
		t.Errorf("%d scenarios are shown, want the %d that failed", n, failed)
	}
	if told, want := browsertest.Read[string](p, `document.getElementById("told").textContent`), fmt.Sprintf("%d of %d scenarios",
		failed, all); told != want {
		t.Errorf("it tells %q, want %q", told, want)
	}
	run(p, `for (const box of document.querySelectorAll("input[name=verdict]")) if (!box.checked) box.click()`)
	p.Do(chromedp.SendKeys("#find", "OWP-0061-D1 two"))
	p.Until(`document.getElementById("told").textContent !== ""`)
	p.Until(`[...document.querySelectorAll(".scenario:not(.hide)")].length === 1`)
	if id := browsertest.Read[string](p, `document.querySelector(".scenario:not(.hide)").id`); id != "s-openwop.stateful-resume.two-suspends" {
		t.Errorf("it finds %s", id)
	}
	run(p,
		`const find = document.getElementById("find"); find.value = "no such thing"; find.dispatchEvent(new Event("input", {bubbles: true}))`)
	if n := visible(p, ".suite"); n != 0 {
		t.Errorf("%d suites are shown although nothing fits", n)
	}
}

// keyboard goes through the page without a mouse.
func keyboard(t *testing.T, p *browsertest.Page) {
	t.Helper()
	p.Do(chromedp.KeyEvent("\t"))
	if first := browsertest.Read[string](p, `document.activeElement.className`); first != "skip" {
		t.Errorf("the first stop is %q, not the link past the head", first)
	}
	run(p, `document.querySelector(".script summary").focus()`)
	p.Do(chromedp.KeyEvent("\r"))
	p.Until(`document.querySelector(".script").open`)
	run(p, `document.querySelector(".suite summary").focus()`)
	p.Do(chromedp.KeyEvent(" "))
	p.Until(`document.querySelector(".suite").open`)
	if outline := browsertest.Read[string](p, `getComputedStyle(document.activeElement).outlineStyle`); outline == "none" {
		t.Error("what has the focus does not show it")
	}
}

// linksUnfold follows a link into a fold.
func linksUnfold(t *testing.T, p *browsertest.Page) {
	t.Helper()
	if n := visible(p, ".failure"); n != 8 {
		t.Fatalf("%d violations are shown", n)
	}
	run(p, `document.querySelector(".failure header a").click()`)
	p.Until(`document.querySelector(location.hash.replaceAll(".", "\\.")).open`)
	if visible(p, ".scenario[open] table.checks") != 1 {
		t.Error("the checks of the scenario are not shown")
	}
	if broken := browsertest.Read[string](p,
		`[...document.links].map((a) => a.getAttribute("href")).filter((h) => h.startsWith("#") && !document.getElementById(h.slice(1))).join(" ")`); broken != "" {
		t.Errorf("links lead nowhere: %s", broken)
	}
	if twice := browsertest.Read[string](p,
		`(() => { const ids = [...document.querySelectorAll("[id]")].map((e) => e.id); return ids.filter((id, i) => ids.indexOf(id) !== i).join(" ") })()`); twice != "" {
		t.Errorf("ids are given twice: %s", twice)
	}
}

// paper is what is printed: violations in full, what is not proved, a line each scenario, nothing to click.
func paper(t *testing.T, p *browsertest.Page) {
	t.Helper()
	media(p, "print", "dark")
	for selector, want := range map[string]bool{".failure .compared": true, ".failure pre": true, "svg.loop": true,
		".suite .scenario > summary": true, "#open .links": true,
		"#filter": false, "button.copy": false, "nav": false, ".scenario .checks": false} {
		p.Until(fmt.Sprintf(`(%s > 0) === %v`, seen(selector), want)) // a browser lays a page out for paper when it comes to it
	}
	if ground := browsertest.Read[string](p, `getComputedStyle(document.body).backgroundColor`); ground != "rgb(255, 255, 255)" {
		t.Errorf("paper is %s", ground)
	}
}

// names is what a screen reader has to go by.
func names(t *testing.T, p *browsertest.Page) {
	t.Helper()
	for what, script := range map[string]string{
		"headings that skip a level": `(() => { let last = 0, bad = ""; for (const h of document.querySelectorAll("h1,h2,h3,h4")) { const level = Number(h.tagName[1]); if (level > last + 1) bad += h.textContent + "; "; last = level } return bad })()`,
		"pictures without words":     `[...document.querySelectorAll("svg[role=img]")].filter((s) => !s.querySelector("title").textContent || !s.querySelector("desc").textContent).length || ""`,
		"sections without a name":    `[...document.querySelectorAll("section, article")].filter((s) => !document.getElementById(s.getAttribute("aria-labelledby"))?.textContent).length || ""`,
		"fields without a label":     `[...document.querySelectorAll("input")].filter((i) => !i.labels.length || !i.labels[0].textContent.trim()).length || ""`,
	} {
		if bad := browsertest.Read[string](p, "String("+script+")"); bad != "" {
			t.Errorf("%s: %s", what, bad)
		}
	}
	if words := browsertest.Read[string](p, `document.querySelector(".failure svg.loop desc").textContent`); !strings.Contains(words,
		"which does not follow") && !strings.Contains(words, "Turn 2") {
		t.Errorf("the picture is told as %q", words)
	}
}
