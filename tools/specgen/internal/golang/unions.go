package golang

import (
	"slices"
	"strconv"
	"strings"
)

// unionOf returns the type of a schema with oneOf or anyOf, or nil if these have no form in Go.
func (b *builder) unionOf(s object, hint, at string, own *decl) *goType {
	keyword := "oneOf"
	if list(s[keyword]) == nil {
		keyword = "anyOf"
	}
	var branches []any
	var places []string
	nullable := kindsOf(without(s, "oneOf", "anyOf"))&null != 0 && s["type"] != nil
	constrained := false
	for i, v := range list(s[keyword]) {
		branch := obj(v)
		switch {
		case b.takesAll(v), branch != nil && s["type"] == nil && onlyValidates(branch) && kindsOf(branch) == everything:
			if !hasStructure(s) {
				return &goType{kind: anyKind}
			}
			constrained = true
		case branch == nil, onlyValidates(branch), s["type"] != nil && onlyBounds(branch):
			constrained = true
		case kindsOf(b.deref(branch)) == null && b.deref(branch)["oneOf"] == nil && b.deref(branch)["anyOf"] == nil:
			nullable = true
		default:
			nullable = nullable || b.saysNull(branch, 0)
			branches = append(branches, typed(v, s["type"]))
			places = append(places, index(join(at, keyword), i))
		}
	}
	if len(branches) == 0 {
		if nullable && s[keyword] != nil && !constrained {
			return b.typeOf(without(s, keyword), hint, at, own).orNull(true, own)
		}
		return nil
	}
	base := without(s, "oneOf", "anyOf", "discriminator", "description", "title", "example", "examples", "default", "deprecated", "nullable",
		"$comment", "x-assay-open", "externalDocs", "type")
	if hasStructure(base) {
		if constrained || !b.allObjects(branches) {
			return b.withOpenMembers(s, hint, at, own).orNull(nullable, own)
		}
		for i, v := range branches {
			if r := str(obj(v)["$ref"]); r != "" && own != nil && b.builtOn(v, "#"+own.pointer, 0) {
				continue // it holds the members of this schema already
			}
			branches[i] = object{"allOf": []any{shared(base), v}, "x-assay-name": b.branchName(branches, i)}
		}
	}
	if constrained && !slices.Contains(list(s[keyword]), any(false)) {
		s = without(s)
		s["x-assay-loose"] = true
	}
	return b.oneOf(s, branches, places, hint, at, own).orNull(nullable, own)
}

// orNull returns a type that takes null as well, if nullable is set. own is the declaration of the schema, if it has one.
func (t *goType) orNull(nullable bool, own *decl) *goType {
	if !nullable {
		return t
	}
	if own != nil && t.decl == own {
		own.null = true
	}
	return &goType{kind: t.kind, name: t.name, elem: t.elem, decl: t.decl, null: true}
}

// takesAll reports whether a schema refuses nothing.
func (b *builder) takesAll(v any) bool {
	if s := obj(v); str(s["$ref"]) != "" && len(s) == 1 {
		v = b.components[unescape(strings.TrimPrefix(str(s["$ref"]), componentPrefix))]
	}
	s := obj(v)
	return v == true || s != nil && len(s) == 0
}

// onlyBounds reports whether a schema only bounds values whose type is said beside it.
func onlyBounds(s object) bool {
	for k := range s {
		if !slices.Contains(bounds, k) {
			return false
		}
	}
	return true
}

var bounds = []string{
	"minLength", "maxLength", "pattern", "x-pattern", "format", "minimum", "maximum", "exclusiveMinimum",
	"exclusiveMaximum", "multipleOf", "minItems", "maxItems", "uniqueItems", "contains", "minContains",
	"maxContains", "title", "description", "$comment",
}

// typed gives a branch that only lists its values the type that stands beside the union.
func typed(v any, t any) any {
	s := obj(v)
	if t == nil || s["type"] != nil || s["enum"] == nil && s["const"] == nil {
		return v
	}
	out := without(s)
	out["type"] = t
	return out
}

// saysNull reports whether a schema lists null among its values.
func (b *builder) saysNull(v any, depth int) bool {
	s := b.flat(v)
	if s == nil || depth > deepestLook {
		return false
	}
	if s["nullable"] == true || s["x-go-type"] == nil && kindsOf(s) != everything && kindsOf(s)&null != 0 {
		return true
	}
	for _, k := range []string{"oneOf", "anyOf"} {
		for _, branch := range list(s[k]) {
			if b.saysNull(branch, depth+1) {
				return true
			}
		}
	}
	return false
}

// shared is the part of a schema that all its branches have.
func shared(base object) object {
	out := without(base, "x-go-name", "$id", "$schema", "$defs")
	out["type"] = "object"
	return out
}

// withOpenMembers returns the type of an object some of whose members are known from its branches only: these are kept
// as they are.
func (b *builder) withOpenMembers(s object, hint, at string, own *decl) *goType {
	open := without(s, "oneOf", "anyOf", "discriminator")
	open["x-assay-open"] = true
	if open["unevaluatedProperties"] == false {
		delete(open, "unevaluatedProperties") // the branches know more members
	}
	return b.typeOf(open, hint, at, own)
}

func hasStructure(s object) bool {
	return len(obj(s["properties"])) > 0 || obj(s["additionalProperties"]) != nil || obj(s["patternProperties"]) != nil
}

func (b *builder) allObjects(branches []any) bool {
	return !slices.ContainsFunc(branches, func(v any) bool {
		s := b.flat(v)
		return kindsOf(s) != structure && s["oneOf"] == nil && s["anyOf"] == nil
	})
}

// onlyValidates reports whether a schema only constrains members that are defined elsewhere.
func onlyValidates(s object) bool {
	for k := range s {
		switch k {
		case "required", "if", "then", "else", "not", "$comment", "description", "title", "minProperties", "maxProperties", "dependentRequired":
		case "properties":
			for _, p := range obj(s[k]) {
				if p := obj(p); p["type"] != nil || p["$ref"] != nil || p["x-go-type"] != nil || p["properties"] != nil || p["oneOf"] != nil ||
					p["anyOf"] != nil || p["allOf"] != nil {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// typeList returns the type of a schema that takes values of several kinds: a union of these.
func (b *builder) typeList(s object, kinds int, hint, at string, own *decl, nullable bool) *goType {
	var branches []any
	var places []string
	numeric := "number"
	if types := list(s["type"]); slices.Contains(types, any("integer")) && !slices.Contains(types, any("number")) {
		numeric = "integer"
	}
	for _, k := range []struct {
		kind int
		name string
	}{{text, "string"}, {number, numeric}, {boolean, "boolean"}, {array, "array"}, {structure, "object"}} {
		if kinds&k.kind == 0 {
			continue
		}
		branch := without(s, "type", "description", "x-go-name")
		branch["type"] = k.name
		if k.kind != text {
			delete(branch, "format")
		}
		branches = append(branches, branch)
		places = append(places, at)
	}
	t := b.oneOf(without(s, "discriminator"), branches, places, hint, at, own)
	return t.orNull(nullable, own)
}

// oneOf returns the type of a choice between branches.
func (b *builder) oneOf(s object, branches []any, places []string, hint, at string, own *decl) *goType {
	branches, places = b.spread(branches, places, 0)
	loose := s["x-assay-loose"] == true // some branch says nothing of the form, and what fits it need not fit another
	if len(branches) == 1 && !(loose && b.allObjects(branches)) {
		return b.typeOf(branches[0], hint, places[0], own)
	}
	if t := b.scalars(s, branches, hint, at, own); t != nil {
		return t
	}
	d := b.declare(own, unionDecl, hint, at, s)
	d.loose = loose
	d.unknown, d.reader = b.names.free(d.name+"Unknown"), b.names.free("Unmarshal"+d.name)
	names := make([]string, len(branches))
	for i := range branches {
		names[i] = b.branchName(branches, i)
	}
	for i, v := range branches {
		d.cases = append(d.cases, unionCase{schema: v, name: names[i]})
		if branch := obj(v); str(branch["$ref"]) == "" || narrows(branch) {
			title := b.spell.exported(str(branch["title"]))
			name := d.name + names[i]
			if str(branch["title"]) != "" && !b.names.taken[title] && branch["allOf"] == nil {
				name = title
			}
			d.cases[i].typ = b.typeOf(v, name, places[i], nil)
			continue
		}
		d.cases[i].typ = b.component(str(obj(v)["$ref"]), places[i])
	}
	b.discriminate(d, s, branches)
	b.open = append(b.open, d)
	return &goType{kind: refKind, decl: d}
}

// spread replaces an inline branch that is itself a plain choice by its branches.
func (b *builder) spread(branches []any, places []string, depth int) (out []any, at []string) {
	for i, v := range branches {
		s := obj(v)
		inner := list(s["oneOf"])
		keyword := "oneOf"
		if inner == nil {
			inner, keyword = list(s["anyOf"]), "anyOf"
		}
		if inner == nil || s["$ref"] != nil || s["discriminator"] != nil || s["allOf"] != nil || hasStructure(s) || depth > 10 ||
			slices.ContainsFunc(inner, func(v any) bool { return len(obj(v)) == 0 || onlyValidates(obj(v)) || kindsOf(obj(v)) == null }) {
			out, at = append(out, v), append(at, places[i])
			continue
		}
		var below []string
		for j := range inner {
			below = append(below, index(join(places[i], keyword), j))
		}
		more, where := b.spread(inner, below, depth+1)
		out, at = append(out, more...), append(at, where...)
	}
	return out, at
}

// scalars returns the type of a choice between strings, or between numbers: one type with all their constants.
func (b *builder) scalars(s object, branches []any, hint, at string, own *decl) *goType {
	kinds, whole := 0, true
	var constants []any
	var enums []any
	for _, v := range branches {
		branch := b.deref(v)
		if branch["oneOf"] != nil || branch["anyOf"] != nil || branch["allOf"] != nil || branch == nil || branch["x-go-type"] != nil {
			return nil
		}
		kinds |= kindsOf(branch)
		if t := numberType(branch); kindsOf(branch) == number && t.name == "float64" {
			whole = whole && valuesOf(branch) != nil
		}
		if values := valuesOf(branch); values != nil {
			constants = append(constants, values...)
			enums = append(enums, v)
		}
	}
	switch {
	case kinds == text && len(enums) == 1 && str(obj(enums[0])["$ref"]) != "":
		return b.component(str(obj(enums[0])["$ref"]), at) // the others leave it open, as a Go string is
	case kinds == text && constants != nil:
		return b.enum(object{"type": "string", "enum": constants, "description": s["description"]}, hint, at, own)
	case kinds == text:
		return &goType{kind: scalarKind, name: "string"}
	case kinds == boolean:
		return &goType{kind: scalarKind, name: "bool"}
	case kinds == number && len(enums) == len(branches):
		return b.enum(object{"enum": constants, "description": s["description"]}, hint, at, own)
	case kinds == number && whole:
		return &goType{kind: scalarKind, name: "int64"}
	case kinds == number:
		return &goType{kind: scalarKind, name: "float64"}
	}
	return nil
}

// discriminate notes which case the values of the discriminator mean: as the mapping says, or else the component's name.
func (b *builder) discriminate(d *decl, s object, branches []any) {
	told := obj(s["discriminator"])
	d.discriminator = str(told["propertyName"])
	if d.discriminator == "" {
		return
	}
	d.mapping = map[string]int{}
	mapping := obj(told["mapping"])
	for i, v := range branches {
		r := str(obj(v)["$ref"])
		for _, part := range list(obj(v)["allOf"]) { // of a base and a branch
			if r == "" {
				r = str(obj(part)["$ref"])
			}
		}
		mapped := false
		for _, value := range keys(mapping) {
			if to := str(mapping[value]); to == r || componentPrefix+to == r {
				d.mapping[value] = i
				mapped = true
			}
		}
		if name, ok := strings.CutPrefix(r, componentPrefix); ok && !mapped {
			if _, taken := d.mapping[unescape(name)]; !taken {
				d.mapping[unescape(name)] = i
			}
		}
		for _, c := range constsOf(b.flat(v))[d.discriminator] { // a constant says it as well
			if value, isText := c.(string); isText {
				if _, taken := d.mapping[value]; !taken {
					d.mapping[value] = i
				}
			}
		}
	}
}

// flat returns a schema without $ref and allOf.
func (b *builder) flat(v any) object {
	defer func(before bool) { b.looking = before }(b.looking)
	b.looking = true
	s := b.deref(v)
	for range 10 {
		if s["allOf"] == nil {
			return s
		}
		s = b.deref(b.flatten(s, ""))
	}
	return s
}

// constsOf returns the members of an object schema that only have certain values.
func constsOf(s object) map[string][]any {
	out := map[string][]any{}
	for name, p := range obj(s["properties"]) {
		if values := valuesOf(obj(p)); values != nil {
			out[name] = values
		}
	}
	return out
}

// branchName names an inline branch of a union by its constant, its reference or its type, or if none is unique, by its
// place.
func (b *builder) branchName(branches []any, i int) string {
	names := make([]string, len(branches))
	for j, v := range branches {
		s := obj(v)
		if own := str(s["x-assay-name"]); own != "" {
			names[j] = own
			continue
		}
		if r := str(s["$ref"]); r != "" {
			names[j] = b.spell.exported(unescape(strings.TrimPrefix(r, componentPrefix)))
			continue
		}
		for _, r := range list(s["required"]) {
			if values := valuesOf(obj(obj(s["properties"])[str(r)])); len(values) == 1 && str(values[0]) != "" {
				names[j] = b.spell.exported(str(values[0]))
				break
			}
		}
		if names[j] == "" && str(s["title"]) != "" {
			names[j] = b.spell.exported(str(s["title"]))
		}
		if t := str(s["type"]); names[j] == "" && t != "" {
			names[j] = b.spell.exported(t)
		}
	}
	name := names[i]
	names[i] = ""
	if name == "" || slices.Contains(names, name) {
		return "Variant" + strconv.Itoa(i+1)
	}
	return name
}
