package specgen

import (
	"fmt"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// place is the place of a schema that others can refer to: a whole document (empty pointer), one entry of its $defs, or
// one component of the OpenAPI document.
type place struct {
	doc     *document
	pointer string
}

func (p place) String() string {
	if p.pointer == "" {
		return p.doc.file
	}
	return p.doc.file + "#" + p.pointer
}

// typeIndexPointer locates a schema's list of event types: each property is a type and refers to its payload.
const typeIndexPointer = "/$defs/_typeIndex"

// naming gives every schema of a folder its component name.
//
//   - A document gets the name of its file: run-event.schema.json is RunEvent. A subfolder's name becomes a prefix.
//   - $defs of a document with a type index are payloads: runStarted is RunStartedPayload.
//   - Capitalised $defs are already type names: WorkflowNode. Others follow their document's name: GoalBounds.
//   - A component of openapi.yaml that is only a $ref to one of these gives it its own name.
//   - $defs that are only a $ref get no name: references to them mean their target.
type naming struct {
	folder *folder
	house  bool
	names  map[place]string
	used   map[string]place // Go name -> first owner
	short  map[string]int   // how many $defs want this name
	bad    problems
}

func nameSchemas(f *folder, house bool) (*naming, error) {
	n := &naming{folder: f, house: house, names: map[place]string{}, used: map[string]place{}, short: map[string]int{}}
	if f.root != nil {
		n.components()
	}
	for _, d := range f.schemas {
		if p := (place{doc: d}); n.names[p] == "" {
			n.claim(p, documentName(d))
		}
	}
	n.countShortNames()
	for _, catalogue := range []bool{true, false} { // payload names are fixed; other $defs may give way
		for _, d := range f.schemas {
			if isCatalogue(d) == catalogue {
				n.definitions(d, catalogue)
			}
		}
	}
	return n, n.bad.err()
}

// components claims the names in openapi.yaml, of all kinds: Assay's own contracts use each once.
func (n *naming) components() {
	root := n.folder.root
	kinds := asObject(root.tree["components"])
	for _, kind := range sortedKeys(kinds) {
		if kind == "examples" || kind == "links" || kind == "securitySchemes" || kind == "callbacks" || strings.HasPrefix(kind, "x-") {
			continue // these have no Go types
		}
		entries := asObject(kinds[kind])
		for _, name := range sortedKeys(entries) {
			p := place{root, join(join("/components", kind), name)}
			if kind == "schemas" {
				if to, ok := n.alias(p, asObject(entries[name])); ok && n.names[to] == "" {
					n.names[to] = name
				}
			}
			n.claim(p, name)
		}
	}
}

// alias resolves a component that is only a $ref out of openapi.yaml. A $ref without a target is reported later, with
// all others.
func (n *naming) alias(p place, s object) (place, bool) {
	if !onlyRef(s) || strings.HasPrefix(asString(s["$ref"]), "#") {
		return place{}, false
	}
	to, problem := n.folder.target(p.doc, asString(s["$ref"]))
	return to, problem == ""
}

func (n *naming) definitions(d *document, catalogue bool) {
	defs := asObject(d.tree["$defs"])
	for _, def := range sortedKeys(defs) {
		p := place{d, join("/$defs", def)}
		if p.pointer == typeIndexPointer || n.names[p] != "" || onlyRef(asObject(defs[def])) {
			continue
		}
		name, qualified := definitionNames(n.names[place{doc: d}], def, catalogue)
		if _, taken := n.used[name]; !n.house && (taken || n.short[name] > 1) {
			name = qualified // documents of others repeat $defs; ours must not
		}
		n.claim(p, name)
	}
}

// countShortNames makes all $defs with the same name give way, so that no name depends on the order of files.
func (n *naming) countShortNames() {
	for _, d := range n.folder.schemas {
		defs := asObject(d.tree["$defs"])
		for def, s := range defs {
			if !onlyRef(asObject(s)) {
				name, _ := definitionNames(n.names[place{doc: d}], def, isCatalogue(d))
				n.short[name]++
			}
		}
	}
}

func definitionNames(document, def string, catalogue bool) (short, qualified string) {
	name := pascal(def)
	first, _ := utf8.DecodeRuneInString(def)
	switch {
	case catalogue:
		name = strings.TrimSuffix(name, "Payload") + "Payload"
		return name, document + name
	case strings.HasPrefix(name, document):
		return name, name
	case unicode.IsUpper(first):
		return name, document + name
	}
	return document + name, document + name
}

func (n *naming) claim(p place, name string) {
	initial, _ := utf8.DecodeRuneInString(pascal(name))
	switch first, taken := n.used[pascal(name)]; {
	case !unicode.IsLetter(initial):
		n.bad.add(&SpecError{File: p.doc.file, Pointer: p.pointer, Problem: fmt.Sprintf("%q gives no Go name", name),
			Mend: "start it with a letter"})
	case taken:
		n.bad.add(&SpecError{File: p.doc.file, Pointer: p.pointer, Problem: fmt.Sprintf("the name %s is taken by %s", name, first),
			Mend: "rename one of the two"})
	default:
		n.names[p], n.used[pascal(name)] = name, p
	}
}

func documentName(d *document) string {
	rel := strings.TrimPrefix(d.rel, "schemas/")
	for _, s := range schemaSuffixes {
		rel = strings.TrimSuffix(rel, s)
	}
	return pascal(path.Dir(rel)) + pascal(path.Base(rel))
}

func isCatalogue(d *document) bool {
	index, missing := at(d.tree, typeIndexPointer)
	return missing == "" && asObject(index) != nil
}

// isContainer reports whether a document only carries $defs. A payload catalogue may also have a type, which is that of
// no payload.
func isContainer(d *document) bool {
	if len(asObject(d.tree["$defs"])) == 0 {
		return false
	}
	for k := range d.tree {
		switch k {
		case "$schema", "$id", "$defs", "$comment", "title", "description":
		case "type":
			if !isCatalogue(d) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// onlyRef reports whether a schema is only a $ref, apart from descriptions.
func onlyRef(s object) bool {
	if asString(s["$ref"]) == "" {
		return false
	}
	for k := range s {
		if k != "$ref" && k != "description" && k != "title" && k != "$comment" {
			return false
		}
	}
	return true
}

// pascal joins the words of a file, property or event name: run-event, run_event and run.event are RunEvent.
func pascal(s string) string {
	var b strings.Builder
	up := true
	for _, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			up = true
			continue
		}
		if up {
			r = unicode.ToUpper(r)
			up = false
		}
		b.WriteRune(r)
	}
	return b.String()
}
