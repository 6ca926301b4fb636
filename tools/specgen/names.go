package specgen

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-openapi/jsonpointer"

	"github.com/openassay/assay/internal/lazyregexp"
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
	late   []place          // what is a component because something refers to it, in that order
	isLate map[place]bool
	bad    problems
}

func nameSchemas(f *folder) (*naming, error) {
	n := &naming{folder: f, house: f.house, names: map[place]string{}, used: map[string]place{}, short: map[string]int{},
		isLate: map[place]bool{}}
	if f.root != nil {
		n.components()
	}
	for _, d := range f.schemas {
		if p := (place{doc: d}); n.names[p] == "" {
			n.claim(p, documentName(d), documentName(d))
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

// components claims the names in openapi.yaml. In Assay's own contracts no two components of any kinds share one.
func (n *naming) components() {
	root := n.folder.root
	kinds := asObject(root.tree["components"])
	for _, kind := range sortedKeys(kinds) {
		if kind == "examples" || kind == "links" || kind == "securitySchemes" || kind == "callbacks" || strings.HasPrefix(kind, "x-") {
			continue // these have no Go types
		}
		if kind != "schemas" && !n.house {
			continue
		}
		entries := asObject(kinds[kind])
		for _, name := range sortedKeys(entries) {
			p := place{root, join(join("/components", kind), name)}
			if kind == "schemas" {
				if to, ok := n.alias(p, asObject(entries[name])); ok && n.names[to] == "" {
					n.names[to] = name
				}
			}
			if n.house {
				n.claim(p, name, name)
				continue
			}
			n.names[p], n.used[safeName(name)] = safeName(name), p
			if _, taken := n.used[pascal(name)]; !taken {
				n.used[pascal(name)] = p
			}
		}
	}
}

// plain reports whether a discriminator's mapping names a component, or wants to.
func (n *naming) plain(ref string) bool { return safeName(ref) == ref }

// safeName returns a name that can stand in a reference as it is.
func safeName(name string) string { return unsafeInNames.ReplaceAllString(name, "_") }

var unsafeInNames = lazyregexp.New(`[^A-Za-z0-9._-]`)

// alias resolves a component that is only a $ref out of openapi.yaml. A $ref without a target is reported later, with
// all others.
func (n *naming) alias(p place, s object) (place, bool) {
	if !onlyRef(s) || strings.HasPrefix(asString(s["$ref"]), "#") {
		return place{}, false
	}
	to, problem := n.folder.target(p.doc, p.pointer, asString(s["$ref"]))
	return to, problem == ""
}

func (n *naming) definitions(d *document, catalogue bool) {
	for _, keyword := range definitionKeywords {
		defs := asObject(d.tree[keyword])
		for _, def := range sortedKeys(defs) {
			p := place{d, join("/"+keyword, def)}
			if p.pointer == typeIndexPointer || n.names[p] != "" || onlyRef(asObject(defs[def])) {
				continue
			}
			name, qualified := definitionNames(n.names[place{doc: d}], def, catalogue)
			if _, taken := n.used[name]; !n.house && (taken || n.short[name] > 1) {
				name = qualified // documents of others repeat $defs; ours must not
			}
			n.claim(p, name, qualified)
		}
	}
}

// definitionKeywords are the tables of schemas that a document keeps for reference. Older drafts had the second.
var definitionKeywords = []string{"$defs", "definitions"}

// nameLate names a schema that has no name by what refers to it: the last words of its pointer, and if need be those of what
// it stands in.
func (n *naming) nameLate(p place) string {
	if name := n.names[p]; name != "" {
		if p.pointer == "" && isContainer(p.doc) {
			n.addLate(p)
		}
		return name
	}
	in := documentName(p.doc)
	rest := p.pointer
	for outer := rest; outer != ""; {
		outer = outer[:strings.LastIndex(outer, "/")]
		if name := n.names[place{p.doc, outer}]; name != "" {
			in, rest = name, p.pointer[len(outer):]
			break
		}
	}
	var words []string
	for token := range strings.SplitSeq(strings.TrimPrefix(rest, "/"), "/") {
		switch token = jsonpointer.Unescape(token); token {
		case "", "$defs", "definitions", "properties", "components", "schemas", "schema", "content", "paths", "responses":
		default:
			words = append(words, pascal(token))
		}
	}
	name, qualified := in, pascal(path.Dir(p.doc.rel))+in
	if len(words) > 0 {
		name, qualified = words[len(words)-1], in+strings.Join(words, "")
		if inner := rest != p.pointer || !unicode.IsLetter([]rune(name + "0")[0]); inner {
			name = qualified
		}
	}
	n.claim(p, name, qualified)
	n.addLate(p)
	return n.names[p]
}

func (n *naming) addLate(p place) {
	if !n.isLate[p] {
		n.isLate[p] = true
		n.late = append(n.late, p)
	}
}

// countShortNames makes all $defs with the same name give way, so that no name depends on the order of files.
func (n *naming) countShortNames() {
	for _, d := range n.folder.schemas {
		for _, keyword := range definitionKeywords {
			for def, s := range asObject(d.tree[keyword]) {
				if !onlyRef(asObject(s)) {
					name, _ := definitionNames(n.names[place{doc: d}], def, isCatalogue(d))
					n.short[name]++
				}
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

// claim gives a schema a name. One that is taken is a mistake in Assay's own contracts; in others the schema gets the
// qualified name, or that with a number.
func (n *naming) claim(p place, name, qualified string) {
	if n.house {
		n.insist(p, name)
		return
	}
	for i := 1; ; i++ {
		try := cmp.Or(safeName(name), "Schema")
		if i > 1 {
			try = cmp.Or(safeName(qualified), "Schema")
		}
		if i > 2 {
			try += "_" + strconv.Itoa(i-1)
		}
		if _, taken := n.used[pascal(try)]; taken {
			continue
		}
		if _, taken := n.used[try]; taken {
			continue
		}
		n.names[p], n.used[pascal(try)] = try, p
		n.used[try] = p
		return
	}
}

func (n *naming) insist(p place, name string) {
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
	rel := d.rel
	for strings.HasPrefix(rel, "../") {
		rel = strings.TrimPrefix(rel, "../")
	}
	rel = strings.TrimPrefix(rel, "schemas/")
	for _, s := range slices.Concat(schemaSuffixes, extensions) {
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
	if len(asObject(d.tree["$defs"])) == 0 && len(asObject(d.tree["definitions"])) == 0 {
		return false
	}
	for k := range d.tree {
		switch k {
		case "$schema", "$id", "$defs", "definitions", "id", "$vocabulary", "$anchor", "$comment", "title", "description":
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
