package console

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/simhost/openintent"
	"github.com/openassay/assay/simhost/openwop/surface"
)

//go:embed pages/*.html
var pageFiles embed.FS

//go:embed pages/console.css pages/console.js pages/icon.svg
var assetFiles embed.FS

// assets are what a page loads, with their media types.
var assets = map[string]string{
	"console.css": "text/css; charset=utf-8",
	"console.js":  "text/javascript; charset=utf-8",
	"icon.svg":    "image/svg+xml",
}

func serveAsset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	kind, known := assets[name]
	body, err := assetFiles.ReadFile("pages/" + name)
	if !known || err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(body) //nolint:gosec // a file of this program; a client that left does not matter
}

// templates are parsed when the first page is shown, not at start.
var templates = sync.OnceValue(func() map[string]*template.Template {
	funcs := template.FuncMap{
		"ms":     func(t time.Time) string { return t.UTC().Format("15:04:05.000") },
		"when":   func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") },
		"iso":    func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) },
		"pretty": pretty,
		"short":  short,
		"plural": plural,
	}
	shared := template.Must(template.New("").Funcs(funcs).ParseFS(pageFiles, "pages/layout.html", "pages/parts.html"))
	all := map[string]*template.Template{}
	for _, name := range []string{"login", "runs", "start", "run", "files", "waiting", "goals", "faults", "clock", "intents",
		"intent", "problem"} {
		all[name] = template.Must(template.Must(shared.Clone()).ParseFS(pageFiles, "pages/"+name+".html"))
	}
	return all
})

// pretty is a JSON value with line breaks; long ones are cut.
func pretty(v any) string {
	raw, ok := v.(json.RawMessage)
	if !ok {
		var err error
		if raw, err = json.Marshal(v); err != nil {
			return fmt.Sprint(v)
		}
	}
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		b.Reset()
		b.Write(raw)
	}
	return cut(b.String(), maxShown)
}

// maxShown is the most bytes of one value on a page.
const maxShown = 16 << 10

func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + fmt.Sprintf("\n… %d bytes more", len(s)-most)
}

// short is the end of an id that is long enough to tell it from others.
func short(id string) string {
	const letters = 8
	if r := []rune(id); len(r) > letters+2 {
		return "…" + string(r[len(r)-letters:])
	}
	return id
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// layout is what stands around the body of every page.
type layout struct {
	Title   string
	Here    string // the entry of the menu that the page belongs to
	Who     string // "" where nobody has signed in
	Tenant  string
	Waiting int
	Faults  int
	Manual  bool
	Runs    bool // there are pages of runs, or of intents, for this visitor
	Intents bool
	Now     time.Time
	Notice  string // what came of the last request
	Body    any
}

// show renders a page for somebody.
func (c *Console) show(w http.ResponseWriter, r *http.Request, who visitor, name string, l layout) error {
	return c.showAs(w, r, who, http.StatusOK, name, l)
}

func (c *Console) showAs(w http.ResponseWriter, r *http.Request, who visitor, status int, name string, l layout) error {
	l.Who, l.Tenant = who.name(), who.runs.Tenant()
	l.Runs, l.Intents = who.hasRuns, who.intents != ""
	l.Now, l.Manual = c.now(), c.o.Clock != nil
	if l.Runs {
		l.Faults = len(c.o.Host.Faults())
		err := c.host(func(h Host) (err error) {
			_, l.Waiting, err = h.Waiting(r.Context(), who.runs, 0)
			return err
		})
		if err != nil {
			return err
		}
	}
	if l.Intents {
		waiting, err := c.o.Intents.WaitingIntents(r.Context())
		if err != nil {
			return err
		}
		l.Waiting += len(waiting)
	}
	c.render(w, status, name, l)
	return nil
}

// now is the time of the host.
func (c *Console) now() time.Time {
	if c.o.Clock != nil {
		return c.o.Clock.Now()
	}
	return time.Now()
}

func (c *Console) render(w http.ResponseWriter, status int, name string, l layout) {
	var b bytes.Buffer
	if err := templates()[name].ExecuteTemplate(&b, "layout", l); err != nil {
		c.log.Error("render a page of the console", "page", name, "error", err)
		http.Error(w, "the page cannot be shown; the log of the host has the reason", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // a client that left does not matter
}

type problemPage struct{ Says string }

// problem tells somebody what cannot be done, and why.
func (c *Console) problem(w http.ResponseWriter, r *http.Request, who visitor, status int, says string) error {
	return c.showAs(w, r, who, status, "problem", layout{Title: http.StatusText(status), Body: problemPage{says}})
}

// fail answers with an error.
func (c *Console) fail(w http.ResponseWriter, r *http.Request, err error) {
	status, says := http.StatusInternalServerError, "The host could not do this; its log has the reason."
	tooLarge := (*http.MaxBytesError)(nil)
	switch {
	case errors.Is(err, errNotTheirs):
		status, says = http.StatusNotFound, "This key belongs to the other protocol: sign out, and give one of the host's."
	case surface.IsMissing(err), openintent.IsMissing(err):
		status, says = http.StatusNotFound, "There is nothing here, or it belongs to another tenant."
	case errors.As(err, &tooLarge):
		status, says = http.StatusRequestEntityTooLarge, "That was too much at once: send less."
	case r.Context().Err() != nil:
		status, says = http.StatusServiceUnavailable, "The host is shutting down, or you left."
	default:
		c.log.ErrorContext(r.Context(), "console", "method", r.Method, "path", r.URL.Path, "error", err)
	}
	c.render(w, status, "problem", layout{Title: http.StatusText(status), Body: problemPage{says}})
}

func (c *Console) nothing(w http.ResponseWriter, r *http.Request, who visitor) error {
	return c.problem(w, r, who, http.StatusNotFound, "There is no such page.")
}

// word is the status of a run as it is shown, and the kind of it, which has a colour.
func word(status openwopv1.RunStatus) string {
	switch status {
	case openwopv1.RunStatusCompleted:
		return "good"
	case openwopv1.RunStatusFailed:
		return "bad"
	case openwopv1.RunStatusWaitingApproval, openwopv1.RunStatusWaitingInput, openwopv1.RunStatusWaitingExternal:
		return "warn"
	case openwopv1.RunStatusRunning, openwopv1.RunStatusPending:
		return "busy"
	}
	return "calm"
}
