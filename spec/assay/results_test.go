// Package assay_test holds the schemas of our own documents to examples.
package assay_test

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

// compile reads the schema of a document by its name.
func compile(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat = true
	for _, each := range []string{"results", name} { // others say what results define
		f, err := os.Open(each + ".schema.json")
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := c.AddResource(schemaID(each), f); err != nil {
			t.Fatal(err)
		}
	}
	s, err := c.Compile(schemaID(name))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func schemaID(name string) string { return "https://openassay.dev/spec/" + name + ".schema.json" }

// read is a document as JSON has it.
func read(t *testing.T, path string) map[string]any {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(b, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

const resultsExample = "testdata/results.json"

func TestResultsExample(t *testing.T) {
	if err := compile(t, "results").Validate(read(t, resultsExample)); err != nil {
		t.Errorf("%#v", err)
	}
}

// Each case spoils one thing in the example; the schema must refuse it at that place, and for that reason.
func TestResultsRefusals(t *testing.T) {
	scenario := func(doc map[string]any, i int) map[string]any {
		return doc["scenarios"].([]any)[i].(map[string]any)
	}
	cases := map[string]struct {
		spoil     func(doc map[string]any)
		at, under string // instance location and keyword of one of the problems
	}{
		"another format":            {func(d map[string]any) { d["schema"] = "assay.results/3" }, "/schema", "enum"},
		"no totals":                 {func(d map[string]any) { delete(d, "totals") }, "", "required"},
		"a field more":              {func(d map[string]any) { d["score"] = 99 }, "", "additionalProperties"},
		"a verdict that is none":    {func(d map[string]any) { scenario(d, 1)["verdict"] = "skipped" }, "/scenarios/1/verdict", "enum"},
		"a failure without failing": {func(d map[string]any) { scenario(d, 0)["verdict"] = "passed" }, "/scenarios/0", "not"},
		"failed without a failure":  {func(d map[string]any) { delete(scenario(d, 0), "failure") }, "/scenarios/0", "required"},
		"evidence that is none":     {func(d map[string]any) { scenario(d, 0)["evidence"] = "" }, "/scenarios/0/evidence", "enum"},
		"a check without a place": {func(d map[string]any) {
			delete(scenario(d, 0)["checks"].([]any)[0].(map[string]any),
				"exchange")
		}, "/scenarios/0/checks/0", "required"},
		"a stimulus that is none": {func(d map[string]any) { d["requirements"].([]any)[1].(map[string]any)["stimulus"] = "seam" },
			"/requirements/1/stimulus", "enum"},
		"seams that are not counted": {func(d map[string]any) { delete(d["profiles"].([]any)[0].(map[string]any), "throughSeam") },
			"/profiles/0", "required"},
		"a digest that is none": {func(d map[string]any) { d["assay"].(map[string]any)["suiteDigest"] = "abc" },
			"/assay/suiteDigest", "pattern"},
		"a sighting without a place": {func(d map[string]any) { delete(d["notClaimed"].([]any)[0].(map[string]any), "exchange") },
			"/notClaimed/0", "required"},
		"a sighting that is not seen": {func(d map[string]any) { d["notClaimed"].([]any)[0].(map[string]any)["replies"] = 0 },
			"/notClaimed/0/replies", "minimum"},
		"a total below zero": {func(d map[string]any) { d["totals"].(map[string]any)["broken"] = -1 }, "/totals/broken", "minimum"},
		"half a seed":        {func(d map[string]any) { d["seed"] = 0.5 }, "/seed", "type"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { refused(t, "results", resultsExample, tc.spoil, tc.at, tc.under) })
	}
}

// refused fails the test unless the schema refuses the spoiled example at that place, by that keyword.
func refused(t *testing.T, schema, path string, spoil func(map[string]any), at, under string) {
	t.Helper()
	doc := read(t, path)
	spoil(doc)
	var problem *jsonschema.ValidationError
	if err := compile(t, schema).Validate(doc); !errors.As(err, &problem) {
		t.Fatalf("accepted (error %v)", err)
	}
	if !mentions(problem, at, under) {
		t.Errorf("refused, but not by %s at %q: %#v", under, at, problem)
	}
}

func mentions(problem *jsonschema.ValidationError, at, keyword string) bool {
	if problem.InstanceLocation == at && strings.HasSuffix(problem.KeywordLocation, "/"+keyword) {
		return true
	}
	for _, cause := range problem.Causes {
		if mentions(cause, at, keyword) {
			return true
		}
	}
	return false
}
