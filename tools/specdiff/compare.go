// Package specdiff lists every difference of two specs and finds what each breaks and adds.
//
// The list comes from comparing the two documents member by member, so that nothing is left out. oasdiff then says what
// the changes of operations do to clients, and, asked the other way round, to servers. A host writes event payloads for
// others to read, like replies: each event type becomes an operation whose reply is the payload. Either side may read
// and write a schema outside operations and events, so it becomes the body of a request and of a reply.
package specdiff

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/specdiff/goapi"
	"github.com/openassay/assay/tools/specgen"
)

// Severity is the effect of a change on programs written for the old spec.
type Severity string

// The severities, worst first.
const (
	Breaking Severity = "breaking" // such a program fails, or may fail
	Warning  Severity = "warning"  // it may fail, and no rule can tell
	Additive Severity = "additive" // it still works
	Unjudged Severity = "unjudged" // more than a text differs, and no rule covers it
	Text     Severity = "text"     // a description, an example, an order: no program goes by it
)

// Severities lists all severities, worst first.
var Severities = []Severity{Breaking, Warning, Additive, Unjudged, Text}

// Party is who is affected by a change.
type Party string

// The parties.
const (
	Clients Party = "clients" // written for the old spec, they meet a server of the new one
	Servers Party = "servers" // written for the old spec, they do not keep the new one
)

// Kind is the kind of a subject.
type Kind string

// The kinds of subjects.
const (
	Operation   Kind = "operation"   // named "GET /v1/runs/{runId}"
	Event       Kind = "event"       // named by its type, or by the pattern of a family
	Schema      Kind = "schema"      // named by its component
	API         Kind = "api"         // anything outside operations; unnamed
	Component   Kind = "component"   // nothing refers to it; named by its pointer below components
	Requirement Kind = "requirement" // named by its id
	File        Kind = "file"        // named by its path: a fixture, a profile, readings; a schema's $id
)

// Subject is the changed part of a spec.
type Subject struct {
	Kind Kind   `json:"kind"`
	Name string `json:"name"`
}

func (s Subject) String() string {
	if s.Kind == Operation || s.Kind == API {
		return cmp.Or(s.Name, "the API as a whole")
	}
	return string(s.Kind) + " " + s.Name
}

// Change is one difference between two specs. Its own place is the first of its Places.
type Change struct {
	Severity Severity `json:"severity"`
	Breaks   []Party  `json:"breaks"`
	Place
	// Before and After are its JSON pointers in the two specs' bundled documents, or FILE#POINTER of what is in none; ""
	// where there is no such place.
	Before string `json:"before"`
	After  string `json:"after"`
	Text   string `json:"text"`
	// Rule is the rule of oasdiff that gave the severity; "" for none.
	Rule string `json:"rule"`
	// Places lists every operation, event and schema in which the change is met.
	Places []Place `json:"places"`
	// Findings is all that the rules of oasdiff say about it, at each of its places and for both parties.
	Findings []Finding `json:"findings"`
	// Touches lists the affected requirements and scenarios. See [Options.Suites].
	Touches Touches `json:"touches"`

	text       bool
	own        *Subject // it is the whole of this
	olds, news []string // all its pointers
	keys       []key    // names that a generator may give it
	renamed    *goapi.Renamed
	ref        bool // it refers to another schema
	inert      bool // nothing on the wire is another one: a name in the document alone
	security   bool // who may call
	effect     effect
}

// Judged reports whether a scenario looks at the place of the change, or calls an operation that has it.
func (c *Change) Judged() bool { return len(c.Touches.Scenarios)+len(c.Touches.Asking) > 0 }

// Options configures how changes are judged.
type Options struct {
	// StrictReaders makes a new value of an enum in a reply or a payload breaking. By default readers are expected to
	// ignore unknown values.
	StrictReaders bool
	// Suites are the suites whose requirements and scenarios changes may touch. Specs of other protocols touch none.
	Suites []scenarios.Suite
}

// Result is the comparison of two specs.
type Result struct {
	Changes []Change
	// Unjudged says why no rule of oasdiff was asked: it cannot read one of the documents. nil if it can.
	Unjudged error
}

// Compare lists the differences between two contracts, worst first. It does not compare what stands beside them in
// their folders: see [Folder.Compare].
func Compare(before, after *specgen.Contract, o Options) (Result, error) {
	return compare(before, after, nil, o)
}

func compare(before, after *specgen.Contract, beside []Change, o Options) (Result, error) {
	a, err := newDocument(before)
	if err != nil {
		return Result{}, fmt.Errorf("read the old spec: %w", err)
	}
	b, err := newDocument(after)
	if err != nil {
		return Result{}, fmt.Errorf("read the new spec: %w", err)
	}
	var r Result
	if found := differences(a, b); len(found) > 0 {
		r.Changes = changes(a, b, found)
		var findings []Finding
		if slices.ContainsFunc(r.Changes, func(c Change) bool { return !c.text }) {
			findings, r.Unjudged = judge(a, b, o)
		}
		for _, f := range attach(r.Changes, findings) {
			if lone, ok := alone(f, a, b); ok {
				r.Changes = append(r.Changes, lone)
			}
		}
	}
	for i := range r.Changes {
		r.Changes[i].settle()
	}
	r.Changes = append(r.Changes, beside...)
	slices.SortStableFunc(r.Changes, order)
	return r, touch(r.Changes, a, b, o.Suites)
}

func order(x, y Change) int {
	return cmp.Or(cmp.Compare(slices.Index(Severities, x.Severity), slices.Index(Severities, y.Severity)),
		cmp.Compare(kindOrder(x.Subject), kindOrder(y.Subject)), strings.Compare(x.Subject.Name, y.Subject.Name),
		strings.Compare(x.Property, y.Property), strings.Compare(x.Before+x.After, y.Before+y.After), strings.Compare(x.Text, y.Text))
}

func kindOrder(s Subject) int {
	return slices.Index([]Kind{API, Operation, Event, Schema, Component, Requirement, File}, s.Kind)
}

// changes tells differences in words, with the places at which they are met.
func changes(a, b *document, found []difference) []Change {
	components := [2]map[string]bool{{}, {}}
	for _, m := range found {
		for i, n := range []*node{m.old, m.new} {
			if n != nil {
				if c, ok := componentOf(n.at); ok {
					components[i][c] = true
				}
			}
		}
	}
	before, after := newAtlas(a, components[0]), newAtlas(b, components[1])
	var out []Change
	for _, m := range found {
		c := Change{Text: m.words(), text: m.isText()}
		c.effect, c.security = m.effect(), slices.ContainsFunc(m.path, func(s step) bool {
			return s.name == "security" && (s.in == kRoot || s.in == kOperation) || s.name == "securitySchemes" && s.in == kComponents
		})
		c.inert, c.renamed, c.ref = m.inert(), m.renamed(), m.path != nil && m.path[len(m.path)-1].name == "$ref"
		var places []Place
		for _, side := range []struct {
			in  *atlas
			n   *node
			at  *string
			all *[]string
		}{{before, m.old, &c.Before, &c.olds}, {after, m.new, &c.After, &c.news}} {
			if side.n == nil {
				continue
			}
			*side.at = side.n.at
			*side.all = append(*side.all, side.n.at)
			if m.path[0].name == "(events)" {
				places = append(places, Place{Subject: Subject{Event, m.path[1].name}, Side: "reply"})
			} else {
				places = append(places, side.in.of(side.n.at, m.path)...)
			}
			c.own = wholeOf(side.n)
			c.keys = append(c.keys, keysOf(side.in.doc, side.n.at, m.path)...)
		}
		for _, more := range m.also {
			if more.old != nil {
				c.olds = append(c.olds, more.old.at)
			}
			if more.new != nil {
				c.news = append(c.news, more.new.at)
			}
		}
		if m.path[0].name == "(events)" {
			c.own = &places[0].Subject
		}
		c.Places = distinct(places)
		out = append(out, c)
	}
	return out
}

// distinct sorts places. One whose path has other names of parameters now is one place, by its last name.
func distinct(places []Place) []Place {
	last := map[Place]Place{}
	for _, p := range places {
		key := p
		key.Subject.Name = plain(p.Subject.Name)
		last[key] = p
	}
	return slices.SortedFunc(maps.Values(last), comparePlaces)
}

// wholeOf is the operation or schema that a node is the whole of, nil if it is none.
func wholeOf(n *node) *Subject {
	tokens := strings.Split(n.at, "/")
	switch {
	case n.kind == kOperation && len(tokens) == 4:
		return &Subject{Operation, subjectOf(tokens[1], unescaped(tokens[2]), tokens[3]).Name}
	case n.kind == kSchema && len(tokens) == 4 && tokens[1] == "components":
		return &Subject{Schema, unescaped(tokens[3])}
	}
	return nil
}

// alone makes a change of a finding that no difference explains. That schemas became reached, or no longer are, is none:
// what refers to them changed, and is told.
func alone(f Finding, a, b *document) (Change, bool) {
	if f.Subject.Kind == Schema && strings.HasPrefix(f.Rule, "api-") || f.Subject.Kind == Schema && f.Rule == "endpoint-added" {
		return Change{}, false
	}
	c := Change{Before: f.before, After: f.after, Text: f.Text, Places: []Place{f.Place}, Findings: []Finding{f}}
	if f.Subject.Kind == API && f.Subject.Name == "" {
		c.Before, c.After = cmp.Or(f.before, "/info"), cmp.Or(f.after, "/info")
	}
	return c, true
}

// settle gives a change the worst severity of its findings, and its first place.
func (c *Change) settle() {
	if len(c.Findings) == 0 {
		c.Findings = c.effect.findings(c)
	}
	c.Severity = Unjudged
	switch {
	case c.text:
		c.Severity = Text
	case len(c.Places) == 0:
		c.Severity = Additive
		c.Text += " (nothing refers to it)"
	case c.inert, len(c.Findings) > 0, c.Before == "" && isComponent(c.After), c.After == "" && isComponent(c.Before):
		c.Severity = Additive // what refers to a component that came or went is a change of its own
	}
	c.Breaks = []Party{}
	for _, f := range c.Findings {
		if f.Severity == Breaking && !slices.Contains(c.Breaks, f.Breaks) {
			c.Breaks = append(c.Breaks, f.Breaks)
		}
		if f.Breaks == Clients && (c.Rule == "" || slices.Index(Severities, f.Severity) < slices.Index(Severities, c.Severity)) {
			c.Rule, c.Severity = f.Rule, f.Severity
		}
	}
	slices.Sort(c.Breaks)
	if c.Findings == nil {
		c.Findings = []Finding{}
	}
	if c.Places == nil {
		c.Places = []Place{}
		c.Place.Subject = Subject{Component, strings.TrimPrefix(cmp.Or(c.After, c.Before), "/components/")}
	} else {
		c.Place = c.Places[0]
	}
	if c.Severity == Unjudged {
		c.Text += ": no rule tells what that breaks"
	}
}

func isComponent(pointer string) bool {
	return strings.HasPrefix(pointer, "/components/") && strings.Count(pointer, "/") == 3
}
