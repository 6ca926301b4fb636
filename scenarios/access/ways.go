// Package access asks a target for every operation of its contract as callers who may not use it. The operations are those of the
// contract: one that is new there is asked for without a scenario of its own.
package access

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/apidoc"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/scenarios/wire"
)

// Way is a way through a target: an operation of its contract with what it needs, or with one parameter more. A parameter may lead past
// a check that stands on the way without it.
type Way struct {
	Operation string // its id in the contract
	With      string // the parameter, or the media type, that makes it a way of its own; "" for none
	Method    string
	Path      string   // with its placeholders
	Secured   bool     // it asks for a credential
	Tags      []string // of the operation
	Body      string   // JSON pointer of the schema of its body, "" if it takes none
	NeedsBody bool     // the body may not be left out
	Versioned bool     // it takes If-Match
	Inputs    []Input  // its parameters, those of the path among them
	Streams   bool     // what it answers may be a stream of events
}

// Input is a parameter of a way.
type Input struct{ Name, In, At string }

// Name is how texts call the way.
func (w Way) Name() string {
	if w.With == "" {
		return w.Operation
	}
	return w.Operation + " with " + w.With
}

// Contract is a contract whose operations are asked for.
type Contract struct {
	Ways    []Way // by name, the plain way of an operation first
	samples *apidoc.Samples
	schemas *validate.Set
	checks  map[string][]apidoc.Parameter // of the parameters of an operation, by its id
}

// Read returns the ways of a bundled contract.
func Read(bundled []byte) (*Contract, error) {
	schemas, err := validate.Embedded(bundled)
	if err != nil {
		return nil, err
	}
	operations, err := apidoc.Read(bundled, schemas, nil)
	if err != nil {
		return nil, err
	}
	c := &Contract{schemas: schemas, checks: map[string][]apidoc.Parameter{}}
	if c.samples, err = apidoc.NewSamples(bundled); err != nil {
		return nil, err
	}
	for route, op := range operations {
		c.Ways = append(c.Ways, waysOf(route, op)...)
		c.checks[op.ID] = op.Parameters
	}
	slices.SortFunc(c.Ways, func(a, b Way) int {
		return cmp.Or(strings.Compare(a.Operation, b.Operation), strings.Compare(a.With, b.With))
	})
	return c, nil
}

// Way returns the way of a name; zero if the contract has none, which an older one may have had.
func (c *Contract) Way(name string) Way {
	if i := slices.IndexFunc(c.Ways, func(w Way) bool { return w.Name() == name }); i >= 0 {
		return c.Ways[i]
	}
	return Way{}
}

func waysOf(route string, op *apidoc.Operation) []Way {
	method, path, _ := strings.Cut(route, " ")
	plain := Way{Operation: op.ID, Method: method, Path: path, Secured: op.Secured, Tags: op.Tags,
		Streams: slices.Contains(op.Gives, "text/event-stream")}
	if op.TakesBody {
		plain.Body, plain.NeedsBody = op.Body.At, op.BodyRequired
	}
	var more []Input
	plain.Versioned = slices.Contains(op.Declared, "If-Match")
	for _, p := range op.Parameters {
		if in := (Input{p.Name, p.In, p.At}); p.Required {
			plain.Inputs = append(plain.Inputs, in)
		} else {
			more = append(more, in)
		}
	}
	ways := []Way{plain}
	for _, in := range more {
		w := plain
		w.With, w.Inputs = in.Name, append(slices.Clone(plain.Inputs), in)
		ways = append(ways, w)
	}
	if len(op.Gives) > 1 {
		for _, media := range op.Gives {
			w := plain
			w.With = media
			ways = append(ways, w)
		}
	}
	return ways
}

// Live returns the value of a path parameter, another parameter or a member of a body, by its name; ok is false where there is none.
type Live func(name string) (value any, ok bool)

// In reports whether a place is in the path of the way.
func (w Way) In(name string) bool {
	return slices.ContainsFunc(w.Inputs, func(in Input) bool { return in.In == "path" && in.Name == name })
}

// Places are the names of what the path of the way names, in order.
func (w Way) Places() (names []string) {
	rest := w.Path
	for {
		_, after, found := strings.Cut(rest, "{")
		if !found {
			return names
		}
		var name string
		name, rest, _ = strings.Cut(after, "}")
		names = append(names, name)
	}
}

// Takes reports whether the body that the contract demands has a member of this name.
func (c *Contract) Takes(w Way, member string) bool {
	body, _ := c.samples.At(w.Body).(map[string]any)
	_, ok := body[member]
	return w.Body != "" && ok
}

// Needs returns the first parameter of the path that has no live value, "" if all have one.
func (w Way) Needs(live Live) string {
	for _, in := range w.Inputs {
		if _, ok := live(in.Name); in.In == "path" && !ok {
			return in.Name
		}
	}
	return ""
}

// Call is a request of a way.
type Call struct {
	Method, Path string   // the path is escaped and has no query
	IDs          []string // those in the path, in order, not escaped
	Query        []wire.Parameter
	Header       map[string]string
	Body         any // nil for none
}

// Ask returns the request of a way. Its body has the members that the contract demands.
func (c *Contract) Ask(w Way, live Live) Call {
	samples := *c.samples
	samples.Live = live
	q := Call{Method: w.Method, Path: w.Path}
	for _, in := range w.Inputs {
		value, ok := live(in.Name)
		if !ok {
			value = samples.At(in.At)
		}
		text := fmt.Sprint(value)
		switch in.In {
		case "path":
			q.Path = strings.Replace(q.Path, "{"+in.Name+"}", url.PathEscape(text), 1)
			q.IDs = append(q.IDs, text)
		case "query":
			q.Query = append(q.Query, wire.Parameter{Name: in.Name, Value: text})
		case "header":
			if q.Header == nil {
				q.Header = map[string]string{}
			}
			q.Header[in.Name] = text
		}
	}
	if strings.Contains(w.With, "/") {
		q.Header = map[string]string{"Accept": w.With}
	}
	if w.Body != "" {
		q.Body = samples.At(w.Body)
	}
	return q
}
