package trace

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios"
)

// contract maps wire traffic to the names in a protocol's spec.
type contract struct {
	operations []operation
	event      func(kind string) (name string, known bool) // the type, or the pattern of its family
	turn       string                                      // input of a process
	answer     string                                      // output of a process
}

type operation struct {
	method string
	path   string // as in the spec
	match  *regexp.Regexp
}

// contractOf returns the contract of a protocol; nil has an empty one.
func contractOf(p *scenarios.Protocol) contract {
	c := contract{event: func(string) (string, bool) { return "", false }}
	if p == nil {
		return c
	}
	c.operations = operationsOf(p.Spec())
	if p.Event != nil {
		c.event = p.Event
	}
	if p.Program != nil {
		c.turn, c.answer = "schema "+p.Program.Request, "schema "+p.Program.Answer
	}
	return c
}

var parameter = lazyregexp.New(`\\\{[^/{}]+\\\}`)

// operationsOf returns the operations of a bundled document. Operations with fewer parameters come first: if two match,
// the more specific one is meant.
func operationsOf(bundled []byte) []operation {
	var doc struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(bundled, &doc); err != nil {
		return nil // generated, and parsed by the tests of its package
	}
	var out []operation
	for path, item := range doc.Paths {
		match := regexp.MustCompile("^" + parameter.ReplaceAllString(regexp.QuoteMeta(path), `[^/]+`) + "$")
		for method := range item {
			out = append(out, operation{strings.ToUpper(method), path, match})
		}
	}
	slices.SortFunc(out, func(a, b operation) int {
		if n := strings.Count(a.path, "{") - strings.Count(b.path, "{"); n != 0 {
			return n
		}
		if n := len(b.path) - len(a.path); n != 0 { // /v1/runs/{runId}:fork before /v1/runs/{runId}
			return n
		}
		return strings.Compare(a.path+a.method, b.path+b.method)
	})
	return out
}

// operation returns the name of the called operation; "" if the spec has none.
func (c contract) operation(method, address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	for _, o := range c.operations {
		if o.method == method && o.match.MatchString(u.Path) {
			return o.method + " " + o.path
		}
	}
	return ""
}
