package golang

import (
	"reflect"
	"slices"
)

// flatten merges the branches of an allOf into one schema. One $ref that nothing adds to stays a $ref.
func (b *builder) flatten(s object, at string) object {
	out := without(s, "allOf")
	var refs []string
	var branches []any
	for _, v := range list(s["allOf"]) {
		if branch := obj(v); len(branch) > 0 && !onlyValidates(branch) {
			branches = append(branches, v)
			if r := str(branch["$ref"]); r != "" && !narrows(branch) {
				refs = append(refs, r)
			}
		}
	}
	if len(branches) == 1 && len(refs) == 1 && !narrows(out) {
		alone := object{"$ref": refs[0]}
		for _, k := range []string{"description", "nullable", "deprecated"} {
			if out[k] != nil {
				alone[k] = out[k]
			}
		}
		return alone
	}
	for i, v := range list(s["allOf"]) {
		branch := obj(v)
		if r := str(branch["$ref"]); r != "" {
			if b.flattening[r] {
				b.circle(index(join(at, "allOf"), i), r)
				continue
			}
			b.flattening[r] = true
			b.merge(out, b.inherited(branch, at))
			delete(b.flattening, r)
			continue
		}
		if branch["allOf"] != nil {
			branch = b.flatten(branch, index(join(at, "allOf"), i))
		}
		b.merge(out, branch)
	}
	return out
}

// circle notes an allOf that has itself among its branches.
func (b *builder) circle(at, ref string) {
	if !b.looking {
		b.bad(problem(at, "take the circle out", "the allOf of %s leads back to itself", ref))
	}
}

// inherited returns the schema that a branch of an allOf refers to, with its own allOf merged. Where that schema lists
// the schemas that are built on it, it is their base here, and the list says nothing.
func (b *builder) inherited(branch object, at string) object {
	target := b.deref(branch)
	if more := without(branch, "$ref"); len(more) > 0 {
		copied := without(target)
		b.merge(copied, more)
		target = copied
	}
	for _, k := range []string{"oneOf", "anyOf"} {
		for _, v := range list(target[k]) {
			if r := str(obj(v)["$ref"]); r != "" && (b.flattening[r] || b.builtOn(v, str(branch["$ref"]), 0)) {
				target = without(target, k, "discriminator")
				break
			}
		}
	}
	if target["allOf"] != nil {
		target = b.flatten(target, at)
		if r := str(target["$ref"]); r != "" {
			if b.flattening[r] {
				b.circle(at, r)
				return object{}
			}
			b.flattening[r] = true
			target = b.inherited(target, at)
			delete(b.flattening, r)
		}
	}
	return target
}

// builtOn reports whether the allOf of a schema has a component in it.
func (b *builder) builtOn(v any, component string, depth int) bool {
	for _, branch := range list(b.deref(v)["allOf"]) {
		r := str(obj(branch)["$ref"])
		if r == component || depth < 10 && r != "" && b.builtOn(branch, component, depth+1) {
			return true
		}
	}
	return false
}

// merge adds what a schema demands to another. It changes the other, but none of its members.
func (b *builder) merge(into, more object) {
	for _, k := range keys(more) {
		v := more[k]
		old, there := into[k]
		if !there {
			if k == "discriminator" && more["oneOf"] == nil && more["anyOf"] == nil {
				continue // it tells the heirs of a base apart, of which this is one
			}
			into[k] = v
			continue
		}
		switch k {
		case "properties":
			into[k] = mergeProperties(obj(old), obj(v))
		case "required":
			into[k] = unite(list(old), list(v))
		case "type":
			into[k] = commonType(old, v)
		case "enum":
			into[k] = common(list(old), list(v))
		case "items":
			if !reflect.DeepEqual(old, v) {
				into[k] = object{"allOf": []any{old, v}}
			}
		case "oneOf", "anyOf":
			into["x-assay-open"] = true // a product of unions has no form: what the second brings is kept as it is
		case "additionalProperties", "unevaluatedProperties":
			if old == false || old == true && obj(v) != nil {
				into[k] = v
			}
		case "patternProperties":
			into[k] = mergeProperties(obj(old), obj(v))
		}
	}
	crossed := func(one, other string) bool { return more[one] != nil && into[other] != nil && more[other] == nil }
	if crossed("oneOf", "anyOf") || crossed("anyOf", "oneOf") {
		into["x-assay-open"] = true
	}
}

func mergeProperties(old, more object) object {
	out := without(old)
	for name, v := range more {
		switch first, there := out[name]; {
		case !there:
			out[name] = v
		case !reflect.DeepEqual(first, v):
			if x, y := obj(first), obj(v); onlyNotes(x) {
				out[name] = v
			} else if !onlyNotes(y) {
				out[name] = object{"allOf": []any{first, v}}
				if d := x["description"]; d != nil {
					obj(out[name])["description"] = d
				}
			}
		}
	}
	return out
}

// onlyNotes reports whether a schema demands nothing that has a form in Go.
func onlyNotes(s object) bool {
	for k := range s {
		switch k {
		case "description", "title", "example", "examples", "default", "deprecated", "readOnly", "writeOnly", "minLength", "maxLength", "pattern",
			"minimum", "maximum", "minItems", "maxItems", "$comment":
		default:
			return false
		}
	}
	return true
}

func unite(a, b []any) []any {
	out := slices.Clone(a)
	for _, v := range b {
		if !slices.Contains(out, v) {
			out = append(out, v)
		}
	}
	return out
}

// common returns the values that are in both lists, or the first list if none is: a schema that nothing fits is no
// reason to lose its values.
func common(a, b []any) []any {
	var out []any
	for _, v := range a {
		if slices.ContainsFunc(b, func(w any) bool { return literal(v) == literal(w) }) {
			out = append(out, v)
		}
	}
	if len(out) == 0 {
		return a
	}
	return out
}

func commonType(a, b any) any {
	asList := func(v any) []any {
		if l := list(v); l != nil {
			return l
		}
		return []any{v}
	}
	var out []any
	for _, x := range asList(a) {
		for _, y := range asList(b) {
			switch {
			case x == y, x == "integer" && y == "number":
				out = append(out, x)
			case x == "number" && y == "integer":
				out = append(out, y)
			}
		}
	}
	switch len(out) {
	case 0:
		return a
	case 1:
		return out[0]
	}
	return out
}
