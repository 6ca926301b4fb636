package specdiff

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/openassay/assay/tools/specdiff/goapi"
)

// difference is one place at which two documents are not the same.
type difference struct {
	path      []step
	old, new  *node // nil where a document has no such place; a whole subtree where only one has it
	reordered bool  // both have the same entries
	spelling  bool  // both have the same number
	also      []difference
	became    string // of a property that is gone: the one that is new and has the same schema
}

// step leads from a place to one in it.
type step struct {
	name string // member, key of an entry, or position of a branch
	in   kind   // kind of the place that it leads out of
}

// differ collects all differences of two documents: whatever is not equal is in one of them.
type differ struct {
	found []difference
}

func (d *differ) compare(a, b *node, path []step) {
	here := func(m difference) {
		m.path, m.old, m.new = slices.Clone(path), a, b
		d.found = append(d.found, m)
	}
	switch {
	case a == nil || b == nil:
		here(difference{})
	case a.kids != nil && b.kids != nil:
		start := len(d.found)
		keys := map[string]bool{}
		for k := range a.kids {
			keys[k] = true
		}
		for k := range b.kids {
			keys[k] = true
		}
		for _, k := range slices.Sorted(maps.Keys(keys)) {
			x, y := tables(a.kids[k], b.kids[k])
			d.compare(x, y, append(path, step{k, a.kind}))
		}
		if a.kind == kSchema {
			d.found = append(d.found[:start], withRequired(d.found[start:], len(path))...)
		}
		if !sameOrder(a, b) {
			here(difference{reordered: true})
		}
	case a.list != nil && b.list != nil:
		d.branches(a, b, path)
	case a.kind == kType && text(typesOf(a.raw)) == text(typesOf(b.raw)):
		if text(a.raw) != text(b.raw) {
			here(difference{reordered: true})
		}
	case sameValue(a.raw, b.raw):
		if text(a.raw) != text(b.raw) {
			here(difference{spelling: true})
		}
	default:
		here(difference{})
	}
}

// tables gives the one of two tables that is not there as an empty one: what is told are the entries that came or went.
func tables(a, b *node) (*node, *node) {
	table := func(n *node) bool {
		return n != nil && len(n.kids) > 0 && (n.kind == kSchemas || n.kind == kSet || n.kind == kParameters || n.kind == kHeaders ||
			n.kind == kContent || n.kind == kResponses)
	}
	switch {
	case a == nil && table(b) && !isEnum(b):
		a = &node{kind: b.kind, at: b.at, kids: map[string]*node{}}
	case b == nil && table(a) && !isEnum(a):
		b = &node{kind: a.kind, at: a.at, kids: map[string]*node{}}
	}
	return a, b
}

// isEnum reports whether a set says something else if it is empty than if it is not there, as enum and security do.
func isEnum(n *node) bool { return n.kind == kSet && !strings.HasSuffix(n.at, "/required") }

// sameOrder reports whether the entries that two sets share stand in one order.
func sameOrder(a, b *node) bool {
	shared := func(of, other *node) []string {
		return slices.DeleteFunc(slices.Clone(of.order), func(k string) bool { return other.kids[k] == nil })
	}
	return slices.Equal(shared(a, b), shared(b, a))
}

// typesOf is what the keyword type allows, however it is written.
func typesOf(v any) []string {
	var out []string
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		for _, e := range v {
			out = append(out, strings.Trim(text(e), `"`))
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// branches pairs those that are equal, then those that differ in texts alone, and then the rest in their order: a
// branch that stands elsewhere is no change.
func (d *differ) branches(a, b *node, path []step) {
	pair := make([]int, len(a.list)) // in b, -1 for none
	taken := make([]bool, len(b.list))
	for i := range pair {
		pair[i] = -1
	}
	for _, key := range []func(*node) string{
		func(n *node) string { return text(n.bareRefs(false)) },
		func(n *node) string { return text(n.bareRefs(true)) },
		func(n *node) string { return n.title() },
		func(*node) string { return "any" },
	} {
		at := map[string][]int{}
		for j, n := range b.list {
			if k := key(n); !taken[j] && k != "" {
				at[k] = append(at[k], j)
			}
		}
		for i, n := range a.list {
			if k := key(n); pair[i] < 0 && k != "" && len(at[k]) > 0 {
				pair[i], at[k] = at[k][0], at[k][1:]
				taken[pair[i]] = true
			}
		}
	}
	moved := !slices.IsSorted(slices.DeleteFunc(slices.Clone(pair), func(j int) bool { return j < 0 }))
	tuple := len(path) > 0 && path[len(path)-1].name == "prefixItems" // each position has its own schema
	for i, j := range pair {
		var to *node
		if tuple {
			j = i
		}
		if j >= 0 && j < len(b.list) {
			to = b.list[j]
		}
		d.compare(a.list[i], to, append(path, step{strconv.Itoa(i), kBranches}))
	}
	for j := range b.list {
		if !taken[j] || tuple && j >= len(a.list) {
			d.compare(nil, b.list[j], append(path, step{strconv.Itoa(j), kBranches}))
		}
	}
	if moved && !tuple {
		d.found = append(d.found, difference{path: slices.Clone(path), old: a, new: b, reordered: true})
	}
}

// bareRefs is what a branch says, with references as the other document has them.
func (n *node) bareRefs(withoutTexts bool) any {
	if n.kids != nil && n.kids["$ref"] != nil && len(n.kids) == 1 {
		return n.kids["$ref"].raw
	}
	if withoutTexts {
		return bare(n.raw, false)
	}
	return n.raw
}

// title is how a branch is called, or what tells it from the others: a reference, an id, a title, a constant.
func (n *node) title() string {
	if n.kids == nil {
		return ""
	}
	for _, k := range []string{"$ref", "id", "title", "const"} {
		if kid := n.kids[k]; kid != nil {
			return k + " " + text(kid.raw)
		}
	}
	properties, _ := n.raw.(map[string]any)["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		p, _ := properties[name].(map[string]any)
		if c, ok := p["const"]; ok {
			return name + " " + text(c)
		}
	}
	return ""
}

// withRequired makes one change of a property that came or went and its entry in the list of those that are required.
func withRequired(found []difference, depth int) []difference {
	entry := func(m difference, table string) (string, bool) {
		if len(m.path) != depth+2 || m.path[depth].name != table || m.old != nil && m.new != nil {
			return "", false
		}
		return m.path[depth+1].name, true
	}
	var out []difference
	for _, m := range found {
		name, property := entry(m, "properties")
		if property {
			for _, r := range found {
				if key, ok := entry(r, "required"); ok && key == text(name) && (r.old == nil) == (m.old == nil) {
					m.also = append(m.also, r)
				}
			}
			m.became = became(m, found, entry)
		}
		out = append(out, m)
	}
	return slices.DeleteFunc(out, func(m difference) bool {
		key, ok := entry(m, "required")
		return ok && slices.ContainsFunc(found, func(p difference) bool {
			name, property := entry(p, "properties")
			return property && text(name) == key && (p.old == nil) == (m.old == nil)
		})
	})
}

// became finds the property that has the schema of one that is gone, where no other came or went with it.
func became(m difference, found []difference, entry func(difference, string) (string, bool)) string {
	if m.old == nil {
		return ""
	}
	name, same := "", 0
	for _, other := range found {
		key, ok := entry(other, "properties")
		switch {
		case !ok:
		case other.new == nil && sameValue(bare(other.old.raw, false), bare(m.old.raw, false)):
			same += 2 // itself
		case other.old == nil && sameValue(bare(m.old.raw, false), bare(other.new.raw, false)):
			name = key
			same++
		}
	}
	if same != 3 {
		return ""
	}
	return name
}

// isText reports whether no program goes by the difference.
func (m difference) isText() bool {
	if m.reordered || m.spelling {
		return true
	}
	n := m.old
	if n == nil {
		n = m.new
	}
	return n.kind == kText
}

// inert reports whether only the document has it: the name of a schema, of a parameter in a path, of an operation.
func (m difference) inert() bool {
	if len(m.path) == 0 {
		return false
	}
	last := m.path[len(m.path)-1]
	if last.name == "operationId" && last.in == kOperation {
		return true
	}
	if m.old == nil || m.new == nil {
		return false
	}
	switch last.name {
	case "(template)", "(name)":
		return true
	case "version":
		return last.in == kInfo
	case "name":
		return last.in == kParameter && strings.HasPrefix(m.path[len(m.path)-2].name, "path ")
	}
	return false
}

// renamed is the name that something has in Go programs, if it has another one now.
func (m difference) renamed() *goapi.Renamed {
	if m.became != "" {
		i := slices.IndexFunc(m.path, func(s step) bool { return s.in == kSchemas })
		of := propertyOf(m.path[i:])
		of = m.path[i].name + of[:strings.LastIndexByte(of, '/')+1]
		return &goapi.Renamed{Old: goapi.Letters(of + m.path[len(m.path)-1].name), New: goapi.Letters(of + m.became)}
	}
	if !m.inert() || m.path[len(m.path)-1].name == "(template)" || m.path[len(m.path)-1].name == "version" {
		return nil
	}
	if m.old == nil || m.new == nil {
		return nil
	}
	was, _ := m.old.raw.(string)
	now, _ := m.new.raw.(string)
	if goapi.Letters(was) == "" {
		return nil
	}
	return &goapi.Renamed{Old: goapi.Letters(was), New: goapi.Letters(now)}
}

// renames finds the components of the old document that the new one has under another name, unchanged.
func renames(a, b *document) map[string]string {
	out := map[string]string{}
	before, _ := a.lookUp("#/components/schemas").(map[string]any)
	after, _ := b.lookUp("#/components/schemas").(map[string]any)
	says := func(all map[string]any, name string) string {
		return strings.ReplaceAll(text(all[name]), `"`+componentPrefix+name+`"`, `"itself"`)
	}
	gone, came := map[string][]string{}, map[string][]string{}
	for name := range before {
		if _, still := after[name]; !still {
			gone[says(before, name)] = append(gone[says(before, name)], name)
		}
	}
	for name := range after {
		if _, was := before[name]; !was {
			came[says(after, name)] = append(came[says(after, name)], name)
		}
	}
	for what, names := range gone {
		if len(names) == 1 && len(came[what]) == 1 && !trivial(before[names[0]]) {
			out["/components/schemas/"+names[0]] = came[what][0]
		}
	}
	return out
}

// trivial reports whether a schema says too little to be known again: {type: string} is not.
func trivial(schema any) bool {
	o, ok := bare(schema, false).(map[string]any)
	return !ok || len(o) < 2
}

// differences lists all of two documents.
func differences(a, b *document) []difference {
	renamed := renames(a, b)
	d := &differ{}
	old := (&builder{a, renamed}).node(kRoot, a.plain, "")
	now := (&builder{b, nil}).node(kRoot, b.plain, "")
	for at, name := range renamed {
		was := at[strings.LastIndexByte(at, '/')+1:]
		if s := old.kids["components"].kids["schemas"].kids[name]; s != nil && s.kids != nil {
			s.kids["(name)"] = &node{at: s.at, raw: was}
		}
		if s := now.kids["components"].kids["schemas"].kids[name]; s != nil && s.kids != nil {
			s.kids["(name)"] = &node{at: s.at, raw: name}
		}
	}
	d.compare(old, now, nil)
	d.compare(eventsOf(a, renamed), eventsOf(b, nil), []step{{"(events)", kRoot}})
	return d.found
}

// eventsOf is a table of the event types, each with the component that is its payload.
func eventsOf(d *document, renamed map[string]string) *node {
	n := &node{kids: map[string]*node{}}
	for _, e := range d.events {
		at := "/components/schemas/" + e.Component
		n.kids[e.Type] = &node{at: at, raw: cmp.Or(renamed[at], e.Component)}
	}
	return n
}

// decode reads a document with numbers as they are written.
func decode(raw []byte) (map[string]any, error) {
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.UseNumber()
	var tree map[string]any
	return tree, d.Decode(&tree)
}
