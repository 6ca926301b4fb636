package specgen

import (
	"slices"
	"strconv"
	"strings"
)

// form is the way a keyword holds schemas.
type form int

const (
	one   form = iota // the value is a schema
	list              // an array of schemas
	table             // an object whose values are schemas
)

// applicators lists the keywords of JSON Schema whose values are schemas: those of 2020-12, and those that older drafts
// had in their place. Everything else (enum, const, default, examples, extensions) is literal: a "$ref" inside it is a
// value like any other.
var applicators = map[string]form{
	"additionalProperties": one, "contains": one, "contentSchema": one, "else": one, "if": one, "items": one, "not": one,
	"propertyNames": one, "then": one, "unevaluatedItems": one, "unevaluatedProperties": one,
	"allOf": list, "anyOf": list, "oneOf": list, "prefixItems": list,
	"$defs": table, "dependentSchemas": table, "patternProperties": table, "properties": table,
	"additionalItems": one, "definitions": table, "dependencies": table,
}

// slot is one place below a schema that holds a subschema.
type slot struct {
	keyword string
	key     string // the property, definition or pattern of a table; otherwise ""
	index   int    // index in a list
	pointer string // relative to the parent schema
	value   any    // an object or a bool
	set     func(any)
}

// slots lists the subschemas of s in a fixed order.
func slots(s object) []slot {
	var out []slot
	for _, k := range sortedKeys(s) {
		f, ok := applicators[k]
		if !ok {
			continue
		}
		switch v := s[k].(type) {
		case []any:
			if f != list && k != "items" { // items was a list before prefixItems
				continue
			}
			for i, e := range v {
				out = append(out, slot{keyword: k, index: i, pointer: join(join("", k), strconv.Itoa(i)), value: e, set: func(n any) { v[i] = n }})
			}
		case object:
			if f == one {
				out = append(out, slot{keyword: k, pointer: join("", k), value: v, set: func(n any) { s[k] = n }})
			}
			if f == table {
				for _, name := range sortedKeys(v) {
					if _, names := v[name].([]any); names && k == "dependencies" {
						continue // it lists names
					}
					out = append(out, slot{keyword: k, key: name, pointer: join(join("", k), name), value: v[name], set: func(n any) { v[name] = n }})
				}
			}
		case bool:
			if f == one {
				out = append(out, slot{keyword: k, pointer: join("", k), value: v, set: func(n any) { s[k] = n }})
			}
		}
	}
	return out
}

// walkSchema visits s and every schema below it, parents first.
func walkSchema(v any, pointer string, visit func(s object, pointer string)) {
	s, ok := v.(object)
	if !ok {
		return
	}
	visit(s, pointer)
	for _, sl := range slots(s) {
		walkSchema(sl.value, pointer+sl.pointer, visit)
	}
}

// walkAPI visits the outermost schemas of an OpenAPI document: the components, and the schema of each parameter, header
// and media type.
func walkAPI(doc object, visit func(sl slot)) {
	schemas := asObject(asObject(doc["components"])["schemas"])
	for _, n := range sortedKeys(schemas) {
		visit(slot{keyword: "schemas", key: n, pointer: join("/components/schemas", n), value: schemas[n], set: func(v any) { schemas[n] = v }})
	}
	walkAPIObjects(doc, "", func(o object, pointer string) {
		for _, k := range schemaSlots {
			if v, ok := o[k]; ok {
				visit(slot{keyword: k, pointer: join(pointer, k), value: v, set: func(v any) { o[k] = v }})
			}
		}
	})
}

// schemaSlots are the members of parameters, headers and media types that hold a schema.
var schemaSlots = []string{"schema", "itemSchema"}

// tables are the members of an OpenAPI document whose keys are names or paths.
var tables = []string{"callbacks", "content", "encoding", "examples", "headers", "links", "parameters", "pathItems", "paths",
	"requestBodies", "responses", "schemas", "securitySchemes", "variables", "webhooks", "mediaTypes"}

// walkAPIObjects visits every object of an OpenAPI document outside schemas, examples and extensions.
func walkAPIObjects(doc object, pointer string, visit func(o object, pointer string)) {
	var walk func(v any, pointer string, named bool)
	walk = func(v any, pointer string, named bool) {
		switch v := v.(type) {
		case object:
			if !named {
				visit(v, pointer)
			}
			for _, k := range sortedKeys(v) {
				if skipsInAPI(k, pointer, named) {
					continue
				}
				walk(v[k], join(pointer, k), !named && slices.Contains(tables, k))
			}
		case []any:
			for i, e := range v {
				walk(e, join(pointer, strconv.Itoa(i)), false)
			}
		}
	}
	walk(doc, pointer, false)
}

// skipsInAPI reports whether a member of an object of an OpenAPI document holds a schema, a value or an extension. named
// says that the keys of the object are names.
func skipsInAPI(k, pointer string, named bool) bool {
	if named {
		return false
	}
	return slices.Contains(schemaSlots, k) || k == "example" || k == "examples" || strings.HasPrefix(k, "x-") ||
		pointer == "/components" && k == "schemas"
}

// walkDocument visits every schema of a document of any kind.
func walkDocument(d *document, visit func(s object, pointer string)) {
	if !d.isRoot {
		walkSchema(d.tree, "", visit)
		return
	}
	walkAPI(d.tree, func(sl slot) { walkSchema(sl.value, sl.pointer, visit) })
}
