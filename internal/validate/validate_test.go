package validate_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openassay/assay/internal/validate"
)

const contract = `{
 "openapi": "3.1.0",
 "paths": {"/v1/runs/{runId}": {"post": {
  "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Run"}}}},
  "responses": {"400": {"$ref": "#/components/responses/Refused"}}
 }}},
 "components": {
  "responses": {"Refused": {"content": {"application/json": {"schema": {"type": "object", "required": ["error"]}}}}},
  "schemas": {
   "Run": {
    "type": "object", "required": ["id", "decision"], "additionalProperties": false,
    "properties": {
     "id": {"type": "string", "minLength": 1, "maxLength": 8, "pattern": "^[a-z]+$"},
     "count": {"type": "integer", "minimum": 1, "maximum": 1000000, "multipleOf": 2},
     "ratio": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
     "at": {"type": "string", "format": "date-time"},
     "state": {"enum": ["open", "done"]},
     "version": {"const": 5},
     "required": false,
     "inputs": {"type": "object", "properties": {"plan": {"type": "array"}}},
     "nodes": {"type": "array", "items": {"type": "object", "required": ["id"]}},
     "free": {"not": {"type": "string"}},
     "both": {"oneOf": [{"type": "integer"}, {"minimum": 3}]},
     "decision": {"$ref": "#/components/schemas/Decision"}
    }
   },
   "Decision": {"oneOf": [
    {"$ref": "#/components/schemas/Next"},
    {"$ref": "#/components/schemas/Ask"},
    {"type": "object", "required": ["kind"], "properties": {"kind": {"const": "terminate"}, "reason": {"type": "string"}}}
   ]},
   "Next": {"type": "object", "required": ["kind", "workers"],
     "properties": {"kind": {"const": "next-worker"}, "workers": {"type": "array", "minItems": 1}}},
   "Ask": {"type": "object", "required": ["kind", "prompt"], "properties": {"kind": {"const": "ask-user"}, "prompt": {"type": "string"}}},
   "Broken": {"type": "no-such-type"},
   "UsesBroken": {"$ref": "#/components/schemas/Broken"},
   "Outside": {"$ref": "https://example.test/other.json"}
  }
 }
}`

func newSet(t testing.TB, options ...validate.Option) *validate.Set {
	t.Helper()
	set, err := validate.New([]byte(contract), options...)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func component(t testing.TB, name string) *validate.Schema {
	t.Helper()
	s, err := newSet(t).Component(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestProblems(t *testing.T) {
	const ok = `"id":"a","decision":{"kind":"terminate"}`
	cases := map[string]struct {
		body string
		want []string
	}{
		"valid":                {`{` + ok + `}`, nil},
		"wrong type":           {`{` + ok + `,"inputs":{"plan":"x"}}`, []string{"inputs.plan: expected array, but got string"}},
		"root of another type": {`[]`, []string{"expected object, but got array"}},
		"missing":              {`{}`, []string{"missing property decision", "missing property id"}},
		"missing in a list":    {`{` + ok + `,"nodes":[{"id":1},{}]}`, []string{"nodes[1]: missing property id"}},
		"unknown, in order":    {`{` + ok + `,"zz":1,"aa":1}`, []string{"unknown property aa", "unknown property zz"}},
		"unknown, unprintable": {`{` + ok + `,"a\u001b[2J":1}`, []string{`unknown property "a\x1b[2J"`}},
		"empty string": {`{"id":"","decision":{"kind":"terminate"}}`,
			[]string{"id: does not match the pattern ^[a-z]+$", "id: length must be >= 1, but got 0"}},
		"too small and odd": {`{` + ok + `,"count":-1}`,
			[]string{"count: must be at least 1, but is -1", "count: must be a multiple of 2, but is -1"}},
		"too large":                {`{` + ok + `,"count":2000000}`, []string{"count: must be at most 1000000, but is 2000000"}},
		"fraction":                 {`{` + ok + `,"count":2.5}`, []string{"count: expected integer, but got number"}},
		"whole number with a dot":  {`{` + ok + `,"count":2.0}`, nil},
		"at a bound that excludes": {`{` + ok + `,"ratio":1}`, []string{"ratio: must be less than 1, but is 1"}},
		"below it":                 {`{` + ok + `,"ratio":0}`, []string{"ratio: must be more than 0, but is 0"}},
		"format":                   {`{` + ok + `,"at":"yesterday"}`, []string{"at: is not a valid date-time"}},
		"enum":                     {`{` + ok + `,"state":"shut"}`, []string{`state: must be one of "open", "done"`}},
		"const":                    {`{` + ok + `,"version":4}`, []string{"version: must be 5"}},
		"property ruled out":       {`{` + ok + `,"required":1}`, []string{"required: not allowed"}},
		"not":                      {`{` + ok + `,"free":"x"}`, []string{"free: has a form that is ruled out"}},
		"two forms at once":        {`{` + ok + `,"both":7}`, []string{"both: fits more than one of the forms it may have"}},
		"union, branch by const":   {`{"id":"a","decision":{"kind":"next-worker"}}`, []string{"decision: missing property workers"}},
		"union, inside the branch": {`{"id":"a","decision":{"kind":"next-worker","workers":[]}}`,
			[]string{"decision.workers: minimum 1 items required, but found 0 items"}},
		"union, unknown const": {`{"id":"a","decision":{"kind":"sleep"}}`,
			[]string{`decision.kind: must be one of "ask-user", "next-worker", "terminate"`}},
		"union, const missing":  {`{"id":"a","decision":{}}`, []string{"decision: missing property kind"}},
		"union, another type":   {`{"id":"a","decision":7}`, []string{"decision: expected object, but got number"}},
		"not JSON":              {`{"id":}`, []string{"not JSON: invalid character '}' looking for beginning of value at byte 7"}},
		"two documents":         {`{} {}`, []string{"not JSON: invalid character '{' after top-level value at byte 4"}},
		"nothing":               {" ", []string{"empty where a JSON document was expected"}},
		"number beyond float64": {`{` + ok + `,"ratio":1e10000000}`, []string{"not JSON: the number at byte 61 is out of range"}},
	}
	schema := component(t, "Run")
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, p := range schema.Validate([]byte(c.body)) {
				got = append(got, p.String())
			}
			slices.Sort(got)
			slices.Sort(c.want)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestProblemNamesPlaceAndKeyword(t *testing.T) {
	got := component(t, "Run").Validate([]byte(`{"id":"a","decision":{"kind":"ask-user","prompt":1}}`))
	want := []validate.Problem{{
		Instance: "/decision/prompt",
		Keyword:  "/components/schemas/Ask/properties/prompt/type",
		Message:  "expected string, but got number",
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestProblemPlacesWithOddNames(t *testing.T) {
	set, err := validate.New([]byte(`{"$defs":{"Map":{"additionalProperties":{"type":"integer"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	schema, err := set.Component("Map")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range schema.Validate([]byte(`{"a/b":"","c.d":"","e f":"","g%25~":"","0":""}`)) {
		got = append(got, p.Instance+" "+p.String())
	}
	want := []string{
		`/0 [0]: expected integer, but got string`,
		`/a~1b a/b: expected integer, but got string`,
		`/c.d ["c.d"]: expected integer, but got string`,
		`/e f ["e f"]: expected integer, but got string`,
		`/g%25~0 g%25~: expected integer, but got string`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("problems (-want +got):\n%s", diff)
	}
}

func TestProblemsAreBounded(t *testing.T) {
	nodes := strings.TrimSuffix(strings.Repeat("{},", 5000), ",")
	got := component(t, "Run").Validate([]byte(`{"id":"a","decision":{"kind":"terminate"},"nodes":[` + nodes + `]}`))
	if len(got) != validate.MaxProblems {
		t.Errorf("got %d problems, want the cap of %d", len(got), validate.MaxProblems)
	}
	long := strings.Repeat("x", 10_000)
	got = component(t, "Run").Validate([]byte(`{"id":"a","decision":{"kind":"terminate"},"` + long + `":1}`))
	if len(got) != 1 || len(got[0].Message) > 200 {
		t.Errorf("a long name is repeated at full length: %d problems, first of %d bytes", len(got), len(got[0].Message))
	}
}

func TestDepthIsRefusedUnread(t *testing.T) {
	schema := component(t, "Run")
	deep := strings.Repeat("[", validate.DefaultMaxDepth+1) // not even closed
	if got := schema.Validate([]byte(deep)); len(got) != 1 || got[0].Keyword != "depth" {
		t.Errorf("over-deep document: got %v, want one problem of depth", got)
	}
	inText := `{"id":"a","decision":{"kind":"terminate","reason":"` + strings.Repeat(`[\"`, 200) + `"}}`
	if got := schema.Validate([]byte(inText)); got != nil {
		t.Errorf("brackets in a string: got %v, want none", got)
	}
	shallow, err := newSet(t, validate.MaxDepth(1)).Component("Run")
	if err != nil {
		t.Fatal(err)
	}
	got := shallow.Validate([]byte(`{"id":"a","decision":{"kind":"terminate"}}`))
	if len(got) != 1 || got[0].Message != "nested deeper than 1 levels" {
		t.Errorf("limit of 1: got %v", got)
	}
}

func TestValidateValue(t *testing.T) {
	schema := component(t, "Ask")
	type ask struct {
		Kind   string `json:"kind"`
		Prompt any    `json:"prompt,omitempty"`
	}
	if got := schema.ValidateValue(ask{"ask-user", "?"}); got != nil {
		t.Errorf("valid struct: got %v", got)
	}
	if got := schema.ValidateValue(ask{"ask-user", nil}); len(got) != 1 || got[0].Message != "missing property prompt" {
		t.Errorf("prompt absent: got %v", got)
	}
	// The library panics on this number unless it is read as a float64.
	if got := schema.ValidateValue(map[string]any{"kind": "ask-user",
		"prompt": json.Number("1e10000000")}); len(got) != 1 || got[0].Keyword != "json" {
		t.Errorf("huge json.Number: got %v", got)
	}
	if got := schema.ValidateValue(func() {}); len(got) != 1 || got[0].Keyword != "json" {
		t.Errorf("a function: got %v", got)
	}
}

func TestAtFollowsReferences(t *testing.T) {
	set := newSet(t)
	body, err := set.At("/paths/~1v1~1runs~1{runId}/post/requestBody/content/application~1json/schema")
	if err != nil {
		t.Fatal(err)
	}
	if got := body.Validate([]byte(`{}`)); len(got) != 2 {
		t.Errorf("request body: got %v, want the two missing properties", got)
	}
	reply, err := set.At("/paths/~1v1~1runs~1{runId}/post/responses/400/content/application~1json/schema")
	if err != nil {
		t.Fatal(err)
	}
	got := reply.Validate([]byte(`{}`))
	if len(got) != 1 || got[0].Keyword != "/components/responses/Refused/content/application~1json/schema/required" {
		t.Errorf("response behind a $ref: got %v", got)
	}
	again, err := set.At("/components/responses/Refused/content/application~1json/schema")
	if err != nil || again != reply {
		t.Errorf("the same schema was compiled twice (err %v)", err)
	}
}

func TestMistakesOfTheContract(t *testing.T) {
	set := newSet(t)
	for name, find := range map[string]func() (*validate.Schema, error){
		"unknown component":           func() (*validate.Schema, error) { return set.Component("Nothing") },
		"pointer to nothing":          func() (*validate.Schema, error) { return set.At("/paths/x") },
		"pointer to a text":           func() (*validate.Schema, error) { return set.At("/openapi") },
		"no pointer":                  func() (*validate.Schema, error) { return set.At("paths") },
		"broken schema":               func() (*validate.Schema, error) { return set.Component("UsesBroken") },
		"broken schema, another time": func() (*validate.Schema, error) { return set.Component("Broken") },
		"reference out of the bundle": func() (*validate.Schema, error) { return set.Component("Outside") },
	} {
		if s, err := find(); err == nil || s != nil {
			t.Errorf("%s: got schema %v and error %v, want an error alone", name, s, err)
		}
	}
	if _, err := set.Component("Run"); err != nil {
		t.Errorf("a sound schema beside broken ones: %v", err)
	}
	for _, bad := range []string{"", "[]", `"x"`, "{"} {
		if _, err := validate.New([]byte(bad)); err == nil {
			t.Errorf("New(%q): no error", bad)
		}
	}
}

func TestConcurrentUse(t *testing.T) {
	set := newSet(t)
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			name := []string{"Run", "Decision", "Next", "Ask"}[i%4]
			for range 20 {
				schema, err := set.Component(name)
				if err != nil {
					t.Error(err)
					return
				}
				if got := schema.Validate([]byte(`{}`)); len(got) == 0 {
					t.Errorf("%s: {} passed", name)
				}
			}
		})
	}
	wg.Wait()
}

func TestOrderIsTheSameEveryTime(t *testing.T) {
	schema := component(t, "Run")
	body := []byte(`{"id":"A","decision":{"kind":"x"},"count":-1,"ratio":7,"at":"","state":1,"zz":1,"nodes":[{},{}]}`)
	first := schema.Validate(body)
	for range 50 {
		if diff := cmp.Diff(first, schema.Validate(body)); diff != "" {
			t.Fatalf("another order (-first +now):\n%s", diff)
		}
	}
}

func FuzzValidate(f *testing.F) {
	for _, seed := range []string{`{}`, `{"id":"a","decision":{"kind":"terminate"}}`,
		`{"id":1,"decision":[{}],"count":1e308}`, `[[[[`, "\x00", `{"a\u0000":-0}`} {
		f.Add([]byte(seed))
	}
	schema := component(f, "Run")
	f.Fuzz(func(t *testing.T, raw []byte) {
		got := schema.Validate(raw)
		if len(got) > validate.MaxProblems {
			t.Errorf("%d problems, more than the cap", len(got))
		}
		for _, p := range got {
			if p.Message == "" || p.Keyword == "" {
				t.Errorf("a problem without words or keyword: %+v", p)
			}
		}
		if !json.Valid(raw) && len(got) == 0 {
			t.Errorf("%q is not JSON and has no problem", raw)
		}
	})
}

func TestEmbeddedDocumentsAreReadOnce(t *testing.T) {
	source := []byte(`{"$defs":{"Few":{"type":"array","maxItems":2}}}`)
	one, err := validate.Embedded(source)
	if err != nil {
		t.Fatal(err)
	}
	if same, err := validate.Embedded(bytes.Clone(source)); err != nil || same != one {
		t.Errorf("the same document is another set, %v", err)
	}
	if other, err := validate.Embedded([]byte(`{"$defs":{}}`)); err != nil || other == one {
		t.Errorf("another document is the same set, %v", err)
	}
	if _, err := validate.Embedded([]byte(`[]`)); err == nil {
		t.Error("a list is taken for a contract")
	}
}
