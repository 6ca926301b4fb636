package spec_test

import (
	"strings"
	"testing"
)

func TestEverySchemaCompiles(t *testing.T) {
	c := read(t)
	for _, id := range c.schemas() {
		c.compile(t, id)
	}
	for id := range c.docs {
		if !strings.HasPrefix(id, base) && !strings.HasPrefix(id, profileBase) {
			t.Errorf("%s: the $id is neither the protocol's own nor ours", id)
		}
	}
}

// Every event type leads to a payload, and every payload belongs to a type.
func TestPayloadsBelongToTypes(t *testing.T) {
	defs := object(read(t).docs[base+"event-payloads.schema.json"]["$defs"])
	index := object(defs["_typeIndex"])
	used := map[string]bool{"_typeIndex": true}
	for _, keyword := range []string{"properties", "patternProperties"} {
		for typ, entry := range object(index[keyword]) {
			ref, _ := object(entry)["$ref"].(string)
			name := strings.TrimPrefix(ref, "#/$defs/")
			if defs[name] == nil {
				t.Errorf("%s leads to %q", typ, ref)
			}
			used[name] = true
		}
	}
	for name := range defs {
		if !used[name] {
			t.Errorf("no event has the payload %s", name)
		}
	}
}
