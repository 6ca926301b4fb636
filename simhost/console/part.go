package console

import (
	"context"
	"fmt"
	"html/template"
	"io/fs"
	"log/slog"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// Part is what the console shows of one host.
type Part struct {
	// Templates holds an .html file for each page, which defines "body", and parts.html, which defines "question" for the
	// Body of a [Question]. parts.html may define "nothing-waits", which is shown to visitors for whom nothing waits.
	Templates fs.FS
	// Patterns are the patterns of the pages for [http.ServeMux], such as "GET /console/goals". A pattern may belong to
	// several parts: the first that knows the visitor answers. Every part has "GET /console" and "GET /console/{$}".
	Patterns []string
	// SignIn returns the owner of a key, nil if the host does not know the key.
	SignIn func(key string) (Visitor, error)
	// IsMissing reports whether an error says that something does not exist, or belongs to somebody else.
	IsMissing func(error) bool
}

// Visitor is somebody whose key a host knows, with what they may see of the host. String returns their name.
type Visitor interface {
	fmt.Stringer
	// Page answers a request whose Pattern is one of the part's.
	Page(r *Request) error
	// Menu returns the entries that follow a common entry of the menu, or precede all of them if behind is "".
	Menu(behind string) []Link
	// Waiting returns at most n of the questions that wait for an answer, and the number of all.
	Waiting(ctx context.Context, n int) (questions []Question, total int, err error)
	// Topics returns the topics that entries appended to these logs are about.
	Topics(ctx context.Context, logs []string) []string
}

// The common entries of the menu.
const (
	MenuWaiting = "Waiting"
	MenuClock   = "Clock"
	MenuFaults  = "Faults"
)

// Link is an entry of the menu.
type Link struct {
	Name, Path string
	Count      int  // not shown if 0
	Bad        bool // the count is of something bad
}

// Question is something that waits for an answer.
type Question struct {
	ID          string
	Path, Title string // of the page of whatever asks it
	From        string // id of whatever asks it
	Body        any    // for the template "question"
}

// Page is a page of a part.
type Page struct {
	Template string // name of its file without .html
	Status   int    // 0 for 200
	Title    string
	Here     string // name of its entry in the menu
	Body     any
}

// Request is a request of somebody who has signed in.
type Request struct {
	*http.Request
	w   http.ResponseWriter
	c   *Console
	who []visitor // at least one
	of  *part     // whose page it is for
}

// Show answers with a page.
func (r *Request) Show(p Page) error {
	l := layout{Page: p, Who: r.who[0].String()}
	waiting := 0
	for _, v := range r.who {
		_, n, err := v.Waiting(r.Context(), 0)
		if err != nil {
			return err
		}
		waiting += n
	}
	for _, own := range append([]Link{{}}, r.common(waiting)...) {
		if own.Name != "" {
			l.Menu = append(l.Menu, own)
		}
		for _, v := range r.who {
			l.Menu = append(l.Menu, v.Menu(own.Name)...)
		}
	}
	r.c.render(r.w, r.of, l)
	return nil
}

// common returns the entries of the menu that are no host's.
func (r *Request) common(waiting int) []Link {
	links := []Link{{Name: MenuWaiting, Path: Prefix + "/waiting", Count: waiting}, {Name: MenuClock, Path: Prefix + "/clock"}}
	if hosts := switchers(r.who); len(hosts) > 0 {
		on := 0
		for _, s := range hosts {
			on += len(s.On().Faults)
		}
		links = append(links, Link{Name: MenuFaults, Path: Prefix + "/faults", Count: on, Bad: true})
	}
	return links
}

// GoTo has the browser ask for another page.
func (r *Request) GoTo(path string) error {
	http.Redirect(r.w, r.Request, path, http.StatusSeeOther)
	return nil
}

// Problem tells what cannot be done, and why.
func (r *Request) Problem(status int, says string) error {
	r.of = r.c.own
	return r.Show(problem(status, says))
}

// Changed has every open page fetch itself again.
func (r *Request) Changed() { r.c.told.tell(TopicAll) }

// Log is where the console logs.
func (r *Request) Log() *slog.Logger { return r.c.log }

// page answers a request of somebody who has signed in.
type page func(*Request) error

// hosted answers a request for a page of a part.
func (c *Console) hosted(r *Request) error {
	for _, v := range r.who {
		if slices.Contains(v.of.Patterns, r.Pattern) {
			r.of = v.of
			return v.Page(r)
		}
	}
	return errNotTheirs
}

// part is a Part with its templates by name, which are parsed when the first page is shown.
type part struct {
	Part
	templates func() map[string]*template.Template
}

func newPart(p Part) *part {
	return &part{p, sync.OnceValue(func() map[string]*template.Template { return parse(p.Templates) })}
}

// visitor is somebody whose key the host of a part knows.
type visitor struct {
	Visitor
	of *part
}

// fragment shows a value by a template of the part's parts.html.
func (v visitor) fragment(name string, body any) (template.HTML, error) {
	var b strings.Builder
	err := v.of.templates()["parts"].ExecuteTemplate(&b, name, body)
	return template.HTML(b.String()), err //nolint:gosec // the template has escaped it
}
