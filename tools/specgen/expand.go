package specgen

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// maxNodes bounds the document that references outside schemas unfold to.
const maxNodes = 20_000_000

// expand copies a part of an OpenAPI document. References outside schemas that leave the components of the document are
// replaced by what they mean. named says that the keys of v are names; trail holds the references that led here.
func (b *bundled) expand(d *document, pointer string, v any, named bool, trail []place) any {
	if b.nodes++; b.nodes > maxNodes {
		return nil
	}
	switch v := v.(type) {
	case object:
		if ref, ok := v["$ref"].(string); ok && !named {
			if text, ok := b.text(d, ref); ok {
				return text
			}
			return b.unfold(d, pointer, v, ref, trail)
		}
		out := make(object, len(v))
		for _, k := range sortedKeys(v) {
			here := join(pointer, k)
			switch {
			case d.isRoot && here == "/components/schemas":
				out[k] = object{} // each is taken by itself
			case !named && slices.Contains(schemaSlots, k):
				out[k] = b.schema(d, here, v[k], true)
			case skipsInAPI(k, pointer, named):
				out[k] = clone(v[k])
			default:
				out[k] = b.expand(d, here, v[k], !named && slices.Contains(tables, k) && asObject(v[k]) != nil, trail)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = b.expand(d, join(pointer, strconv.Itoa(i)), e, false, trail)
		}
		return out
	}
	return v
}

// text returns the content of a file that a description refers to.
func (b *bundled) text(d *document, ref string) (string, bool) {
	if ext := path.Ext(ref); b.folder.house || ext != ".md" && ext != ".txt" || strings.Contains(ref, "://") {
		return "", false
	}
	data, err := b.folder.content(path.Join(path.Dir(d.rel), ref))
	return string(data), err == nil
}

// unfold returns what a reference outside schemas means. One to a component of the document stays.
func (b *bundled) unfold(d *document, pointer string, v object, ref string, trail []place) any {
	to, problem := b.folder.resolve(d, pointer, ref)
	stays := problem == "" && to.doc.isRoot && strings.HasPrefix(to.pointer, "/components/") && strings.Count(to.pointer, "/") == 3
	switch {
	case problem == "" && b.folder.house && !(stays && to.doc == d):
		problem = "outside schemas a $ref may only name a component of the same file"
	case problem == "" && slices.Contains(trail, to):
		problem = "it leads back to itself"
	case problem == "" && b.nodes > maxNodes:
		problem = fmt.Sprintf("the references of the document unfold to more than %d parts", maxNodes)
	}
	if problem != "" {
		b.bad.add(refError(d, join(pointer, "$ref"), ref, problem))
		return object{}
	}
	var out object
	if stays {
		out = object{"$ref": "#" + to.pointer}
	} else {
		target, _ := at(to.doc.tree, to.pointer)
		out, _ = b.expand(to.doc, to.pointer, target, false, append(slices.Clone(trail), to)).(object)
		if out == nil {
			out = object{}
		}
	}
	for _, k := range sortedKeys(v) { // a summary, or the parameters beside a path's $ref
		if k != "$ref" {
			out[k] = b.expand(d, join(pointer, k), v[k], slices.Contains(tables, k), trail)
		}
	}
	return out
}
