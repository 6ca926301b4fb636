package specgen

import (
	"encoding/json"
	"slices"
	"strings"
)

// goTypes gives every schema one type. It infers a missing type and takes null out of enums, since the type expresses
// nullability. A choice of several types has no Go type and stays raw.
func goTypes(s object) {
	if s["x-go-type"] != nil {
		for _, sl := range slots(s) {
			delete(s, sl.keyword) // the type is given; its content is validation's concern
		}
		if s["x-go-type"] == "json.RawMessage" {
			keepRaw(s)
		}
		return
	}
	if e, ok := s["enum"].([]any); ok {
		s["enum"] = slices.DeleteFunc(slices.Clone(e), func(v any) bool { return v == nil })
	}
	if types, ok := s["type"].([]any); ok {
		if named := slices.DeleteFunc(slices.Clone(types), func(t any) bool { return t == "null" }); len(named) > 1 {
			delete(s, "type")
			keepRaw(s)
		}
	}
	if s["type"] == nil && s["$ref"] == nil && s["x-go-type"] == nil {
		if t := inferType(s); t != "" {
			s["type"] = t
		}
	}
}

// rawValues keeps a value of any type as raw bytes: passing it on loses nothing.
func rawValues(s object) {
	if s["$ref"] != nil || s["type"] != nil || s["x-go-type"] != nil || s["allOf"] != nil || s["anyOf"] != nil || s["oneOf"] != nil {
		return
	}
	keepRaw(s)
}

func keepRaw(s object) {
	delete(s, "enum") // a choice of types has no constants
	s["x-go-type"] = "json.RawMessage"
	s["x-go-type-skip-optional-pointer"] = true
}

func inferType(s object) string {
	if c, ok := s["const"]; ok {
		return typeOf(c)
	}
	if e := asList(s["enum"]); len(e) > 0 {
		t := typeOf(e[0])
		for _, v := range e {
			if typeOf(v) != t {
				return ""
			}
		}
		return t
	}
	switch {
	case s["properties"] != nil || s["additionalProperties"] != nil || s["required"] != nil:
		return "object"
	case s["items"] != nil:
		return "array"
	}
	return ""
}

func typeOf(v any) string {
	switch v := v.(type) {
	case string:
		return "string"
	case bool:
		return "boolean"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "number"
		}
		return "integer"
	}
	return ""
}

// optionals drops the pointer of an optional property whose Go zero value is never legal: absent and empty stay
// distinct without it.
//
// A struct with a map for the rest is encoded by a method of its own, which only omits nil. There every optional
// property keeps its pointer, even a raw one: without it, "absent" would be sent as an empty string or null.
func optionals(z *normaliser) error {
	z.eachSchema(func(s object) {
		required := asList(s["required"])
		props := asObject(s["properties"])
		for _, name := range sortedKeys(props) {
			p := asObject(props[name])
			switch target := z.deref(p); {
			case slices.Contains(required, any(name)):
			case keepsUnknown(s):
				if target["x-go-type"] != nil {
					p["x-go-type-skip-optional-pointer"] = false
				}
			case emptyIsIllegal(target):
				p["x-go-type-skip-optional-pointer"] = true
				p["x-omitzero"] = true
				p["x-omitempty"] = false
			}
		}
	})
	return nil
}

// keepsUnknown reports whether the struct for s has a map for unnamed properties.
func keepsUnknown(s object) bool {
	_, isSchema := s["additionalProperties"].(object)
	return isSchema || s["additionalProperties"] == true
}

// emptyIsIllegal reports whether a string schema refuses "".
func emptyIsIllegal(s object) bool {
	if s["type"] != "string" {
		return false
	}
	if e, ok := s["enum"].([]any); ok {
		return !slices.Contains(e, any(""))
	}
	if c, ok := s["const"]; ok {
		return c != ""
	}
	if n, ok := s["minLength"].(json.Number); ok && n != "0" {
		return true
	}
	return s["format"] == "date-time" || s["format"] == "uri"
}
