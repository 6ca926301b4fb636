package golang

import (
	"encoding/json"
	"slices"
)

// enum returns the type of a schema that lists its values: a string or a number with constants, or, where the values
// are of several kinds, their JSON.
func (b *builder) enum(s object, hint, at string, own *decl) *goType {
	kinds, whole := 0, true
	var values []any
	seen := map[string]bool{}
	for _, v := range valuesOf(s) {
		if v == nil || seen[literal(v)] {
			continue
		}
		seen[literal(v)] = true
		values = append(values, v)
		kinds |= kindOf(v)
		if _, ok := wholeNumber(v); !ok {
			whole = false
		}
	}
	if len(values) == 0 {
		return &goType{kind: anyKind}
	}
	base := &goType{kind: scalarKind, name: "string"}
	mixed := false
	switch {
	case kinds == text:
	case kinds == number && whole:
		base = numberType(object{"type": "integer", "format": s["format"], "maximum": largest(values), "minimum": s["minimum"]})
		if !fits(base.name, values) {
			base = numberType(object{"type": "integer", "maximum": largest(values)})
		}
		mixed = base.name == "json.Number"
	case kinds == number:
		base.name = "float64"
	case kinds == boolean:
		return &goType{kind: scalarKind, name: "bool"}
	default:
		mixed = true
	}
	if mixed {
		base = &goType{kind: scalarKind, name: "string"}
	}
	d := b.declare(own, enumDecl, hint, at, s)
	d.typ, d.mixed = base, mixed
	b.constants(d, s, values)
	return &goType{kind: refKind, decl: d}
}

// fits reports whether a type of Go holds all of some integers.
func fits(name string, values []any) bool {
	bits, signed := 0, false
	switch name {
	case "int32":
		bits, signed = 31, true
	case "uint32":
		bits = 32
	case "uint64":
		bits = 64
	default:
		return true
	}
	return !slices.ContainsFunc(values, func(v any) bool {
		n, _ := wholeNumber(v)
		return wide(v, bits) || !signed && n.Sign() < 0
	})
}

func largest(values []any) any {
	for _, v := range values {
		if wide(v, 63) {
			return v
		}
	}
	return nil
}

// constants names the values. A schema may bring names of its own.
func (b *builder) constants(d *decl, s object, values []any) {
	var own []any
	for _, k := range []string{"x-enum-varnames", "x-enumNames", "x-enum-names"} {
		if l := list(s[k]); len(l) == len(list(s["enum"])) && len(l) > 0 {
			own = l
		}
	}
	for _, v := range values {
		name := ""
		if own != nil {
			i := slices.IndexFunc(list(s["enum"]), func(e any) bool { return literal(e) == literal(v) })
			name = b.spell.exported(str(own[i]))
		} else {
			name = b.spell.exported(valueName(v))
		}
		d.constants = append(d.constants, constant{b.names.free(d.name + name), v})
	}
}

// valueName returns a name for a value of an enum.
func valueName(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case bool:
		if v {
			return "true"
		}
		return "false"
	case json.Number:
		return v.String()
	}
	return "value"
}
