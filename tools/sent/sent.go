// Package sent sums up what clients send to the hosts or plugins of a protocol: the operations that they call, with which parameters
// and headers, the shapes of what they send, and what they call next on the same resource. Two such sums can be compared: what clients of a
// recording send, and what drives do.
package sent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/apidoc"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
)

// Kind is a kind of thing that is sent.
type Kind string

// The kinds.
const (
	Called Kind = "called" // the operation, in any way
	Query  Kind = "query"  // a parameter of the query
	Header Kind = "header"
	Body   Kind = "body"  // a place in the body, with the type of what stands there
	Value  Kind = "value" // one of the values that the protocol lists, in the query or the body
	Then   Kind = "then"  // the status of the reply, and what the same client calls next on the same resource
	// Unknown is a request that is for no operation of the protocol.
	Unknown Kind = "unknown"
)

// kinds are all of them, in the order in which they are shown.
var kinds = []Kind{Unknown, Called, Query, Header, Body, Value, Then}

// Item is something that is sent. It holds no value that a client drew: only names of the protocol, names that look like those of an API,
// and values that the protocol lists.
type Item struct {
	Operation string // POST /v1/runs, or the kind of a turn
	Kind      Kind
	What      string // "" for Called and Unknown
}

// Compare orders items by operation.
func (i Item) Compare(other Item) int {
	_, path, _ := strings.Cut(i.Operation, " ")
	_, others, _ := strings.Cut(other.Operation, " ")
	return cmp.Or(strings.Compare(path, others), strings.Compare(i.Operation, other.Operation),
		slices.Index(kinds, i.Kind)-slices.Index(kinds, other.Kind), strings.Compare(i.What, other.What))
}

// Times says how often an item was sent, and where first.
type Times struct {
	N     int
	First string
	At    int // the number of that exchange among all, from 1
}

// Items are what was sent.
type Items map[Item]Times

// Sorted returns the items in the order in which they are shown.
func (s Items) Sorted() []Item { return slices.SortedFunc(maps.Keys(s), Item.Compare) }

// mostItems bounds the items of a recording, which may be anybody's.
const mostItems = 20_000

// Sum sums up what the clients of one protocol send.
type Sum struct {
	Items     Items
	Exchanges int  // or turns
	Full      bool // there were more than mostItems

	protocol *scenarios.Protocol
	api      api
	turn     *apidoc.Place // of a request to a program, nil where none speaks the protocol
	settings []string      // places in it whose members have names, though no schema says so
	queries  map[string]*apidoc.Place
	bodies   map[*apidoc.Operation]*apidoc.Place
}

// New returns the sum of nothing.
func New(p *scenarios.Protocol) (*Sum, error) {
	document := p.Spec
	if p.Requests != nil {
		document = p.Requests
	}
	bundled := document()
	compiled, err := validate.Embedded(bundled)
	if err != nil {
		return nil, fmt.Errorf("read what %s says of requests: %w", p.ID, err)
	}
	operations, err := apidoc.Read(bundled, compiled, nil)
	if err != nil {
		return nil, err
	}
	samples, err := apidoc.NewSamples(bundled)
	if err != nil {
		return nil, err
	}
	s := &Sum{Items: Items{}, protocol: p, api: newAPI(operations, samples), queries: map[string]*apidoc.Place{},
		bodies: map[*apidoc.Operation]*apidoc.Place{}}
	if p.Program != nil {
		var open map[string]string
		if p.Program.Members != nil {
			open = p.Program.Members()
		}
		schemas := "/$defs/"
		if len(operations) > 0 {
			schemas = "/components/schemas/"
		}
		s.turn = samples.Place(schemas + p.Program.Request)
		for member, component := range open {
			if component == "" {
				s.settings = append(s.settings, "/"+member)
				continue
			}
			s.turn.Also(member, schemas+component)
		}
	}
	return s, nil
}

// Add adds exchanges or turns that the clients of one host or plugin had, in the order of their times. at says where the i-th stands.
// Clients of one call are others than those of another.
func (s *Sum) Add(entries []wire.Entry, at func(i int) string) {
	base := baseOf(entries, s.protocol.DiscoveryPath)
	next := following{}
	for i, e := range entries {
		switch {
		case e.Process != nil && s.turn != nil:
			s.Exchanges++
			s.program(e, at(i), next)
		case e.Request != nil && e.Kind != "inbound" && s.api.routes != nil:
			s.Exchanges++
			s.request(e, at(i), base, next)
		}
	}
}

func (s *Sum) add(i Item, at string) {
	times, known := s.Items[i]
	if !known && len(s.Items) >= mostItems {
		s.Full = true
		return
	}
	if !known {
		times.First, times.At = at, s.Exchanges
	}
	times.N++
	s.Items[i] = times
}

// request adds an exchange.
func (s *Sum) request(e wire.Entry, at, base string, next following) {
	u, err := url.Parse(e.Request.URL)
	if err != nil {
		return
	}
	path := u.EscapedPath()
	if below, ok := strings.CutPrefix(path, base); ok && strings.HasPrefix(below, "/") {
		path = below
	}
	op, name, values := s.api.routes.Find(e.Request.Method, path)
	if op == nil {
		s.add(Item{Operation: method(e.Request.Method) + " " + s.api.unknown(path), Kind: Unknown}, at)
		return
	}
	// One request says each thing once.
	said := map[Item]bool{{Operation: name, Kind: Called}: true}
	for parameter, values := range u.Query() {
		said[Item{name, Query, word(parameter)}] = true
		place := s.query(op, name, parameter)
		for _, value := range values {
			if place.Lists(value) {
				said[Item{name, Value, parameter + " = " + value}] = true
			}
		}
	}
	for header, value := range e.Request.Header {
		if told := s.api.header(header, value); told != "" {
			said[Item{name, Header, told}] = true
		}
	}
	if e.Request.Body != "" {
		s.body(op, name, e.Request.Body, said)
	}
	for i := range said {
		s.add(i, at)
	}
	next.add(s, call{operation: name, status: status(e), client: client(e.Request.Header), at: at,
		resources: s.api.resources(name, values, e)})
}

// method returns the method of a request that may be anything.
func method(sent string) string {
	switch sent {
	case http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodHead, http.MethodOptions:
		return sent
	}
	return "another method"
}

func (s *Sum) query(op *apidoc.Operation, name, parameter string) *apidoc.Place {
	key := name + " " + parameter
	for i := range op.Parameters {
		p := &op.Parameters[i]
		if p.In != "query" || p.Name != parameter {
			continue
		}
		if s.queries[key] == nil {
			s.queries[key] = s.api.samples.Place(p.At)
		}
		return s.queries[key]
	}
	return nowhere
}

// nowhere is a place of which nothing is known.
var nowhere = &apidoc.Place{}

// body says the shape of a body.
func (s *Sum) body(op *apidoc.Operation, name, body string, said map[Item]bool) {
	place := nowhere
	if op.Body != nil {
		if s.bodies[op] == nil {
			s.bodies[op] = s.api.samples.Place(op.Body.At)
		}
		place = s.bodies[op]
	}
	shape{name, said, nil}.text(body, place)
}

// program adds a turn of a program.
func (s *Sum) program(e wire.Entry, at string, next following) {
	var request, answer map[string]any
	if decode(e.Process.Input, &request) != nil || request == nil {
		s.add(Item{Operation: "a turn whose request is no object of JSON", Kind: Unknown}, at)
		return
	}
	_ = decode(e.Process.Output, &answer) // it may be nothing, and names no run then
	kind, run := "turn", ""
	if s.protocol.Program.Kind != nil {
		kind, run = s.protocol.Program.Kind(request, answer)
	}
	said := map[Item]bool{{Operation: kind, Kind: Called}: true}
	shape{kind, said, s.settings}.value(request, "", s.turn, 0, deepest)
	for i := range said {
		s.add(i, at)
	}
	c := call{operation: kind, status: "no exit", at: at}
	if e.Process.Exit != nil {
		c.status = "exit 0"
		if *e.Process.Exit != 0 {
			c.status = "another exit"
		}
	}
	if run != "" {
		c.resources = []string{run}
	}
	next.add(s, c)
}

// decode reads one document of JSON, numbers as they stand.
func decode(text string, into any) error {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	return d.Decode(into)
}

// baseOf returns what stands before the paths of the protocol, as the discovery document of the host shows it.
func baseOf(entries []wire.Entry, discovery string) string {
	for _, e := range entries {
		if discovery == "" || e.Request == nil || e.Response == nil || e.Response.Status != http.StatusOK {
			continue
		}
		if u, err := url.Parse(e.Request.URL); err == nil {
			if base, found := strings.CutSuffix(u.EscapedPath(), discovery); found {
				return base
			}
		}
	}
	return ""
}

// status returns the class of a reply's status.
func status(e wire.Entry) string {
	if e.Response == nil || e.Response.Status < 100 || e.Response.Status > 599 {
		return "no reply"
	}
	return fmt.Sprintf("%dxx", e.Response.Status/100)
}
