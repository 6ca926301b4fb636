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

// applicators lists the keywords of JSON Schema 2020-12 whose values are schemas. Everything else (enum, const,
// default, examples, extensions) is literal: a "$ref" inside it is a value like any other.
var applicators = map[string]form{
	"additionalProperties": one, "contains": one, "contentSchema": one, "else": one, "if": one, "items": one, "not": one,
	"propertyNames": one, "then": one, "unevaluatedItems": one, "unevaluatedProperties": one,
	"allOf": list, "anyOf": list, "oneOf": list, "prefixItems": list,
	"$defs": table, "dependentSchemas": table, "patternProperties": table, "properties": table,
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
			if f != list {
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
		if v, ok := o["schema"]; ok {
			visit(slot{keyword: "schema", pointer: join(pointer, "schema"), value: v, set: func(v any) { o["schema"] = v }})
		}
	})
}

// walkAPIObjects visits every object of an OpenAPI document outside schemas, examples and extensions.
func walkAPIObjects(v any, pointer string, visit func(o object, pointer string)) {
	switch v := v.(type) {
	case object:
		visit(v, pointer)
		for _, k := range sortedKeys(v) {
			literal := slices.Contains([]string{"example", "examples", "schema"}, k) || strings.HasPrefix(k, "x-")
			if literal || pointer == "/components" && k == "schemas" {
				continue
			}
			walkAPIObjects(v[k], join(pointer, k), visit)
		}
	case []any:
		for i, e := range v {
			walkAPIObjects(e, join(pointer, strconv.Itoa(i)), visit)
		}
	}
}

// walkDocument visits every schema of a document of any kind.
func walkDocument(d *document, visit func(s object, pointer string)) {
	if !d.isRoot {
		walkSchema(d.tree, "", visit)
		return
	}
	walkAPI(d.tree, func(sl slot) { walkSchema(sl.value, sl.pointer, visit) })
}
