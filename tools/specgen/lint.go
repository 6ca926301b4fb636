package specgen

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

const dialect = "https://json-schema.org/draft/2020-12/schema"

// lint reports what breaks the extra rules for Assay's own specs, and what the generator or the validator cannot handle in
// them. Specs of others are checked where a schema is taken into the bundle.
func lint(f *folder) error {
	l := &linter{folder: f, bad: &problems{}}
	if f.house {
		for _, d := range f.schemas {
			l.schemaDocument(d)
		}
		if f.root != nil {
			l.schemas(f.root)
			l.api()
		}
	}
	return l.bad.err()
}

type linter struct {
	folder *folder
	bad    *problems
}

func (l *linter) report(d *document, pointer, problem, mend string) {
	l.bad.add(&SpecError{File: d.file, Pointer: pointer, Problem: problem, Mend: mend})
}

func (l *linter) schemaDocument(d *document) {
	if s, ok := d.tree["$schema"]; ok && strings.TrimSuffix(asString(s), "#") != dialect {
		l.report(d, "/$schema", fmt.Sprintf("dialect %v is not JSON Schema 2020-12", s), "write the schema in "+dialect)
	}
	if d.tree["$schema"] == nil {
		l.report(d, "", "has no $schema", "add "+dialect)
	}
	id, err := url.Parse(d.id)
	if raw, ok := d.tree["$id"]; ok && (d.id == "" || err != nil || !id.IsAbs() || id.Fragment != "") {
		l.report(d, "/$id", fmt.Sprintf("$id %v is not an absolute URI without fragment", raw), "give it the protocol's own URI")
	}
	if d.tree["$id"] == nil {
		l.report(d, "", "has no $id", "give it an absolute URI, so that others can refer to it")
	}
	l.schemas(d)
}

func (l *linter) schemas(d *document) {
	walkDocument(d, func(s object, pointer string) {
		l.pattern(d, s, pointer)
		l.schema(d, s, pointer)
		for _, k := range []string{"$anchor", "$dynamicAnchor", "definitions"} {
			if _, ok := s[k]; ok {
				l.report(d, join(pointer, k), k+" is not supported", "put the schema in $defs and refer to it with $ref")
			}
		}
		if _, ok := s["$id"]; ok && (d.isRoot || pointer != "") {
			l.report(d, join(pointer, "$id"), "an $id inside a document", "move the schema to a file of its own")
		}
		if s["x-go-type"] == nil {
			l.union(d, s, pointer)
		}
	})
}

// schema reports what no contract may have in a schema.
func (l *linter) schema(d *document, s object, pointer string) {
	if raw, ok := s["$ref"]; ok && asString(raw) == "" {
		l.report(d, join(pointer, "$ref"), "$ref is not a string", "write a reference")
	}
	for _, k := range []string{"$dynamicRef", "$recursiveAnchor", "$recursiveRef"} {
		if _, ok := s[k]; ok && (l.folder.house || k == "$dynamicRef" || k == "$recursiveRef" && s[k] != "#") {
			l.report(d, join(pointer, k), k+" is not supported", "put the schema in $defs and refer to it with $ref")
		}
	}
	l.subschemas(d, s, pointer)
}

// subschemas reports values in the place of a schema that are none.
func (l *linter) subschemas(d *document, s object, pointer string) {
	for _, k := range sortedKeys(s) {
		f, known := applicators[k]
		if !known {
			continue
		}
		v, here := s[k], join(pointer, k)
		switch v.(type) {
		case object:
			if f == list {
				l.report(d, here, k+" is not an array of schemas", "write it as an array")
			}
		case []any:
			if f != list && (k != "items" || l.folder.house) {
				l.report(d, here, k+" is an array", "write it as an object")
			}
		case bool:
			if f != one {
				l.report(d, here, k+" is a boolean", "write its schemas")
			}
		default:
			l.report(d, here, k+" is not a schema", "write it as an object")
		}
	}
	for _, sl := range slots(s) {
		switch sl.value.(type) {
		case object, bool:
		default:
			l.report(d, pointer+sl.pointer, "is not a schema", "write it as an object")
		}
	}
}

func (l *linter) pattern(d *document, s object, pointer string) {
	check := func(p, where string) {
		if isRE2(p) {
			return
		}
		_, err := regexp.Compile(p)
		l.report(d, where, fmt.Sprintf("pattern %s is not RE2 (%v)", p, err),
			"rewrite it without lookaround and back-references; a negative lookahead is a second pattern under not")
	}
	if p, ok := s["pattern"].(string); ok {
		check(p, join(pointer, "pattern"))
	}
	for _, p := range sortedKeys(asObject(s["patternProperties"])) {
		check(p, join(join(pointer, "patternProperties"), p))
	}
}

// union restricts the unions of Assay's own specs to branches that a reader can distinguish: each a $ref to an object
// whose required property has a const. Only then each branch has a Go type, and a problem can name the intended branch.
func (l *linter) union(d *document, s object, pointer string) {
	for _, k := range unions {
		var inline, untold []string // object branches that are not $refs, and object branches without a const
		objects := 0
		for i, b := range asList(s[k]) {
			here := fmt.Sprintf("%s/%s/%d", pointer, k, i)
			branch := l.deref(d, asObject(b))
			if branch["properties"] == nil || validationOnlyBranch(branch) {
				continue
			}
			objects++
			if asObject(b)["$ref"] == nil {
				inline = append(inline, here)
			}
			if p, _ := constProperty(branch); p == "" {
				untold = append(untold, here)
			}
		}
		if objects < 2 {
			continue // nothing to distinguish: one object, or null
		}
		for _, here := range inline {
			l.report(d, here, "a branch of a union is written inline", "move it to $defs or a file of its own and refer to it")
		}
		for _, here := range untold {
			l.report(d, here, "a branch of a union without a required const property", "add one that tells it apart")
		}
	}
}

// deref follows the $refs of a schema across documents. It returns nil for a $ref without a target, which another check
// reports.
func (l *linter) deref(d *document, s object) object {
	for range maxDepth {
		ref := asString(s["$ref"])
		if ref == "" {
			return s
		}
		to, problem := l.folder.target(d, "", ref)
		if problem != "" {
			return nil
		}
		v, _ := at(to.doc.tree, to.pointer)
		d, s = to.doc, asObject(v)
	}
	return nil
}

var httpMethods = []string{"delete", "get", "head", "options", "patch", "post", "put", "trace"}

// version reports a version of OpenAPI that the generator does not read.
func (l *linter) version(d *document) {
	switch v := asString(d.tree["openapi"]); {
	case d.tree["swagger"] != nil:
		l.report(d, "/swagger", fmt.Sprintf("Swagger %v", d.tree["swagger"]), "convert the document to OpenAPI 3.0 or later")
	case l.folder.house && !strings.HasPrefix(v, "3.1."):
		l.report(d, "/openapi", fmt.Sprintf("OpenAPI version %q", v), "write the document in 3.1")
	case !slices.ContainsFunc([]string{"3.0", "3.1", "3.2"}, func(known string) bool { return v == known || strings.HasPrefix(v, known+".") }):
		l.report(d, "/openapi", fmt.Sprintf("OpenAPI version %q", v), "write the document in 3.0, 3.1 or 3.2")
	}
}

// api checks the operations of openapi.yaml.
func (l *linter) api() {
	d := l.folder.root
	seen := map[string]string{}
	paths := asObject(d.tree["paths"])
	for _, p := range sortedKeys(paths) {
		for _, method := range httpMethods {
			op := asObject(asObject(paths[p])[method])
			if op == nil {
				continue
			}
			here := join(join("/paths", p), method)
			id := asString(op["operationId"])
			switch {
			case id == "":
				l.report(d, here, "has no operationId", "name the operation")
			case seen[pascal(id)] != "":
				l.report(d, join(here, "operationId"), fmt.Sprintf("operationId %s is also that of %s", id, seen[pascal(id)]), "rename one of the two")
			default:
				seen[pascal(id)] = here
			}
			l.bodies(d, op, here)
		}
	}
	l.bodies(d, asObject(d.tree["components"]), "/components")
}

// bodies requires the bodies of Assay's own specs to be $refs: inline ones have no name.
func (l *linter) bodies(d *document, v object, pointer string) {
	walkAPIObjects(v, pointer, func(o object, here string) {
		content := asObject(o["content"])
		for _, media := range sortedKeys(content) {
			s := asObject(asObject(content[media])["schema"])
			inline := slices.ContainsFunc([]string{"properties", "allOf", "anyOf", "oneOf", "items"}, func(k string) bool { return s[k] != nil })
			if inline && s["$ref"] == nil {
				l.report(d, join(here+"/content", media)+"/schema", "the body is written inline", "move it to components/schemas and refer to it")
			}
		}
	})
}

var unions = []string{"anyOf", "oneOf"}

// validationOnlyBranch reports whether a schema only constrains fields defined elsewhere.
func validationOnlyBranch(s object) bool {
	for _, k := range sortedKeys(s) {
		switch k {
		case "required", "if", "then", "else", "not", "$comment", "description", "title", "minProperties", "maxProperties", "dependentRequired":
		case "properties":
			for _, p := range asObject(s[k]) {
				if p := asObject(p); p["type"] != nil || p["$ref"] != nil || p["x-go-type"] != nil {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// constProperty returns the required property of an object schema that can have only one value, a string.
func constProperty(s object) (property, value string) {
	for _, r := range asList(s["required"]) {
		name := asString(r)
		p := asObject(asObject(s["properties"])[name])
		if c, ok := p["const"].(string); ok {
			return name, c
		}
		if e := asList(p["enum"]); len(e) == 1 && asString(e[0]) != "" {
			return name, asString(e[0])
		}
	}
	return "", ""
}
