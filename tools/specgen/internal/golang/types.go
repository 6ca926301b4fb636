// Package golang writes a contract as Go: types, a server and a client. It reads one self-contained OpenAPI 3.1 document,
// in which every reference names a component.
package golang

import "fmt"

// Problem is a part of the document that has no form in Go.
type Problem struct {
	Pointer string // into the document
	Text    string
	Mend    string
}

func (p *Problem) Error() string { return p.Pointer + ": " + p.Text + ": " + p.Mend }

func problem(pointer, mend, format string, args ...any) *Problem {
	return &Problem{pointer, fmt.Sprintf(format, args...), mend}
}

// kind is the form of a Go type.
type kind int

const (
	anyKind    kind = iota // json.RawMessage
	scalarKind             // a basic type, or one of a library: name
	listKind               // []elem
	mapKind                // map[string]elem
	refKind                // decl
)

// The kinds of JSON values, as bits of a set. The generated code has the same.
const (
	null = 1 << iota
	boolean
	number
	text
	array
	structure

	everything = null | boolean | number | text | array | structure
)

// goType is a type as it stands in a field.
type goType struct {
	kind kind
	name string // of a scalar
	elem *goType
	decl *decl
	null bool // null is among its values
}

// declKind is the form of a declaration.
type declKind int

const (
	pending declKind = iota
	structDecl
	enumDecl  // a scalar with constants
	plainDecl // type X T
	aliasDecl // type X = T
	unionDecl
)

// decl is a type declaration of the generated package.
type decl struct {
	name    string
	doc     string
	pointer string // of its schema
	kind    declKind
	schema  object

	typ *goType // enum, plain, alias
	// null is set where the schema takes null.
	null   bool
	fields []*field
	rest   *goType // of members without a field; nil: these are dropped
	closed bool    // other members are not allowed

	constants []constant
	mixed     bool // an enum of values of several kinds: it holds their JSON

	cases         []unionCase
	unknown       string // of a union: the type of values of no case
	reader        string // and the function that reads one
	discriminator string
	mapping       map[string]int
	loose         bool    // of a union: it takes more than its cases
	unions        []*decl // it is a case of
	again         bool    // of a merged schema: it was found again while it was worked out, or later
	deprecated    bool
}

type constant struct {
	name  string
	value any
}

type field struct {
	json     string
	name     string
	doc      string
	typ      *goType
	required bool
	pointer  bool // against a struct that would hold itself
	fixed    *constant
	zero     bool // its Go zero value is illegal, so that it can stand for "absent"
	depr     bool
}

type unionCase struct {
	typ    *goType // always a ref
	schema any
	name   string
}

// nullable reports whether null is among the values of a type.
func (t *goType) nullable() bool {
	return t.null || t.kind == anyKind || t.kind == refKind && t.decl.takesNull(map[*decl]bool{})
}

func (d *decl) takesNull(seen map[*decl]bool) bool {
	if d.null {
		return true
	}
	if seen[d] || d.kind != aliasDecl && d.kind != plainDecl || d.typ == nil {
		return false
	}
	seen[d] = true
	return d.typ.null || d.typ.kind == refKind && d.typ.decl.takesNull(seen)
}

// isNil reports whether a Go type has nil among its values.
func (t *goType) isNil() bool {
	switch t.kind {
	case anyKind, listKind, mapKind:
		return true
	case refKind:
		switch u := t.under(); {
		case u == nil:
			return t.target().kind == unionDecl
		default:
			return u.kind == anyKind || u.kind == listKind || u.kind == mapKind || u.kind == scalarKind && (u.name == "[]byte" || u.name == "any")
		}
	}
	return t.name == "[]byte" || t.name == "any"
}

// target follows aliases to the declaration that a ref means.
func (t *goType) target() *decl {
	d := t.decl
	for range 100 {
		if d.kind != aliasDecl || d.typ == nil || d.typ.kind != refKind {
			return d
		}
		d = d.typ.decl
	}
	return d
}

// under returns the type that a ref is declared as, or nil for a struct or a union.
func (t *goType) under() *goType {
	if t.kind != refKind {
		return t
	}
	d := t.decl
	for range 100 {
		switch d.kind {
		case aliasDecl, plainDecl, enumDecl:
			if d.typ == nil || d.typ.kind != refKind {
				return d.typ
			}
			d = d.typ.decl
		default:
			return nil
		}
	}
	return nil
}

// String writes the type, without regard to null.
func (t *goType) String() string {
	switch t.kind {
	case anyKind:
		return "json.RawMessage"
	case listKind:
		return "[]" + t.elem.inside()
	case mapKind:
		return "map[string]" + t.elem.inside()
	case refKind:
		return t.decl.name
	}
	return t.name
}

// argument writes the type as an argument of a generic one, without aliases: go/types has no form yet for an alias that
// leads, by what it names, to the declaration that it stands in.
func (t *goType) argument() string {
	for t.kind == refKind && t.decl.kind == aliasDecl && t.decl.typ != nil {
		t = t.decl.typ
	}
	inner := func(elem *goType) string {
		if elem.nullable() && !elem.isNil() {
			return "*" + elem.argument()
		}
		return elem.argument()
	}
	switch t.kind {
	case listKind:
		return "[]" + inner(t.elem)
	case mapKind:
		return "map[string]" + inner(t.elem)
	}
	return t.String()
}

// inside writes the type as that of an item or a member of a map: null has a form of its own.
func (t *goType) inside() string {
	if t.nullable() && !t.isNil() {
		return "*" + t.String()
	}
	return t.String()
}
