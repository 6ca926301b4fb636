package diffpage_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"github.com/openassay/assay/tools/assay/internal/diffpage"
	"github.com/openassay/assay/tools/specdiff"
)

// open writes a spec of one file, and reads it.
func open(t *testing.T, doc string) *specdiff.Folder {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/openapi.yaml", []byte(doc), 0o644); err != nil {
		t.Fatal(err)
	}
	f, err := specdiff.Open(t.Context(), dir, "")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

const api = `{openapi: 3.1.0, info: {title: Things, version: "1"}, paths: {/things: {get: {operationId: things, responses: {"200": {description: all,
content: {application/json: {schema: {$ref: "#/components/schemas/Thing"}}}}}}}}, components: {schemas: {Thing: {type: object, required: [name],
properties: {name: {type: string}, size: {type: integer}}}}}}`

func diff(t *testing.T, change *strings.Replacer) *diffpage.Diff {
	t.Helper()
	before, after := open(t, api), open(t, change.Replace(api))
	r, err := before.Compare(after, specdiff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	d := diffpage.New("before", "after", r)
	d.Go = specdiff.Go(t.Context(), before, after, r.Changes)
	return d
}

// The JSON is what its schema says, and the schema refuses what is not.
func TestSchema(t *testing.T) {
	schema, err := jsonschema.Compile("../../../../spec/assay/spec-difference.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	d := diff(t, strings.NewReplacer("name", "title", "integer", "number", "description: all", "description: each"))
	if len(d.Changes) < 4 || len(d.Go.Consequences) < 2 || d.Totals[specdiff.Breaking] < 2 || d.Breaks[specdiff.Servers] < 1 {
		t.Fatalf("got %+v", d)
	}
	encode := func(d *diffpage.Diff) any {
		raw, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		var v any
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	if err := schema.Validate(encode(d)); err != nil {
		t.Errorf("%#v", err)
	}
	d.Changes[0].Severity = "awful"
	if schema.Validate(encode(d)) == nil {
		t.Error("the schema takes any severity")
	}
}

// A spec that oasdiff cannot read is compared all the same, and that is said.
func TestNotJudged(t *testing.T) {
	d := diffpage.New("before", "after", specdiff.Result{
		Changes:  []specdiff.Change{{Severity: specdiff.Unjudged, Text: "x\x1b changed", Before: "/a", After: "/a"}},
		Unjudged: os.ErrInvalid,
	})
	text := d.Text(diffpage.Titles{})
	for _, want := range []string{"no rule was asked what the changes break: invalid argument\n",
		`x\x1b changed`, "#/a\n", "1 change: 1 unjudged; no scenario judges 1\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
