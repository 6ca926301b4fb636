package specgen

import "fmt"

// event ties an event type, or a family of types with a common pattern, to its payload.
type event struct {
	Type      string // the type, or the family's pattern
	SchemaRef string
	Component string
	GoType    string
	Family    bool
}

// registryFile returns events.gen.go for the folder's type indexes, or nothing if it has none.
func (c *contract) registryFile(pkg string) (map[string][]byte, error) {
	if len(c.events) == 0 {
		return nil, nil
	}
	goType, own := c.eventType()
	for i := range c.events {
		c.events[i].GoType = c.types[c.events[i].Component]
	}
	var types, families []event
	for _, e := range c.events {
		if e.Family {
			families = append(families, e)
		} else {
			types = append(types, e)
		}
	}
	code, err := render(registryTemplate, struct {
		Package, GoType string
		OwnType         bool
		Types, Families []event
	}{pkg, goType, own, types, families})
	return map[string][]byte{"events.gen.go": code}, err
}

// eventType returns the Go type of event types: that of a string schema of the folder, or one that the registry
// declares itself.
func (c *contract) eventType() (name string, own bool) {
	for _, name := range []string{"RunEventType", "EventType"} {
		if asObject(asObject(asObject(c.doc["components"])["schemas"])[name])["type"] == "string" {
			return c.types[name], false
		}
	}
	return "EventType", true
}

// events reads the type indexes of the folder, sorted by event type: properties are types, and patternProperties are
// families of types.
func (b *bundled) events() ([]event, error) {
	byType := map[string]event{}
	var bad problems
	for _, d := range b.folder.schemas {
		for _, keyword := range []string{"properties", "patternProperties"} {
			index, _ := at(d.tree, join(typeIndexPointer, keyword))
			for _, name := range sortedKeys(asObject(index)) {
				pointer := join(join(typeIndexPointer, keyword), name)
				e, err := b.event(d, pointer, asObject(asObject(index)[name]))
				e.Type, e.Family = name, keyword == "patternProperties"
				if _, twice := byType[name]; err == nil && twice {
					err = &SpecError{File: d.file, Pointer: pointer, Problem: fmt.Sprintf("event type %s stands in two type indices", name),
						Mend: "keep one of the two"}
				}
				if keyword == "patternProperties" && !isRE2(name) {
					err = &SpecError{File: d.file, Pointer: pointer, Problem: fmt.Sprintf("pattern %s of event types is not RE2", name),
						Mend: "rewrite it without lookaround and back-references"}
				}
				if err != nil {
					bad.add(err)
					continue
				}
				byType[name] = e
			}
		}
	}
	events := make([]event, 0, len(byType))
	for _, name := range sortedKeys(byType) {
		events = append(events, byType[name])
	}
	return events, bad.err()
}

func (b *bundled) event(d *document, pointer string, entry object) (event, *SpecError) {
	ref := asString(entry["$ref"])
	if ref == "" {
		return event{}, &SpecError{File: d.file, Pointer: pointer, Problem: "the entry of a type index has no $ref",
			Mend: "refer to the payload's schema"}
	}
	component, problem := b.component(d, pointer, ref)
	if problem != "" {
		return event{}, refError(d, join(pointer, "$ref"), ref, problem)
	}
	to, _ := b.folder.resolve(d, pointer, ref) // component has already resolved it
	schema := to.doc.id
	if schema == "" {
		schema = to.doc.rel
	}
	return event{SchemaRef: schema + "#" + to.pointer, Component: component}, nil
}

const registryTemplate = `
package {{.Package}}

import (
	"encoding/json"
	"fmt"
	"maps"
{{- if .Families}}
	"regexp"
{{- end}}
	"slices"
{{- if .Families}}
	"sync"
{{- end}}
)
{{if .OwnType}}
// {{.GoType}} names the type of an event.
type {{.GoType}} string
{{end}}
// EventSpec ties an event type to its payload's schema and Go type.
type EventSpec struct {
	Type      {{.GoType}}
	SchemaRef string     // absolute URI of the payload's schema, with fragment
	Component string     // its name in the bundled document
	New       func() any // returns a pointer to a new, empty payload
}

// Events holds the event types of the contract{{if .Families}} that have a name; EventFamilies those that have a pattern{{end}}.
var Events = map[{{.GoType}}]EventSpec{
{{- range .Types}}
	{{printf "%q" .Type}}: { {{- printf "%q, %q, %q" .Type .SchemaRef .Component}}, func() any { return new({{.GoType}}) }},
{{- end}}
}

// EventTypes lists the event types of the contract in alphabetical order{{if .Families}}, without those of EventFamilies{{end}}.
func EventTypes() []{{.GoType}} { return slices.Sorted(maps.Keys(Events)) }
{{- if .Families}}

// EventFamily is event types that differ by a part of their names alone.
type EventFamily struct {
	Pattern *regexp.Regexp
	EventSpec // its Type is the pattern
}

// EventFamilies returns the families of the contract in alphabetical order of their patterns, which the first call compiles.
var EventFamilies = sync.OnceValue(func() []EventFamily {
	return []EventFamily{
{{- range .Families}}
		{regexp.MustCompile({{printf "%q" .Type}}), EventSpec{ {{- printf "%q, %q, %q" .Type .SchemaRef .Component}}, func() any { return new({{.GoType}}) }}},
{{- end}}
	}
})

// EventOf finds what the contract says of event type t: by its name, or else by the first family that it belongs to.
// Type is then t itself.
func EventOf(t {{.GoType}}) (spec EventSpec, known bool) {
	if spec, known = Events[t]; known {
		return spec, true
	}
	for _, f := range EventFamilies() {
		if f.Pattern.MatchString(string(t)) {
			spec = f.EventSpec
			spec.Type = t
			return spec, true
		}
	}
	return EventSpec{}, false
}
{{- end}}

// DecodePayload decodes the payload of an event of type t into its Go type, of which it returns a pointer.
// A type that the contract does not know is no error: readers let unknown events through, so known is false
// and the payload nil. It checks no constraints; that is validation's work.
func DecodePayload(t {{.GoType}}, raw json.RawMessage) (payload any, known bool, err error) {
	spec, known := {{if .Families}}EventOf(t){{else}}Events[t]{{end}}
	if !known {
		return nil, false, nil
	}
	payload = spec.New()
	if err := Decode(raw, payload); err != nil {
		return nil, true, fmt.Errorf("decode payload of %s: %w", t, err)
	}
	return payload, true, nil
}
`
