// Package variation is the catalogue of the ways in which the simulated OpenIntent server can differ from itself without being
// wrong: where the texts contradict each other or leave something open, real servers do one or the other. A client that
// trips over one of these trips over honest servers.
//
// What a variation changes is a rule where an honest server may decide otherwise, or the manner in which the server speaks:
// Set.Front stands in front of it.
package variation

import (
	"net/http"
	"slices"

	"github.com/openassay/assay/simhost/internal/listed"
	"github.com/openassay/assay/simhost/openintent/rules"
	"github.com/openassay/assay/simhost/openintent/suspension"
)

// All is the name that stands for every variation at once.
const All = listed.All

// Variation is one way to differ. Ids are chosen by hand and never reused.
type Variation struct {
	ID    string
	Title string // what a client sees
	About string // what differs between real servers there
	// Slips are the requirements for which a certification has a finding; most have none.
	Slips []string

	// Vary puts the other manner in the place of the usual one.
	Vary func(*Set)
}

// Set is what a server does otherwise. The zero Set is the server as it is.
type Set struct {
	Rules []func(*rules.Set)
	// Policy is the retry policy of the platform where its configuration names none; nil for none.
	Policy *suspension.Policy

	asks    []func(*http.Request) bool // false: there is nothing there
	replies []func(*reply)
	objects []func(object) // every object of a reply or a frame
	frames  []func(kind string, doc object) object
}

type object = map[string]any

// themes are all variations, in the order in which they are applied. Adding a variation is adding a row to one of them.
var themes = [][]Variation{paths, statuses, places, words, events, decisions}

// List is every variation there is, in the order in which they are applied.
func List() []Variation { return slices.Concat(themes...) }

// Names are the ids of all variations.
func Names() []string {
	var ids []string
	for _, v := range List() {
		ids = append(ids, v.ID)
	}
	return ids
}

// With is the set with these variations, in the order of the list. All stands for every one. An id that no variation has is
// an error that names the nearest one.
func With(ids ...string) (Set, error) {
	chosen, err := listed.Chosen(func(v Variation) string { return v.ID }, List(), ids)
	if err != nil {
		return Set{}, err
	}
	var s Set
	for _, v := range chosen {
		v.Vary(&s)
	}
	return s, nil
}

// Apply puts the decisions of the set into rules.
func (s *Set) Apply(to *rules.Set) {
	for _, change := range s.Rules {
		change(to)
	}
}

// Front puts the manner of the set between a server and its clients.
func (s *Set) Front(host http.Handler) http.Handler {
	if len(s.asks)+len(s.replies)+len(s.objects)+len(s.frames) == 0 {
		return host
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := r.Clone(r.Context())
		for _, ask := range s.asks {
			if !ask(asked) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusNotFound)
				_, _ = w.Write([]byte(`{"error":"not_found","detail":"Not Found"}`)) // a client that left does not matter
				return
			}
		}
		held := &reply{set: s, w: w, Method: asked.Method, Path: asked.URL.Path}
		host.ServeHTTP(held, asked)
		held.finish()
	})
}
