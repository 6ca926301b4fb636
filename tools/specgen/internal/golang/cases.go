package golang

import (
	"maps"
	"slices"
	"strings"
)

// cases settles the cases of a union: each a declared type of its own, of which the union is told.
func (b *builder) cases(u *decl) {
	var settled []unionCase
	mapping := map[int]int{}
	b.spreadUnions(u)
	for i, c := range u.cases {
		t := c.typ
		target := t
		if t.kind == refKind {
			d := t.target()
			target = &goType{kind: refKind, decl: d}
		}
		switch {
		case target.kind == refKind && (target.decl.kind == structDecl || target.decl.kind == enumDecl || target.decl.kind == plainDecl):
		default:
			// A basic type, a list, another union: it needs a name of its own to be a case.
			if isAny(t) {
				t = &goType{kind: anyKind}
			}
			d := &decl{name: b.names.free(u.name + c.name), kind: plainDecl, typ: t, pointer: u.pointer, schema: obj(c.schema)}
			b.decls = append(b.decls, d)
			target = &goType{kind: refKind, decl: d}
		}
		if at := slices.IndexFunc(settled, func(s unionCase) bool { return s.typ.decl == target.decl }); at >= 0 {
			mapping[i] = at
			continue
		}
		mapping[i] = len(settled)
		settled = append(settled, unionCase{typ: target, schema: c.schema, name: c.name})
		target.decl.unions = append(target.decl.unions, u)
	}
	u.cases = settled
	for value, i := range maps.Clone(u.mapping) {
		if to, ok := mapping[i]; ok {
			u.mapping[value] = to
		} else {
			delete(u.mapping, value)
		}
	}
}

// spreadUnions replaces the cases that are unions by the cases of these.
func (b *builder) spreadUnions(u *decl) {
	seen := map[*decl]bool{u: true}
	for again := true; again; {
		again = false
		var cases []unionCase
		at := map[int]int{} // where the cases stand now; those that were unions do not
		for i, c := range u.cases {
			inner := c.typ
			if inner.kind == refKind && inner.target().kind == unionDecl {
				if d := inner.target(); !seen[d] {
					seen[d], again = true, true
					u.loose = u.loose || d.loose
					if d.discriminator == u.discriminator {
						for value, j := range d.mapping {
							if _, taken := u.mapping[value]; !taken && u.mapping != nil {
								u.mapping[value] = -1 - len(cases) - j
							}
						}
					}
					cases = append(cases, d.cases...)
				}
				continue
			}
			at[i] = len(cases)
			cases = append(cases, c)
		}
		for value, i := range maps.Clone(u.mapping) {
			to, still := at[i]
			switch {
			case i < 0:
				u.mapping[value] = -1 - i
			case still:
				u.mapping[value] = to
			default:
				delete(u.mapping, value)
			}
		}
		u.cases = cases
	}
}

// breakCycles makes a field a pointer where a struct would hold itself.
func (b *builder) breakCycles() {
	done := map[*decl]bool{}
	var visit func(d *decl, path []*decl)
	visit = func(d *decl, path []*decl) {
		if done[d] {
			return
		}
		path = append(path, d)
		for _, f := range d.fields {
			held := b.heldBy(f)
			if held == nil || f.pointer {
				continue
			}
			if slices.Contains(path, held) {
				f.pointer = true
				continue
			}
			visit(held, path)
		}
		done[d] = true
	}
	for _, d := range b.decls {
		if d.kind == structDecl {
			visit(d, nil)
		}
	}
}

// heldBy returns the struct that a field holds as a value, or nil.
func (b *builder) heldBy(f *field) *decl {
	if f.typ.kind != refKind || strings.HasPrefix(b.fieldType(f), "*") {
		return nil
	}
	if d := f.typ.target(); d.kind == structDecl {
		return d
	}
	return nil
}
