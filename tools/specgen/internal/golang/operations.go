package golang

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// methods are those of HTTP that a path may have, in the order of the generated code.
var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}

// operation is one method of one path.
type operation struct {
	name        string // of its methods
	method      string
	path        string
	pointer     string
	doc         string
	deprecated  bool
	parameters  []*parameter
	bodies      []*content // of a request
	optional    bool       // the body may be left out
	responses   []*response
	paramsType  string // "" without query, header and cookie parameters
	requestType string
	replyType   string // what handlers return
	resultType  string // what the client returns
}

type parameter struct {
	name, in string
	field    string // in Params, or in the request for one of the path
	local    string // as an argument
	typ      *goType
	required bool
	doc      string
	variable string // of the table of parameters
}

// class is how a body is handled.
type class int

const (
	binaryBody class = iota
	jsonBody
	formBody
	multipartBody
	textBody
	streamBody
)

// content is a body of one media type.
type content struct {
	media  string
	class  class
	typ    *goType // of JSON, forms and the data of events
	field  string  // of the request object or the client's result
	schema string  // pointer of the schema
	shape  string  // of a form
}

type response struct {
	status  string // 200, 4XX or default
	doc     string
	bodies  []*content
	headers []*parameter
	// typeNames are the Go types of a handler's response, one for each body, or one without.
	typeNames   []string
	headersType string
}

// api reads the operations of the document.
func (b *builder) api() []*operation {
	var ops []*operation
	paths := obj(b.doc["paths"])
	for _, path := range keys(paths) {
		item, at := b.follow(paths[path], join("/paths", path))
		for _, method := range methods {
			if raw := obj(item[method]); raw != nil {
				ops = append(ops, b.operation(path, method, item, raw, at))
			}
		}
	}
	taken := newNames("Server", "Client", "RequestEditors", "Check", "MaxBody")
	for _, o := range ops {
		o.name = taken.free(o.name)
	}
	for _, o := range ops {
		b.nameParts(o)
	}
	return ops
}

// follow follows the $ref of an object that is no schema.
func (b *builder) follow(v any, at string) (object, string) {
	o := obj(v)
	for range 100 {
		r, ok := strings.CutPrefix(str(o["$ref"]), "#/")
		if !ok {
			return o, at
		}
		at = "/" + r
		var next any = b.doc
		for token := range strings.SplitSeq(r, "/") {
			next = obj(next)[unescape(token)]
		}
		o = obj(next)
	}
	return nil, at
}

func (b *builder) operation(path, method string, item, raw object, at string) *operation {
	o := &operation{method: strings.ToUpper(method), path: path, deprecated: raw["deprecated"] == true}
	id := str(raw["operationId"])
	if own := str(raw["x-go-name"]); own != "" {
		id = own
	}
	if id == "" {
		id = method + " " + strings.NewReplacer("{", " ", "}", " ").Replace(path)
	}
	o.name = b.spell.exported(id)
	o.doc = strings.TrimSpace(cmp.Or(str(raw["summary"]), str(raw["description"])))
	here := join(at, method)
	o.pointer = here
	b.readParameters(o, item, raw, at, here)
	b.readBodies(o, raw, here)
	replies := obj(raw["responses"])
	for _, status := range keys(replies) {
		if strings.HasPrefix(status, "x-") {
			continue
		}
		b.readResponse(o, status, replies[status], join(here, "responses", status))
	}
	return o
}

func (b *builder) readParameters(o *operation, item, raw object, itemAt, at string) {
	type place struct {
		v  any
		at string
	}
	var places []place
	for i, v := range list(item["parameters"]) {
		places = append(places, place{v, index(join(itemAt, "parameters"), i)})
	}
	for i, v := range list(raw["parameters"]) {
		places = append(places, place{v, index(join(at, "parameters"), i)})
	}
	byKey := map[string]int{}
	for _, p := range places {
		s, where := b.follow(p.v, p.at)
		name, in := str(s["name"]), str(s["in"])
		if in == "header" && slices.Contains([]string{"accept", "content-type", "authorization"}, strings.ToLower(name)) {
			continue // as OpenAPI has it
		}
		if name == "" || !slices.Contains([]string{"path", "query", "header", "cookie", "querystring"}, in) {
			b.bad(problem(where, "give it a name, and one of path, query, header and cookie", "a parameter needs a name and a place"))
			continue
		}
		param := b.parameter(o.name, s, name, in, where)
		if i, again := byKey[in+name]; again {
			o.parameters[i] = param // the operation's own counts
			continue
		}
		byKey[in+name] = len(o.parameters)
		o.parameters = append(o.parameters, param)
	}
	// Names in the path that nobody declared are strings, in the order of the path.
	var ordered []*parameter
	for _, m := range pathNames.FindAllStringSubmatch(o.path, -1) {
		i, declared := byKey["path"+m[1]]
		if !declared {
			p := b.parameter(o.name, object{"required": true, "schema": object{"type": "string"}}, m[1], "path", at)
			ordered = append(ordered, p)
			byKey["path"+m[1]] = -1
			continue
		}
		if i >= 0 {
			ordered = append(ordered, o.parameters[i])
			byKey["path"+m[1]] = -1
		}
	}
	for _, p := range o.parameters {
		if p.in != "path" {
			ordered = append(ordered, p)
		}
	}
	o.parameters = ordered
}

func (b *builder) parameter(op string, s object, name, in, at string) *parameter {
	p := &parameter{name: name, in: in, doc: str(s["description"]), required: s["required"] == true || in == "path"}
	style, explode := str(s["style"]), s["explode"]
	schema, schemaAt := s["schema"], join(at, "schema")
	if content := obj(s["content"]); len(content) > 0 {
		media := keys(content)[0]
		schema, schemaAt = obj(content[media])["schema"], join(at, "content", media, "schema")
		style = "json"
	}
	if in == "querystring" { // the whole query
		p.in, style = "query", cmp.Or(style, "form")
	}
	if style == "" {
		style = map[string]string{"path": "simple", "header": "simple"}[in]
		style = cmp.Or(style, "form")
	}
	if explode == nil {
		explode = style == "form" || style == "deepObject"
	}
	hint := op + b.spell.exported(name)
	if rest, ok := strings.CutPrefix(at, "/components/parameters/"); ok {
		hint = b.spell.exported(unescape(rest)) + "Parameter"
	}
	p.typ = b.cached(schema, hint, schemaAt)
	p.variable = b.tableEntry(name, at, fmt.Sprintf("{name: %s, in: %s, style: %s, explode: %v, required: %v, shape: %s}", strconv.Quote(name),
		strconv.Quote(p.in), strconv.Quote(style), explode == true, p.required, b.shape(schema, 0)))
	return p
}

// cached returns the type of a schema that several operations may share.
func (b *builder) cached(schema any, hint, at string) *goType {
	if t := b.shared[at]; t != nil {
		return t
	}
	if schema == nil {
		schema = object{}
	}
	t := b.typeOf(schema, hint, at, nil)
	b.shared[at] = t
	return t
}

// tableEntry returns the name of the variable with a parameter's description.
func (b *builder) tableEntry(name, at, code string) string {
	if name, there := b.tabled[code]; there {
		return name
	}
	e := entry{b.tableNames.free("parameter" + b.spell.exported(name)), code}
	b.table = append(b.table, e)
	b.tabled[code] = e.name
	b.owners.decls[e.name] = at
	return e.name
}

// entry is a variable and its value.
type entry struct{ name, code string }

// shape writes what has to be known to read text as a value of a schema.
func (b *builder) shape(v any, depth int) string {
	s := b.flat(v)
	kinds := b.kindsBelow(v, 0) &^ null
	out := []string{fmt.Sprintf("kinds: %d", kinds)}
	if s == nil || depth > 3 {
		return "shape{" + strings.Join(out, ", ") + "}"
	}
	if s["items"] != nil {
		out = append(out, "items: &"+b.shape(s["items"], depth+1))
	} else if kinds&array != 0 {
		out = append(out, "items: &"+b.shape(object{}, depth+1))
	}
	var members []string
	for _, name := range keys(obj(s["properties"])) {
		members = append(members, strconv.Quote(name)+": &"+b.shape(obj(s["properties"])[name], depth+1))
	}
	if len(members) > 0 {
		out = append(out, "members: map[string]*shape{"+strings.Join(members, ", ")+"}")
	}
	if rest := obj(s["additionalProperties"]); rest != nil {
		out = append(out, "rest: &"+b.shape(rest, depth+1))
	}
	return "shape{" + strings.Join(out, ", ") + "}"
}

// nameParts names what the generated code declares for an operation.
func (b *builder) nameParts(o *operation) {
	locals := newNames(reserved...)
	fields, params := newNames("Params", "ContentType"), newNames()
	for _, c := range o.bodies {
		tag := ""
		if len(o.bodies) > 1 {
			tag = b.bodyTag(c)
		}
		c.field = fields.free(tag + "Body")
	}
	for _, p := range o.parameters {
		if p.in == "path" {
			p.local = locals.free(b.spell.local(p.name))
			p.field = fields.free(b.spell.exported(p.name))
			continue
		}
		p.field = params.free(b.spell.exported(p.name))
		if o.paramsType == "" {
			o.paramsType = b.names.free(o.name + "Params")
		}
	}
	o.requestType = b.names.free(o.name + "RequestObject")
	o.replyType = b.names.free(o.name + "ResponseObject")
	o.resultType = b.names.free(o.name + "HTTPResponse")
	for _, name := range []string{o.paramsType, o.requestType, o.replyType, o.resultType, "serve" + o.name} {
		b.owners.decls[name] = o.pointer
	}
	delete(b.owners.decls, "")
	for _, name := range []string{o.name, o.name + "WithResponse", "read" + o.name, "Visit" + o.name + "Response"} {
		b.owners.methods[name] = o.pointer
	}
	results := newNames("Body", "HTTPResponse", "Status", "StatusCode", "ContentType")
	for _, r := range o.responses {
		headers := newNames()
		for _, p := range r.headers {
			p.field = headers.free(b.spell.exported(p.name))
		}
		status := b.statusName(r.status)
		if len(r.headers) > 0 {
			r.headersType = b.names.free(o.name + r.status + "ResponseHeaders")
		}
		for _, c := range r.bodies {
			r.typeNames = append(r.typeNames, b.names.free(o.name+r.status+b.bodyTag(c)+"Response"))
			c.field = results.free(b.bodyTag(c) + status)
		}
		if len(r.bodies) == 0 {
			r.typeNames = []string{b.names.free(o.name + r.status + "Response")}
		}
		for _, name := range append(r.typeNames, cmp.Or(r.headersType, o.replyType)) {
			b.owners.decls[name] = o.pointer
		}
	}
}

func (b *builder) statusName(status string) string {
	if status == "default" {
		return "Default"
	}
	return status
}

// bodyTag is the part of names that says which body of several it is.
func (b *builder) bodyTag(c *content) string {
	switch {
	case c.media == "application/json":
		return "JSON"
	case c.class == formBody:
		return "Form"
	case c.media == "multipart/form-data":
		return "Multipart"
	case c.media == "text/plain":
		return "Text"
	case c.media == "*/*":
		return "Any"
	}
	return b.spell.exported(strings.ReplaceAll(c.media, "*", "any"))
}

// reserved are the names that a generated function uses itself: no argument may hide them.
var reserved = append([]string{
	"absent", "any", "append", "body", "bool", "byte", "c", "clear", "contentType", "copy", "ctx", "editors", "err", "error",
	"false", "float32",
	"float64", "in", "init", "int", "int32", "int64", "iota", "len", "made", "make", "max", "min", "new", "newCall", "nil", "o", "options",
	"panic", "params", "r", "request", "response", "streamEvents", "string", "true", "uint32", "uint64", "w", "yield",
}, slices.Collect(maps.Keys(imports))...)
