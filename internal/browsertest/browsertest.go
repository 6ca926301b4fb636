// Package browsertest opens pages in a real Chromium, for tests. A machine without one skips such a test and says so; where
// ASSAY_BROWSER is "required", as in CI, the test fails instead.
package browsertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/openassay/assay/internal/testenv"
)

// Required is the environment variable that, set to "required", makes a missing browser a failure.
const Required = "ASSAY_BROWSER"

// patience is how long a page may take for all that a test does with it. A cold browser on a busy machine needs seconds.
var patience = testenv.Patience(60 * time.Second)

// Widths at which a page is looked at, in CSS pixels.
const (
	Wide  = 1280
	Phone = 390
)

// names under which a Chromium or Chrome may be on the PATH.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless_shell"}

// path is the browser of this machine.
func path() (string, bool) {
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			return found, true
		}
	}
	const mac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
	_, err := os.Stat(mac)
	return mac, err == nil
}

// Page is one tab of a browser of its own. What went wrong in it is collected from the start.
type Page struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	problems []string
	dialogs  []string
	requests []string
}

// Open starts a browser with an empty tab of this width (CSS pixels), and closes it when the test ends.
func Open(t testing.TB, width int) *Page {
	t.Helper()
	found, ok := path()
	if !ok {
		missing := fmt.Sprintf("there is no Chromium on this machine (looked for %s): install one, such as apt-get install chromium", strings.Join(names, ", "))
		if os.Getenv(Required) == "required" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(found), chromedp.WindowSize(width, 900),
		chromedp.UserDataDir(t.TempDir()), chromedp.Flag("disable-dev-shm-usage", true),
		// Chromium refuses its sandbox to root, and a container refuses it to everybody. The pages are our own.
		chromedp.NoSandbox)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	allocator, free := chromedp.NewExecAllocator(ctx, options...)
	tab, closeTab := chromedp.NewContext(allocator)
	p := &Page{t: t, ctx: tab}
	t.Cleanup(func() {
		_ = chromedp.Cancel(tab) // waits for the browser, so that its folder can be removed
		closeTab()
		free()
		cancel()
	})
	if err := chromedp.Listen(tab, p.hear); err != nil {
		t.Fatalf("start %s: %v", found, err)
	}
	p.Do(enable(network.Enable, network.EnableParams{}), enable(log.Enable, cdp.Empty{}), chromedp.EmulateViewport(int64(width), 900))
	return p
}

// enable has the browser tell of one more kind of event.
func enable[P any](domain cdp.Command[P, cdp.Empty], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, domain, params)
		return err
	})
}

// hear keeps what goes wrong in the page, what it asks the network for, and every dialog, which it closes.
func (p *Page) hear(event any) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		switch e.Type {
		case runtime.ConsoleAPICalledTypeError, runtime.ConsoleAPICalledTypeWarning, runtime.ConsoleAPICalledTypeAssert:
			p.problems = append(p.problems, fmt.Sprintf("console.%s: %s", e.Type, arguments(e.Args)))
		}
	case *runtime.EventExceptionThrown:
		p.problems = append(p.problems, "exception: "+exception(e.ExceptionDetails))
	case *log.EventEntryAdded:
		if e.Entry.Level == log.EntryLevelError || e.Entry.Level == log.EntryLevelWarning {
			p.problems = append(p.problems, fmt.Sprintf("%s: %s (%s)", e.Entry.Source, e.Entry.Text, e.Entry.URL))
		}
	case *network.EventRequestWillBeSent:
		p.requests = append(p.requests, e.Request.URL)
	case *page.EventJavascriptDialogOpening:
		p.dialogs = append(p.dialogs, e.Message)
		go func() { // a page with an open dialog does nothing more; hear itself may not talk to the browser
			_, _ = chromedp.Call(p.ctx, page.HandleJavaScriptDialog, page.HandleJavaScriptDialogParams{Accept: true})
		}()
	}
}

func exception(e *runtime.ExceptionDetails) string {
	if e.Exception != nil && e.Exception.Description != "" {
		return e.Exception.Description
	}
	return e.Text
}

func arguments(args []*runtime.RemoteObject) string {
	said := make([]string, len(args))
	for i, a := range args {
		said[i] = strings.TrimSpace(string(a.Value) + " " + a.Description)
	}
	return strings.Join(said, " ")
}

// Do runs actions one after another. What fails ends the test.
func (p *Page) Do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.fail(err)
	}
}

// Read is the value of a JavaScript expression in the page.
func Read[T any](p *Page, expression string) T {
	p.t.Helper()
	return get(p, chromedp.Evaluate[T](expression))
}

// Until waits for a JavaScript expression to hold in the page, also where the page goes to another one meanwhile.
func (p *Page) Until(expression string) {
	p.t.Helper()
	wait := chromedp.Poll[bool]("Boolean("+expression+")", chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(patience))
	for {
		_, err := chromedp.Run(p.ctx, wait)
		if err == nil {
			return
		}
		if !leaves(err) || p.ctx.Err() != nil {
			p.fail(fmt.Errorf("until %s: %w", expression, err))
		}
	}
}

// leaves tells the errors of a page that went to another one while it was asked.
func leaves(err error) bool {
	said := err.Error()
	return strings.Contains(said, "navigated or closed") || strings.Contains(said, "context was destroyed") || strings.Contains(said, "Cannot find context")
}

func get[T any](p *Page, a chromedp.Action[T]) T {
	p.t.Helper()
	value, err := chromedp.Run(p.ctx, a)
	if err != nil {
		p.fail(err)
	}
	return value
}

func (p *Page) fail(err error) {
	p.t.Helper()
	p.t.Fatalf("in the browser: %v; wrong in the page so far: %s", err, strings.Join(p.Problems(), "\n"))
}

// Problems are console errors and warnings, exceptions and failed requests, in the order of time.
func (p *Page) Problems() []string { return p.heard(&p.problems) }

// Requests are the URLs that the page asked for, its own among them.
func (p *Page) Requests() []string { return p.heard(&p.requests) }

// Dialogs are the texts of alert, confirm and prompt that the page opened.
func (p *Page) Dialogs() []string { return p.heard(&p.dialogs) }

func (p *Page) heard(list *[]string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), *list...)
}

// Screenshot keeps a picture of the whole page as NAME.png in the folder that ASSAY_SCREENSHOTS names, for people to look at.
// Without that variable it does nothing.
func (p *Page) Screenshot(name string) {
	p.t.Helper()
	dir := os.Getenv("ASSAY_SCREENSHOTS")
	if dir == "" {
		return
	}
	const png = 100 // the quality at which the format is PNG
	picture := get(p, chromedp.FullScreenshot(png))
	if err := os.WriteFile(filepath.Join(dir, name+".png"), picture, 0o600); err != nil { //nolint:gosec // whoever runs the test names the folder
		p.t.Fatal(err)
	}
}
