package specgen

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"strings"
)

// resolve returns the target of a $ref that stands in d at a pointer. It looks an absolute URI up among the $ids, and
// a path among the files, and never fetches anything. problem explains a failure.
func (f *folder) resolve(d *document, pointer, ref string) (to place, problem string) {
	base, fragment, _ := strings.Cut(ref, "#")
	fragment, err := url.PathUnescape(fragment)
	if err != nil {
		return place{}, "its fragment is not a JSON pointer"
	}
	from := d.resourceAt(pointer)
	target := place{d, from.pointer}
	if base != "" {
		if target, problem = f.find(d, from.base, base); problem != "" {
			return place{}, problem
		}
	}
	return f.within(target, fragment)
}

// within returns the part of a document or resource that a fragment means: a JSON pointer or an anchor.
func (f *folder) within(target place, fragment string) (to place, problem string) {
	if fragment != "" && fragment[0] != '/' {
		if to, ok := f.anchors[target.doc.resourceAt(target.pointer).base+"#"+fragment]; ok {
			return to, ""
		}
		return place{}, fmt.Sprintf("%s has no anchor %q", target.doc.file, fragment)
	}
	_, missing := at(target.doc.tree, target.pointer+fragment)
	if missing == "" {
		return place{target.doc, target.pointer + fragment}, ""
	}
	if to, ok := f.across(target.doc, target.pointer, fragment, 0); ok {
		return to, ""
	}
	if target.pointer != "" { // people mean the file, though the part has an $id
		if _, gone := at(target.doc.tree, fragment); gone == "" {
			return place{target.doc, fragment}, ""
		}
	}
	return place{}, fmt.Sprintf("%s has no %q there", target.doc.file, missing)
}

// across follows a pointer that leads through references, as some people write it.
func (f *folder) across(d *document, pointer, rest string, hops int) (to place, ok bool) {
	if f.house || hops > maxDepth {
		return place{}, false
	}
	for rest != "" {
		v, missing := at(d.tree, pointer)
		if missing != "" {
			return place{}, false
		}
		token, tail := rest, ""
		if i := strings.IndexByte(rest[1:], '/'); i >= 0 {
			token, tail = rest[:i+1], rest[i+1:]
		}
		if _, missing := at(d.tree, pointer+token); missing == "" {
			pointer, rest = pointer+token, tail
			continue
		}
		ref := asString(asObject(v)["$ref"])
		if ref == "" {
			return place{}, false
		}
		next, problem := f.resolve(d, pointer, ref)
		if problem != "" {
			return place{}, false
		}
		return f.across(next.doc, next.pointer, rest, hops+1)
	}
	return place{d, pointer}, true
}

// notFetched is what is wrong with a URI that no $id of the folder is.
const notFetched = "no schema of this folder has that $id, and nothing is fetched"

// find returns what a URI means: by its $id, resolved as the standard demands, or else by its path.
func (f *folder) find(d *document, base, ref string) (to place, problem string) {
	const unknown = "no schema of this folder has that file name or $id"
	full, err := resolveURI(base, ref)
	if err != nil {
		return place{}, "it is not a URI"
	}
	if to, ok := f.ids[full]; ok {
		return to, ""
	}
	if rel, ok := f.local(full); ok {
		return f.open(rel, fmt.Sprintf("%s is not there", rel))
	}
	u, err := url.Parse(ref)
	if err == nil && u.Host != "" {
		return place{}, notFetched
	}
	if err != nil || u.Scheme != "" && u.Scheme != "file" || u.Host != "" || strings.HasPrefix(ref, "/") {
		return place{}, unknown
	}
	rel := path.Join(path.Dir(d.rel), u.Path)
	if u.Scheme == "file" {
		return place{}, "write the path of the file relative to this one"
	}
	return f.open(rel, unknown)
}

// local returns the file that was named for a URI, relative to the folder: that of the longest start that was named.
func (f *folder) local(uri string) (rel string, ok bool) {
	longest := ""
	for start := range f.remotes {
		if strings.HasPrefix(uri, start) && len(start) > len(longest) {
			longest = start
		}
	}
	if longest == "" {
		return "", false
	}
	full := filepath.Join(f.remotes[longest], filepath.FromSlash(uri[len(longest):]))
	here, err := filepath.Abs(f.dir)
	if err == nil {
		full, err = filepath.Abs(full)
	}
	if err == nil {
		rel, err = filepath.Rel(here, full)
	}
	return filepath.ToSlash(rel), err == nil
}

// open returns a file as a whole, and reads it if it was not read yet.
func (f *folder) open(rel, unknown string) (place, string) {
	if d := f.byRel[rel]; d != nil {
		return place{doc: d}, ""
	}
	if f.house {
		return place{}, unknown
	}
	d, err := f.read(rel)
	if err != nil {
		var mistake *SpecError
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return place{}, unknown
		case errors.As(err, &mistake):
			return place{}, mistake.Error()
		}
		return place{}, strings.TrimPrefix(err.Error(), "open "+filepath.Join(f.dir, rel)+": ")
	}
	var bad problems
	f.index(d, &bad)
	if err := bad.err(); err != nil {
		return place{}, err.Error()
	}
	return place{doc: d}, ""
}

// target is like resolve, but follows definitions that are only another $ref.
func (f *folder) target(d *document, pointer, ref string) (to place, problem string) {
	seen := map[place]bool{}
	for {
		to, problem = f.resolve(d, pointer, ref)
		if problem != "" {
			return to, problem
		}
		v, _ := at(to.doc.tree, to.pointer)
		if !onlyRef(asObject(v)) || !isDefinition(to.pointer) {
			return to, ""
		}
		if seen[to] {
			return to, "it leads back to itself"
		}
		seen[to] = true
		d, pointer, ref = to.doc, to.pointer, asString(asObject(v)["$ref"])
	}
}

// isDefinition reports whether a pointer is that of an entry of $defs, at the top of a document.
func isDefinition(pointer string) bool {
	return strings.HasPrefix(pointer, "/$defs/") || strings.HasPrefix(pointer, "/definitions/")
}
