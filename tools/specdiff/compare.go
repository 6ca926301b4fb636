// Package specdiff tells what a change of a spec breaks and what it adds. Operations are compared by oasdiff as they are.
// Payloads of events are what a host writes and others read, as replies are: each event type is shown to oasdiff as an
// operation whose reply is the payload. A schema that neither an operation nor an event refers to may be read and written
// by either side, so it is shown as the body of a request and of a reply.
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

// Severity is what a change does to programs that were written for the old spec.
type Severity string

// The severities, worst first.
const (
	Breaking Severity = "breaking" // such a program fails, or may
	Warning  Severity = "warning"  // it may, and no rule can tell
	Additive Severity = "additive" // it goes on working
	Unjudged Severity = "unjudged" // something else than a text is different, and no rule is about it
)

// Severities are all of them, worst first.
var Severities = []Severity{Breaking, Warning, Additive, Unjudged}

// Kind is what a change is in.
type Kind string

// The kinds of subjects.
const (
	Operation Kind = "operation" // named "GET /v1/runs/{runId}"
	Event     Kind = "event"     // named by its type, or by the pattern of a family
	Schema    Kind = "schema"    // named by its component
	API       Kind = "api"       // what belongs to no operation; without a name
)

// Subject is what a change is in.
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
	Rule     string   `json:"rule"` // of oasdiff; "" where none is about it
	Subject  Subject  `json:"subject"`
	// Property is where in the body or payload it is: /runs/items/status. "" where it is about all of it, or where that is
	// not known.
	Property string `json:"property"`
	// Side is whether it is in what callers send (request) or in what they receive (reply); "" for neither.
	Side string `json:"side"`
	Text string `json:"text"`
	// Touches is what of the requirements and scenarios goes by it. See [Options.Suites].
	Touches Touches `json:"touches"`
}

// Options say by what policy changes are judged.
type Options struct {
	// StrictReaders makes a further value of an enum in a reply or a payload breaking. Readers of the protocols here let
	// values through that they do not know.
	StrictReaders bool
	// Suites ask targets that speak the spec. Where the specs are not those of one of their protocols, no change touches any.
	Suites []scenarios.Suite
}

// Compare lists what differs between two specs, worst first. Specs that say the same give none.
func Compare(before, after *specgen.Contract, o Options) ([]Change, error) {
	a, err := shown(before)
	if err != nil {
		return nil, fmt.Errorf("read the old spec: %w", err)
	}
	b, err := shown(after)
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

// policy is what each rule of oasdiff makes of a change.
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

// subjectOf undoes what shown did to events and schemas.
func subjectOf(c checker.Change) Subject {
	path := c.GetPath()
	if kind, name, ok := unshown(path); ok {
		return Subject{kind, name}
	}
	if path == "" || c.GetOperation() == "" {
		return Subject{API, path}
	}
	return Subject{Operation, c.GetOperation() + " " + path}
}

// side is who sends what a rule is about. The names of the rules begin or go on with it.
func side(rule string) string {
	switch {
	case strings.Contains(rule, "request"):
		return "request"
	case strings.Contains(rule, "response"):
		return "reply"
	}
	return ""
}

// words is what oasdiff says of a change, without the operation that an event or a schema was shown as.
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

// shownStatus is how texts end that tell of the status 200, which is a part of how events and schemas are shown alone.
var shownStatus = lazyregexp.New("( with the| for the response| for the| for| with) (`200` status|status code `200`|status `200`)$")

// document is a contract as oasdiff sees it.
type document struct {
	raw  []byte
	tree map[string]any
	spec *openapi3.T
}

// The paths under which events and schemas are shown. No path of an API has a blank in it.
const (
	eventPath  = "/ event/"
	schemaPath = "/ schema/"
)

func unshown(path string) (Kind, string, bool) {
	for prefix, kind := range map[string]Kind{eventPath: Event, schemaPath: Schema} {
		if name, ok := strings.CutPrefix(path, prefix); ok {
			return kind, unbraced.Replace(name), true
		}
	}
	return "", "", false
}

// Braces in a path would be a parameter: the pattern of a family of events may have them.
var (
	braced   = strings.NewReplacer("{", "⟨", "}", "⟩")
	unbraced = strings.NewReplacer("⟨", "{", "⟩", "}")
)

// shown adds the events and the schemas of a contract to its operations.
func shown(c *specgen.Contract) (*document, error) {
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

// reach notes the components that v refers to, also through others.
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

// lookUp is what a reference within the document names, or nil.
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
