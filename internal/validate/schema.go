package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Schema is a compiled schema. It is safe for concurrent use.
type Schema struct {
	set      *Set
	compiled *jsonschema.Schema
}

// Validate returns the problems of a JSON document, none if it is valid. A document that is not JSON, is too deep or
// holds a number out of the range of float64 has one problem, at the root.
func (s *Schema) Validate(raw []byte) []Problem {
	if tooDeep(raw, s.set.maxDepth) {
		return []Problem{{Keyword: "depth", Message: fmt.Sprintf("nested deeper than %d levels", s.set.maxDepth)}}
	}
	// Decode numbers as float64: the library panics on some json.Number, and takes long for others.
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return []Problem{{Keyword: "json", Message: describeDecodeError(raw, err)}}
	}
	return s.judge(v)
}

// ValidateText is like Validate, for a string that is not encoded.
func (s *Schema) ValidateText(text string) []Problem { return s.judge(text) }

// judge validates a decoded document.
func (s *Schema) judge(v any) []Problem {
	err := s.compiled.Validate(v)
	if err == nil {
		return nil
	}
	failed := (*jsonschema.ValidationError)(nil)
	if !errors.As(err, &failed) {
		return []Problem{{Keyword: "schema", Message: err.Error()}} // an endless reference of the schema to itself
	}
	return s.set.problems(failed, v)
}

// ValidateValue validates the JSON encoding of a value.
func (s *Schema) ValidateValue(v any) []Problem {
	raw, err := json.Marshal(v)
	if err != nil {
		return []Problem{{Keyword: "json", Message: "cannot be written as JSON: " + err.Error()}}
	}
	return s.Validate(raw)
}

func describeDecodeError(raw []byte, err error) string {
	var syntax *json.SyntaxError
	var number *json.UnmarshalTypeError
	switch {
	case len(bytes.TrimSpace(raw)) == 0:
		return "empty where a JSON document was expected"
	case errors.As(err, &syntax):
		return fmt.Sprintf("not JSON: %s at byte %d", syntax.Error(), syntax.Offset)
	case errors.As(err, &number):
		return fmt.Sprintf("not JSON: the number at byte %d is out of range", number.Offset)
	}
	return "not JSON: " + err.Error()
}

// tooDeep reports whether brackets outside strings are nested too deep, without decoding the document.
func tooDeep(raw []byte, limit int) bool {
	depth, inString := 0, false
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > limit {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
