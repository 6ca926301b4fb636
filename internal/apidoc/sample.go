package apidoc

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/go-openapi/jsonpointer"
)

// Samples makes small values that fit the schemas of a document: members that are required, and no others.
type Samples struct {
	document any
	// Live returns a better value for a member of this name than the smallest that fits; ok is false if there is none. May be nil.
	Live func(name string) (value any, ok bool)
}

// NewSamples reads a bundled document.
func NewSamples(bundled []byte) (*Samples, error) {
	s := &Samples{}
	if err := json.Unmarshal(bundled, &s.document); err != nil {
		return nil, fmt.Errorf("read the API document: %w", err)
	}
	return s, nil
}

// deepest is how far schemas are followed: one that refers to itself has no smallest value otherwise.
const deepest = 32

// At returns a value of the schema at a JSON pointer, nil if there is no such schema.
func (s *Samples) At(pointer string) any { return s.of(s.find(pointer), deepest) }

func (s *Samples) find(pointer string) any {
	v := s.document
	for part := range strings.SplitSeq(strings.TrimPrefix(strings.TrimPrefix(pointer, "#"), "/"), "/") {
		if v = s.resolve(v); v == nil {
			return nil
		}
		switch at := v.(type) {
		case map[string]any:
			v = at[jsonpointer.Unescape(part)]
		case []any:
			var i int
			if _, err := fmt.Sscan(part, &i); err != nil || i < 0 || i >= len(at) {
				return nil
			}
			v = at[i]
		}
	}
	return v
}

// resolve follows a reference that stands alone.
func (s *Samples) resolve(v any) any {
	object, _ := v.(map[string]any)
	if ref, ok := object["$ref"].(string); ok && len(object) == 1 {
		return s.find(ref)
	}
	return v
}

// whole returns a schema together with those that it refers to or is put together of. Of alternatives it takes the first.
func (s *Samples) whole(schema any, left int) map[string]any {
	object, _ := schema.(map[string]any)
	if object == nil || left == 0 {
		return nil
	}
	var parts []map[string]any
	if ref, ok := object["$ref"].(string); ok {
		parts = append(parts, s.whole(s.find(ref), left-1))
	}
	for _, of := range []string{"oneOf", "anyOf"} {
		if list, _ := object[of].([]any); len(list) > 0 {
			parts = append(parts, s.whole(list[0], left-1))
		}
	}
	list, _ := object["allOf"].([]any)
	for _, part := range list {
		parts = append(parts, s.whole(part, left-1))
	}
	if len(parts) == 0 {
		return object
	}
	out := map[string]any{}
	for _, part := range append(parts, object) {
		for name, value := range part {
			out[name] = join(name, out[name], value)
		}
	}
	return out
}

// join is a keyword that stands in two schemas of which both hold: the members of either, else the latter.
func join(keyword string, a, b any) any {
	switch keyword {
	case "properties":
		if a, ok := a.(map[string]any); ok {
			if b, ok := b.(map[string]any); ok {
				all := maps.Clone(a)
				maps.Copy(all, b)
				return all
			}
		}
	case "required":
		a, _ := a.([]any)
		b, _ := b.([]any)
		return slices.Concat(a, b)
	}
	return b
}

func (s *Samples) of(schema any, left int) any {
	whole := s.whole(schema, left)
	if whole == nil {
		return "x" // anything fits
	}
	if value, ok := whole["const"]; ok {
		return value
	}
	if list, _ := whole["enum"].([]any); len(list) > 0 {
		return list[0]
	}
	number := func(name string) float64 { n, _ := whole[name].(float64); return n }
	switch kindOf(whole) {
	case "object":
		return s.object(whole, left)
	case "array":
		out := []any{}
		for range int(number("minItems")) {
			out = append(out, s.of(whole["items"], left-1))
		}
		return out
	case "integer", "number":
		if least, ok := whole["exclusiveMinimum"].(float64); ok {
			return least + 1
		}
		if least, ok := whole["minimum"].(float64); ok {
			return least
		}
		return 1.0
	case "boolean":
		return true
	case "null":
		return nil
	}
	if whole["format"] == "date-time" {
		return "2030-01-01T00:00:00Z"
	}
	return strings.Repeat("x", max(1, int(number("minLength"))))
}

// object returns an object with the members that its schema demands.
func (s *Samples) object(whole map[string]any, left int) map[string]any {
	out := map[string]any{}
	members, _ := whole["properties"].(map[string]any)
	add := func(names any) {
		list, _ := names.([]any)
		for _, name := range list {
			name, _ := name.(string)
			if s.Live != nil {
				if value, ok := s.Live(name); ok {
					out[name] = value
					continue
				}
			}
			out[name] = s.of(members[name], left-1)
		}
	}
	add(whole["required"])
	if least, _ := whole["minProperties"].(float64); int(least) > len(out) {
		for _, name := range slices.Sorted(maps.Keys(members)) {
			add([]any{name})
		}
	}
	if condition, ok := whole["if"].(map[string]any); ok {
		branch := "else"
		if s.holds(condition, out) {
			branch = "then"
		}
		add(s.whole(whole[branch], left-1)["required"])
	}
	return out
}

// holds reports whether an object has the members that a condition names, with their constants.
func (s *Samples) holds(condition, object map[string]any) bool {
	names, _ := condition["required"].([]any)
	members, _ := condition["properties"].(map[string]any)
	return !slices.ContainsFunc(names, func(name any) bool {
		value, there := object[fmt.Sprint(name)]
		want, constant := s.whole(members[fmt.Sprint(name)], deepest)["const"]
		return !there || constant && !reflect.DeepEqual(want, value)
	})
}

// kindOf is the type of a schema; of several the first that is not null. One without a type that has members is an object.
func kindOf(schema map[string]any) string {
	switch kind := schema["type"].(type) {
	case string:
		return kind
	case []any:
		for _, k := range kind {
			if k != "null" {
				text, _ := k.(string)
				return text
			}
		}
	}
	if schema["properties"] != nil || schema["required"] != nil {
		return "object"
	}
	return ""
}
