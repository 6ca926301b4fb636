package apidoc

import (
	"encoding/json"
	"testing"
)

func TestPlaces(t *testing.T) {
	s, err := NewSamples([]byte(`{"schemas": {
		"Lamp": {"allOf": [{"$ref": "#/schemas/Base"}], "oneOf": [{"properties": {"oil": {"type": "number"}}}, {"properties": {"gas": true}}],
			"if": {"properties": {"lit": {"const": true}}}, "then": {"properties": {"since": {"const": 7}}},
			"else": {"properties": {"since": {"enum": ["never", null]}}}},
		"Base": {"properties": {"next": {"$ref": "#/schemas/Lamp"}, "tags": {"additionalProperties": {"items": {"enum": ["a"]}}}, "open": {}}},
		"Other": {"properties": {"deep": {"type": "string"}}},
		"Loop": {"$ref": "#/schemas/Loop"}}}`))
	if err != nil {
		t.Fatal(err)
	}
	lamp := s.Place("/schemas/Lamp")
	for _, name := range []string{"oil", "next", "tags", "since", "open"} {
		if _, named := lamp.Member(name); !named {
			t.Errorf("a lamp has no %s", name)
		}
	}
	if _, named := lamp.Member("lit"); named { // a condition alone
		t.Error("a lamp has a member that only a condition names")
	}
	next, _ := lamp.Member("next")
	since, _ := next.Member("since")
	if !since.Lists(json.Number("7")) || !since.Lists("never") || !since.Lists(nil) || since.Lists("7") || since.Lists([]any{}) {
		t.Error("since does not list what both branches do")
	}
	tags, _ := lamp.Member("tags")
	if tag, named := tags.Member("x"); named || tags.Names() || !tag.Items().Lists("a") {
		t.Error("tags is no map of lists")
	}
	if open, _ := lamp.Member("open"); !open.Known() || open.Items().Known() {
		t.Error("what may be anything is known further down")
	}
	if nowhere := s.Place("/schemas/None"); nowhere.Known() || nowhere.Items().Known() {
		t.Error("something is known of a schema that there is not")
	}
	lamp.Also("open", "/schemas/Other")
	if open, named := lamp.Member("open"); !named || !open.Names() {
		t.Error("what was added is not there")
	}
	if !s.Place("/schemas/Loop").Known() {
		t.Error("nothing is known of a schema that refers to itself")
	}
}
