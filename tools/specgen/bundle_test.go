package specgen

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// bundleOf bundles a folder given as file name -> content.
func bundleOf(t *testing.T, house bool, files map[string]string) *contract {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		writeFile(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	f, err := load(dir, house, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := read(f)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (b *bundled) named(name string) any {
	return asObject(asObject(b.doc["components"])["schemas"])[name]
}

func TestComponentNames(t *testing.T) {
	c := bundleOf(t, false, map[string]string{
		"run-event.schema.json":            `{"type": "object", "$defs": {"RunEventType": {"type": "string"}, "cause": {"type": "string"}}}`,
		"schemas/goal.schema.json":         `{"type": "object", "$defs": {"Bounds": {"type": "object"}, "GoalState": {"type": "string"}, "Signing": {"type": "string"}}}`,
		"schemas/media/ui.card.schema.yml": `{type: object, $defs: {Signing: {type: string}, Goal: {type: string}}}`,
		"payloads.schema.json": `{"$defs": {
			"_typeIndex": {"properties": {"a.b": {"$ref": "#/$defs/ab"}, "c.d": {"$ref": "#/$defs/alias"}},
				"patternProperties": {"^e\\.[a-z]+$": {"$ref": "#/$defs/ab"}}},
			"ab": {"type": "object"}, "donePayload": {"type": "object"}, "alias": {"$ref": "run-event.schema.json", "description": "x"}}}`,
		"openapi.yaml": "openapi: 3.1.0\ninfo: {title: T, version: '1'}\npaths: {}\ncomponents:\n schemas:\n  Renamed: {$ref: " +
			"schemas/goal.schema.json}\n" +
			"  Again: {$ref: schemas/goal.schema.json}\n  Edge: {$ref: 'schemas/goal.schema.json#/$defs/Bounds'}\n",
	})
	want := []string{
		"AbPayload", "Again", "DonePayload", // of a type index; Again is the first name of goal, in alphabetical order
		"AgainSigning", "MediaUiCardSigning", // both stepped back
		"Edge", "Goal", "GoalState", // Goal is free, since its document is called otherwise
		"MediaUiCard", "Renamed", "RunEvent", "RunEventCause", "RunEventType",
	}
	got := map[string]bool{}
	for _, name := range sortedKeys(asObject(asObject(c.doc["components"])["schemas"])) {
		got[name] = true
	}
	wanted := map[string]bool{}
	for _, name := range want {
		wanted[name] = true
	}
	if diff := cmp.Diff(wanted, got); diff != "" {
		t.Errorf("components (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(any(object{"$ref": "#/components/schemas/Again"}), c.named("Renamed")); diff != "" {
		t.Errorf("second name of one schema (-want +got):\n%s", diff)
	}
	wantEvents := []event{
		{"^e\\.[a-z]+$", "payloads.schema.json#/$defs/ab", "AbPayload", "", true},
		{"a.b", "payloads.schema.json#/$defs/ab", "AbPayload", "", false},
		{"c.d", "payloads.schema.json#/$defs/alias", "RunEvent", "", false},
	}
	if diff := cmp.Diff(wantEvents, c.events); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

func TestReferencesAreFoundByIDAndByPath(t *testing.T) {
	c := bundleOf(t, false, map[string]string{
		// The ids and the files lie differently: a relative reference follows the $id first.
		"one.schema.json": `{"$id": "https://example.test/deep/one.json", "properties": {
			"byID": {"$ref": "https://example.test/deep/two.json"},
			"relativeToID": {"$ref": "two.json#"},
			"byFile": {"$ref": "sub/three.schema.json"},
			"escaped": {"$ref": "two.json#/$defs/a~1b%25"},
			"self": {"$ref": "#"}}}`,
		"sub/two.schema.json":   `{"$id": "https://example.test/deep/two.json", "type": "object", "$defs": {"a/b%": {"type": "string"}}}`,
		"sub/three.schema.json": `{"properties": {"up": {"$ref": "../one.schema.json"}}}`,
	})
	ref := func(name string) object { return object{"$ref": componentPrefix + name} }
	want := object{"properties": object{
		"byID": ref("SubTwo"), "relativeToID": ref("SubTwo"), "byFile": ref("SubThree"), "escaped": ref("SubTwoAB"), "self": ref("One"),
	}}
	if diff := cmp.Diff(any(want), c.named("One")); diff != "" {
		t.Errorf("One (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(any(object{"properties": object{"up": ref("One")}}), c.named("SubThree")); diff != "" {
		t.Errorf("SubThree (-want +got):\n%s", diff)
	}
}

// What only looks like a reference or a keyword stays as it was written.
func TestLiteralsAreLeftAlone(t *testing.T) {
	const literal = `{"$ref": "nowhere.json", "pattern": "(?=", "$id": 3}`
	c := bundleOf(t, false, map[string]string{
		"a.schema.json": `{"const": ` + literal + `, "default": ` + literal + `, "examples": [` + literal + `], "enum": [` + literal + `], "x-note": ` + literal + `,
			"properties": {"$ref": {"type": "string"}, "$id": {"type": "string"}, "$defs": {"type": "string"}, "enum": {"$ref": "#/$defs/B"}, "pattern": true}, "$defs": {"B": {"type": "string"}}}`,
	})
	a := asObject(c.named("A"))
	inner, err := parse("x.json", []byte(literal))
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []string{"const", "default", "x-note"} {
		if diff := cmp.Diff(inner, a[k]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", k, diff)
		}
	}
	if got := asObject(asObject(a["properties"])["enum"])["$ref"]; got != "#/components/schemas/B" {
		t.Errorf("a property called enum refers to %v", got)
	}
}

func TestBundleKeepsWhatValidationNeeds(t *testing.T) {
	c := bundleOf(t, false, map[string]string{
		"a.schema.json": `{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://example.test/a", "type": "string", "pattern": "^(?!x)[a-z]+$", "maxLength": 9007199254740993, "if": {"minLength": 1.50}}`,
	})
	want := `{
 "if": {
  "minLength": 1.50
 },
 "maxLength": 9007199254740993,
 "not": {
  "pattern": "^(?:x)"
 },
 "pattern": "^[a-z]+$",
 "type": "string"
}
`
	if diff := cmp.Diff(want, string(mustEncode(t, c.named("A")))); diff != "" {
		t.Errorf("bundle (-want +got):\n%s", diff)
	}
}

func TestDiscriminatorMappings(t *testing.T) {
	const union = `{"oneOf": [{"$ref": "#/$defs/Go"}, {"$ref": "#/$defs/Stop"}], "discriminator": {"propertyName": "k", "mapping": {"go": "#/$defs/Go", "stop": "Stop"}},
		"$defs": {"Go": {"required": ["k"], "properties": {"k": {"const": "go"}}}, "Stop": {"required": ["k"], "properties": {"k": {"const": "stop"}}}}}`
	c := bundleOf(t, false, map[string]string{"step.schema.json": union})
	want := object{"go": componentPrefix + "Go", "stop": componentPrefix + "Stop"}
	if diff := cmp.Diff(want, asObject(asObject(c.named("Step"))["discriminator"])["mapping"]); diff != "" {
		t.Errorf("mapping (-want +got):\n%s", diff)
	}
	moved := asObject(asObject(asObject(asObject(c.asSchema()["$defs"])["Step"])["discriminator"])["mapping"])
	if diff := cmp.Diff(object{"go": "#/$defs/Go", "stop": "#/$defs/Stop"}, moved); diff != "" {
		t.Errorf("mapping in a bundle of schemas alone (-want +got):\n%s", diff)
	}
}

func TestHouseRulesPass(t *testing.T) {
	for _, o := range Targets("../..") {
		if !o.House {
			t.Errorf("%s is not held to the house rules", o.Spec)
		}
	}
	bundleOf(t, true, map[string]string{
		"a.schema.json": `{"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": "https://example.test/a",
			"oneOf": [{"required": ["x"]}, {"required": ["y"]}],
			"properties": {
				"x": {"anyOf": [{"$ref": "#/$defs/Untold"}, {"type": "null"}]},
				"y": {"x-go-type": "json.RawMessage", "oneOf": [{"$ref": "#/$defs/Untold"}, {"type": "object", "properties": {"b": {"type": "string"}}}]},
				"z": {"anyOf": [{"type": "string"}, {"type": "integer"}]}
			},
			"$defs": {"Untold": {"type": "object", "properties": {"a": {"type": "string"}}}}}`,
	})
}
