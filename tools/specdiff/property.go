package specdiff

import (
	"maps"
	"slices"
	"strings"

	"github.com/oasdiff/oasdiff/checker"
)

// property returns the changed place in a body. oasdiff gives it in a different argument for each rule, so property
// picks the longest argument that is a property of the body in either spec.
func property(c checker.Change, s Subject, side string, a, b *document) string {
	if side == "" {
		return ""
	}
	longest := ""
	for _, arg := range c.GetArgs() {
		text, ok := arg.(string)
		if !ok || text == "" || len(text) <= len(longest) {
			continue
		}
		for _, way := range [][]string{steps(text), unconditional(steps(text))} {
			for _, d := range []*document{a, b} {
				if len(way) > 0 && slices.ContainsFunc(d.bodies(s, side), func(schema any) bool { return d.has(schema, way, 0) }) {
					longest = "/" + strings.Join(way, "/")
				}
			}
		}
	}
	return longest
}

// steps parses a path of oasdiff into its properties: /allOf[#/components/schemas/Run]/status is status.
func steps(path string) []string {
	var out []string
	depth, start := 0, 0
	add := func(token string) {
		if token != "" && !strings.ContainsAny(token, "[") {
			out = append(out, token)
		}
	}
	for i, c := range path {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == '/' && depth == 0:
			add(path[start:i])
			start = i + 1
		}
	}
	add(path[start:])
	return out
}

// unconditional drops the keywords of conditional branches.
func unconditional(steps []string) []string {
	return slices.DeleteFunc(slices.Clone(steps), func(s string) bool { return s == "if" || s == "then" || s == "else" })
}

// bodies returns the schemas of the requests or replies of a subject.
func (d *document) bodies(s Subject, side string) []any {
	method, path, _ := strings.Cut(s.Name, " ")
	switch s.Kind {
	case Event:
		method, path = "get", eventPath+braced.Replace(s.Name)
	case Schema:
		method, path = "post", schemaPath+s.Name
	}
	paths, _ := d.tree["paths"].(map[string]any)
	item, _ := paths[path].(map[string]any)
	operation, _ := item[strings.ToLower(method)].(map[string]any)
	var holders []any
	if side == "request" {
		holders = append(holders, operation["requestBody"])
	} else {
		responses, _ := operation["responses"].(map[string]any)
		for _, status := range slices.Sorted(maps.Keys(responses)) {
			holders = append(holders, responses[status])
		}
	}
	var out []any
	for _, h := range holders {
		o, _ := d.follow(h).(map[string]any)
		media, _ := o["content"].(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(media)) {
			m, _ := media[name].(map[string]any)
			out = append(out, m["schema"])
		}
	}
	return out
}

const mostDepth = 64

// has reports whether a schema has a property at these steps; the step items enters a list.
func (d *document) has(schema any, steps []string, depth int) bool {
	o, _ := d.follow(schema).(map[string]any)
	if depth > mostDepth || o == nil {
		return false
	}
	if len(steps) == 0 {
		return true
	}
	properties, _ := o["properties"].(map[string]any)
	if p, ok := properties[steps[0]]; ok && d.has(p, steps[1:], depth+1) {
		return true
	}
	if items, ok := o["items"]; ok && steps[0] == "items" && d.has(items, steps[1:], depth+1) {
		return true
	}
	for _, keyword := range []string{"allOf", "anyOf", "oneOf"} {
		branches, _ := o[keyword].([]any)
		if slices.ContainsFunc(branches, func(b any) bool { return d.has(b, steps, depth+1) }) {
			return true
		}
	}
	for _, keyword := range []string{"if", "then", "else", "additionalProperties"} {
		rest := steps
		if keyword == "additionalProperties" && steps[0] == "additionalProperties" {
			rest = steps[1:]
		}
		if b, ok := o[keyword]; ok && d.has(b, rest, depth+1) {
			return true
		}
	}
	return false
}
