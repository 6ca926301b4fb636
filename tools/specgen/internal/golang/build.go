package golang

import (
	"cmp"
	"slices"
	"strings"
)

const componentPrefix = "#/components/schemas/"

// Config says what Go is to be written.
type Config struct {
	Package     string
	Doc         string   // the package comment
	Initialisms []string // words in capitals beside the usual ones
	// Unknown says what becomes of members that a schema does not name: "declared" keeps them where it speaks of them
	// (additionalProperties, patternProperties), "keep" also where it is silent, "drop" only where it gives them a schema.
	Unknown string
	// Pointers makes an optional member that may be null a pointer; null cannot be told from absent then.
	Pointers bool
	Client   bool
	Server   bool
	Reserved []string // what other files of the package declare
}

// builder works out the declarations of a package.
type builder struct {
	Config
	doc        object
	components object
	spell      spelling
	names      *names
	decls      []*decl
	known      map[string]*decl // of components, by name
	open       []*decl          // unions whose cases are still schemas
	flattening map[string]bool  // components whose allOf is being merged
	problems   []*Problem
	looking    bool               // schemas are merged to look at them: problems are found where their types are made
	merged     map[string]*decl   // of a component's merged schemas, by what these say
	mergedIn   int                // how many merged schemas stand around the one at work
	shared     map[string]*goType // of schemas of operations, by pointer
	table      []entry
	tabled     map[string]string // names of its entries, by their code
	tableNames *names
	owners     *Owners
}

// supportNames are what the generated package declares in any case.
var supportNames = []string{
	"Client", "ClientOption", "ClientWithResponses", "Decode", "DecodeError", "Doer", "ErrNoBody", "EventWriter", "Handler",
	"HandlerWithOptions", "InvalidParamFormatError", "NewClient", "NewClientWithResponses", "NewRouter", "Null", "Nullable", "Of",
	"RequestEditorFn", "RequiredParamError", "Router", "ServeMux", "ServerOptions", "StreamError", "StreamEvent", "StreamOptions",
	"StrictHandlerFunc", "StrictMiddlewareFunc", "StrictServerInterface", "TooManyValuesForParamError", "UnsupportedMediaTypeError",
	"WithHTTPClient", "WithRequestEditorFn", "WithResponseCheck",
}

func newBuilder(doc object, c Config) *builder {
	b := &builder{Config: c, doc: doc, components: obj(obj(doc["components"])["schemas"]), spell: newSpelling(c.Initialisms),
		names: newNames(slices.Concat(supportNames, c.Reserved)...), known: map[string]*decl{}, flattening: map[string]bool{},
		shared: map[string]*goType{}, tableNames: newNames(), tabled: map[string]string{}, owners: newOwners()}
	return b
}

func (b *builder) bad(p *Problem) *goType {
	p.Pointer = b.place(p.Pointer)
	b.problems = append(b.problems, p)
	return &goType{kind: anyKind}
}

// schemas declares all components. A component whose name is a Go name already gets that name, before others that would.
func (b *builder) schemas() {
	all := keys(b.components)
	slices.SortStableFunc(all, func(x, y string) int {
		exact := func(name string) int {
			if b.spell.exported(name) == name {
				return 0
			}
			return 1
		}
		return cmp.Compare(exact(x), exact(y))
	})
	for _, name := range all {
		id := b.spell.exported(name)
		if own := str(obj(b.components[name])["x-go-name"]); own != "" {
			id = b.spell.exported(own)
		}
		if slices.Contains(supportNames, id) || slices.Contains(b.Reserved, id) {
			id += "Model"
		}
		d := &decl{name: b.names.free(id), pointer: join("/components/schemas", name)}
		b.known[name] = d
		b.decls = append(b.decls, d)
	}
	for _, name := range all {
		b.define(b.known[name], b.components[name])
	}
	b.close()
}

// close turns the branches of unions into cases. Doing so may declare further unions.
func (b *builder) close() {
	for len(b.open) > 0 {
		u := b.open[0]
		b.open = b.open[1:]
		b.cases(u)
	}
	b.breakCycles()
	for _, d := range b.decls {
		for _, name := range []string{d.name, d.unknown, d.reader, "caseOf" + d.name, "tellsOf" + d.name} {
			b.owners.decls[name] = d.pointer
		}
		for _, c := range d.constants {
			b.owners.decls[c.name] = d.pointer
		}
	}
	delete(b.owners.decls, "")
	slices.SortFunc(b.decls, func(x, y *decl) int { return cmp.Compare(x.name, y.name) })
}

// define works out the declaration of a component.
func (b *builder) define(d *decl, schema any) {
	s := obj(schema)
	d.schema, d.doc, d.deprecated = s, str(s["description"]), s["deprecated"] == true
	b.merged = nil
	t := b.typeOf(schema, d.name, d.pointer, d)
	if d.kind != pending {
		return // a struct, an enum or a union
	}
	d.typ, d.null = t, t.null
	d.kind = plainDecl
	if t.kind == scalarKind || t.kind == anyKind || t.kind == refKind {
		d.kind = aliasDecl
	}
	if t.kind == refKind && b.circular(d) {
		d.typ, d.kind = b.bad(problem(d.pointer, "let one of them be a schema of its own", "its $ref leads back to itself")), aliasDecl
	}
}

func (b *builder) circular(d *decl) bool {
	for t, n := d.typ, 0; t != nil && t.kind == refKind; n++ {
		if t.decl == d || n > len(b.decls) {
			return true
		}
		if t.decl.kind != aliasDecl {
			return false
		}
		t = t.decl.typ
	}
	return false
}

// declare returns own, or a new declaration for an inline schema.
func (b *builder) declare(own *decl, k declKind, hint, at string, s object) *decl {
	if own != nil && own.kind == pending {
		own.kind = k
		if own.name == "" { // of a merged schema
			own.name = b.names.free(hint)
			b.decls = append(b.decls, own)
		}
		return own
	}
	d := &decl{name: b.names.free(hint), kind: k, pointer: at, schema: s, doc: str(s["description"]), deprecated: s["deprecated"] == true}
	b.decls = append(b.decls, d)
	return d
}

// component returns the declaration that a $ref means.
func (b *builder) component(ref, at string) *goType {
	name, ok := strings.CutPrefix(ref, componentPrefix)
	if d := b.known[unescape(name)]; ok && d != nil {
		return &goType{kind: refKind, decl: d}
	}
	return b.bad(problem(join(at, "$ref"), "correct it", "$ref %s names no component", ref))
}

func unescape(token string) string {
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~")
}

// deref follows the $refs of a schema to one that is none; nil if they lead in a circle or nowhere.
func (b *builder) deref(v any) object {
	s := obj(v)
	for range 100 {
		r := str(s["$ref"])
		if r == "" {
			return s
		}
		s = obj(b.components[unescape(strings.TrimPrefix(r, componentPrefix))])
	}
	return nil
}

// typeOf returns the type of a schema. One that needs a declaration becomes own, if that is there and still pending, or a
// new one called hint.
func (b *builder) typeOf(v any, hint, at string, own *decl) *goType {
	s, ok := v.(object)
	if !ok {
		return &goType{kind: anyKind}
	}
	if t := str(s["x-go-type"]); t != "" {
		return b.given(t, at)
	}
	if r := str(s["$ref"]); r != "" {
		if !narrows(s) {
			t := b.component(r, at)
			if s["nullable"] == true {
				t.null = true
			}
			return t
		}
		s = without(s, "$ref")
		s["allOf"] = append([]any{object{"$ref": r}}, list(s["allOf"])...)
	}
	if s["allOf"] != nil {
		s = b.flatten(s, at)
		if str(s["$ref"]) != "" {
			return b.typeOf(s, hint, at, own)
		}
		return b.mergedType(s, hint, at, own)
	}
	return b.formOf(s, hint, at, own)
}

// formOf returns the type of a schema without $ref and allOf.
func (b *builder) formOf(s object, hint, at string, own *decl) *goType {
	if t := b.unionOf(s, hint, at, own); t != nil {
		return t
	}
	kinds := kindsOf(s)
	nullable := kinds&null != 0
	kinds &^= null
	t := &goType{kind: anyKind}
	switch {
	case s["enum"] != nil || s["const"] != nil:
		if t = b.enum(s, hint, at, own); t.kind == refKind {
			t.decl.null = t.decl.null || nullable && t.decl == own
		}
	case kinds == structure:
		t = b.object(s, hint, at, own, nullable)
	case kinds == array:
		t = &goType{kind: listKind, elem: &goType{kind: anyKind}}
		if s["items"] != nil && s["prefixItems"] == nil {
			t.elem = b.typeOf(s["items"], hint+"Item", join(at, "items"), nil)
		}
	case kinds == text:
		t = stringType(s)
	case kinds == number:
		t = numberType(s)
	case kinds == boolean:
		t = &goType{kind: scalarKind, name: "bool"}
	case kinds != everything&^null && kinds != 0:
		return b.typeList(s, kinds, hint, at, own, nullable)
	}
	if nullable && t.kind != anyKind {
		t = &goType{kind: t.kind, name: t.name, elem: t.elem, decl: t.decl, null: true}
	}
	return t
}

// narrows reports whether a schema says more about values than its $ref does, of what has a form in Go.
func narrows(s object) bool {
	for k := range s {
		switch k {
		case "properties", "allOf", "oneOf", "anyOf", "patternProperties":
			return true
		}
	}
	return false
}

// kindsOf returns the kinds of JSON values that a schema takes, as far as it says so.
func kindsOf(s object) int {
	kinds := 0
	switch t := s["type"].(type) {
	case string:
		kinds = kindNamed(t)
	case []any:
		for _, name := range t {
			kinds |= kindNamed(str(name))
		}
	}
	if values := valuesOf(s); values != nil {
		of := 0
		for _, v := range values {
			of |= kindOf(v)
		}
		if kinds == 0 {
			return of
		}
		return kinds&of | kinds&null
	}
	if kinds != 0 {
		return kinds
	}
	for _, k := range []string{"properties", "additionalProperties", "required", "patternProperties", "minProperties", "maxProperties",
		"propertyNames", "unevaluatedProperties", "dependentRequired"} {
		if s[k] != nil {
			return structure
		}
	}
	if s["items"] != nil || s["prefixItems"] != nil {
		return array
	}
	return everything
}

// valuesOf returns the values of an enum or a const, or nil.
func valuesOf(s object) []any {
	if c, ok := s["const"]; ok {
		return []any{c}
	}
	return list(s["enum"])
}

func kindNamed(t string) int {
	switch t {
	case "null":
		return null
	case "boolean":
		return boolean
	case "integer", "number":
		return number
	case "string":
		return text
	case "array":
		return array
	case "object":
		return structure
	}
	return 0
}

func kindOf(v any) int {
	switch v.(type) {
	case nil:
		return null
	case bool:
		return boolean
	case string:
		return text
	case []any:
		return array
	case object:
		return structure
	}
	return number
}

func stringType(s object) *goType {
	switch {
	case s["format"] == "date-time":
		return &goType{kind: scalarKind, name: "time.Time"}
	case s["format"] == "byte", s["contentEncoding"] == "base64" && s["contentMediaType"] == nil:
		return &goType{kind: scalarKind, name: "[]byte"}
	}
	return &goType{kind: scalarKind, name: "string"}
}

// numberType returns the type of numbers. Only where the bounds allow more than 64 bits the digits are kept as they are.
func numberType(s object) *goType {
	whole := s["type"] == "integer" || slices.Contains(list(s["type"]), any("integer")) && !slices.Contains(list(s["type"]), any("number"))
	name := "float64"
	if whole {
		name = "int64"
		switch format := str(s["format"]); format {
		case "int32", "uint32", "uint64":
			name = format
		}
		if wide(s["maximum"], 63) || wide(s["minimum"], 63) {
			name = "json.Number"
			if least, ok := wholeNumber(s["minimum"]); ok && least.Sign() >= 0 && !wide(s["maximum"], 64) {
				name = "uint64"
			}
		}
	}
	return &goType{kind: scalarKind, name: name}
}
