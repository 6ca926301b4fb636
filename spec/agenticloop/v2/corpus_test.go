// Package spec_test holds the spec of the agentic loop to itself: the schemas compile, and take and refuse what they should.
package spec_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

const (
	base        = "https://github.com/mattjoyce/ductile/agentic-loop/v2/" // the protocol's own
	profileBase = "https://openassay.dev/spec/agenticloop/v2/"            // of what is Assay's own
)

// corpus is our schemas, by $id.
type corpus struct {
	docs     map[string]map[string]any
	compiler *jsonschema.Compiler
}

func read(t *testing.T) *corpus {
	t.Helper()
	c := &corpus{docs: map[string]map[string]any{}, compiler: jsonschema.NewCompiler()}
	c.compiler.AssertFormat = true
	c.compiler.LoadURL = func(url string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("no schema has the $id %s", url)
	}
	paths, err := filepath.Glob("schemas/*.schema.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no schemas: %v", err)
	}
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var doc map[string]any
		if err := json.Unmarshal(raw, &doc); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		id, _ := doc["$id"].(string)
		if filepath.Base(id) != filepath.Base(path) {
			t.Errorf("%s has the $id %q", path, id)
		}
		if c.docs[id] != nil {
			t.Fatalf("two documents have the $id %s", id)
		}
		if err := c.compiler.AddResource(id, bytes.NewReader(raw)); err != nil {
			t.Fatal(err)
		}
		c.docs[id] = doc
	}
	return c
}

func (c *corpus) compile(t *testing.T, id string) *jsonschema.Schema {
	t.Helper()
	s, err := c.compiler.Compile(id)
	if err != nil {
		t.Fatalf("compile %s: %v", id, err)
	}
	return s
}

// schemas are the URIs of everything that can be referred to, except type indices and documents that only hold definitions.
func (c *corpus) schemas() []string {
	var ids []string
	for _, id := range sorted(c.docs) {
		doc := c.docs[id]
		if doc["properties"] != nil {
			ids = append(ids, id)
		}
		for _, def := range sorted(object(doc["$defs"])) {
			if def != "_typeIndex" {
				ids = append(ids, id+"#/$defs/"+def)
			}
		}
	}
	return ids
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func object(v any) map[string]any { m, _ := v.(map[string]any); return m }
