package golang

import (
	"cmp"
	"go/token"
	"slices"
	"strings"
)

// object returns the type of an object: a struct, or a map where no member is named.
func (b *builder) object(s object, hint, at string, own *decl, nullable bool) *goType {
	rest := b.rest(s, hint, at)
	properties := obj(s["properties"])
	if len(properties) == 0 && !hasFalse(s) {
		switch {
		case rest == nil:
			rest = &goType{kind: scalarKind, name: "any"}
		case rest.kind == anyKind && obj(s["additionalProperties"]) == nil:
			rest = &goType{kind: scalarKind, name: "any"}
		}
		return &goType{kind: mapKind, elem: rest}
	}
	d := b.declare(own, structDecl, hint, at, s)
	d.rest, d.closed = rest, hasFalse(s)
	d.null = d.null || nullable && d == own
	b.fields(d, s, at)
	return &goType{kind: refKind, decl: d}
}

func hasFalse(s object) bool {
	return s["additionalProperties"] == false || s["additionalProperties"] == nil && s["unevaluatedProperties"] == false
}

// rest returns the type of the members that a schema does not name, or nil if these are not kept.
func (b *builder) rest(s object, hint, at string) *goType {
	patterns := obj(s["patternProperties"])
	key := "additionalProperties"
	if s[key] == nil {
		key = "unevaluatedProperties"
	}
	more, isSchema := s[key].(object)
	switch {
	case len(patterns) == 1 && (hasFalse(s) || s[key] == nil && len(obj(s["properties"])) == 0 && (b.Unknown == "drop" || fitsAll(patterns))):
		pattern := keys(patterns)[0]
		return b.typeOf(patterns[pattern], hint+"Value", join(at, "patternProperties", pattern), nil)
	case isSchema && len(patterns) == 0:
		return b.typeOf(more, hint+"Value", join(at, key), nil)
	case hasFalse(s) && len(patterns) == 0:
		return nil
	case b.Unknown == "drop" && s["x-assay-open"] == nil:
		return nil
	case isSchema || len(patterns) > 0 || s[key] == true || b.Unknown == "keep" || s["x-assay-open"] == true:
		return &goType{kind: anyKind}
	}
	return nil
}

// fitsAll reports whether the only pattern of names is one that all names fit: others keep members of any kind.
func fitsAll(patterns object) bool {
	return slices.Contains([]string{"", "^", ".*", "^.*$", ".+", "^.+$", "."}, keys(patterns)[0])
}

func (b *builder) fields(d *decl, s object, at string) {
	properties := obj(s["properties"])
	taken := newNames("MarshalJSON", "UnmarshalJSON", "String")
	if d.rest != nil {
		taken.free("AdditionalProperties")
	}
	required := map[string]bool{}
	for _, r := range list(s["required"]) {
		required[str(r)] = true
	}
	for _, name := range b.fieldOrder(properties) {
		p, isSchema := properties[name].(object)
		if !isSchema && properties[name] == false {
			continue // it can never be there
		}
		f := &field{json: name, required: required[name], doc: str(p["description"]), depr: p["deprecated"] == true}
		id := b.spell.exported(name)
		if own := str(p["x-go-name"]); own != "" {
			id = b.spell.exported(own)
		}
		f.name = taken.free(id)
		f.typ = b.typeOf(properties[name], d.name+b.spell.exported(name), join(at, "properties", name), nil)
		// Others may send what a schema refuses, and a branch of a union may take it: it stays apart from absent.
		f.zero = b.Pointers && b.emptyIsIllegal(p) || p["x-go-type-skip-optional-pointer"] == true
		if p["x-omitempty"] == false && p["x-omitzero"] == nil && p["x-go-type-skip-optional-pointer"] == true {
			f.required = true
		}
		if f.required && f.typ.kind == refKind && f.typ.decl.kind == enumDecl && len(f.typ.decl.constants) == 1 && !f.typ.nullable() {
			f.fixed = &f.typ.decl.constants[0]
		}
		d.fields = append(d.fields, f)
	}
}

// fieldOrder puts id before $id, and userId before user_id, among the names that would be the same in Go: the first gets the
// name without a number.
func (b *builder) fieldOrder(properties object) []string {
	out := keys(properties)
	slices.SortStableFunc(out, func(x, y string) int {
		marks := func(name string) int {
			switch {
			case !token.IsIdentifier(name):
				return 2
			case strings.Contains(name, "_"):
				return 1
			}
			return 0
		}
		return cmp.Or(cmp.Compare(b.spell.exported(x), b.spell.exported(y)), cmp.Compare(marks(x), marks(y)))
	})
	return out
}

// emptyIsIllegal reports whether a string schema refuses "", so that the Go zero value can stand for "absent".
func (b *builder) emptyIsIllegal(v any) bool {
	s := b.deref(v)
	if s["type"] != "string" && !(s["type"] == nil && len(valuesOf(s)) > 0 && kindsOf(s) == text) {
		return false
	}
	if values := valuesOf(s); values != nil {
		return !slices.Contains(values, any(""))
	}
	if n, ok := wholeNumber(s["minLength"]); ok && n.Sign() > 0 {
		return true
	}
	return s["format"] == "date-time" || s["format"] == "uri"
}
