package specgen

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-openapi/jsonpointer"
)

// object is a JSON object. Trees hold object, []any, string, json.Number, bool and nil; numbers keep their original
// digits.
type object = map[string]any

func asObject(v any) object { o, _ := v.(object); return o }

func asList(v any) []any { l, _ := v.([]any); return l }

func asString(v any) string { s, _ := v.(string); return s }

// childObject returns m[key], and creates it if necessary.
func childObject(m object, key string) object {
	if c, ok := m[key].(object); ok {
		return c
	}
	c := object{}
	m[key] = c
	return c
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func clone(v any) any {
	switch v := v.(type) {
	case object:
		o := make(object, len(v))
		for k, e := range v {
			o[k] = clone(e)
		}
		return o
	case []any:
		l := make([]any, len(v))
		for i, e := range v {
			l[i] = clone(e)
		}
		return l
	}
	return v
}

// encode writes a tree as indented JSON with sorted keys, so that equal trees give equal bytes.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// join appends one reference token to a JSON pointer.
func join(pointer, token string) string { return pointer + "/" + jsonpointer.Escape(token) }

// at returns the value at a JSON pointer. If it does not exist, missing is the first unknown token.
func at(tree any, pointer string) (v any, missing string) {
	if pointer == "" {
		return tree, ""
	}
	v = tree
	for token := range strings.SplitSeq(pointer[1:], "/") {
		token = jsonpointer.Unescape(token)
		switch in := v.(type) {
		case object:
			there := false
			if v, there = in[token]; !there {
				return nil, token
			}
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(in) {
				return nil, token
			}
			v = in[i]
		default:
			return nil, token
		}
	}
	return v, ""
}

// setIn sets a member of an object or an item of a list, by its token in a JSON pointer.
func setIn(holder any, token string, v any) {
	token = jsonpointer.Unescape(token)
	switch holder := holder.(type) {
	case object:
		holder[token] = v
	case []any:
		if i, err := strconv.Atoi(token); err == nil && i >= 0 && i < len(holder) {
			holder[i] = v
		}
	}
}
