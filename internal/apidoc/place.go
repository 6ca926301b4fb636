package apidoc

import "encoding/json"

// Place is a place in a body, with every schema that may describe its value. All alternatives count, whatever their conditions.
// It is not safe for concurrent use.
type Place struct {
	samples *Samples
	schemas []map[string]any
	members map[string]*Place // those that were asked for and are declared
	other   *Place            // of members that no schema names
	items   *Place
}

// Place returns the place that the schema at a JSON pointer describes. Where there is no such schema, nothing is known of the place.
func (s *Samples) Place(pointer string) *Place { return s.place(s.find(pointer)) }

// mostSchemas bounds the schemas of a place.
const mostSchemas = 256

func (s *Samples) place(schemas ...any) *Place {
	p := &Place{samples: s, members: map[string]*Place{}}
	for _, schema := range schemas {
		p.add(schema, deepest)
	}
	return p
}

func (p *Place) add(schema any, left int) {
	object, _ := schema.(map[string]any)
	if object == nil || left == 0 || len(p.schemas) == mostSchemas {
		return
	}
	p.schemas = append(p.schemas, object)
	if ref, ok := object["$ref"].(string); ok {
		p.add(p.samples.find(ref), left-1)
	}
	for _, of := range []string{"allOf", "anyOf", "oneOf"} {
		list, _ := object[of].([]any)
		for _, part := range list {
			p.add(part, left-1)
		}
	}
	p.add(object["then"], left-1)
	p.add(object["else"], left-1)
}

// Known reports whether a schema describes the place.
func (p *Place) Known() bool { return len(p.schemas) > 0 }

// Names reports whether a schema of the place names members.
func (p *Place) Names() bool {
	for _, schema := range p.schemas {
		if members, _ := schema["properties"].(map[string]any); len(members) > 0 {
			return true
		}
	}
	return false
}

// Member returns the place of a member, and reports whether a schema names it.
func (p *Place) Member(name string) (member *Place, named bool) {
	if known, ok := p.members[name]; ok {
		return known, true
	}
	var declared []any
	for _, schema := range p.schemas {
		members, _ := schema["properties"].(map[string]any)
		if member, ok := members[name]; ok {
			declared = append(declared, member)
		}
	}
	if len(declared) > 0 {
		p.members[name] = p.samples.place(declared...)
		return p.members[name], true
	}
	if p.other == nil {
		p.other = p.samples.place(p.each("additionalProperties")...)
	}
	return p.other, false
}

// Items returns the place of the elements of a list.
func (p *Place) Items() *Place {
	if p.items == nil {
		p.items = p.samples.place(p.each("items")...)
	}
	return p.items
}

// Also adds what the schema at a JSON pointer says of a member.
func (p *Place) Also(name, pointer string) {
	member, _ := p.Member(name)
	schemas := []any{p.samples.find(pointer)}
	for _, schema := range member.schemas {
		schemas = append(schemas, schema)
	}
	p.members[name] = p.samples.place(schemas...)
}

// Lists reports whether a schema lists a value, by an enumeration or as a constant.
func (p *Place) Lists(value any) bool {
	for _, schema := range p.schemas {
		list, _ := schema["enum"].([]any)
		if constant, ok := schema["const"]; ok {
			list = append(list[:len(list):len(list)], constant)
		}
		for _, listed := range list {
			if same(listed, value) {
				return true
			}
		}
	}
	return false
}

// same reports whether two values are the same text, number, truth value or null.
func same(a, b any) bool {
	if n, ok := b.(json.Number); ok {
		f, err := n.Float64()
		return err == nil && a == any(f)
	}
	switch b.(type) {
	case string, bool, float64, nil:
		return a == b
	}
	return false
}

func (p *Place) each(keyword string) (out []any) {
	for _, schema := range p.schemas {
		if below, ok := schema[keyword]; ok {
			out = append(out, below)
		}
	}
	return out
}
