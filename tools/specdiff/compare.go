// Package specdiff finds what a change of a spec breaks and adds. It gives operations to oasdiff unchanged. A host
// writes event payloads for others to read, like replies: each event type becomes an operation whose reply is the
// payload. Either side may read and write a schema outside operations and events, so it becomes the body of a request
// and of a reply.
package specdiff

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-openapi/jsonpointer"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/checker"
	"github.com/oasdiff/oasdiff/diff"
	"github.com/oasdiff/oasdiff/load"

	"github.com/openassay/assay/internal/lazyregexp"
	"github.com/openassay/assay/scenarios"
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
)

// Severities lists all severities, worst first.
var Severities = []Severity{Breaking, Warning, Additive, Unjudged}

// Kind is the kind of a subject.
type Kind string

// The kinds of subjects.
const (
	Operation Kind = "operation" // named "GET /v1/runs/{runId}"
	Event     Kind = "event"     // named by its type, or by the pattern of a family
	Schema    Kind = "schema"    // named by its component
	API       Kind = "api"       // anything outside operations; unnamed
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

// Change is one difference between two specs.
type Change struct {
	Severity Severity `json:"severity"`
	Rule     string   `json:"rule"` // rule of oasdiff; "" for none
	Subject  Subject  `json:"subject"`
	// Property is the changed place in the body or payload: /runs/items/status. It is "" for the whole of it, or if the
	// place is unknown.
	Property string `json:"property"`
	// Side is "request" for what callers send, "reply" for what they receive, "" for neither.
	Side string `json:"side"`
	Text string `json:"text"`
	// Touches lists the affected requirements and scenarios. See [Options.Suites].
	Touches Touches `json:"touches"`
}

// Options configures how changes are judged.
type Options struct {
	// StrictReaders makes a new value of an enum in a reply or a payload breaking. By default readers are expected to
	// ignore unknown values.
	StrictReaders bool
	// Suites are the suites whose requirements and scenarios changes may touch. Specs of other protocols touch none.
	Suites []scenarios.Suite
}

// Compare lists the differences between two specs, worst first.
func Compare(before, after *specgen.Contract, o Options) ([]Change, error) {
	a, err := newDocument(before)
	if err != nil {
		return nil, fmt.Errorf("read the old spec: %w", err)
	}
	b, err := newDocument(after)
	if err != nil {
		return nil, fmt.Errorf("read the new spec: %w", err)
	}
	if string(a.raw) == string(b.raw) {
		return nil, nil
	}
	report, sources, err := diff.GetWithOperationsSourcesMap(diff.NewConfig(), &load.SpecInfo{Url: "old", Spec: a.spec},
		&load.SpecInfo{Url: "new", Spec: b.spec})
	if err != nil {
		return nil, fmt.Errorf("compare the specs: %w", err)
	}
	var found []Change
	if report != nil {
		for _, c := range checker.CheckBackwardCompatibilityUntilLevel(policy(o), report, sources, checker.INFO) {
			found = append(found, change(c, a, b))
		}
	}
	found = append(found, unjudged(a, b, found)...)
	slices.SortStableFunc(found, func(x, y Change) int {
		return cmp.Or(cmp.Compare(slices.Index(Severities, x.Severity), slices.Index(Severities, y.Severity)),
			cmp.Compare(kindOrder(x.Subject), kindOrder(y.Subject)), strings.Compare(x.Subject.Name, y.Subject.Name),
			strings.Compare(x.Property, y.Property), strings.Compare(x.Rule, y.Rule), strings.Compare(x.Text, y.Text))
	})
	found = slices.CompactFunc(found, func(x, y Change) bool {
		return x.Severity == y.Severity && x.Rule == y.Rule && x.Subject == y.Subject && x.Property == y.Property && x.Text == y.Text
	})
	return found, touch(found, a, b, o.Suites)
}

func kindOrder(s Subject) int { return slices.Index([]Kind{API, Operation, Event, Schema}, s.Kind) }

// policy maps each rule of oasdiff to a severity.
func policy(o Options) *checker.Config {
	if o.StrictReaders {
		return checker.NewConfig(checker.GetAllChecks())
	}
	return checker.NewConfig(checker.GetAllChecks(), checker.WithSeverityLevels(map[string]checker.Level{
		checker.ResponsePropertyEnumValueAddedId:  checker.INFO,
		checker.ResponseMediaTypeEnumValueAddedId: checker.INFO,
	}))
}

func change(c checker.Change, a, b *document) Change {
	subject := subjectOf(c)
	out := Change{Rule: c.GetId(), Subject: subject, Severity: Additive, Side: side(c.GetId()), Text: words(c, subject)}
	if out.Rule == checker.APIVersionNotBumpedId {
		out.Severity = Warning
	}
	switch c.GetLevel() {
	case checker.ERR:
		out.Severity = Breaking
	case checker.WARN:
		out.Severity = Warning
	}
	out.Property = property(c, subject, out.Side, a, b)
	return out
}

// subjectOf maps the paths that newDocument gave to events and schemas back to their subjects.
func subjectOf(c checker.Change) Subject {
	path := c.GetPath()
	if kind, name, ok := subjectAt(path); ok {
		return Subject{kind, name}
	}
	if path == "" || c.GetOperation() == "" {
		return Subject{API, path}
	}
	return Subject{Operation, c.GetOperation() + " " + path}
}

// side returns who sends the part that a rule covers, which the rule's name tells.
func side(rule string) string {
	switch {
	case strings.Contains(rule, "request"):
		return "request"
	case strings.Contains(rule, "response"):
		return "reply"
	}
	return ""
}

// words returns oasdiff's text for a change, without the artificial operation of an event or a schema.
func words(c checker.Change, s Subject) string {
	text := strings.TrimSpace(c.GetUncolorizedText(checker.NewDefaultLocalizer()))
	if s.Kind != Event && s.Kind != Schema {
		return text
	}
	switch {
	case strings.HasPrefix(c.GetId(), "api-") && strings.Contains(c.GetId(), "removed"):
		return "the " + string(s.Kind) + " is gone"
	case c.GetId() == checker.EndpointAddedId:
		return "the " + string(s.Kind) + " is new"
	}
	text = shownStatus.ReplaceAllString(text, "")
	if s.Kind == Event {
		text = strings.NewReplacer("response's property", "payload's property", "response property", "property of the payload",
			"response body", "payload", "to the response", "to the payload", "from the response", "from the payload").Replace(text)
	}
	return text
}

// shownStatus matches the end of texts about status 200, which only the artificial operations have.
var shownStatus = lazyregexp.New("( with the| for the response| for the| for| with) (`200` status|status code `200`|status `200`)$")

// document is a contract prepared for oasdiff.
type document struct {
	raw  []byte
	tree map[string]any
	spec *openapi3.T
}

// Path prefixes for events and schemas. No path of an API contains a blank.
const (
	eventPath  = "/ event/"
	schemaPath = "/ schema/"
)

func subjectAt(path string) (Kind, string, bool) {
	for prefix, kind := range map[string]Kind{eventPath: Event, schemaPath: Schema} {
		if name, ok := strings.CutPrefix(path, prefix); ok {
			return kind, unbraced.Replace(name), true
		}
	}
	return "", "", false
}

// Braces in a path would form a parameter, and the pattern of an event family may have them.
var (
	braced   = strings.NewReplacer("{", "⟨", "}", "⟩")
	unbraced = strings.NewReplacer("⟨", "{", "⟩", "}")
)

// newDocument returns a contract with its events and schemas added as operations.
func newDocument(c *specgen.Contract) (*document, error) {
	var tree map[string]any
	if err := json.Unmarshal(c.Document, &tree); err != nil {
		return nil, err
	}
	d := &document{tree: tree}
	paths := child(tree, "paths")
	reached := map[string]bool{}
	d.reach(paths, reached)
	for _, e := range c.Events {
		paths[eventPath+braced.Replace(e.Type)] = map[string]any{"get": map[string]any{"responses": replies(e.Component)}}
		d.reach(ref(e.Component), reached)
	}
	for _, name := range c.Schemas {
		if !reached[name] {
			paths[schemaPath+name] = map[string]any{"post": map[string]any{
				"requestBody": map[string]any{"required": true, "content": content(name)}, "responses": replies(name),
			}}
		}
	}
	raw, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}
	d.raw = raw
	if d.spec, err = openapi3.NewLoader().LoadFromData(raw); err != nil {
		return nil, errors.New(strings.Join(strings.Fields(err.Error()), " "))
	}
	return d, nil
}

func child(o map[string]any, key string) map[string]any {
	c, ok := o[key].(map[string]any)
	if !ok {
		c = map[string]any{}
		o[key] = c
	}
	return c
}

const componentPrefix = "#/components/schemas/"

func ref(component string) map[string]any { return map[string]any{"$ref": componentPrefix + component} }

func content(component string) map[string]any {
	return map[string]any{"application/json": map[string]any{"schema": ref(component)}}
}

func replies(component string) map[string]any {
	return map[string]any{"200": map[string]any{"description": "as the schema says", "content": content(component)}}
}

// reach collects the components that v refers to, directly or indirectly.
func (d *document) reach(v any, reached map[string]bool) {
	switch v := v.(type) {
	case map[string]any:
		if r, ok := v["$ref"].(string); ok {
			if to := d.lookUp(r); to != nil && !reached[r] {
				reached[r] = true
				if name, ok := strings.CutPrefix(r, componentPrefix); ok {
					reached[name] = true
				}
				d.reach(to, reached)
			}
		}
		for _, sub := range v {
			d.reach(sub, reached)
		}
	case []any:
		for _, sub := range v {
			d.reach(sub, reached)
		}
	}
}

// lookUp returns the target of a reference within the document, or nil.
func (d *document) lookUp(ref string) any {
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return nil
	}
	var at any = d.tree
	for token := range strings.SplitSeq(path, "/") {
		o, _ := at.(map[string]any)
		at = o[jsonpointer.Unescape(token)]
	}
	return at
}
