package validate

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-openapi/jsonpointer"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/openassay/assay/internal/nearest"
)

const mustBe = "must be "

func mustBeOneOf(values []string) string {
	const most = 20
	switch {
	case len(values) == 1:
		return mustBe + values[0]
	case len(values) > most:
		return fmt.Sprintf("%sone of %s and %d more", mustBe, strings.Join(values[:most], ", "), len(values)-most)
	}
	return mustBe + "one of " + strings.Join(values, ", ")
}

// describe returns the problems of an error. It replaces messages of the library that depend on the order of a map,
// repeat values of any length, or read badly.
func (w *walker) describe(e *jsonschema.ValidationError) []Problem {
	p := Problem{Instance: instanceOf(e), Keyword: keywordPointer(e), Message: e.Message}
	_, value, err := w.set.find(p.Keyword)
	if err != nil || value == false && e.Message == "not allowed" { // the schema false has no keyword
		return []Problem{p}
	}
	sent := lookUp(w.document, p.Instance)
	switch keyword(e) {
	case "required":
		if names := missing(value, sent); len(names) > 0 {
			return each(p, names, "missing property ")
		}
	case "additionalProperties":
		if names := w.unknown(p.Keyword, sent); len(names) > 0 && value == false {
			out := each(p, names, "unknown property ")
			for i, n := range names {
				out[i].Near = nearest.Name(n, w.known(p.Keyword))
			}
			return out
		}
	case "const":
		p.Message = mustBeOneOf([]string{literal(value)})
	case "enum":
		p.Message = mustBeOneOf(literals(value))
		if word, is := sent.(string); is {
			p.Near = nearest.Name(word, words(value))
		}
	case "format":
		p.Message = fmt.Sprintf("is not a valid %v", value)
	case "minimum":
		p.Message = fmt.Sprintf("must be at least %s, but is %s", literal(value), literal(sent))
	case "maximum":
		p.Message = fmt.Sprintf("must be at most %s, but is %s", literal(value), literal(sent))
	case "exclusiveMinimum":
		p.Message = fmt.Sprintf("must be more than %s, but is %s", literal(value), literal(sent))
	case "exclusiveMaximum":
		p.Message = fmt.Sprintf("must be less than %s, but is %s", literal(value), literal(sent))
	case "multipleOf":
		p.Message = fmt.Sprintf("must be a multiple of %s, but is %s", literal(value), literal(sent))
	case "not":
		p.Message = "has a form that is ruled out"
	case "oneOf":
		p.Message = "fits more than one of the forms it may have"
	case "pattern":
		p.Message = fmt.Sprintf("does not match the pattern %v", value)
	}
	return []Problem{p}
}

func each(p Problem, names []string, message string) []Problem {
	out := make([]Problem, len(names))
	for i, n := range names {
		p.Message = message + clip(n)
		out[i] = p
	}
	return out
}

func missing(required, sent any) []string {
	names, _ := required.([]any)
	object, _ := sent.(map[string]any)
	var out []string
	for _, n := range names {
		if n, ok := n.(string); ok {
			if _, present := object[n]; !present {
				out = append(out, n)
			}
		}
	}
	return out
}

// unknown returns the unknown properties of a closed object, none if the schema has patternProperties.
func (w *walker) unknown(keyword string, sent any) []string {
	_, v, err := w.set.find(parent(keyword))
	schema, _ := v.(map[string]any)
	if err != nil || schema["patternProperties"] != nil {
		return nil
	}
	known, _ := schema["properties"].(map[string]any)
	object, _ := sent.(map[string]any)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(object)), func(n string) bool { _, ok := known[n]; return ok })
}

// known returns the properties of the object with a keyword, in order.
func (w *walker) known(keyword string) []string {
	_, v, err := w.set.find(parent(keyword))
	schema, _ := v.(map[string]any)
	properties, _ := schema["properties"].(map[string]any)
	if err != nil {
		return nil
	}
	return slices.Sorted(maps.Keys(properties))
}

// words returns the texts in a list.
func words(v any) (out []string) {
	list, _ := v.([]any)
	for _, e := range list {
		if word, is := e.(string); is {
			out = append(out, word)
		}
	}
	return out
}

func lookUp(document any, pointer string) any {
	for _, token := range tokens(pointer) {
		document, _ = child(document, jsonpointer.Unescape(token))
	}
	return document
}

func literals(v any) []string {
	list, _ := v.([]any)
	out := make([]string, len(list))
	for i, e := range list {
		out[i] = literal(e)
	}
	return out
}

// literal returns a value as clipped JSON.
func literal(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return clip(string(b))
}

// clip clips a text that may come from the document, and escapes control characters.
func clip(s string) string {
	const longest = 80
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:longest], "") + "..."
	}
	if strings.ContainsFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}
