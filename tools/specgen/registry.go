package specgen

import "fmt"

// event ties an event type to its payload.
type event struct{ Type, SchemaRef, Component string }

// registryFile makes events.gen.go of the folder's type indices; nothing when it has none.
// It runs after goFiles, whose options decide how oapi-codegen spells type names.
func (c *contract) registryFile(pkg string) (map[string][]byte, error) {
	if len(c.events) == 0 {
		return nil, nil
	}
	_, hasType := c.naming.used["RunEventType"]
	code, err := render(registryTemplate, struct {
		Package string
		OwnType bool
		Events  []event
	}{pkg, !hasType, c.events})
	return map[string][]byte{"events.gen.go": code}, err
}

// events reads the type indices of the folder, sorted by event type.
func (b *bundled) events() ([]event, error) {
	byType := map[string]event{}
	var bad problems
	for _, d := range b.folder.schemas {
		index, missing := at(d.tree, typeIndexPointer+"/properties")
		if missing != "" {
			continue
		}
		for _, name := range sortedKeys(asObject(index)) {
			e, err := b.event(d, name, asObject(asObject(index)[name]))
			if err == nil {
				if _, twice := byType[name]; twice {
					err = &SpecError{File: d.file, Pointer: join(typeIndexPointer+"/properties", name), Problem: fmt.Sprintf("event type %s stands in two type indices", name), Mend: "keep one of the two"}
				}
			}
			if err != nil {
				bad.add(err)
				continue
			}
			byType[name] = e
		}
	}
	events := make([]event, 0, len(byType))
	for _, name := range sortedKeys(byType) {
		events = append(events, byType[name])
	}
	return events, bad.err()
}

func (b *bundled) event(d *document, name string, entry object) (event, *SpecError) {
	pointer := join(typeIndexPointer+"/properties", name)
	ref := asString(entry["$ref"])
	if ref == "" {
		return event{}, &SpecError{File: d.file, Pointer: pointer, Problem: "the entry of a type index has no $ref", Mend: "refer to the payload's schema"}
	}
	component, problem := b.component(d, ref)
	if problem != "" {
		return event{}, refError(d, join(pointer, "$ref"), ref, problem)
	}
	to, _ := b.folder.resolve(d, ref) // component has resolved it already
	schema := to.doc.id
	if schema == "" {
		schema = to.doc.rel
	}
	return event{Type: name, SchemaRef: schema + "#" + to.pointer, Component: component}, nil
}

const registryTemplate = `
package {{.Package}}

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)
{{if .OwnType}}
// RunEventType names the type of an event.
type RunEventType string
{{end}}
// EventSpec ties an event type to its payload's schema and Go type.
type EventSpec struct {
	Type      RunEventType
	SchemaRef string     // absolute URI of the payload's schema, with fragment
	Component string     // its name in the bundled document
	New       func() any // returns a pointer to a new, empty payload
}

// Events holds the event types of the contract.
var Events = map[RunEventType]EventSpec{
{{- range .Events}}
	{{printf "%q" .Type}}: { {{- printf "%q, %q, %q" .Type .SchemaRef .Component}}, func() any { return new({{goType .Component}}) }},
{{- end}}
}

// EventTypes lists the event types of the contract in alphabetical order.
func EventTypes() []RunEventType { return slices.Sorted(maps.Keys(Events)) }

// DecodePayload decodes the payload of an event of type t into its Go type, of which it returns a pointer.
// A type that the contract does not know is no error: readers let unknown events through, so known is false
// and the payload nil. It checks no constraints; that is validation's work.
func DecodePayload(t RunEventType, raw json.RawMessage) (payload any, known bool, err error) {
	spec, known := Events[t]
	if !known {
		return nil, false, nil
	}
	payload = spec.New()
	if err := json.Unmarshal(raw, payload); err != nil {
		return nil, true, fmt.Errorf("decode payload of %s: %w", t, err)
	}
	return payload, true, nil
}
`
