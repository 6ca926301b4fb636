package specgen

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
)

const componentPrefix = "#/components/schemas/"

// bundled is a spec folder as one self-contained OpenAPI document with every schema as a component.
type bundled struct {
	folder   *folder
	naming   *naming
	doc      object
	origin   map[string]place // component name -> place in the folder
	bad      problems
	findings problems // what does not keep a package from being made
	nodes    int      // of the document, as far as references outside schemas were replaced by what they mean
}

// bundle puts all schemas of a folder under components.schemas and rewrites every $ref to match. The schemas keep
// everything that validation needs.
func bundle(f *folder, n *naming) (*bundled, error) {
	b := &bundled{folder: f, naming: n, origin: map[string]place{}, doc: object{
		"openapi": "3.1.0",
		"info":    object{"title": "Schemas", "version": "1"},
		"paths":   object{},
	}}
	if f.root != nil {
		b.doc, _ = b.expand(f.root, "", f.root.tree, false, nil).(object)
	}
	if !f.house {
		b.doc["openapi"] = "3.1.0" // what older versions wrote otherwise is rewritten
	}
	schemas := childObject(childObject(b.doc, "components"), "schemas")
	order := func(x, y place) int {
		return cmp.Or(strings.Compare(n.names[x], n.names[y]), strings.Compare(x.doc.rel, y.doc.rel), strings.Compare(x.pointer, y.pointer))
	}
	for _, p := range slices.SortedFunc(maps.Keys(n.names), order) {
		if !n.isLate[p] {
			b.take(p, schemas)
		}
	}
	for i := 0; i < len(n.late); i++ { // taking one may name more
		b.take(n.late[i], schemas)
	}
	if !f.house {
		b.share(schemas)
		b.modernise(schemas)
	}
	return b, b.bad.err()
}

// take makes the schema at p a component. One that only refers to a file gives its name to the content of that.
func (b *bundled) take(p place, schemas object) {
	name := b.naming.names[p]
	v, _ := at(p.doc.tree, p.pointer)
	switch {
	case p.doc.isRoot && !strings.HasPrefix(p.pointer, "/components/schemas/") && b.folder.house:
		return // a component of another kind
	case p.doc.isRoot && strings.HasPrefix(p.pointer, "/components/schemas/"):
		if to, ok := b.naming.alias(p, asObject(v)); ok && b.naming.names[to] == name {
			return
		}
	case p.pointer == "" && isContainer(p.doc) && !b.naming.isLate[p]:
		return
	}
	schemas[name], b.origin[name] = b.schema(p.doc, p.pointer, v, p.doc.isRoot), p
}

// schema copies a schema that stands in d at a pointer, and rewrites its references. In an API it may be true or false;
// elsewhere these get longer forms that every reader accepts.
func (b *bundled) schema(d *document, pointer string, v any, api bool) any {
	if _, ok := v.(bool); ok && api {
		return v
	}
	s := schemaObject(v)
	walkSchema(s, pointer, func(s object, pointer string) {
		b.table(d, s, pointer)
		if !b.folder.house {
			(&linter{folder: b.folder, bad: &b.bad}).schema(d, s, pointer)
		}
		// The references now point into the bundle, and an $id inside it would change their base.
		for _, k := range []string{"$id", "$schema", "$defs", "definitions", "$anchor", "$dynamicAnchor"} {
			delete(s, k)
		}
		b.recursive(d, s, pointer)
		b.rewriteRef(d, s, pointer)
		b.rewritePatterns(d, s, pointer)
	})
	return s
}

// schemaObject copies a schema. It replaces true and false by longer forms that every reader accepts.
func schemaObject(v any) object {
	switch v {
	case true:
		return object{}
	case false:
		return object{"not": object{}}
	}
	s, _ := clone(v).(object)
	if s == nil {
		return object{} // lint reports it
	}
	return s
}

// rewriteRef turns the references of one schema into references between components.
func (b *bundled) rewriteRef(d *document, s object, pointer string) {
	if ref, ok := s["$ref"].(string); ok {
		if !b.folder.house && isDialect(ref) { // a schema of schemas: anything
			delete(s, "$ref")
			return
		}
		name, problem := b.component(d, pointer, ref)
		if problem != "" {
			b.bad.add(refError(d, join(pointer, "$ref"), ref, problem))
			return
		}
		s["$ref"] = componentPrefix + name
	}
	mapping := asObject(asObject(s["discriminator"])["mapping"])
	for _, k := range sortedKeys(mapping) {
		ref := asString(mapping[k])
		name, problem := "", ""
		if to, plain := b.naming.used[ref]; plain && b.naming.names[to] == ref {
			name = ref // OpenAPI lets a mapping name a component without its path
		} else {
			name, problem = b.component(d, pointer, ref)
		}
		if problem != "" {
			told := &b.findings // a branch may be told otherwise
			if b.folder.house || b.naming.plain(ref) {
				told = &b.bad
			}
			told.add(refError(d, join(pointer+"/discriminator/mapping", k), ref, problem))
			delete(mapping, k)
			continue
		}
		mapping[k] = componentPrefix + name
	}
}

// table replaces a reference in the place of a table of members, which some bundlers take, by one for each member.
func (b *bundled) table(d *document, s object, pointer string) {
	ref, ok := asObject(s["properties"])["$ref"].(string)
	if !ok || b.folder.house {
		return
	}
	var members object
	to, problem := b.folder.resolve(d, pointer, ref)
	if problem == "" {
		found, _ := at(to.doc.tree, to.pointer)
		if members = asObject(found); members == nil {
			problem = "no properties stand there"
		}
	}
	if problem != "" {
		b.bad.add(refError(d, join(pointer+"/properties", "$ref"), ref, problem))
		delete(s, "properties")
		return
	}
	own := asObject(s["properties"])
	delete(own, "$ref")
	for _, name := range sortedKeys(members) {
		if _, there := own[name]; !there {
			own[name] = object{"$ref": b.folder.uri(to.doc.rel) + "#" + (&url.URL{Fragment: join(to.pointer, name)}).EscapedFragment()}
		}
	}
}

// recursive reads the reference of draft 2019-09 to the schema around it. Nothing may extend that schema from outside.
func (b *bundled) recursive(d *document, s object, pointer string) {
	if b.folder.house {
		return
	}
	delete(s, "$recursiveAnchor")
	if s["$recursiveRef"] != "#" || s["$ref"] != nil {
		return
	}
	for outer := pointer; outer != "" || !d.isRoot; outer = outer[:strings.LastIndex(outer, "/")] {
		if v, _ := at(d.tree, outer); asObject(v)["$recursiveAnchor"] == true || outer == "" {
			delete(s, "$recursiveRef")
			s["$ref"] = "#" + (&url.URL{Fragment: outer}).EscapedFragment()
			return
		}
	}
	(&linter{folder: b.folder, bad: &b.bad}).report(d, join(pointer, "$recursiveRef"), "no schema around it has $recursiveAnchor",
		"refer to the schema that is meant with $ref")
}

// component returns the name of the component that a $ref at a place of d refers to.
func (b *bundled) component(d *document, pointer, ref string) (name, problem string) {
	to, problem := b.folder.target(d, pointer, ref)
	if problem != "" {
		return "", problem
	}
	if !b.folder.house && !isOtherComponent(to) {
		switch v, _ := at(to.doc.tree, to.pointer); v.(type) {
		case object, bool:
			return b.naming.nameLate(to), ""
		}
		return "", "no schema stands there"
	}
	if to.doc.isRoot && !strings.HasPrefix(to.pointer, "/components/schemas/") {
		return "", "a schema can only refer to a schema"
	}
	if name = b.naming.names[to]; name == "" {
		return "", "only a whole document or an entry of its $defs can be referred to"
	}
	if to.pointer == "" && isContainer(to.doc) {
		return "", "it holds nothing but $defs"
	}
	return name, ""
}

// isOtherComponent reports whether a place is that of a response, a parameter or another component that is no schema.
func isOtherComponent(p place) bool {
	rest, ok := strings.CutPrefix(p.pointer, "/components/")
	return ok && p.doc.isRoot && !strings.HasPrefix(rest, "schemas/") && strings.Count(rest, "/") == 1
}

// share puts a reference in the place of each schema that became a component because something refers to it there, so
// that it has one type.
func (b *bundled) share(schemas object) {
	for _, p := range b.naming.late {
		tree, rest := any(nil), p.pointer
		for outer := p.pointer; outer != ""; {
			outer = outer[:strings.LastIndex(outer, "/")]
			if name := b.naming.names[place{p.doc, outer}]; name != "" {
				tree, rest = schemas[name], p.pointer[len(outer):]
				break
			}
		}
		if tree == nil && p.doc.isRoot {
			tree = b.doc
		}
		last := strings.LastIndex(rest, "/")
		if tree == nil || last < 0 {
			continue
		}
		if _, missing := at(tree, rest); missing != "" {
			continue
		}
		holder, _ := at(tree, rest[:last])
		setIn(holder, rest[last+1:], object{"$ref": componentPrefix + b.naming.names[p]})
	}
}

func refError(d *document, pointer, ref, problem string) *SpecError {
	mend := "correct the $ref, or add what it names to the folder"
	if problem == notFetched {
		mend += "; --map says where such documents lie"
	}
	return &SpecError{File: d.file, Pointer: pointer, Problem: fmt.Sprintf("$ref %s: %s", ref, problem), Mend: mend}
}
