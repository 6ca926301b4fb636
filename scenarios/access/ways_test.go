package access_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/gen/openintentv1"
	"github.com/openassay/assay/gen/openwopv1"
	"github.com/openassay/assay/internal/apidoc"
	"github.com/openassay/assay/internal/validate"
	"github.com/openassay/assay/scenarios/access"
)

// lamps is a contract with every kind of parameter.
const lamps = `{
"security": [{"key": []}],
"paths": {
  "/lamps": {"get": {"operationId": "listLamps", "parameters": [{"name": "from", "in": "query", "schema": {"type": "integer", "minimum": 3}}],
    "responses": {"200": {"content": {"application/json": {}, "text/event-stream": {}}}, "401": {"content": {"text/plain": {}}}}}},
  "/lamps/{id}": {"patch": {"operationId": "dimLamp", "security": [], "parameters": [
      {"name": "id", "in": "path", "required": true, "schema": {"type": "string"}},
      {"name": "If-Match", "in": "header", "schema": {"type": "string"}},
      {"name": "unit", "in": "query", "required": true, "schema": {"enum": ["lumen", "candela"]}}],
    "requestBody": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Dim"}}}}}}
},
"components": {"schemas": {
  "Dim": {"allOf": [{"$ref": "#/components/schemas/Named"}], "required": ["to", "steps"], "properties": {
    "to": {"type": ["null", "integer"], "exclusiveMinimum": 4}, "steps": {"type": "array", "minItems": 2, "items": {"type": "boolean"}},
    "more": {"type": "string"}}},
  "Named": {"type": "object", "required": ["name"], "properties": {"name": {"type": "string", "minLength": 2}}}}}
}`

func TestWays(t *testing.T) {
	c, err := access.Read([]byte(lamps))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, w := range c.Ways {
		ask := c.Ask(w, func(name string) (any, bool) { return "a/b", name == "id" })
		body, _ := json.Marshal(ask.Body)
		got = append(got, fmt.Sprintf("%s %v %v %s %s%v%v%s", w.Name(), w.Secured, w.Streams, ask.Method, ask.Path, ask.Query, ask.Header, body))
	}
	want := []string{
		`dimLamp false false PATCH /lamps/a%2Fb[{unit lumen}]map[]{"name":"xx","steps":[true,true],"to":5}`,
		`dimLamp with If-Match false false PATCH /lamps/a%2Fb[{unit lumen}]map[If-Match:x]{"name":"xx","steps":[true,true],"to":5}`,
		`listLamps true true GET /lamps[]map[]null`,
		`listLamps with application/json true true GET /lamps[]map[Accept:application/json]null`,
		`listLamps with from true true GET /lamps[{from 3}]map[]null`,
		`listLamps with text/event-stream true true GET /lamps[]map[Accept:text/event-stream]null`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	dim := c.Ways[0]
	if !c.Takes(dim, "steps") || c.Takes(dim, "more") || c.Takes(c.Ways[2], "steps") {
		t.Error("the members that a body needs are others")
	}
	none := func(string) (any, bool) { return nil, false }
	if dim.Needs(none) != "id" || c.Ways[2].Needs(none) != "" {
		t.Error("what the path needs is something else")
	}
}

// What is asked of a contract fits it: a refusal is about the credential and nothing else.
func TestRequestsFitTheirContract(t *testing.T) {
	for name, bundled := range map[string][]byte{"openwop": openwopv1.Bundled(), "openintent": openintentv1.Bundled()} {
		schemas, err := validate.New(bundled)
		if err != nil {
			t.Fatal(err)
		}
		operations, err := apidoc.Read(bundled, schemas, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := access.Read(bundled)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Ways) <= len(operations) {
			t.Errorf("%s: %d ways of %d operations", name, len(c.Ways), len(operations))
		}
		routes := operations.Routes()
		live := map[string]any{"workflowId": "w", "streamMode": "values", "since": "2030-01-01T00:00:00Z"}
		for _, w := range c.Ways {
			ask := c.Ask(w, func(name string) (any, bool) {
				v, ok := live[name]
				return v, ok && !(name == "since" && strings.HasPrefix(w.Path, "/v1"))
			})
			q := apidoc.Request{Method: ask.Method, Path: ask.Path, Header: ask.Header}
			for i, p := range ask.Query {
				q.Path += string("?&"[min(i, 1)]) + p.Name + "=" + p.Value
			}
			if ask.Body != nil {
				q.Body, _ = json.Marshal(ask.Body)
			}
			for _, m := range routes.Misfits(q) {
				t.Errorf("%s: %s: %s", name, w.Name(), m)
			}
		}
	}
}
