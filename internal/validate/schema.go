package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// Schema is one compiled schema. It may be used from many goroutines.
type Schema struct {
	set      *Set
	compiled *jsonschema.Schema
}

// Validate checks one JSON document. No problems mean that it is valid. A document that is not JSON, is nested too deep
// or holds a number that no float64 can hold has one problem, at the root.
func (s *Schema) Validate(raw []byte) []Problem {
	if tooDeep(raw, s.set.maxDepth) {
		return []Problem{{Keyword: "depth", Message: fmt.Sprintf("nested deeper than %d levels", s.set.maxDepth)}}
	}
	// Numbers become float64 on purpose: the library panics on some json.Number, and takes long over others.
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		return []Problem{{Keyword: "json", Message: describeDecodeError(raw, err)}}
	}
	err := s.compiled.Validate(v)
	if err == nil {
		return nil
	}
	failed := (*jsonschema.ValidationError)(nil)
	if !errors.As(err, &failed) {
		return []Problem{{Keyword: "schema", Message: err.Error()}} // a schema that refers to itself without end
	}
	return s.set.problems(failed, v)
}

// ValidateValue checks a value in the form in which encoding/json writes it.
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

// tooDeep counts brackets outside strings, so that a hostile document is refused before anything is built of it.
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
