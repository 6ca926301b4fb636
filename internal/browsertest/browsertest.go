// Package browsertest opens pages in Chromium, for tests. Without Chromium a test is skipped, or fails if ASSAY_BROWSER
// is "required", as in CI.
package browsertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// Required is the environment variable that makes a missing browser a failure if it is "required".
const Required = "ASSAY_BROWSER"

// patience bounds the time of a page in a test. A cold browser on a busy machine needs seconds.
var patience = testenv.Patience(60 * time.Second)

// Widths of pages, in CSS pixels.
const (
	Wide  = 1280
	Phone = 390
)

// names are the names of Chromium and Chrome on PATH.
var names = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless_shell"}

// path returns the browser of this machine.
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

// Page is a tab in a browser of its own. It collects problems from the start.
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
		missing := fmt.Sprintf("no Chromium on this machine (looked for %s): install it, for example with apt-get install chromium",
			strings.Join(names, ", "))
		if os.Getenv(Required) == "required" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(found), chromedp.WindowSize(width, 900),
		chromedp.UserDataDir(t.TempDir()), chromedp.Flag("disable-dev-shm-usage", true),
		// The sandbox does not work for root or in a container. The pages are our own.
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

// enable makes the browser report a further kind of event.
func enable[P any](domain cdp.Command[P, cdp.Empty], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, domain, params)
		return err
	})
}

// hear collects problems, requests and dialogs of the page. It closes the dialogs.
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
		go func() { // a dialog blocks the page, and hear must not call the browser
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
	texts := make([]string, len(args))
	for i, a := range args {
		texts[i] = strings.TrimSpace(string(a.Value) + " " + a.Description)
	}
	return strings.Join(texts, " ")
}

// Do runs actions one after another. An action whose element the page replaces before it is acted on is run again. An
// error ends the test.
func (p *Page) Do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	for _, a := range actions {
		err := chromedp.Do(p.ctx, a)
		for err != nil && replaced(err) && p.ctx.Err() == nil {
			err = chromedp.Do(p.ctx, a)
		}
		if err != nil {
			p.fail(err)
		}
	}
}

// replaced reports whether an error means that an element was found and then gone, before anything was done with it.
func replaced(err error) bool {
	return strings.Contains(err.Error(), "ould not find node with given id")
}

// Read returns the value of a JavaScript expression in the page.
func Read[T any](p *Page, expression string) T {
	p.t.Helper()
	return get(p, chromedp.Evaluate[T](expression))
}

// Until waits for a JavaScript expression to be true in the page, even if the page changes meanwhile.
func (p *Page) Until(expression string) {
	p.t.Helper()
	wait := chromedp.Poll[bool]("Boolean("+expression+")",
		chromedp.WithPollingInterval(20*time.Millisecond), chromedp.WithPollingTimeout(patience))
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

// leaves reports whether an error means that the page changed meanwhile.
func leaves(err error) bool {
	return slices.ContainsFunc([]string{"navigated or closed", "context was destroyed", "Cannot find context"},
		func(words string) bool { return strings.Contains(err.Error(), words) })
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

// Problems returns console errors and warnings, exceptions and failed requests, in order.
func (p *Page) Problems() []string { return p.heard(&p.problems) }

// Requests returns the URLs that the page requested, including its own.
func (p *Page) Requests() []string { return p.heard(&p.requests) }

// Dialogs returns the texts of alert, confirm and prompt.
func (p *Page) Dialogs() []string { return p.heard(&p.dialogs) }

func (p *Page) heard(list *[]string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), *list...)
}

// Screenshot saves a picture of the whole page as NAME.png in the folder ASSAY_SCREENSHOTS. Without that variable it
// does nothing.
func (p *Page) Screenshot(name string) {
	p.t.Helper()
	dir := os.Getenv("ASSAY_SCREENSHOTS")
	if dir == "" {
		return
	}
	const png = 100 // the quality at which the format is PNG
	picture := get(p, chromedp.FullScreenshot(png))
	file := filepath.Join(dir, name+".png")
	if err := os.WriteFile(file, picture, 0o600); err != nil { //nolint:gosec // the folder is chosen by who runs the test
		p.t.Fatal(err)
	}
}
