package sent

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/apidoc"
)

// deepest is how far the shape of a body is looked at.
const deepest = 24

// shape says the places of a body, with their types, and the values that the protocol lists.
type shape struct {
	operation string
	said      map[Item]bool
	settings  []string
}

// mostSaid bounds what one request says: anybody may have sent it.
const mostSaid = 10_000

func (s shape) say(i Item) {
	if len(s.said) < mostSaid {
		s.said[i] = true
	}
}

func (s shape) text(body string, place *apidoc.Place) {
	var v any
	if decode(body, &v) != nil {
		s.say(Item{s.operation, Body, "/ no JSON"})
		return
	}
	s.value(v, "", place, 0, deepest)
}

// value says the shape of a value. free counts the levels above it that no schema describes. The first of them is looked at, so that
// a map of texts differs from one of lists; what is below it is the client's own.
func (s shape) value(v any, at string, place *apidoc.Place, free, left int) {
	if !place.Known() {
		free++
	}
	s.say(Item{s.operation, Body, orRoot(at) + " " + typeOf(v)})
	if place.Lists(v) {
		s.say(Item{s.operation, Value, fmt.Sprintf("%s = %v", orRoot(at), v)})
	}
	if free > 1 || left == 0 {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for name, member := range v {
			below, named := place.Member(name)
			switch {
			case named:
			case place.Names() || slices.Contains(s.settings, at):
				name = word(name)
			default: // in a map, names are values
				name = other
			}
			s.value(member, at+"/"+name, below, free, left-1)
		}
	case []any:
		items := place.Items()
		for _, element := range v {
			s.value(element, at+"[]", items, free, left-1)
		}
	}
}

func orRoot(at string) string {
	if at == "" {
		return "/"
	}
	return at
}

// typeOf returns the JSON type of a decoded value.
func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return "number"
		}
		return "integer"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}
