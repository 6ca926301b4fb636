package specgen

import (
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// resource is a part of a document that has an $id of its own: references below it are relative to that.
type resource struct {
	pointer string
	base    string
}

// indexAll notes the $ids and anchors of the documents read so far.
func (f *folder) indexAll() error {
	var bad problems
	for _, rel := range sortedKeys(f.byRel) {
		f.index(f.byRel[rel], &bad)
	}
	return bad.err()
}

// index notes the $ids and the anchors of a document. Those of a document without an $id are relative to its path.
func (f *folder) index(d *document, bad *problems) {
	d.base = f.uri(d.rel)
	f.ids[d.base] = place{doc: d}
	if id := asString(d.tree["id"]); d.id == "" && strings.Contains(asString(d.tree["$schema"]), "draft-04") {
		d.id = id // as that draft spelled it
	}
	f.scan(d, "", d.base, d.tree, 0, bad)
}

// uri returns the file: URI of a file of the folder.
func (f *folder) uri(rel string) string {
	full, err := filepath.Abs(filepath.Join(f.dir, filepath.FromSlash(rel)))
	if err != nil {
		full = "/" + rel
	}
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(full)}).String()
}

// scan looks for $id and $anchor in a tree, outside literal values.
func (f *folder) scan(d *document, pointer, base string, v any, depth int, bad *problems) {
	if depth > maxDepth {
		return
	}
	switch v := v.(type) {
	case object:
		id := asString(v["$id"])
		if pointer == "" {
			id = d.id
		}
		if id != "" {
			base = f.identify(d, pointer, base, id, bad)
		}
		for _, k := range []string{"$anchor", "$dynamicAnchor"} {
			if name := asString(v[k]); name != "" {
				f.anchors[base+"#"+name] = place{d, pointer}
			}
		}
		for _, k := range sortedKeys(v) {
			if !isLiteral(k) {
				f.scan(d, join(pointer, k), base, v[k], depth+1, bad)
			}
		}
	case []any:
		for i, e := range v {
			f.scan(d, join(pointer, strconv.Itoa(i)), base, e, depth+1, bad)
		}
	}
}

// identify notes an $id and returns the base of what stands below it.
func (f *folder) identify(d *document, pointer, base, id string, bad *problems) string {
	full, err := resolveURI(base, id)
	if err != nil {
		return base // lint reports it
	}
	if strings.Contains(full, "#") { // an anchor, as older drafts wrote it
		f.anchors[full] = place{d, pointer}
		return base
	}
	if first, taken := f.ids[full]; taken && first != (place{d, pointer}) {
		bad.add(&SpecError{File: d.file, Pointer: join(pointer, "$id"), Problem: fmt.Sprintf("$id %s is also that of %s", id, first),
			Mend: "give one of the two another $id"})
		return base
	}
	f.ids[full] = place{d, pointer}
	if pointer == "" {
		d.base = full
	} else {
		d.within = append(d.within, resource{pointer, full})
	}
	return full
}

// isLiteral reports whether a keyword holds values rather than schemas.
func isLiteral(keyword string) bool {
	return slices.Contains([]string{"const", "enum", "default", "example", "examples"}, keyword) || strings.HasPrefix(keyword, "x-")
}

// resolveURI resolves a reference against a base. An empty fragment is left out.
func resolveURI(base, ref string) (string, error) {
	from, err := url.Parse(base)
	if err != nil {
		return "", err
	}
	to, err := url.Parse(ref)
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(from.ResolveReference(to).String(), "#"), nil
}

// resourceAt returns the resource of a document to which a pointer belongs.
func (d *document) resourceAt(pointer string) resource {
	out := resource{"", d.base}
	for _, r := range d.within {
		if len(r.pointer) >= len(out.pointer) && (pointer == r.pointer || strings.HasPrefix(pointer, r.pointer+"/")) {
			out = r
		}
	}
	return out
}
