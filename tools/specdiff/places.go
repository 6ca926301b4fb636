package specdiff

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/go-openapi/jsonpointer"
)

// Place is where a program meets something: an operation, an event or a schema, and the property in its body.
type Place struct {
	Subject Subject `json:"subject"`
	// Property is the place in the body or payload: /runs/items/status. It is "" for the whole of it, and for what is
	// in no body.
	Property string `json:"property"`
	// Side is "request" for what callers send, "reply" for what they receive, "" for neither.
	Side string `json:"side"`
}

// comparePlaces puts first what is nearest to the whole of a body.
func comparePlaces(a, b Place) int {
	return cmp.Or(cmp.Compare(strings.Count(a.Property, "/"), strings.Count(b.Property, "/")),
		cmp.Compare(kindOrder(a.Subject), kindOrder(b.Subject)), strings.Compare(a.Subject.Name, b.Subject.Name),
		strings.Compare(a.Side, b.Side), strings.Compare(a.Property, b.Property))
}

// atlas knows where each of some components is met.
type atlas struct {
	doc     *document
	wanted  map[string]bool    // the components: /components/schemas/Run
	leading map[string]bool    // components from which one of them can be reached
	entries map[string][]Place // by component
	visits  int
}

// A walk enters one component at most so often below one side of one subject, and once where many components lead to
// each other: it may be met at more places of the same body.
const (
	mostVisits = 4
	many       = 200
)

// newAtlas finds the places of components. Only what leads to one of them is walked.
func newAtlas(d *document, components map[string]bool) *atlas {
	a := &atlas{d, components, map[string]bool{}, map[string][]Place{}, mostVisits}
	from := map[string][]string{} // component -> those that refer to it
	all, _ := d.tree["components"].(map[string]any)
	for section, table := range all {
		of, _ := table.(map[string]any)
		for name, v := range of {
			here := "/components/" + section + "/" + jsonpointer.Escape(name)
			for _, to := range refsIn(v, nil) {
				from[to] = append(from[to], here)
			}
		}
	}
	queue := slices.Collect(maps.Keys(components))
	for len(queue) > 0 {
		next := queue[0]
		queue = queue[1:]
		if !a.leading[next] {
			a.leading[next] = true
			queue = append(queue, from[next]...)
		}
	}
	if len(a.leading) == 0 {
		return a
	}
	if len(a.leading) > many {
		a.visits = 1
	}
	d.subjects(func(s Subject, item, operation map[string]any) {
		for _, part := range []struct {
			side string
			kind kind
			v    any
		}{{"request", kParameters, item["parameters"]}, {"request", kParameters, operation["parameters"]},
			{"request", kBody, operation["requestBody"]}, {"reply", kResponses, operation["responses"]},
			{"", kCallbacks, operation["callbacks"]}} {
			if s.Kind == Schema {
				part.side = ""
			}
			w := &walk{a, Place{Subject: s, Side: part.side}, map[string]int{}, nil}
			w.value(part.kind, part.v, "")
		}
	})
	return a
}

// refsIn lists the components that v refers to itself.
func refsIn(v any, out []string) []string {
	switch v := v.(type) {
	case map[string]any:
		for k, sub := range v {
			if r, ok := sub.(string); ok && k == "$ref" && strings.HasPrefix(r, "#/components/") {
				out = append(out, r[1:])
			}
			out = refsIn(sub, out)
		}
	case []any:
		for _, sub := range v {
			out = refsIn(sub, out)
		}
	}
	return out
}

type walk struct {
	*atlas
	at      Place
	entered map[string]int
	stack   []string
}

func (w *walk) value(k kind, v any, property string) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			switch k {
			case kParameters:
				w.value(kParameter, e, property)
			case kBranches:
				w.value(kSchema, e, property)
			}
		}
	case map[string]any:
		if r, ok := v["$ref"].(string); ok {
			w.enter(k, strings.TrimPrefix(r, "#"), property)
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if of := k.member(name); of != kText && of != kValue {
				w.member(k, of, name, v[name], property)
			}
		}
	}
}

func (w *walk) member(k, of kind, name string, v any, property string) {
	if k == kSchema && name == "properties" {
		table, _ := v.(map[string]any)
		for _, p := range slices.Sorted(maps.Keys(table)) {
			w.value(kSchema, table[p], property+"/"+p)
		}
		return
	}
	if k == kSchema {
		property += within(name)
	}
	w.value(of, v, property)
}

// within is the step into what a keyword describes.
func within(keyword string) string {
	switch keyword {
	case "items", "prefixItems":
		return "/items"
	case "additionalProperties", "patternProperties":
		return "/additionalProperties"
	}
	return ""
}

func (w *walk) enter(k kind, component, property string) {
	if !w.leading[component] || w.entered[component] >= w.visits {
		return
	}
	w.entered[component]++
	if w.wanted[component] {
		place := w.at
		place.Property = property
		w.entries[component] = append(w.entries[component], place)
	}
	if slices.Contains(w.stack, component) {
		return
	}
	w.stack = append(w.stack, component)
	w.value(k, w.doc.lookUp("#"+component), property)
	w.stack = w.stack[:len(w.stack)-1]
}

// componentOf cuts a pointer after the component that it leads into.
func componentOf(pointer string) (string, bool) {
	parts := strings.SplitN(pointer, "/", 5)
	if len(parts) < 4 || parts[1] != "components" {
		return "", false
	}
	return strings.Join(parts[:4], "/"), true
}

// of lists the places at which a difference is met; there are none of what nothing refers to.
func (a *atlas) of(pointer string, path []step) []Place {
	tokens := strings.Split(pointer, "/")
	switch {
	case len(tokens) > 1 && tokens[1] == "components":
		component, ok := componentOf(pointer)
		if !ok {
			return nil
		}
		var out []Place
		for _, p := range a.entries[component] {
			p.Property += propertyOf(path)
			out = append(out, p)
		}
		return out
	case len(tokens) > 2 && (tokens[1] == "paths" || tokens[1] == "webhooks"):
		return a.inPath(tokens, path)
	case len(tokens) > 1 && tokens[1] == "security":
		var out []Place
		a.doc.subjects(func(s Subject, _, operation map[string]any) {
			if _, own := operation["security"]; !own && s.Kind == Operation {
				out = append(out, Place{Subject: s})
			}
		})
		return out
	}
	return []Place{{Subject: Subject{API, ""}}}
}

func (a *atlas) inPath(tokens []string, path []step) []Place {
	name := unescaped(tokens[2])
	if len(tokens) > 3 && slices.Contains(methods, tokens[3]) {
		p := Place{Subject: subjectOf(tokens[1], name, tokens[3])}
		if len(tokens) > 4 {
			switch tokens[4] {
			case "requestBody", "parameters":
				p.Side = "request"
			case "responses":
				p.Side = "reply"
			}
			p.Property = propertyOf(path)
		}
		return []Place{p}
	}
	var out []Place
	paths, _ := a.doc.tree[tokens[1]].(map[string]any)
	item, _ := a.doc.follow(paths[name]).(map[string]any)
	for _, method := range methods {
		if item[method] != nil {
			p := Place{Subject: subjectOf(tokens[1], name, method)}
			if len(tokens) > 3 && tokens[3] == "parameters" {
				p.Side = "request"
			}
			out = append(out, p)
		}
	}
	if len(out) == 0 {
		out = append(out, Place{Subject: Subject{API, name}})
	}
	return out
}

// propertyOf is the property that a path leads to, within its component or its body.
func propertyOf(path []step) string {
	property := ""
	for i, s := range path {
		switch {
		case s.in == kSchema:
			property += within(s.name)
		case i == 0:
		case s.in == kSchemas && path[i-1].name == "properties" && path[i-1].in == kSchema:
			property += "/" + s.name
		case s.in == kSet && path[i-1].name == "required" && path[i-1].in == kSchema:
			property += "/" + strings.Trim(s.name, `"`)
		}
	}
	return property
}

func unescaped(token string) string { return jsonpointer.Unescape(token) }
