package matrix_test

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/browsertest"
	"github.com/openassay/assay/reports/conformance"
	"github.com/openassay/assay/reports/matrix"
)

func TestHTML(t *testing.T) {
	page := htmlOf(t, example(t))
	harmless(t, page)
	_, body, found := strings.Cut(page, "</head>") // the style before it is that of all pages
	if !found {
		t.Fatal("the page has no head")
	}
	golden(t, "matrix.html", body)
}

func htmlOf(t *testing.T, m *matrix.Matrix) string {
	t.Helper()
	var out strings.Builder
	if err := m.HTML(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// hostileMatrix has one of the hostile strings in every place where a target's words can stand.
func hostileMatrix(s string) *matrix.Matrix {
	doc := document(func(d *results.Results) {
		d.Target = results.Target{Protocol: s, Address: s, Name: &s, Version: &s}
		d.Assay.Version = s
		d.Requirements = []results.RequirementResult{{ID: s, Verdict: results.RequirementVerdictPassed, Evidence: results.EvidenceObserved}}
		d.Profiles = []results.ProfileResult{{ID: s, Status: results.ProfileStatus(s), Proved: 1, Required: 1}}
		d.NotClaimed = []results.Sighting{{What: s, ClaimPointer: s}}
		d.Filter = &results.Filter{Suites: []string{s}}
		d.Partial = &results.Partial{Asked: 1, Of: 2}
	})
	other := doc
	other.Assay.SuiteDigest = digestB
	return matrix.New(ledgers, now, []matrix.Certification{{Results: doc}, {Results: other}}, &conformance.Bundle{
		Version: "2", GeneratedAt: now, Suite: s, Host: s, HostVersion: s, URL: s, ClaimedProfiles: []string{s, s},
		Rows: []conformance.Row{{Scenario: s, Disposition: conformance.Failed}}, TotalsContradict: true,
	})
}

// Whatever a target calls itself, the page is one that does nothing, and asks for nothing.
func TestPageInBrowser(t *testing.T) {
	pages := map[string]*matrix.Matrix{"matrix": example(t), "matrix-many": many()}
	for i, s := range hostile {
		pages[fmt.Sprintf("hostile-%d", i)] = hostileMatrix(s)
	}
	dir := t.TempDir()
	for name, m := range pages {
		if err := os.WriteFile(filepath.Join(dir, name+".html"), []byte(htmlOf(t, m)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, width := range []int{browsertest.Wide, browsertest.Phone} {
		p := browsertest.Open(t, width)
		for name := range pages {
			address := (&url.URL{Scheme: "file", Path: filepath.Join(dir, name+".html")}).String()
			p.Do(chromedp.Navigate(address))
			p.Until(`document.readyState === "complete"`)
			if over := browsertest.Read[int](p, `document.documentElement.scrollWidth - window.innerWidth`); over > 0 {
				t.Errorf("%s at %d: the page is %d pixels wider than the window", name, width, over)
			}
			if n := browsertest.Read[int](p,
				`document.querySelectorAll("script, img, iframe, object, embed, form, svg, [onerror], [onload]").length`); n > 0 {
				t.Errorf("%s at %d: %d elements that no matrix has", name, width, n)
			}
			if n := browsertest.Read[int](p,
				`[...document.querySelectorAll("a[href]")].filter(a => !/^(#tables|[\w%.\/]*report\.html)$/.test(a.getAttribute("href"))).length`); n > 0 {
				t.Errorf("%s at %d: %d links to somewhere else", name, width, n)
			}
			if !strings.HasPrefix(name, "hostile") {
				p.Screenshot(fmt.Sprintf("%s-%d", name, width))
			}
		}
		if problems := p.Problems(); len(problems) > 0 {
			t.Errorf("at %d: %q", width, problems)
		}
		if dialogs := p.Dialogs(); len(dialogs) > 0 {
			t.Errorf("at %d: a target opened dialogs: %q", width, dialogs)
		}
		for _, r := range p.Requests() {
			if !strings.HasPrefix(r, "file://"+dir+"/") && !strings.HasPrefix(r, "data:") {
				t.Errorf("at %d: the page asked for %s", width, r)
			}
		}
	}
}

// A reader without eyes hears the same: tables have names, heads have scopes, and boxes that scroll can be reached.
func TestPageIsAccessible(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.html")
	if err := os.WriteFile(path, []byte(htmlOf(t, example(t))), 0o600); err != nil {
		t.Fatal(err)
	}
	p := browsertest.Open(t, browsertest.Phone)
	p.Do(chromedp.Navigate("file://" + path))
	for what, expression := range map[string]string{
		"a table without a caption":         `document.querySelectorAll("table").length - document.querySelectorAll("table > caption").length`,
		"a head without a scope":            `document.querySelectorAll("th:not([scope])").length`,
		"a box that no key reaches":         `document.querySelectorAll(".scroll:not([tabindex='0'][role=region][aria-label])").length`,
		"an empty cell without a word":      `[...document.querySelectorAll("td")].filter(c => c.textContent.trim() === "").length`,
		"a page without a language":         `document.documentElement.lang === "en" ? 0 : 1`,
		"a first column that scrolls along": `[...document.querySelectorAll("tbody th")].filter(c => getComputedStyle(c).position !== "sticky").length`,
		"text of low contrast":              contrast,
	} {
		if n := browsertest.Read[int](p, expression); n != 0 {
			t.Errorf("%s: %d times", what, n)
		}
	}
}

// contrast counts elements with text of their own whose colour is less than 4.5:1 away from what lies behind it.
const contrast = `(() => {
  const channels = c => (c.match(/[\d.]+/g) || []).map(Number);
  const luminance = c => { const [r, g, b] = channels(c).map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
  const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if ((channels(c)[3] ?? 1) === 1) return c; } return "rgb(255,255,255)"; };
  return [...document.querySelectorAll("body *")].filter(e => [...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim())).filter(e => {
    const [a, b] = [luminance(getComputedStyle(e).color), luminance(behind(e))];
    return (Math.max(a, b) + .05) / (Math.min(a, b) + .05) < 4.5;
  }).length;
})()`

// many is a matrix of eight targets.
func many() *matrix.Matrix {
	var all []matrix.Certification
	for i := range 8 {
		name := []string{"Acme Orchestrator", "harbour", "Lantern Workflow Host (community edition)", "assay-simhost"}[i%4]
		all = append(all, matrix.Certification{Link: "x/report.html", Results: document(func(d *results.Results) {
			d.Target.Name, d.StartedAt = &name, now.Add(-time.Duration(i)*20*24*time.Hour)
			d.Target.Address = fmt.Sprintf("https://host-%d.agents.example.com/openwop", i)
			if i%3 == 0 {
				d.Requirements = d.Requirements[:1]
			}
		})})
	}
	return matrix.New(ledgers, now, all)
}
