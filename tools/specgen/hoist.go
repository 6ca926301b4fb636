package specgen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// hoist turns inline schemas that need a Go type into components with names of our choice: structs, unions,
// compositions, and enums inside arrays and maps. For inline ones oapi-codegen would join their path with underscores.
func hoist(z *normaliser) error {
	h := &hoister{normaliser: z}
	for _, name := range sortedKeys(z.comps) {
		h.below(asObject(z.comps[name]), name, location{component: name})
	}
	h.operations(z.doc, "", "")
	return h.bad.err()
}

type hoister struct {
	*normaliser
	bad problems
}

// below hoists the schemas below a schema that itself stays in place.
func (h *hoister) below(s object, name string, where location) {
	for _, sl := range slots(s) {
		child := asObject(sl.value)
		if child == nil {
			continue
		}
		childName, here := h.childName(s, sl, child, name), where.down(sl.pointer)
		h.below(child, childName, here)
		if needsType(s, sl, child) {
			sl.set(h.component(child, childName, here))
		}
	}
}

func (h *hoister) childName(s object, sl slot, child object, name string) string {
	switch {
	case sl.keyword == "properties":
		return name + pascal(sl.key)
	case sl.keyword == "items":
		return name + "Item"
	case sl.keyword == "additionalProperties":
		return name + "Value"
	case sl.keyword == "allOf":
		return name // its fields become fields of s
	case isNullable(s):
		if h.comps[name] != nil {
			return name + "Value"
		}
		return name // s stays a pointer to it
	}
	if title := pascal(asString(child["title"])); title != "" && h.comps[title] == nil {
		return title
	}
	return name + branchName(asList(s[sl.keyword]), sl.index)
}

// needsType reports whether the child of s in this slot must become a component.
func needsType(s object, sl slot, child object) bool {
	union := sl.keyword == "anyOf" || sl.keyword == "oneOf"
	switch {
	case child["$ref"] != nil || child["x-go-type"] != nil || isNull(child) || sl.keyword == "allOf":
		return false
	case union && !isNullable(s):
		return true
	case child["enum"] != nil || child["const"] != nil:
		return sl.keyword != "properties"
	}
	return isComposite(child)
}

// isComposite reports whether a schema is a struct, a union or a composition in Go.
func isComposite(s object) bool {
	return len(asObject(s["properties"])) > 0 || s["allOf"] != nil || s["oneOf"] != nil || s["anyOf"] != nil && !isNullable(s)
}

// isNullable reports whether s has the form that nullableUnions leaves: anyOf of a schema and null.
func isNullable(s object) bool {
	branches := asList(s["anyOf"])
	return len(branches) == 2 && isNull(branches[1])
}

func (h *hoister) component(s object, name string, where location) object {
	if h.comps[name] != nil {
		file, pointer := h.source(where)
		h.bad.add(&SpecError{
			File: file, Pointer: pointer,
			Problem: fmt.Sprintf("this inline schema gets the name %s, which is taken", name),
			Mend:    "move it to $defs under a name of its own, or give it a title",
		})
		return s
	}
	h.comps[name] = s
	return object{"$ref": componentPrefix + name}
}

// operations hoists the inline schemas of parameters, headers and bodies. It names them after the operation and their
// place in it.
func (h *hoister) operations(v any, name, pointer string) {
	switch v := v.(type) {
	case object:
		if id := pascal(asString(v["operationId"])); id != "" {
			name = id
		}
		if v["in"] != nil {
			name += pascal(asString(v["name"]))
		}
		if s := asObject(v["schema"]); s != nil {
			v["schema"] = h.outermost(s, name, location{pointer: join(pointer, "schema")})
		}
		for _, k := range sortedKeys(v) {
			literal := slices.Contains([]string{"example", "examples", "schema"}, k) || strings.HasPrefix(k, "x-")
			if !literal && (pointer != "/components" || k != "schemas") {
				h.operations(v[k], name+partName(k, pointer), join(pointer, k))
			}
		}
	case []any:
		for i, e := range v {
			h.operations(e, name, join(pointer, strconv.Itoa(i)))
		}
	}
}

func (h *hoister) outermost(s object, name string, where location) object {
	h.below(s, name, where)
	if s["$ref"] != nil || s["x-go-type"] != nil || !isComposite(s) {
		return s
	}
	return h.component(s, name+"Body", where)
}

// partName returns the contribution of a key between an operation and a schema to the schema's name.
func partName(key, pointer string) string {
	switch {
	case key == "requestBody":
		return "Request"
	case len(key) == 3 && key[0] >= '1' && key[0] <= '5':
		return "Response" + key
	case key == "default":
		return "ResponseDefault"
	case strings.HasPrefix(pointer, "/components/") && strings.Count(pointer, "/") == 2:
		return pascal(key)
	}
	return ""
}
