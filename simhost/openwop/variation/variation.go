// Package variation is the catalogue of the ways in which the simulated host can differ from itself without being wrong.
// Real hosts differ so; a client that trips over one of these trips over honest hosts.
//
// The host itself knows of no variation. What a variation changes is how runs are named and how late things are seen, which
// the run engine takes as options, or the manner in which the host speaks: Set.Front stands in front of it, turns what a
// client asks in that manner into what the host understands, and what the host answers into that manner.
package variation

import (
	"net/http"
	"slices"
	"time"

	"github.com/openassay/assay/simhost/internal/listed"
	"github.com/openassay/assay/simhost/openwop/engine/workflow"
)

// All is the name that stands for every variation at once.
const All = listed.All

// Variation is one way to differ. Ids are chosen by hand and never reused.
type Variation struct {
	ID    string
	Title string // what a client sees
	About string // what differs between real hosts there
	// Slips are the requirements for which a certification has a finding: the variation is a known slip of honest hosts, which
	// changes no verdict. Most have none.
	Slips []string

	// Vary puts the other manner in the place of the usual one.
	Vary func(*Set)
}

// Set is what a host does otherwise. The zero Set is the host as it is.
type Set struct {
	// Shapes, ChildLag and AnswerLag are options of the run engine.
	Shapes              []workflow.Shape
	ChildLag, AnswerLag time.Duration

	// RawBodies binds an idempotency key to the bytes of a body, not to what they mean.
	RawBodies bool

	impatient bool // no poll is held back
	quiet     bool // streams hold no comments

	// What follows changes what goes over the wire, see exchange. Of asks the last comes first, since it is next to the client;
	// of everything else the first.
	asks      []func(*exchange)
	events    []func(*exchange, object)
	snapshots []func(object)
	replies   []func(*exchange)
	frames    []func(frame) []frame
	blocks    []func(block string) string
	pieces    func(block string) []string
}

// themes are all variations, in the order in which they are applied: where two vary the same thing, the later one has the
// last word. Adding a variation is adding a row to one of them.
var themes = [][]Variation{runs, paths, answers, documents, polls, streams, refusals, connections}

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

// speaks tells whether anything of the set shows on the wire beside what the engine does.
func (s *Set) speaks() bool {
	return len(s.asks)+len(s.events)+len(s.snapshots)+len(s.replies)+len(s.frames)+len(s.blocks) > 0 || s.pieces != nil || s.quiet
}

// Front puts the manner of the set between a host and its clients. knows says whether there is something at the path of a
// request, for whoever may ask.
func (s *Set) Front(host http.Handler, knows func(*http.Request) bool) http.Handler {
	if !s.speaks() {
		return host
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := &exchange{set: s, host: host, knows: knows, asked: r, r: r.Clone(r.Context())}
		x.serve(w)
	})
}
