package specgen

import (
	"fmt"
	"net/url"
	"path"
	"strings"
)

// resolve returns the target of a $ref in d. It looks an absolute URI up among the $ids and never fetches anything.
// problem explains a failure.
func (f *folder) resolve(d *document, ref string) (to place, problem string) {
	base, fragment, _ := strings.Cut(ref, "#")
	pointer, err := url.PathUnescape(fragment)
	if err != nil {
		return place{}, "its fragment is not a JSON pointer"
	}
	target := d
	if base != "" {
		if target = f.find(d, base); target == nil {
			return place{}, "no schema of this folder has that file name or $id"
		}
	}
	if pointer != "" && pointer[0] != '/' {
		return place{}, "anchors are not supported"
	}
	if _, missing := at(target.tree, pointer); missing != "" {
		return place{}, fmt.Sprintf("%s has no %q there", target.file, missing)
	}
	return place{target, pointer}, ""
}

// find looks a document up by its $id, resolved against the $id of d as the standard demands, and then by its path.
func (f *folder) find(d *document, base string) *document {
	if id, err := url.Parse(base); err == nil {
		if from, err := url.Parse(d.id); err == nil && d.id != "" {
			id = from.ResolveReference(id)
		}
		if to := f.byID[id.String()]; to != nil {
			return to
		}
	}
	return f.byRel[path.Join(path.Dir(d.rel), base)]
}

// target is like resolve, but follows $defs that are only another $ref.
func (f *folder) target(d *document, ref string) (to place, problem string) {
	seen := map[place]bool{}
	for {
		to, problem = f.resolve(d, ref)
		if problem != "" {
			return to, problem
		}
		v, _ := at(to.doc.tree, to.pointer)
		if !onlyRef(asObject(v)) || !strings.HasPrefix(to.pointer, "/$defs/") {
			return to, ""
		}
		if seen[to] {
			return to, "it leads back to itself"
		}
		seen[to] = true
		d, ref = to.doc, asString(asObject(v)["$ref"])
	}
}
