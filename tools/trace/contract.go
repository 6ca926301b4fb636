package trace

import (
	"encoding/json"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/openassay/assay/gen/agenticloopv2"
	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/lazyregexp"
)

// contract is what a protocol's spec calls what is seen on its wire.
type contract struct {
	operations []operation
	event      func(kind string) (name string, known bool) // the type, or the pattern of its family
	turn       string                                      // what is sent to a process
	answer     string                                      // what it answers
}

type operation struct {
	method string
	path   string // as the spec has it
	match  *regexp.Regexp
}

func contractOf(protocol string) contract {
	switch {
	case strings.HasPrefix(protocol, "openintent"):
		return contract{operations: operationsOf(openintentv1.Bundled()), turn: "schema ResolvePolicyRequest", answer: "schema ResolvePolicyReply",
			event: func(kind string) (string, bool) {
				_, known := openintentv1.Events[openintentv1.EventType(kind)]
				return kind, known
			}}
	case strings.HasPrefix(protocol, "openwop"):
		return contract{operations: operationsOf(openwopv1.Bundled()),
			event: func(kind string) (string, bool) {
				_, known := openwopv1.Events[openwopv1.RunEventType(kind)]
				return kind, known
			}}
	}
	return contract{turn: "schema Request", answer: "schema Response", event: func(kind string) (string, bool) {
		if _, known := agenticloopv2.Events[agenticloopv2.EventType(kind)]; known {
			return kind, true
		}
		for _, f := range agenticloopv2.EventFamilies {
			if f.Pattern.MatchString(kind) {
				return string(f.Type), true
			}
		}
		return "", false
	}}
}

var parameter = lazyregexp.New(`\\\{[^/{}]+\\\}`)

// operationsOf are those of a bundled document, the ones with fewer parameters first: they are meant where both match.
func operationsOf(bundled []byte) []operation {
	var doc struct {
		Paths map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal(bundled, &doc); err != nil {
		return nil // it is generated, and parsed by the tests of its package
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

// operation names what a request calls; "" where the spec has no such operation.
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
