package console

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/openassay/assay/internal/browsertest"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/openwop/surface"
)

// visit signs a browser in.
func (r *rig) visit(width int) *browsertest.Page {
	r.t.Helper()
	p := browsertest.Open(r.t, width)
	p.Do(chromedp.Navigate(r.base + "/console"))
	p.Until(`document.querySelector("#key")`)
	p.Screenshot(fmt.Sprintf("console-login-%d", width))
	p.Do(chromedp.SendKeys("#key", "dev\r"))
	p.Until(`document.querySelector("#list") && document.querySelector("#lamp.on")`)
	return p
}

func sound(t *testing.T, p *browsertest.Page) {
	t.Helper()
	if problems := p.Problems(); len(problems) > 0 {
		t.Errorf("wrong in the page: %s", strings.Join(problems, "\n"))
	}
	if dialogs := p.Dialogs(); len(dialogs) > 0 {
		t.Errorf("dialogs: %q", dialogs)
	}
}

// What the console is for: somebody starts a loop, watches turns appear, answers what it asks and sees it complete.
func TestSomebodyAnswersALoopInABrowser(t *testing.T) {
	r := open(t, surface.Options{})
	p := r.visit(browsertest.Wide)

	watching := r.visit(browsertest.Phone) // an open list of runs, on a phone
	watching.Until(`document.querySelector("#list .empty")`)

	p.Do(chromedp.Click(`a[href="/console/start"]`))
	p.Until(`document.querySelector(".cards")`)
	p.Screenshot("console-start-wide")
	p.Do(chromedp.Click(`.cards a[href="/console/start?workflow=assay-loop-ask-user"]`))
	p.Until(`document.querySelector("#inputs")`)
	p.Do(chromedp.Click(`.ask button.main`))
	p.Until(`document.querySelector("#asks input[type=text]")`)

	watching.Until(`document.querySelector("#list .word.warn")?.textContent === "waiting-input"`)
	watching.Until(`document.querySelector("#menu .count")?.textContent === "1"`)

	p.Until(`[...document.querySelectorAll("#timeline > .turn .turn-title")].filter(e => /^Turn/.test(e.textContent)).length === 2`)
	// What somebody is typing stays when the page takes in that something else has happened.
	p.Do(chromedp.SendKeys("#asks input[type=text]", "yes, pl"))
	p.Do(chromedp.Evaluate[chromedp.Void](`window.typedInto = document.activeElement; undefined`))
	id := strings.TrimPrefix(browsertest.Read[string](p, `location.pathname`), "/console/runs/")
	p.Screenshot("console-run-waits-wide")
	p.Do(chromedp.SendKeys("#asks input[type=text]", "ease"))
	if kept := browsertest.Read[string](p,
		`document.activeElement === typedInto ? typedInto.value : "focus was lost"`); kept != "yes, please" {
		t.Errorf("the form holds %q", kept)
	}
	p.Do(chromedp.SendKeys("#asks input[type=text]", "\r"))
	p.Until(`document.querySelector("#status .word")?.textContent === "completed"`)
	p.Until(`[...document.querySelectorAll("#timeline > .turn .turn-title")].filter(e => /^Turn/.test(e.textContent)).length === 4`)
	if asks := browsertest.Read[bool](p, `document.querySelector("#asks form") !== null`); asks {
		t.Error("a run that is over still asks")
	}
	if children := browsertest.Read[int](p, `document.querySelectorAll("#timeline section.child").length`); children != 2 {
		t.Errorf("%d children are in the timeline, want 2", children)
	}
	watching.Until(fmt.Sprintf(`document.querySelector("#row-%s .word.good")`, id))
	watching.Until(`!document.querySelector("#menu .count")`)
	watching.Screenshot("console-runs-phone")
	sound(t, p)
	sound(t, watching)
	for _, url := range append(p.Requests(), watching.Requests()...) {
		if !strings.HasPrefix(url, r.base+"/console") {
			t.Errorf("the console asked for %s", url)
		}
	}
}

// A page that stays open takes in what happens, and a form that is the same stays as it is, with what was typed.
func TestAPageThatIsOpenGoesOn(t *testing.T) {
	r := open(t, surface.Options{})
	p := r.visit(browsertest.Wide)
	first := r.create("dev", "assay-loop-ask-user", nil)
	p.Do(chromedp.Navigate(r.base + "/console/waiting"))
	box := fmt.Sprintf(`form[action="/console/runs/%s/answer"] input[type=text]`, first)
	p.Until(fmt.Sprintf(`document.querySelector(%q)`, box))
	p.Do(chromedp.SendKeys(box, "half an ans"))
	r.create("dev", "assay-questions", nil)
	p.Until(`document.querySelectorAll("#questions > section").length === 2`)
	p.Do(chromedp.SendKeys(box, "wer"))
	if got := browsertest.Read[string](p,
		fmt.Sprintf(`document.activeElement === document.querySelector(%q) ? document.activeElement.value : "focus was lost"`,
			box)); got != "half an answer" {
		t.Errorf("the form holds %q", got)
	}
	r.post("/console/login", map[string][]string{"key": {"dev"}})
	if got := r.post("/console/runs/"+first+"/answer", map[string][]string{"node": {"supervisor"},
		"text:q1": {"by somebody else"}}); got.status != http.StatusSeeOther {
		t.Fatalf("answering: %d %s", got.status, got.body)
	}
	p.Until(`document.querySelectorAll("#questions > section").length === 1`)
	sound(t, p)
}

// A page whose stream was cut catches up by itself, and one whose session is over asks for the key again.
func TestAPageComesBack(t *testing.T) {
	r := open(t, surface.Options{})
	p := r.visit(browsertest.Wide)
	p.Until(`document.querySelector("#list .empty")`)
	for range 2 {
		r.http.CloseIdleConnections() // a client's own, on which a request would fail
		r.conns.cut()
		id := r.create("dev", "conformance-noop", nil)
		p.Until(fmt.Sprintf(`document.querySelector("#row-%s .word.good") && document.querySelector("#lamp.on")`, id))
	}
	r.console.sessions.mu.Lock()
	clear(r.console.sessions.open)
	r.console.sessions.mu.Unlock()
	r.conns.cut()
	p.Until(`document.querySelector("#key")`)
	if at := browsertest.Read[string](p, `location.search`); at != "?next=%2Fconsole" {
		t.Errorf("after signing in it goes on to %q", at)
	}
}

// furnished is a host that has something to show on every page.
func furnished(t *testing.T) (r *rig, pages map[string]string) {
	t.Helper()
	r = open(t, surface.Options{Clock: clock.NewManual(time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)), Version: 6,
		Faults: []string{"loop.iteration-resets-on-resume"}})
	asks := r.create("dev", "assay-loop-ask-user", map[string]any{"plan": []any{
		map[string]any{"kind": "next-worker", "nextWorkerIds": []string{"assay-loop", "conformance-noop"}},
		map[string]any{"kind": "ask-user", "prompt": "Which of the three drafts shall go to the customer, and what has to be changed before?"},
		map[string]any{"kind": "terminate", "reason": "goal-reached"},
	}})
	files := r.create("dev", "assay-loop-workspace", map[string]any{"writes": []any{
		[]any{map[string]any{"path": "assay/notes.md", "content": "# Notes\n\nwritten in turn 1"}},
		[]any{map[string]any{"path": "assay/notes.md", "content": "# Notes\n\nwritten in turn 2"},
			map[string]any{"path": "drafts/a-rather-long-name-of-a-file.txt", "content": strings.Repeat("long ", 60)}},
	}})
	r.create("dev", "assay-approval", nil)
	r.create("dev", "assay-questions", nil)
	r.create("dev", "assay-event", nil)
	fails := r.create("dev", "conformance-dispatch-deterministic-fail-child", nil)
	r.goal()
	r.signIn("dev")
	r.until("/console/runs/"+files, "completed")
	r.until("/console/runs/"+asks, "waiting-input")
	return r, map[string]string{
		"runs": "/console", "start": "/console/start", "start-one": "/console/start?workflow=assay-loop-ask-user",
		"run": "/console/runs/" + asks, "run-files": "/console/runs/" + files, "run-fails": "/console/runs/" + fails,
		"files": "/console/runs/" + files + "/files?turn=3", "waiting": "/console/waiting", "goals": "/console/goals",
		"faults": "/console/faults", "clock": "/console/clock", "problem": "/console/runs/run-none",
	}
}

// Every page, at the widths of a desk and of a phone, is without console messages and fits.
func TestEveryPageFits(t *testing.T) {
	r, pages := furnished(t)
	for name, width := range map[string]int{"wide": browsertest.Wide, "phone": browsertest.Phone} {
		t.Run(name, func(t *testing.T) {
			at := *r
			at.t = t
			p := at.visit(width)
			for page, path := range pages {
				if page == "problem" {
					continue // its status is a message of the browser
				}
				p.Do(chromedp.Navigate(r.base + path))
				p.Until(`document.querySelector("#lamp.on")`)
				if over := browsertest.Read[int](p, `document.documentElement.scrollWidth - innerWidth`); over > 0 {
					t.Errorf("%s is %d pixels wider than the window", page, over)
				}
				p.Screenshot("console-" + page + "-" + name)
			}
			sound(t, p)
			p.Do(chromedp.Navigate(r.base + pages["problem"]))
			p.Until(`document.querySelector(".wrong")`)
		})
	}
}
