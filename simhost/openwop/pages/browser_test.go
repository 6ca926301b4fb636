package pages

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/openassay/assay/internal/browsertest"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/internal/consoletest"
	"github.com/openassay/assay/simhost/openwop/surface"
)

// What the console is for: somebody starts a loop, watches turns appear, answers what it asks and sees it complete.
func TestSomebodyAnswersALoopInABrowser(t *testing.T) {
	r := open(t, surface.Options{})
	p := r.Visit(browsertest.Wide)

	watching := r.Visit(browsertest.Phone) // an open list of runs, on a phone
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
	consoletest.Sound(t, p)
	consoletest.Sound(t, watching)
	for _, url := range append(p.Requests(), watching.Requests()...) {
		if !strings.HasPrefix(url, r.Base+"/console") {
			t.Errorf("the console asked for %s", url)
		}
	}
}

// A page that stays open takes in what happens, and a form that is the same stays as it is, with what was typed.
func TestAPageThatIsOpenGoesOn(t *testing.T) {
	r := open(t, surface.Options{})
	p := r.Visit(browsertest.Wide)
	first := r.create("dev", "assay-loop-ask-user", nil)
	p.Do(chromedp.Navigate(r.Base + "/console/waiting"))
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
	r.Post("/console/login", map[string][]string{"key": {"dev"}})
	if got := r.Post("/console/runs/"+first+"/answer", map[string][]string{"node": {"supervisor"},
		"text:q1": {"by somebody else"}}); got.Status != http.StatusSeeOther {
		t.Fatalf("answering: %d %s", got.Status, got.Body)
	}
	p.Until(`document.querySelectorAll("#questions > section").length === 1`)
	consoletest.Sound(t, p)
}

// A page whose stream was cut catches up by itself, and one whose session is over asks for the key again.
func TestAPageComesBack(t *testing.T) {
	r := open(t, surface.Options{})
	p := r.Visit(browsertest.Wide)
	p.Until(`document.querySelector("#list .empty")`)
	for range 2 {
		r.Cut()
		id := r.create("dev", "conformance-noop", nil)
		p.Until(fmt.Sprintf(`document.querySelector("#row-%s .word.good") && document.querySelector("#lamp.on")`, id))
	}
	p.Do(chromedp.Evaluate[chromedp.Void](`fetch("/console/logout", {method: "POST"}).then(() => undefined)`))
	r.Cut()
	p.Until(`document.querySelector("#key")`)
	if at := browsertest.Read[string](p, `location.search`); at != "?next=%2Fconsole" {
		t.Errorf("after signing in it goes on to %q", at)
	}
}

// furnished is a host that has something to show on every page.
func furnished(t *testing.T) (r *rig, pages map[string]string) {
	t.Helper()
	r = open(t, surface.Options{Clock: clock.NewManual(time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)), Version: 6},
		"loop.iteration-resets-on-resume")
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
	r.SignIn("dev")
	r.Until("/console/runs/"+files, "completed")
	r.Until("/console/runs/"+asks, "waiting-input")
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
			p := r.In(t).Visit(width)
			for page, path := range pages {
				if page == "problem" {
					continue // its status is a message of the browser
				}
				p.Do(chromedp.Navigate(r.Base + path))
				p.Until(`document.querySelector("#lamp.on")`)
				consoletest.Fits(t, p, page)
				p.Screenshot("console-" + page + "-" + name)
			}
			consoletest.Sound(t, p)
			p.Do(chromedp.Navigate(r.Base + pages["problem"]))
			p.Until(`document.querySelector(".wrong")`)
		})
	}
}
