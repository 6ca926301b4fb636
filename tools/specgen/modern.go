package specgen

import (
	"encoding/json"
	"slices"

	"github.com/openassay/assay/internal/lazyregexp"
)

var dialectForm = lazyregexp.New(`^https?://(json-schema\.org/(draft-0[4-7]|draft/20(19-09|20-12))/(hyper-)?schema|json-schema\.org/schema|` +
	`spec\.openapis\.org/oas/3\.[0-9]/(schema|dialect)/[a-z0-9-]+)#?$`)

// isDialect reports whether a URI is that of JSON Schema itself, of any version.
func isDialect(uri string) bool { return dialectForm.MatchString(uri) }

// modernise rewrites what older versions of JSON Schema and OpenAPI wrote otherwise as 2020-12 has it.
func (b *bundled) modernise(schemas object) {
	for _, name := range sortedKeys(schemas) {
		walkSchema(schemas[name], "", func(s object, _ string) { modern(s) })
	}
	walkAPIObjects(b.doc, "", func(o object, _ string) {
		for _, k := range schemaSlots {
			walkSchema(o[k], "", func(s object, _ string) { modern(s) })
		}
	})
}

// modern rewrites one schema, but not those below it.
func modern(s object) {
	if list, ok := s["items"].([]any); ok {
		s["prefixItems"] = list
		delete(s, "items")
		if more, ok := s["additionalItems"]; ok {
			s["items"] = more
		}
	}
	delete(s, "additionalItems") // it means nothing without a list of items
	for exclusive, bound := range map[string]string{"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"} {
		if is, ok := s[exclusive].(bool); ok {
			delete(s, exclusive)
			if limit, ok := s[bound].(json.Number); is && ok {
				s[exclusive] = limit
				delete(s, bound)
			}
		}
	}
	dependencies(s)
	nullable(s)
}

// dependencies were both kinds that 2020-12 keeps apart.
func dependencies(s object) {
	all, ok := s["dependencies"].(object)
	if !ok {
		return
	}
	delete(s, "dependencies")
	for _, name := range sortedKeys(all) {
		keyword := "dependentSchemas"
		if _, names := all[name].([]any); names {
			keyword = "dependentRequired"
		}
		childObject(s, keyword)[name] = all[name]
	}
}

// nullable was a keyword of OpenAPI 3.0. Null is a type, or one more branch.
func nullable(s object) {
	is, ok := s["nullable"].(bool)
	if !ok {
		return
	}
	delete(s, "nullable")
	if !is {
		return
	}
	if values, ok := s["enum"].([]any); ok && !slices.Contains(values, nil) {
		s["enum"] = append(slices.Clone(values), nil)
	}
	switch t := s["type"].(type) {
	case string:
		s["type"] = []any{t, "null"}
		return
	case []any:
		if !slices.Contains(t, any("null")) {
			s["type"] = append(slices.Clone(t), "null")
		}
		return
	}
	null := object{"type": "null"}
	for _, k := range unions {
		if branches, ok := s[k].([]any); ok && s["allOf"] == nil && s["$ref"] == nil {
			s[k] = append(slices.Clone(branches), null)
			return
		}
	}
	if s["$ref"] == nil && s["allOf"] == nil {
		return // it says nothing of types
	}
	inner := object{}
	for _, k := range sortedKeys(s) {
		if !slices.Contains([]string{"description", "title", "default", "example", "examples", "deprecated", "readOnly", "writeOnly"}, k) {
			inner[k] = s[k]
			delete(s, k)
		}
	}
	s["anyOf"] = []any{inner, null}
}
