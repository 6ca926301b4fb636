package console

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"time"
)

//go:embed *.html console.css console.js icon.svg
var files embed.FS

// assets are what a page loads, with their media types.
var assets = map[string]string{
	"console.css": "text/css; charset=utf-8",
	"console.js":  "text/javascript; charset=utf-8",
	"icon.svg":    "image/svg+xml",
}

func serveAsset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	kind, known := assets[name]
	body, err := files.ReadFile(name)
	if !known || err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kind)
	_, _ = w.Write(body) //nolint:gosec // a file of this program; a client that left does not matter
}

// parse reads the templates of a part, each with the layout and what pages share.
func parse(own fs.FS) map[string]*template.Template {
	shared := template.New("").Funcs(template.FuncMap{
		"ms":     func(t time.Time) string { return t.UTC().Format("15:04:05.000") },
		"when":   func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05") },
		"iso":    func(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) },
		"pretty": Pretty,
		"short":  short,
		"plural": plural,
	})
	template.Must(shared.ParseFS(files, "layout.html", "parts.html"))
	template.Must(shared.ParseFS(own, "parts.html"))
	names, _ := fs.Glob(own, "*.html") // the pattern is sound
	all := map[string]*template.Template{}
	for _, name := range names {
		all[strings.TrimSuffix(name, ".html")] = template.Must(template.Must(shared.Clone()).ParseFS(own, name))
	}
	return all
}

// Pretty is a JSON value with line breaks, as templates have it by the name of pretty. Long ones are cut.
func Pretty(v any) string {
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
	shown, _ := Cut(b.String())
	return shown
}

// Cut shortens a value that is too long for a page that shows more than it.
func Cut(s string) (shown string, cut bool) {
	const most = 16 << 10
	if len(s) <= most {
		return s, false
	}
	return strings.ToValidUTF8(s[:most], "") + fmt.Sprintf("\n… %d bytes more", len(s)-most), true
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
	Page
	Who  string // "" where nobody has signed in
	Menu []Link
}

func (c *Console) render(w http.ResponseWriter, of *part, l layout) {
	var b bytes.Buffer
	if err := of.templates()[l.Template].ExecuteTemplate(&b, "layout", l); err != nil {
		c.log.Error("render a page of the console", "page", l.Template, "error", err)
		http.Error(w, "the page cannot be shown; the log of the host has the reason", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(cmp.Or(l.Status, http.StatusOK))
	_, _ = w.Write(b.Bytes()) // a client that left does not matter
}

func problem(status int, says string) Page {
	return Page{Template: "problem", Status: status, Title: http.StatusText(status), Body: says}
}

// fail answers with an error.
func (c *Console) fail(w http.ResponseWriter, r *http.Request, err error) {
	status, says := http.StatusInternalServerError, "The host could not do this; its log has the reason."
	tooLarge := (*http.MaxBytesError)(nil)
	switch {
	case errors.Is(err, errNotTheirs):
		status, says = http.StatusNotFound, "This key belongs to the other protocol: sign out, and give one of the host's."
	case slices.ContainsFunc(c.parts, func(p *part) bool { return p.IsMissing(err) }):
		status, says = http.StatusNotFound, "There is nothing here, or it belongs to another tenant."
	case errors.As(err, &tooLarge):
		status, says = http.StatusRequestEntityTooLarge, "That was too much at once: send less."
	case r.Context().Err() != nil:
		status, says = http.StatusServiceUnavailable, "The host is shutting down, or you left."
	default:
		c.log.ErrorContext(r.Context(), "console", "method", r.Method, "path", r.URL.Path, "error", err)
	}
	c.render(w, c.own, layout{Page: problem(status, says)})
}

func (c *Console) nothing(r *Request) error {
	return r.Problem(http.StatusNotFound, "There is no such page.")
}
