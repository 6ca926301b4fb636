// Package spec_test holds the spec of OpenWOP v1 to itself, and to the schemas and fixtures that the protocol publishes.
package spec_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-openapi/jsonpointer"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"go.yaml.in/yaml/v3"
)

const (
	base     = "https://openwop.dev/spec/v1/"
	apiID    = base + "openapi.yaml" // where the compiler finds openapi.yaml; no schema refers to it
	upstream = "../../../../shared/upstream/openwop-v1"
)

// corpus is a set of schema documents that refer to each other by $id.
type corpus struct {
	docs     map[string]map[string]any // by $id
	compiler *jsonschema.Compiler
}

// ours are our schemas, and openapi.yaml as one more document.
func ours(t *testing.T) *corpus {
	t.Helper()
	c := readCorpus(t, "schemas")
	c.add(t, apiID, readAPI(t))
	return c
}

// theirs are the published schemas. Where they are not at hand the test is passed over.
func theirs(t *testing.T) *corpus {
	t.Helper()
	needUpstream(t)
	return readCorpus(t, filepath.Join(upstream, "schemas"))
}

func needUpstream(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(upstream); errors.Is(err, fs.ErrNotExist) {
		t.Skip("the published OpenWOP schemas are not beside this project: passing over the comparison with them")
	}
}

func readCorpus(t *testing.T, dir string) *corpus {
	t.Helper()
	c := &corpus{docs: map[string]map[string]any{}, compiler: jsonschema.NewCompiler()}
	c.compiler.AssertFormat = true
	c.compiler.LoadURL = func(url string) (io.ReadCloser, error) {
		return nil, fmt.Errorf("no schema has the $id %s", url)
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".schema.json") {
			return err
		}
		doc := readJSON[map[string]any](t, path)
		id, _ := doc["$id"].(string)
		if id == "" {
			return fmt.Errorf("%s has no $id", path)
		}
		c.add(t, id, doc)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *corpus) add(t *testing.T, id string, doc map[string]any) {
	t.Helper()
	if _, twice := c.docs[id]; twice {
		t.Fatalf("two documents have the $id %s", id)
	}
	toRE2(t, doc)
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.compiler.AddResource(id, bytes.NewReader(b)); err != nil {
		t.Fatal(err)
	}
	c.docs[id] = doc
}

// compile compiles the schema at id, which may end in a pointer.
func (c *corpus) compile(t *testing.T, id string) *jsonschema.Schema {
	t.Helper()
	s, err := c.compiler.Compile(id)
	if err != nil {
		t.Fatalf("compile %s: %v", id, err)
	}
	return s
}

// at follows a pointer into a document; nil where it ends early.
func (c *corpus) at(id, pointer string) any {
	var v any = c.docs[id]
	for part := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if part == "" {
			continue
		}
		m, _ := v.(map[string]any)
		v = m[jsonpointer.Unescape(part)]
	}
	return v
}

// readAPI reads openapi.yaml as JSON values, its file references turned into $ids.
func readAPI(t *testing.T) map[string]any {
	t.Helper()
	b, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := yaml.Unmarshal(b, &tree); err != nil {
		t.Fatal(err)
	}
	if b, err = json.Marshal(tree); err != nil {
		t.Fatal(err)
	}
	b = bytes.ReplaceAll(b, []byte(`"$ref":"schemas/`), []byte(`"$ref":"`+base))
	var api map[string]any
	if err := json.Unmarshal(b, &api); err != nil {
		t.Fatal(err)
	}
	return api
}

func readJSON[T any](t *testing.T, path string) T {
	t.Helper()
	var v T
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return v
}

var lookahead = regexp.MustCompile(`^\^\(\?!((?:[^()]|\([^()]*\))*)\)(.*)$`)

// toRE2 rewrites the one construct in the published patterns that Go's regexp lacks: a negative lookahead
// at the start becomes a second pattern under not.
func toRE2(t *testing.T, node any) {
	t.Helper()
	switch node := node.(type) {
	case map[string]any:
		if p, ok := node["pattern"].(string); ok {
			if m := lookahead.FindStringSubmatch(p); m != nil {
				if node["not"] != nil {
					t.Fatalf("pattern %s: there is a not beside it already", p)
				}
				node["pattern"], node["not"] = "^"+m[2], map[string]any{"pattern": "^" + m[1]}
			}
		}
		for _, v := range node {
			toRE2(t, v)
		}
	case []any:
		for _, v := range node {
			toRE2(t, v)
		}
	}
}

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

func object(v any) map[string]any { m, _ := v.(map[string]any); return m }
