package console_test

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"slices"
	"testing"
	"testing/fstest"

	"go.uber.org/goleak"

	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/internal/consoletest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shop is a host with a list of goods, and questions about some. Who knows its keys sees all.
type shop struct {
	name  string
	keys  []string
	asked []string
}

func (s shop) part() console.Part {
	return console.Part{
		Templates: fstest.MapFS{
			"parts.html": {Data: []byte(`{{define "question"}}<form>{{.}}?</form>{{end}}{{define "nothing-waits"}}` + s.name + ` asks nothing.{{end}}`)},
			"goods.html": {Data: []byte(`{{define "body"}}<h1>{{.Body}}</h1>{{end}}`)},
		},
		Patterns: []string{"GET /console", "GET /console/" + s.name, "GET /console/" + s.name + "/{one}"},
		SignIn: func(key string) (console.Visitor, error) {
			if slices.Contains(s.keys, key) {
				return s, nil
			}
			return nil, nil
		},
		IsMissing: func(err error) bool { return errors.Is(err, fs.ErrNotExist) },
	}
}

func (s shop) String() string { return "a client of " + s.name }

func (s shop) Page(r *console.Request) error {
	if r.PathValue("one") != "" {
		return fs.ErrNotExist
	}
	return r.Show(console.Page{Template: "goods", Title: s.name, Here: s.name, Body: "The goods of " + s.name})
}

func (s shop) Menu(behind string) []console.Link {
	links := map[string][]console.Link{
		"": {{Name: s.name, Path: "/console/" + s.name}}, console.MenuClock: {{Name: "broken-" + s.name, Path: "/console", Count: 3, Bad: true}},
	}
	return links[behind]
}

func (s shop) Waiting(_ context.Context, n int) (questions []console.Question, total int, err error) {
	for _, q := range s.asked[:min(n, len(s.asked))] {
		questions = append(questions, console.Question{ID: q, Path: "/console/" + s.name, Title: s.name, From: q, Body: q})
	}
	return questions, len(s.asked), nil
}

func (s shop) Topics(context.Context, []string) []string { return []string{s.name} }

// open starts a console of shops, with the store of their logs.
func open(t *testing.T, o console.Options, shops ...shop) (*consoletest.Rig, *eventlog.Store) {
	t.Helper()
	store, err := eventlog.Open(t.Context(), eventlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	o.Store = store
	for _, s := range shops {
		o.Parts = append(o.Parts, s.part())
	}
	return consoletest.Open(t, o, http.NotFoundHandler()), store
}
