package specdiff

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-openapi/jsonpointer"

	"github.com/openassay/assay/tools/specgen"
)

// document is a contract prepared for comparison.
type document struct {
	plain  map[string]any // the document
	events []specgen.Payload
	tree   map[string]any // the document with events and schemas as operations
	spec   *openapi3.T    // tree as oasdiff reads it, nil where it cannot
	lines  []string       // JSON pointer of what begins on a line of spec's text, by its number
	whole  []string       // components that are only sent and received as they are
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
	plain, err := decode(c.Document)
	if err != nil {
		return nil, err
	}
	tree, err := decode(c.Document)
	if err != nil {
		return nil, err
	}
	d := &document{plain: plain, tree: tree, events: c.Events}
	paths := child(tree, "paths")
	reached := map[string]bool{}
	d.reach(paths, reached)
	for _, e := range c.Events {
		paths[eventPath+braced.Replace(e.Type)] = map[string]any{"get": map[string]any{"responses": replies(e.Component)}}
		d.reach(ref(e.Component), reached)
	}
	for _, name := range c.Schemas {
		if !reached[name] {
			d.whole = append(d.whole, name)
			paths[schemaPath+name] = map[string]any{"post": map[string]any{
				"requestBody": map[string]any{"required": true, "content": content(name)}, "responses": replies(name),
			}}
		}
	}
	return d, nil
}

// load has oasdiff's reader read the document. It tells where something stands only of YAML, so this must be no JSON.
func (d *document) load() error {
	w := &writer{lines: make([]string, 3)} // lines count from 1, and the first member is on the third
	w.text.WriteString("# with its events and schemas as operations\n")
	w.value(d.tree, "", 0)
	loader := openapi3.NewLoader()
	loader.IncludeOrigin = true
	spec, err := loader.LoadFromData(w.text.Bytes())
	if err != nil {
		return errors.New(strings.Join(strings.Fields(err.Error()), " "))
	}
	d.spec, d.lines = spec, w.lines
	return nil
}

// writer writes JSON, each member and each entry on a line of its own.
type writer struct {
	text  bytes.Buffer
	lines []string
}

func (w *writer) value(v any, at string, depth int) {
	line := func(first bool, pointer string) {
		if !first {
			w.text.WriteByte(',')
		}
		w.text.WriteString("\n" + strings.Repeat(" ", depth+1))
		w.lines = append(w.lines, pointer)
	}
	end := func() {
		w.text.WriteString("\n" + strings.Repeat(" ", depth))
		w.lines = append(w.lines, at)
	}
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			w.text.WriteString("{}")
			return
		}
		w.text.WriteByte('{')
		for i, k := range slices.Sorted(maps.Keys(v)) {
			here := at + "/" + jsonpointer.Escape(k)
			line(i == 0, here)
			w.text.WriteString(text(k) + ": ")
			w.value(v[k], here, depth+1)
		}
		end()
		w.text.WriteByte('}')
	case []any:
		if len(v) == 0 {
			w.text.WriteString("[]")
			return
		}
		w.text.WriteByte('[')
		for i, e := range v {
			here := at + "/" + strconv.Itoa(i)
			line(i == 0, here)
			w.value(e, here, depth+1)
		}
		end()
		w.text.WriteByte(']')
	default:
		w.text.WriteString(text(v))
	}
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

func (d *document) follow(v any) any {
	for range 32 { // more would be a cycle
		o, _ := v.(map[string]any)
		r, ok := o["$ref"].(string)
		if !ok {
			return v
		}
		v = d.lookUp(r)
	}
	return nil
}

var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}

// subjects calls visit for each operation, event and schema of the document, with its path and its operation.
func (d *document) subjects(visit func(s Subject, item, operation map[string]any)) {
	for _, table := range []string{"paths", "webhooks"} {
		paths, _ := d.tree[table].(map[string]any)
		for _, path := range slices.Sorted(maps.Keys(paths)) {
			item, _ := d.follow(paths[path]).(map[string]any)
			for _, method := range methods {
				if operation, ok := item[method].(map[string]any); ok {
					visit(subjectOf(table, path, method), item, operation)
				}
			}
		}
	}
}

func subjectOf(table, path, method string) Subject {
	if kind, name, ok := subjectAt(path); ok {
		return Subject{kind, name}
	}
	if table == "webhooks" {
		path = fmt.Sprintf("webhook %s", path)
	}
	return Subject{Operation, strings.ToUpper(method) + " " + path}
}
