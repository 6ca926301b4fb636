package spec_test

import (
	"slices"
	"strings"
	"testing"
)

func TestEverySchemaCompiles(t *testing.T) {
	c := ours(t)
	for _, id := range sorted(c.docs) {
		if id == apiID {
			continue
		}
		if !strings.HasPrefix(id, base) {
			t.Errorf("%s: the $id is not the protocol's own", id)
		}
		c.compile(t, id)
		for _, def := range sorted(object(c.docs[id]["$defs"])) {
			c.compile(t, id+"#/$defs/"+def)
		}
	}
	for _, name := range sorted(object(c.at(apiID, "/components/schemas"))) {
		c.compile(t, apiID+"#/components/schemas/"+name)
	}
}

func TestPayloadsBelongToTheCatalogue(t *testing.T) {
	c := ours(t)
	catalogue := catalogueOf(t, c)
	index := object(c.at(base+"run-event-payloads.schema.json", "/$defs/_typeIndex/properties"))
	for _, typ := range sorted(index) {
		if !slices.Contains(catalogue, typ) {
			t.Errorf("a payload is given for %s, which run-event.schema.json does not list", typ)
		}
	}
	defs := object(c.at(base+"run-event-payloads.schema.json", "/$defs"))
	if want := len(defs) - 1; len(index) != want { // all but _typeIndex
		t.Errorf("%d payload definitions, but %d event types that use one", want, len(index))
	}
}

func catalogueOf(t *testing.T, c *corpus) []string {
	t.Helper()
	enum, _ := c.at(base+"run-event.schema.json", "/$defs/RunEventType/enum").([]any)
	if len(enum) == 0 {
		t.Fatal("run-event.schema.json lists no event types")
	}
	names := make([]string, len(enum))
	for i, v := range enum {
		names[i] = v.(string)
	}
	slices.Sort(names)
	once := slices.Compact(slices.Clone(names))
	if len(once) != len(names) {
		t.Fatal("run-event.schema.json lists an event type twice")
	}
	return names
}
