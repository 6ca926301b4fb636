package golang

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"pgregory.net/rapid"
)

// hostile are names that collide: with each other once they are Go, with keywords, predeclared names, packages, and with
// what generated code declares.
var hostile = []string{
	"id", "$id", "ID", "Id", "_id", "userId", "userID", "user_id", "User-Id", "user id", "user.id", "a/b", "a~b", "a~1b", "+1",
	"-1", "1", "200",
	"body", "err", "ctx", "w", "r", "c", "v", "in", "out", "params", "client", "server", "request", "response", "made", "editors", "options",
	"contentType", "data", "text", "value", "name", "type", "func", "range", "select", "map", "string", "error", "nil", "any",
	"len", "new", "init",
	"main", "json", "http", "context", "time", "strings", "bytes", "io", "url", "slices", "errors", "fmt", "reflect", "Client", "Server",
	"ClientOption", "Handler", "Router", "NewClient", "Null", "Nullable", "Of", "Decode", "DecodeError", "StreamEvent",
	"Events", "Value", "Object",
	"Case", "List", "Map", "Any", "Time", "Kind", "Reply", "MarshalJSON", "UnmarshalJSON", "String", "Valid", "IsZero", "AdditionalProperties",
	"Params", "ContentType", "Body", "JSONBody", "Headers", "StatusCode", "Stream", "ContentLength", "Unknown", "Variant1",
	"As", "Error", "Response",
	"Item", "ValueItem", "ValueUnknown", "UnmarshalValue", "é", "Ünit", "日本", "x-y", "_", "__", "$", "a`b", `a"b`, `a\b`, "a\nb", "*/", "-", "a,b", "",
	"{", "}", "%s", "%d",
}

var notes = []string{"", "A thing.", "Ends */ here // and `there`\n\n\tcode\n- item\r\n", "deprecated: yes", "+build ignore", "go:build x",
	"\u2028 odd \x00 bytes \xff", "Deprecated: really", "%s %d", strings.Repeat("long ", 60)}

// drawing draws one OpenAPI document.
type drawing struct {
	*rapid.T
	schemas    []string
	parameters []string
	bodies     []string
	responses  []string
	headers    []string
}

func pick1[T any](d *drawing, label string, of ...T) T { return rapid.SampledFrom(of).Draw(d.T, label) }

func (d *drawing) name() string { return pick1(d, "name", hostile...) }

func (d *drawing) n(most int) int { return rapid.IntRange(0, most).Draw(d.T, "n") }

// often reports true once in n times.
func (d *drawing) once(in int) bool { return rapid.IntRange(1, in).Draw(d.T, "once") == 1 }

func (d *drawing) names(most int) []string {
	seen := map[string]bool{}
	for range d.n(most) {
		seen[d.name()] = true
	}
	return keys(seen)
}

// document draws a whole document.
func document(t *rapid.T) object {
	d := &drawing{T: t}
	d.schemas, d.parameters, d.bodies, d.responses, d.headers = d.names(7), d.names(2), d.names(2), d.names(2), d.names(2)
	components := object{}
	fill := func(kind string, names []string, make func() any) {
		all := object{}
		for _, n := range names {
			all[n] = make()
		}
		components[kind] = all
	}
	fill("schemas", d.schemas, func() any { return d.schema(0) })
	fill("parameters", d.parameters, func() any { return d.parameter(d.name(), pick1(d, "in", "query", "header", "cookie")) })
	fill("requestBodies", d.bodies, func() any { return object{"content": d.content(), "required": d.once(2)} })
	fill("headers", d.headers, func() any { return d.header() })
	fill("responses", d.responses, func() any { return d.response() })
	paths := object{}
	for range d.n(4) {
		d.path(paths)
	}
	doc := object{"openapi": "3.1.0", "info": object{"title": "T", "version": "1"}, "paths": paths, "components": components}
	raw, err := json.Marshal(doc) // numbers and odd bytes become what a loader gives
	if err != nil {
		panic(err)
	}
	return decodeDocument(raw)
}

func decodeDocument(raw []byte) object {
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.UseNumber()
	var doc object
	if err := dec.Decode(&doc); err != nil {
		panic(err)
	}
	return doc
}

func (d *drawing) note(s object) object {
	if d.once(6) {
		s["description"] = pick1(d, "note", notes...)
	}
	if d.once(12) {
		s["deprecated"] = true
	}
	if d.once(15) {
		s["x-go-name"] = d.name()
	}
	if d.once(15) {
		s["title"] = d.name()
	}
	return s
}

func (d *drawing) ref() any {
	if len(d.schemas) == 0 {
		return object{"type": "string"}
	}
	name := pick1(d, "ref", d.schemas...)
	return object{"$ref": join("#/components/schemas", name)}
}

// schema draws a schema of any form.
func (d *drawing) schema(depth int) any {
	if depth > 3 {
		return d.scalar()
	}
	switch d.n(13) {
	case 0, 1, 2:
		return d.note(d.object(depth))
	case 3:
		return d.note(d.array(depth))
	case 4:
		return d.note(d.enum())
	case 5, 6:
		return d.note(d.union(depth))
	case 7:
		return d.note(d.all(depth))
	case 8, 9:
		return d.ref()
	case 10:
		return d.odd(depth)
	}
	return d.scalar()
}

func (d *drawing) scalar() any {
	s := object{"type": pick1(d, "type", "string", "integer", "number", "boolean")}
	switch s["type"] {
	case "string":
		if f := pick1(d, "format", "", "date", "date-time", "duration", "byte", "uuid", "uri", "binary", "password"); f != "" {
			s["format"] = f
		}
		if d.once(4) {
			s["minLength"] = 1
		}
		if d.once(6) {
			s["default"] = "x"
		}
	case "integer":
		if f := pick1(d, "format", "", "int32", "int64", "uint32", "uint64", "int8"); f != "" {
			s["format"] = f
		}
		if d.once(4) {
			s["maximum"] = json.Number(pick1(d, "maximum", "9007199254740993", "18446744073709551615", "1e30", "10", "1e5000", "60000.0"))
		}
		if d.once(4) {
			s["minimum"] = json.Number(pick1(d, "minimum", "0", "-1e30", "1", "-9223372036854775808"))
		}
	}
	d.nullable(s)
	return d.note(s)
}

// nullable lets a schema take null, in one spelling or the other.
func (d *drawing) nullable(s object) {
	switch d.n(8) {
	case 0:
		s["nullable"] = true
	case 1:
		s["type"] = []any{s["type"], "null"}
	case 2:
		if d.once(3) {
			s["type"] = []any{s["type"], pick1(d, "other", "string", "integer", "object", "array", "number"), "null"}
		}
	}
}

func (d *drawing) enum() object {
	values := map[string]any{}
	pool := [][]any{
		{"open", "closed", "", "a b", "A b", "+1", "-1", "type", "日本", "open!", "Open", "a\"b", "<&>"},
		{json.Number("1"), json.Number("-1"), json.Number("2.0"), json.Number("3e2"), json.Number("9007199254740993"), json.Number("99999999999999999999")},
		{"x", json.Number("1"), true, nil, json.Number("1.5"), "1", "true", object{"a": json.Number("1")}, []any{}},
		{json.Number("1.5"), json.Number("2"), json.Number("-0.5")},
		{true, false}, {nil}, {nil, "a"},
	}
	of := pool[d.n(len(pool)-1)]
	for range d.n(4) + 1 {
		v := pick1(d, "value", of...)
		values[literal(v)] = v
	}
	var list []any
	for _, k := range keys(values) {
		list = append(list, values[k])
	}
	s := object{"enum": list}
	if d.once(4) {
		s = object{"const": list[0]}
	}
	if kinds := kindOf(list[0]); d.once(2) {
		s["type"] = map[int]string{null: "null", boolean: "boolean", number: "number", text: "string", array: "array", structure: "object"}[kinds]
		d.nullable(s)
	}
	return s
}

func (d *drawing) object(depth int) object {
	s, properties := object{"type": "object"}, object{}
	if d.once(8) {
		delete(s, "type")
	}
	var required []any
	for _, name := range d.names(5) {
		properties[name] = d.schema(depth + 1)
		if d.once(3) {
			required = append(required, name)
		}
	}
	if len(properties) > 0 || d.once(3) {
		s["properties"] = properties
	}
	if d.once(12) {
		required = append(required, "nobody")
	}
	if required != nil {
		s["required"] = required
	}
	switch d.n(7) {
	case 0:
		s["additionalProperties"] = true
	case 1:
		s["additionalProperties"] = false
	case 2:
		s["additionalProperties"] = d.schema(depth + 1)
	case 3:
		s["unevaluatedProperties"] = pick1[any](d, "unevaluated", true, false, object{"type": "string"})
	case 4:
		s["patternProperties"] = object{"^x-": d.schema(depth + 1)}
		if d.once(2) {
			s["additionalProperties"] = false
		}
	case 5:
		s["dependentRequired"] = object{"id": []any{"name"}}
	}
	if s["type"] != nil {
		d.nullable(s)
	}
	return s
}

func (d *drawing) array(depth int) object {
	s := object{"type": "array"}
	switch d.n(3) {
	case 0:
		s["prefixItems"] = []any{d.schema(depth + 1), d.schema(depth + 1)}
	case 1:
	default:
		s["items"] = d.schema(depth + 1)
	}
	d.nullable(s)
	return s
}

func (d *drawing) union(depth int) object {
	var branches []any
	for range d.n(3) + 1 {
		branches = append(branches, d.schema(depth+1))
	}
	s := object{pick1(d, "keyword", "oneOf", "anyOf"): branches}
	if d.once(3) {
		told := object{"propertyName": pick1(d, "property", "kind", "type", "id")}
		if len(d.schemas) > 0 && d.once(2) {
			told["mapping"] = object{"a": join("#/components/schemas", pick1(d, "ref", d.schemas...)), "b": pick1(d, "plain", d.schemas...)}
		}
		s["discriminator"] = told
	}
	if d.once(5) {
		maps.Copy(s, d.object(depth+2))
	}
	if d.once(8) {
		s["type"] = "object"
	}
	return s
}

func (d *drawing) all(depth int) object {
	var branches []any
	for range d.n(2) + 1 {
		branches = append(branches, d.schema(depth+1))
	}
	s := object{"allOf": branches}
	if d.once(3) {
		maps.Copy(s, d.object(depth+2))
	}
	if d.once(8) {
		s["required"] = []any{d.name()}
	}
	return s
}

// odd draws what is seldom written, and yet valid.
func (d *drawing) odd(depth int) any {
	switch d.n(9) {
	case 0:
		return true
	case 1:
		return false
	case 2:
		return object{}
	case 3:
		return object{"not": object{}}
	case 4:
		s := obj(d.ref())
		s["description"], s["properties"] = "More.", object{"more": d.schema(depth + 1)}
		return s
	case 5:
		return object{"type": "string", "contentEncoding": "base64"}
	case 6:
		return object{"if": object{"required": []any{"a"}}, "then": object{"required": []any{"b"}}}
	case 7:
		return object{"x-go-type": pick1(d, "go", "json.RawMessage", "int64", "time.Duration", "url.URL", "[]string", "uuid.UUID", "no type", "chan int",
			"map[string]any", "*big.Int", "func(")}
	case 8:
		return object{"required": []any{"id"}}
	}
	return object{"type": pick1[any](d, "types", []any{"string", "integer"}, []any{"array", "object", "null"}, []any{"null"}, "null", []any{},
		[]any{"integer", "number"})}
}

var medias = []string{"application/json", "application/json; charset=utf-8", "application/problem+json", "application/vnd.x+json", "text/plain", "text/html",
	"text/*", "application/x-www-form-urlencoded", "multipart/form-data", "multipart/mixed", "application/octet-stream", "image/png", "image/*", "*/*",
	"text/event-stream", "application/xml", "odd", "application/pdf"}

func (d *drawing) content() object {
	out := object{}
	for range d.n(3) {
		media := pick1(d, "media", medias...)
		entry := object{}
		if !d.once(6) {
			entry["schema"] = d.schema(1)
		}
		if media == "text/event-stream" && d.once(2) {
			entry["itemSchema"] = object{"type": "object", "properties": object{"data": d.schema(2)}}
		}
		out[media] = entry
	}
	return out
}

func (d *drawing) header() object {
	h := object{"schema": d.schema(2), "required": d.once(2)}
	if d.once(6) {
		h = object{"content": object{"application/json": object{"schema": d.schema(2)}}}
	}
	return h
}

func (d *drawing) response() object {
	r := object{"description": pick1(d, "note", notes...)}
	if !d.once(4) {
		r["content"] = d.content()
	}
	if d.once(3) {
		headers := object{}
		for _, n := range d.names(3) {
			headers[n] = d.header()
			if len(d.headers) > 0 && d.once(3) {
				headers[n] = object{"$ref": join("#/components/headers", pick1(d, "header", d.headers...))}
			}
		}
		r["headers"] = headers
	}
	return r
}

func (d *drawing) parameter(name, in string) object {
	p := object{"name": name, "in": in, "required": in == "path" || d.once(3), "schema": d.schema(2)}
	if d.once(3) {
		p["style"] = map[string][]string{"path": {"simple", "label", "matrix"}, "header": {"simple"}, "cookie": {"form"},
			"query": {"form", "spaceDelimited", "pipeDelimited", "deepObject"}, "querystring": {"form"}}[in][0:][d.n(0)]
		if in == "query" {
			p["style"] = pick1(d, "style", "form", "spaceDelimited", "pipeDelimited", "deepObject")
		}
		p["explode"] = d.once(2)
	}
	if d.once(10) {
		delete(p, "schema")
		p["content"] = object{"application/json": object{"schema": d.schema(2)}}
	}
	return d.note(p)
}

func (d *drawing) path(paths object) {
	var path strings.Builder
	var inPath []string
	for range d.n(3) + 1 {
		path.WriteString("/")
		name := strings.NewReplacer("{", "", "}", "", "/", "").Replace(d.name())
		switch d.n(5) {
		case 0, 1:
			path.WriteString("x")
		case 2, 3:
			path.WriteString("{" + name + "}")
			inPath = append(inPath, name)
		case 4:
			path.WriteString("{" + name + "}" + pick1(d, "tail", ":verb", ".json", "-{rest}", ""))
			inPath = append(inPath, name)
		case 5:
			path.WriteString(pick1(d, "literal", "", "a%2Fb", "a b", "{}", "*", "...", "日本"))
		}
	}
	item := object{}
	for range d.n(2) + 1 {
		op := object{"responses": object{}}
		if !d.once(3) {
			op["operationId"] = d.name()
		}
		if d.once(4) {
			op["summary"] = pick1(d, "note", notes...)
		}
		var parameters []any
		for _, name := range inPath {
			if !d.once(5) {
				parameters = append(parameters, d.parameter(name, "path"))
			}
		}
		for _, name := range d.names(3) {
			parameters = append(parameters, d.parameter(name, pick1(d, "in", "query", "header", "cookie", "query", "querystring")))
		}
		if len(d.parameters) > 0 && d.once(3) {
			parameters = append(parameters, object{"$ref": join("#/components/parameters", pick1(d, "parameter", d.parameters...))})
		}
		if parameters != nil {
			op["parameters"] = parameters
		}
		switch {
		case d.once(3):
			op["requestBody"] = object{"content": d.content(), "required": d.once(2)}
		case len(d.bodies) > 0 && d.once(3):
			op["requestBody"] = object{"$ref": join("#/components/requestBodies", pick1(d, "body", d.bodies...))}
		}
		for range d.n(3) {
			reply := any(d.response())
			if len(d.responses) > 0 && d.once(4) {
				reply = object{"$ref": join("#/components/responses", pick1(d, "response", d.responses...))}
			}
			obj(op["responses"])[pick1(d, "status", "200", "201", "204", "400", "4XX", "5xx", "default", "101")] = reply
		}
		item[pick1(d, "method", "get", "put", "post", "delete", "patch", "head", "query", "trace")] = op
	}
	paths[path.String()] = item
}

// config draws how a document is generated.
func config(t *rapid.T) Config {
	return Config{
		Package:  "api",
		Unknown:  rapid.SampledFrom([]string{"", "keep", "drop", "declared"}).Draw(t, "unknown"),
		Pointers: rapid.Bool().Draw(t, "pointers"),
		Client:   rapid.IntRange(0, 4).Draw(t, "client") > 0,
		Server:   rapid.IntRange(0, 4).Draw(t, "server") > 0,
	}
}

// look follows a pointer into a document.
func look(doc any, pointer string) error {
	at := doc
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		token = unescape(token)
		switch v := at.(type) {
		case object:
			next, there := v[token]
			if !there {
				return fmt.Errorf("%s: nothing is called %q", pointer, token)
			}
			at = next
		case []any:
			i := 0
			if _, err := fmt.Sscanf(token, "%d", &i); err != nil || i >= len(v) {
				return fmt.Errorf("%s: no item %q", pointer, token)
			}
			at = v[i]
		default:
			return fmt.Errorf("%s: leads past a value at %q", pointer, token)
		}
	}
	return nil
}
