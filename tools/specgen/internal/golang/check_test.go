package golang

import (
	"errors"
	"strings"
	"testing"
)

const checked = `{
	"paths": {
		"/parcels/{id}": {
			"get": {"operationId": "getParcel", "parameters": [{"name": "limit", "in": "query", "schema": {"type": "integer"}}],
				"responses": {"200": {"description": "It.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/parcel"}}}},
					"404": {"description": "Nothing."}}},
			"put": {"operationId": "putParcel", "requestBody": {"required": true, "content": {"application/json": {"schema": {
				"$ref": "#/components/schemas/parcel"}}, "text/plain": {}}}, "responses": {"204": {"description": "Done."}}}
		}
	},
	"components": {"schemas": {
		"parcel": {"type": "object", "properties": {"state": {"$ref": "#/components/schemas/state"}, "step": {"oneOf": [
			{"$ref": "#/components/schemas/ship"}, {"$ref": "#/components/schemas/wait"}]}}},
		"state": {"enum": ["open", "closed"]},
		"ship": {"type": "object", "required": ["by"], "properties": {"by": {"type": "string"}}},
		"wait": {"type": "object", "required": ["for"], "properties": {"for": {"type": "integer"}}}
	}}
}`

func TestCheckedCodeCompiles(t *testing.T) {
	made := generate(t, checked)
	if err := Check(made.Files, made.Owners); err != nil {
		t.Fatal(err)
	}
}

// Each fault here is one that the generator might make. The message names the part of the document that has to do with it.
func TestFaultsNameTheirPartOfTheDocument(t *testing.T) {
	for _, c := range []struct{ file, old, new, pointer string }{
		{"models.gen.go", "type Ship struct {", "type Ship struct {\n\tX Nothing", "/components/schemas/ship"},
		{"models.gen.go", "type Ship struct {", "type Wait struct {", "/components/schemas/wait"},
		{"models.gen.go", "type State string", "type State int", "/components/schemas/state"},
		{"models.gen.go", `StateOpen   State = "open"`, `StateOpen   State = 7`, "/components/schemas/state"},
		{"models.gen.go", `StateOpen   State = "open"`, `StateOpen   State = "open`, "/components/schemas/state"},
		{"models.gen.go", "decode: decodeCase[Ship],", "decode: decodeCase[Ship](),", "/components/schemas/ship"},
		{"parameters.gen.go", "Limit *int64", "Limit Int64", "/paths/~1parcels~1{id}/get"},
		{"parameters.gen.go", `name: "limit"`, `name: 5`, "/paths/~1parcels~1{id}/get/parameters/0"},
		{"server.gen.go", "request GetParcelRequestObject", "request GetParcelObject", "/paths/~1parcels~1{id}/get"},
		{"server.gen.go", "in.json(true, &request.JSONBody)", "in.json(&request.JSONBody)", "/paths/~1parcels~1{id}/put"},
		{"server.gen.go", "w.WriteHeader(404)", "w.WriteHeader(x)", "/paths/~1parcels~1{id}/get"},
		{"client.gen.go", "func (c *Client) PutParcelWithTextBody(", "func (c *Client) PutParcel(", "/paths/~1parcels~1{id}/put"},
		{"client.gen.go", "func (c *ClientWithResponses) GetParcelWithResponse(", "func (c *ClientWithResponses) 1(",
			"/paths/~1parcels~1{id}/get"},
	} {
		made := generate(t, checked)
		before := string(made.Files[c.file])
		after := strings.Replace(before, c.old, c.new, 1)
		if after == before {
			t.Errorf("%s has no %q:\n%s", c.file, c.old, before)
			continue
		}
		made.Files[c.file] = []byte(after)
		err := Check(made.Files, made.Owners)
		if err == nil {
			t.Errorf("%q for %q: passed", c.new, c.old)
			continue
		}
		first := (*Problem)(nil)
		if !errors.As(err, &first) || first.Pointer != c.pointer {
			t.Errorf("%q for %q: want it told of %s:\n%v", c.new, c.old, c.pointer, err)
		}
		if text := err.Error(); !strings.Contains(text, "a fault of the generator ("+c.file) || !strings.Contains(text, "x-go-name") {
			t.Errorf("%q for %q: the message does not say whose fault it is, and a way round it:\n%v", c.new, c.old, err)
		}
	}
}

// What is declared in the support code must be known, or a schema of that name would be declared again.
func TestSupportNamesAreThoseOfTheSupportCode(t *testing.T) {
	declared := map[string]bool{}
	for _, name := range supportDeclarations(t) {
		declared[name] = true
	}
	for name := range declared {
		if !newNames(supportNames...).taken[name] {
			t.Errorf("supportNames has no %s, which the support code declares", name)
		}
	}
	if len(declared) < 30 {
		t.Errorf("only %d declarations found", len(declared))
	}
}

func generate(t testing.TB, doc string) *Package {
	t.Helper()
	made, err := Generate(t.Context(), parse(t, doc), Config{Package: "parcels", Client: true, Server: true})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// Documents that were drawn at random, made small, whose Go did not compile once.
func TestWhatWasDrawnOnceCompiles(t *testing.T) {
	for name, schemas := range map[string]string{
		"a merged schema within a merged schema": `{
			"$id": {"$ref": "#/components/schemas/id"},
			"id": {"properties": {
				"Id": {"allOf": [{"properties": {}}, {"allOf": [{"$ref": "#/components/schemas/$id"}]}]},
				"_id": {"allOf": [{"oneOf": [{"allOf": [{"type": ["string", "null"]}]}]}]}}, "required": ["_id"]}}`,
	} {
		made := generate(t, `{"paths": {}, "components": {"schemas": `+schemas+`}}`)
		if err := Check(made.Files, made.Owners); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
