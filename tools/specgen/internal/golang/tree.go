package golang

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-openapi/jsonpointer"
)

// object is a JSON object of the document.
type object = map[string]any

func obj(v any) object { o, _ := v.(object); return o }

func list(v any) []any { l, _ := v.([]any); return l }

func str(v any) string { s, _ := v.(string); return s }

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func join(pointer string, tokens ...string) string {
	for _, t := range tokens {
		pointer += "/" + jsonpointer.Escape(t)
	}
	return pointer
}

func index(pointer string, i int) string { return pointer + "/" + strconv.Itoa(i) }

// indexOf reads the token of an item, or returns -1.
func indexOf(token string) int {
	i, err := strconv.Atoi(token)
	if err != nil {
		return -1
	}
	return i
}

// without copies an object except some of its members.
func without(o object, names ...string) object {
	out := make(object, len(o))
	for k, v := range o {
		if !slices.Contains(names, k) {
			out[k] = v
		}
	}
	return out
}

// literal writes a value as compact JSON.
func literal(v any) string {
	if n, ok := v.(json.Number); ok {
		return n.String()
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(true) // as in the generated code, which compares such texts
	_ = e.Encode(v)       // the tree came from JSON
	return strings.TrimSuffix(b.String(), "\n")
}
