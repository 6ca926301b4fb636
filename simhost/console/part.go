package console

import (
	"context"
	"errors"
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
	// Templates has a file for each page, which defines "body", and parts.html, which defines "question" for the Body of a
	// [Question], and "nothing-waits" where there is something to say to those for whom nothing waits.
	Templates fs.FS
	// Patterns are those of the pages, as [http.ServeMux] has them, with [Prefix]. Of parts that have the same one, the first
	// that knows the visitor answers. Each has those of the page that the console begins with.
	Patterns []string
	// SignIn finds whose key this is; nil where the host does not know it.
	SignIn func(key string) (Visitor, error)
}

// Visitor is somebody whose key a host knows, and what they see of it. String is who they are, for people.
type Visitor interface {
	fmt.Stringer
	// Page answers a request for one of the patterns of the part, which the request names. The error is [ErrMissing] where
	// there is nothing, or nothing that the visitor may see.
	Page(r *Request) error
	// Menu returns the entries that stand behind a common one, or before all of them where that is "".
	Menu(behind string) []Link
	// Waiting returns what waits for an answer, n at most, and how much does.
	Waiting(ctx context.Context, n int) (questions []Question, total int, err error)
	// Topics returns those of the pages that show what was appended to these logs.
	Topics(ctx context.Context, logs []string) []string
}

// The common entries of the menu.
const (
	MenuWaiting = "Waiting"
	MenuClock   = "Clock"
)

// Link is an entry of the menu.
type Link struct {
	Name, Path string
	Count      int  // shown where it is not 0
	Bad        bool // what is counted is
}

// Question is something that waits for an answer.
type Question struct {
	ID          string // unlike those of others
	Path, Title string // of the page of what asks
	From        string // the id of what asks
	Body        any    // what the template "question" shows
}

// Page is a page of a part.
type Page struct {
	Template string // its file, without .html
	Status   int    // 0 is 200
	Title    string
	Here     string // the entry of the menu that it belongs to
	Body     any
}

// ErrMissing is the error of a page of which there is none for the visitor.
var ErrMissing = errors.New("there is no such page")

// Request is one of somebody who has signed in.
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
	for _, own := range []Link{
		{}, {Name: MenuWaiting, Path: Prefix + "/waiting", Count: waiting}, {Name: MenuClock, Path: Prefix + "/clock"},
	} {
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
