package specgen

import (
	"slices"
	"strconv"
)

var unions = []string{"anyOf", "oneOf"}

// dropConstraintBranches removes the branches of compositions that only narrow and add no field: "one of these must be
// present" has no Go type.
func dropConstraintBranches(s object) {
	for _, k := range []string{"allOf", "anyOf", "oneOf"} {
		branches, ok := s[k].([]any)
		if !ok {
			continue
		}
		rest := slices.DeleteFunc(slices.Clone(branches), func(b any) bool { return validationOnlyBranch(asObject(b)) })
		if len(rest) == 0 {
			delete(s, k)
			continue
		}
		s[k] = rest
	}
}

// validationOnlyBranch reports whether a schema only constrains fields defined elsewhere.
func validationOnlyBranch(s object) bool {
	for _, k := range sortedKeys(s) {
		switch k {
		case "required", "if", "then", "else", "not", "$comment", "description", "title", "minProperties", "maxProperties", "dependentRequired":
		case "properties":
			for _, p := range asObject(s[k]) {
				if p := asObject(p); p["type"] != nil || p["$ref"] != nil || p["x-go-type"] != nil {
					return false
				}
			}
		default:
			return false
		}
	}
	return true
}

// nullableUnions takes null out of unions: "X or null" becomes anyOf of the two, which oapi-codegen turns into a
// pointer; a larger union holds a null as is. A composition of one $ref becomes that $ref.
func nullableUnions(s object) {
	for _, k := range unions {
		branches, ok := s[k].([]any)
		if !ok {
			continue
		}
		null := slices.ContainsFunc(branches, isNull)
		rest := slices.DeleteFunc(slices.Clone(branches), isNull)
		switch {
		case len(rest) == 1 && null:
			delete(s, k)
			s["anyOf"] = []any{rest[0], object{"type": "null"}}
		case len(rest) > 0:
			s[k] = rest
		}
	}
	for _, k := range []string{"allOf", "anyOf", "oneOf"} {
		branches := asList(s[k])
		if len(branches) != 1 || s["properties"] != nil {
			continue
		}
		if ref := asString(asObject(branches[0])["$ref"]); ref != "" {
			become(s, ref)
		}
	}
}

func isNull(v any) bool { return asObject(v)["type"] == "null" }

// become turns s into a $ref and keeps its description and our instructions.
func become(s object, ref string) {
	s["$ref"] = ref
	bareRefs(s)
}

// stringUnions turns a union of strings into one string type. An enum that a second, free branch leaves open keeps its
// constants: a Go string type holds any value.
func stringUnions(z *normaliser) error {
	z.eachSchema(func(s object) {
		for _, k := range unions {
			branches := asList(s[k])
			if len(branches) < 2 || slices.ContainsFunc(branches, func(b any) bool { return z.deref(asObject(b))["type"] != "string" }) {
				continue
			}
			delete(s, k)
			s["type"] = "string"
			for _, b := range branches {
				b := asObject(b)
				if ref := asString(b["$ref"]); ref != "" && z.deref(b)["enum"] != nil {
					delete(s, "type")
					become(s, ref)
					break
				}
				if e := asList(b["enum"]); e != nil {
					s["enum"] = e
					break
				}
			}
		}
	})
	return nil
}

// discriminators names the property that distinguishes the branches of an object union: the required one with a
// different const in each. The union then gets ValueByDiscriminator.
func discriminators(z *normaliser) error {
	z.eachSchema(func(s object) {
		for _, k := range unions {
			branches := asList(s[k])
			if len(branches) < 2 || s["discriminator"] != nil {
				continue
			}
			if prop, mapping := z.constMapping(branches); prop != "" {
				s["discriminator"] = object{"propertyName": prop, "mapping": mapping}
			}
		}
	})
	return nil
}

func (z *normaliser) constMapping(branches []any) (prop string, mapping object) {
	mapping = object{}
	for _, b := range branches {
		ref := asString(asObject(b)["$ref"])
		p, value := constProperty(z.deref(asObject(b)))
		if ref == "" || p == "" || prop != "" && p != prop || mapping[value] != nil {
			return "", nil
		}
		prop, mapping[value] = p, ref
	}
	return prop, mapping
}

// constProperty returns the required property of an object schema that can have only one value, a string.
func constProperty(s object) (property, value string) {
	for _, r := range asList(s["required"]) {
		name := asString(r)
		p := asObject(asObject(s["properties"])[name])
		if c, ok := p["const"].(string); ok {
			return name, c
		}
		if e := asList(p["enum"]); len(e) == 1 && asString(e[0]) != "" {
			return name, asString(e[0])
		}
	}
	return "", ""
}

// branchName names an inline branch of a union by its const, its type or, if neither is unique, its index.
func branchName(branches []any, i int) string {
	names := make([]string, len(branches))
	for j, b := range branches {
		s := asObject(b)
		_, value := constProperty(s)
		if names[j] = pascal(value); names[j] == "" && s["type"] != "object" {
			names[j] = pascal(asString(s["type"]))
		}
	}
	name := names[i]
	names[i] = ""
	if name == "" || slices.Contains(names, name) {
		return "Variant" + strconv.Itoa(i+1)
	}
	return name
}
