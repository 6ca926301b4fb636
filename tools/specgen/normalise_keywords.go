package specgen

import (
	"slices"
	"strings"
)

// booleanSchemas turns the schemas true and false into objects. A false property can never be sent, so it gets no
// field.
func booleanSchemas(s object) {
	for _, sl := range slots(s) {
		allowed, ok := sl.value.(bool)
		if !ok || sl.keyword == "additionalProperties" {
			continue
		}
		if sl.keyword == "properties" && !allowed {
			delete(asObject(s["properties"]), sl.key)
			continue
		}
		sl.set(object{})
	}
}

// dropAnnotations removes keywords without a form in Go.
func dropAnnotations(s object) {
	for _, k := range []string{"$comment", "$defs", "contentEncoding", "contentMediaType", "contentSchema", "default", "example",
		"examples", "readOnly", "writeOnly"} {
		delete(s, k)
	}
}

// dropConditions removes the keywords that only validation understands; oapi-codegen and the 3.0 part of kin-openapi
// fail on some of them.
func dropConditions(s object) {
	mapOfPatterns(s)
	for _, k := range []string{
		"contains", "dependentRequired", "dependentSchemas", "else", "if", "maxContains", "minContains", "not", "pattern", "patternProperties",
		"prefixItems", "propertyNames", "then", "unevaluatedItems", "unevaluatedProperties",
	} {
		delete(s, k)
	}
}

// mapOfPatterns turns an object with only patternProperties into a map.
func mapOfPatterns(s object) {
	patterns := asObject(s["patternProperties"])
	if len(patterns) == 0 || s["properties"] != nil {
		return
	}
	delete(s, "additionalProperties")
	if names := sortedKeys(patterns); len(names) == 1 {
		s["additionalProperties"] = patterns[names[0]]
	}
	if s["type"] == nil {
		s["type"] = "object"
	}
}

// bareRefs drops the siblings of a $ref, except descriptions and our own instructions: a Go type cannot be narrowed in
// passing.
func bareRefs(s object) {
	if s["$ref"] == nil {
		return
	}
	for _, k := range sortedKeys(s) {
		if k != "$ref" && k != "description" && !strings.HasPrefix(k, "x-") {
			delete(s, k)
		}
	}
}

// plainStructs drops a boolean additionalProperties beside properties: with it, every struct would get a map of the
// rest and methods around it. Callers that need unknown fields keep the raw bytes.
func plainStructs(s object) {
	if _, ok := s["additionalProperties"].(bool); ok && len(asObject(s["properties"])) > 0 {
		delete(s, "additionalProperties")
	}
	if s["type"] == "array" && s["items"] == nil {
		s["items"] = object{}
	}
}

// wrapDescriptions breaks long comments into lines.
func wrapDescriptions(s object) {
	if d, ok := s["description"].(string); ok {
		s["description"] = wrap(d, 96)
	}
}

func wrap(text string, width int) string {
	var lines []string
	for paragraph := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		line := ""
		for w := range strings.FieldsSeq(paragraph) {
			if line != "" && len(line)+1+len(w) > width {
				lines = append(lines, line)
				line = ""
			}
			if line != "" {
				line += " "
			}
			line += w
		}
		lines = append(lines, line)
	}
	return strings.Join(slices.Compact(lines), "\n")
}
