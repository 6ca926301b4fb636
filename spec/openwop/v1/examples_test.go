package spec_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// examples are documents that a schema must accept or refuse, by what they show.
type examples struct {
	Valid   map[string]any `json:"valid"`
	Invalid map[string]any `json:"invalid"`
}

// allExamples maps the URI of a schema to its examples. testdata/<schema>.json holds those of one schema; for
// payloads and for API bodies a file holds those of many.
func allExamples(t *testing.T, c *corpus) map[string]examples {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	out := map[string]examples{}
	for _, path := range paths {
		switch name := strings.TrimSuffix(filepath.Base(path), ".json"); name {
		case "openapi":
			for component, e := range readJSON[map[string]examples](t, path) {
				out[apiID+"#/components/schemas/"+component] = e
			}
		case "run-event-payloads":
			for typ, e := range readJSON[map[string]examples](t, path) {
				out[payloadSchema(t, c, typ)] = e
			}
		default:
			out[base+name+".schema.json"] = readJSON[examples](t, path)
		}
	}
	return out
}

// payloadSchema is the URI of the payload of an event type.
func payloadSchema(t *testing.T, c *corpus, typ string) string {
	t.Helper()
	const id = base + "run-event-payloads.schema.json"
	ref, ok := object(object(c.at(id, "/$defs/_typeIndex/properties"))[typ])["$ref"].(string)
	if !ok {
		t.Fatalf("_typeIndex has no payload for %s", typ)
	}
	return id + ref
}

func TestExamples(t *testing.T) {
	c := ours(t)
	for id, e := range allExamples(t, c) {
		if len(e.Valid) == 0 || len(e.Invalid) == 0 {
			t.Errorf("%s: a schema needs examples of both kinds", id)
		}
		for _, problem := range misjudged(t, c, id, e) {
			t.Error(problem)
		}
	}
}

// misjudged lists the examples that a schema takes for the wrong kind.
func misjudged(t *testing.T, c *corpus, id string, e examples) []string {
	t.Helper()
	schema := c.compile(t, id)
	var out []string
	for _, name := range sorted(e.Valid) {
		if err := schema.Validate(e.Valid[name]); err != nil {
			out = append(out, fmt.Sprintf("%s: %q is refused: %#v", id, name, err))
		}
	}
	for _, name := range sorted(e.Invalid) {
		if schema.Validate(e.Invalid[name]) == nil {
			out = append(out, fmt.Sprintf("%s: %q is accepted", id, name))
		}
	}
	return out
}

func TestEverySchemaHasExamples(t *testing.T) {
	c := ours(t)
	have := allExamples(t, c)
	want := []string{}
	for _, id := range sorted(c.docs) {
		if id != apiID && id != base+"run-event-payloads.schema.json" {
			want = append(want, id)
		}
	}
	for _, typ := range sorted(object(c.at(base+"run-event-payloads.schema.json", "/$defs/_typeIndex/properties"))) {
		want = append(want, payloadSchema(t, c, typ))
	}
	for _, component := range sorted(object(c.at(apiID, "/components/schemas"))) {
		want = append(want, apiID+"#/components/schemas/"+component)
	}
	for _, id := range want {
		if _, ok := have[id]; !ok {
			t.Errorf("%s has no examples in testdata", id)
		}
	}
}
