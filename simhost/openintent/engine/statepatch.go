package engine

import (
	"maps"
	"slices"
	"strings"
)

// recordKey is where the suspension record lies in the state of an intent.
const recordKey = "_suspension"

// keys of a path: a leading slash is optional, and nothing is unescaped.
func keys(path string) []string { return strings.Split(strings.TrimPrefix(path, "/"), "/") }

// patched is the state after the patches. The state that was is left as it is.
func patched(state map[string]any, patches []Patch) map[string]any {
	out := copied(state)
	for _, p := range patches {
		apply(out, keys(p.Path), p)
	}
	return out
}

func apply(into map[string]any, path []string, p Patch) {
	for len(path) > 1 {
		next, ok := into[path[0]].(map[string]any)
		if !ok {
			if p.Op == "remove" {
				return // nothing is there
			}
			next = map[string]any{}
			into[path[0]] = next
		}
		into, path = next, path[1:]
	}
	key := path[0]
	switch p.Op {
	case "set":
		into[key] = clone(p.Value)
	case "remove":
		delete(into, key)
	case "append":
		list, ok := into[key].([]any)
		if old, there := into[key]; there && !ok {
			list = []any{old}
		}
		into[key] = append(slices.Clone(list), clone(p.Value))
	}
}

// copied is a deep copy, never nil.
func copied(m map[string]any) map[string]any {
	if m == nil {
		return map[string]any{}
	}
	return clone(m).(map[string]any)
}

func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := maps.Clone(v)
		if out == nil {
			out = map[string]any{}
		}
		for k, x := range out {
			out[k] = clone(x)
		}
		return out
	case []any:
		out := slices.Clone(v)
		for i, x := range out {
			out[i] = clone(x)
		}
		return out
	}
	return v
}
