package golang

import (
	"strings"
)

// The most schemas that one component may merge, and the deepest that these may nest. A schema whose allOf refers to the
// schema around it could be merged without end.
const (
	mostMerged    = 5000
	deepestMerged = 40
)

// mergedType returns the type of a schema whose allOf was merged. Within a component, merged schemas that say the same
// are one type: a schema may hold itself in this way.
func (b *builder) mergedType(s object, hint, at string, own *decl) *goType {
	said := literal(s)
	if d := b.merged[said]; d != nil {
		if d == own {
			return b.bad(problem(at, "take it out", "one of its branches is the schema itself"))
		}
		d.again = true
		return &goType{kind: refKind, decl: d}
	}
	if len(b.merged) > mostMerged || b.mergedIn > deepestMerged {
		return b.bad(problem(at, "make it a schema of its own, and refer to that",
			"its allOf leads back to the schema around it, and on without end"))
	}
	if b.merged == nil {
		b.merged = map[string]*decl{}
	}
	d := own
	if d == nil || d.kind != pending {
		d = &decl{pointer: at, schema: s, doc: str(s["description"]), deprecated: s["deprecated"] == true}
	}
	b.merged[said] = d
	b.mergedIn++
	t := b.formOf(s, hint, at, d)
	b.mergedIn--
	switch {
	case d == own && d.kind == pending && d.name == "": // whoever gave it to this schema settles it
		delete(b.merged, said)
	case d.kind != pending, d == own:
	case d.again: // a list or a map of itself
		b.declare(d, plainDecl, hint, at, s)
		d.typ, d.null = t, t.null
		return &goType{kind: refKind, decl: d}
	default:
		delete(b.merged, said)
	}
	return t
}

// place returns the part of a pointer that leads to something in the document. Merging moves members to where they do
// not stand in it.
func (b *builder) place(pointer string) string {
	var at any = b.doc
	end := 0
	for end < len(pointer) {
		next := len(pointer)
		if i := strings.IndexByte(pointer[end+1:], '/'); i >= 0 {
			next = end + 1 + i
		}
		token := unescape(pointer[end+1 : next])
		switch v := at.(type) {
		case object:
			below, there := v[token]
			if !there {
				return pointer[:end]
			}
			at = below
		case []any:
			i := indexOf(token)
			if i < 0 || i >= len(v) {
				return pointer[:end]
			}
			at = v[i]
		default:
			return pointer[:end]
		}
		end = next
	}
	return pointer
}

// deepestLook bounds how deep the branches of unions are looked into. Unions may hold each other, and each level multiplies.
const deepestLook = 5
