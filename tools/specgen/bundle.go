package specgen

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

const componentPrefix = "#/components/schemas/"

// bundled is a spec folder as one self-contained OpenAPI document with every schema as a component.
type bundled struct {
	folder *folder
	naming *naming
	doc    object
	origin map[string]place // component name -> place in the folder
}

// bundle puts all schemas of a folder under components.schemas and rewrites every $ref to match. The schemas keep
// everything that validation needs.
func bundle(f *folder, n *naming) (*bundled, error) {
	b := &bundled{folder: f, naming: n, origin: map[string]place{}}
	var bad problems
	if f.root != nil {
		b.doc = clone(f.root.tree).(object)
	} else {
		b.doc = object{
			"openapi": "3.1.0",
			"info":    object{"title": "Schemas", "version": "1"},
			"paths":   object{},
		}
	}
	schemas := childObject(childObject(b.doc, "components"), "schemas")
	b.takeOver(schemas)
	if f.root != nil {
		b.rewriteRoot(&bad)
	}
	byName := func(x, y place) int { return strings.Compare(n.names[x], n.names[y]) }
	for _, p := range slices.SortedFunc(maps.Keys(n.names), byName) {
		b.take(p, schemas, &bad)
	}
	return b, bad.err()
}

// take makes the schema at p a component. The components of openapi.yaml are already in place.
func (b *bundled) take(p place, schemas object, bad *problems) {
	name := b.naming.names[p]
	if p.doc.isRoot {
		if _, known := b.origin[name]; !known && strings.HasPrefix(p.pointer, "/components/schemas/") {
			b.origin[name] = p
		}
		return
	}
	if p.pointer == "" && isContainer(p.doc) {
		return
	}
	v, _ := at(p.doc.tree, p.pointer)
	s := schemaObject(v)
	// The references now point into the bundle, and an $id inside it would change their base.
	for _, k := range []string{"$id", "$schema", "$defs"} {
		delete(s, k)
	}
	walkSchema(s, p.pointer, func(s object, pointer string) {
		b.rewriteRef(p.doc, s, pointer, bad)
		rewritePattern(s)
	})
	schemas[name], b.origin[name] = s, p
}

// schemaObject copies a schema that passed lint. It replaces true and false by longer forms that every reader accepts.
func schemaObject(v any) object {
	switch v {
	case true:
		return object{}
	case false:
		return object{"not": object{}}
	}
	s, _ := clone(v).(object)
	return s
}

// takeOver removes the components that only refer to a schema file: the file's content replaces them.
func (b *bundled) takeOver(schemas object) {
	for p, name := range b.naming.names {
		if !p.doc.isRoot {
			if s, ok := schemas[name].(object); ok && onlyRef(s) {
				delete(schemas, name)
			}
		}
	}
}

func (b *bundled) rewriteRoot(bad *problems) {
	root := b.folder.root
	walkAPI(b.doc, func(sl slot) {
		walkSchema(sl.value, sl.pointer, func(s object, pointer string) {
			b.rewriteRef(root, s, pointer, bad)
			rewritePattern(s)
		})
	})
	walkAPIObjects(b.doc, "", func(o object, pointer string) {
		ref := asString(o["$ref"])
		if ref == "" {
			return
		}
		if _, problem := b.folder.resolve(root, ref); problem != "" || !strings.HasPrefix(ref, "#/components/") {
			if problem == "" {
				problem = "outside schemas a $ref may only name a component of the same file"
			}
			bad.add(refError(root, join(pointer, "$ref"), ref, problem))
		}
	})
}

// rewriteRef turns the references of one schema into references between components.
func (b *bundled) rewriteRef(d *document, s object, pointer string, bad *problems) {
	if ref, ok := s["$ref"].(string); ok {
		name, problem := b.component(d, ref)
		if problem != "" {
			bad.add(refError(d, join(pointer, "$ref"), ref, problem))
			return
		}
		s["$ref"] = componentPrefix + name
	}
	mapping := asObject(asObject(s["discriminator"])["mapping"])
	for _, k := range sortedKeys(mapping) {
		ref := asString(mapping[k])
		name, problem := b.component(d, ref)
		if _, plain := b.naming.used[ref]; problem != "" && plain {
			name, problem = ref, "" // OpenAPI lets a mapping name a component without its path
		}
		if problem != "" {
			bad.add(refError(d, join(pointer+"/discriminator/mapping", k), ref, problem))
			continue
		}
		mapping[k] = componentPrefix + name
	}
}

// component returns the name of the component that a $ref of d refers to.
func (b *bundled) component(d *document, ref string) (name, problem string) {
	to, problem := b.folder.target(d, ref)
	if problem != "" {
		return "", problem
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

func refError(d *document, pointer, ref, problem string) *SpecError {
	return &SpecError{
		File: d.file, Pointer: pointer,
		Problem: fmt.Sprintf("$ref %s: %s", ref, problem),
		Mend:    "correct the $ref, or add what it names to the folder",
	}
}
