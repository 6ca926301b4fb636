package apidoc

import (
	"mime"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/validate"
)

// Request is a request that is about to be sent.
type Request struct {
	Method, Path string            // Path is that of the document, escaped, with its query
	Header       map[string]string // those that are sent for its own sake
	Body         []byte            // empty for none
	Unsigned     bool              // it carries no valid credential, although there is one
}

// Misfit is a part of a request that does not fit the document.
type Misfit struct {
	Operation string // its id and route, or the method and path where there is none
	In        string // path, query, header, body, credential, or request
	Pointer   string // into the body: that of the value; else the parameter
	Want      string // what the document wants, in words
	At        string // JSON pointer into the document of what wants it
	Value     string // of a parameter, as it was sent
	Sent      bool   // whether Value was
}

// String returns what is wrong, and where.
func (m Misfit) String() string {
	where := m.In
	if m.Pointer != "" {
		where += " " + m.Pointer
	}
	text := m.Operation + ": " + where + ": " + m.Want
	if m.At != "" {
		text += " (#" + m.At + ")"
	}
	return text
}

// common are headers that HTTP and its extensions define for every request.
var common = []string{"Accept", "Authorization", "Content-Type", "Traceparent", "Tracestate"}

// Misfits returns where a request does not fit the document, nothing if it fits.
func (r Routes) Misfits(q Request) []Misfit {
	path, query, _ := strings.Cut(q.Path, "?")
	found, values := r.find(q.Method, path)
	if found == nil {
		want := "the contract has no such path"
		if others := r.methods(path); len(others) > 0 {
			want = "the contract has this path for " + strings.Join(others, ", ") + " only"
		}
		return []Misfit{{Operation: q.Method + " " + path, In: "request", Want: want}}
	}
	c := checking{op: found.op, name: found.op.ID + ", " + found.name}
	c.parameters("path", func(name string) (string, bool) { v, ok := values[name]; return v, ok })
	c.query(query)
	c.headers(q.Header)
	c.body(q)
	if q.Unsigned && found.op.Secured {
		c.add("credential", "", validate.Problem{Message: "a valid one is wanted"})
	}
	return c.out
}

// checking checks one request of an operation.
type checking struct {
	op   *Operation
	name string
	out  []Misfit
}

func (c *checking) add(in, pointer string, p validate.Problem) {
	c.out = append(c.out, Misfit{Operation: c.name, In: in, Pointer: pointer, Want: p.Message, At: p.Keyword})
}

// addValue adds a problem of a value that was sent.
func (c *checking) addValue(in, name, value string, p validate.Problem) {
	c.add(in, name, p)
	last := &c.out[len(c.out)-1]
	last.Value, last.Sent = value, true
}

// parameters checks the values of the parameters in one place.
func (c *checking) parameters(in string, sent func(name string) (value string, there bool)) {
	for i := range c.op.Parameters {
		p := &c.op.Parameters[i]
		if p.In != in {
			continue
		}
		value, there := sent(p.Name)
		switch {
		case there && in == "path" && value == "":
			c.addValue(in, p.Name, value, validate.Problem{Message: "it is empty", Keyword: p.At})
		case there:
			for _, problem := range p.Check(value) {
				c.addValue(in, p.Name, value, problem)
			}
		case p.Required:
			c.add(in, p.Name, validate.Problem{Message: "it is required", Keyword: p.At})
		}
	}
}

func (c *checking) query(raw string) {
	query, err := url.ParseQuery(raw)
	if err != nil {
		c.add("query", "", validate.Problem{Message: "it cannot be read: " + err.Error()})
		return
	}
	c.parameters("query", func(name string) (string, bool) {
		return query.Get(name), query.Has(name)
	})
	for name, values := range query {
		switch {
		case !c.declares("query", name):
			c.add("query", name, validate.Problem{Message: "the operation has no such parameter"})
		case len(values) > 1:
			c.add("query", name, validate.Problem{Message: "it is sent more than once"})
		}
	}
}

func (c *checking) headers(sent map[string]string) {
	if len(sent) == 0 && len(c.op.Parameters) == 0 {
		return
	}
	values := make(map[string]string, len(sent))
	for name, value := range sent {
		name = http.CanonicalHeaderKey(name)
		values[name] = value
		if !slices.Contains(common, name) && !c.declares("header", name) {
			c.add("header", name, validate.Problem{Message: "the operation has no such parameter"})
		}
	}
	c.parameters("header", func(name string) (string, bool) {
		value, there := values[http.CanonicalHeaderKey(name)]
		return value, there
	})
}

func (c *checking) declares(in, name string) bool {
	return slices.ContainsFunc(c.op.Parameters, func(p Parameter) bool {
		return p.In == in && (p.Name == name || in == "header" && http.CanonicalHeaderKey(p.Name) == name)
	})
}

func (c *checking) body(q Request) {
	switch {
	case len(q.Body) == 0 && c.op.BodyRequired:
		c.add("body", "", validate.Problem{Message: "it is required", Keyword: c.op.Body.At})
	case len(q.Body) == 0:
	case !c.op.TakesBody:
		c.add("body", "", validate.Problem{Message: "the operation takes none"})
	default:
		if kind, there := q.Header["Content-Type"]; there {
			if media, _, err := mime.ParseMediaType(kind); err != nil || media != "application/json" {
				c.add("header", "Content-Type", validate.Problem{Message: "must be application/json"})
			}
		}
		for _, p := range c.op.Body.Validate(q.Body) {
			c.add("body", p.Instance, p)
		}
	}
}
