package apidoc

import (
	"strings"
	"testing"

	"github.com/openassay/assay/internal/validate"
)

// lamps is an API of lamps below a prefix, one of whose routes begins as another's.
const lamps = `{
"security": [{"key": []}],
"paths": {
  "/lamps": {
    "get": {"operationId": "listLamps", "security": [], "parameters": [
      {"name": "from", "in": "query", "schema": {"type": "integer", "minimum": 0}}]},
    "post": {"operationId": "addLamp", "requestBody": {"required": true, "content": {"application/json": {"schema":
      {"$ref": "#/components/schemas/Lamp"}}}}}},
  "/lamps/{id}": {"get": {"operationId": "readLamp", "parameters": [{"$ref": "#/components/parameters/Id"}]}},
  "/lamps/{id}:dim": {"post": {"operationId": "dimLamp", "parameters": [{"$ref": "#/components/parameters/Id"},
    {"name": "If-Match", "in": "header", "required": true, "schema": {"type": "string", "maxLength": 4}}]}},
  "/lamps/broken": {"get": {"operationId": "listBroken"}}
},
"components": {
  "parameters": {"Id": {"name": "id", "in": "path", "required": true, "schema": {"type": "string", "maxLength": 5}}},
  "schemas": {"Lamp": {"type": "object", "required": ["brightness"], "additionalProperties": {"type": "string"},
    "properties": {"brightness": {"type": "integer", "maximum": 100}}}}
}}`

func TestMisfits(t *testing.T) {
	schemas, err := validate.New([]byte(lamps))
	if err != nil {
		t.Fatal(err)
	}
	operations, err := Read([]byte(lamps), schemas, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := operations.Compile(); err != nil {
		t.Fatal(err)
	}
	routes := operations.Routes()
	lamp := func(body string) Request { return Request{Method: "POST", Path: "/lamps", Body: []byte(body)} }
	dim := func(etag string) Request {
		return Request{Method: "POST", Path: "/lamps/7:dim", Header: map[string]string{"If-Match": etag}}
	}
	for _, c := range []struct {
		name string
		sent Request
		want []string // parts of the one misfit, none if it fits
	}{
		{"a list", Request{Method: "GET", Path: "/lamps?from=3"}, nil},
		{"a list without a credential", Request{Method: "GET", Path: "/lamps", Unsigned: true}, nil},
		{"a lamp with a member of a vendor", lamp(`{"brightness": 40, "x-colour": "warm"}`), nil},
		{"an escaped id", Request{Method: "GET", Path: "/lamps/a%2Fb"}, nil},
		{"a literal route", Request{Method: "GET", Path: "/lamps/broken"}, nil},
		{"a header of HTTP", Request{Method: "GET", Path: "/lamps", Header: map[string]string{"accept": "text/plain"}}, nil},
		{"a header", dim(`"7"`), nil},

		{"a path", Request{Method: "GET", Path: "/bulbs"}, []string{"GET /bulbs: request: the contract has no such path"}},
		{"a method", Request{Method: "PUT", Path: "/lamps"}, []string{"this path for GET, POST only"}},
		{"an empty id", Request{Method: "GET", Path: "/lamps/"}, []string{"readLamp, GET /lamps/{id}: path id: it is empty"}},
		{"a long id", Request{Method: "GET", Path: "/lamps/seven-of-nine"},
			[]string{"readLamp, GET /lamps/{id}: path id: ", "#/components/parameters/Id/schema/maxLength"}},
		{"a parameter", Request{Method: "GET", Path: "/lamps?form=3"}, []string{"query form: the operation has no such parameter"}},
		{"a parameter twice", Request{Method: "GET", Path: "/lamps?from=3&from=4"}, []string{"query from: it is sent more than once"}},
		{"a value", Request{Method: "GET", Path: "/lamps?from=-1"}, []string{"query from: must be at least 0, but is -1"}},
		{"a query", Request{Method: "GET", Path: "/lamps?from=%zz"}, []string{"query: it cannot be read"}},
		{"no body", Request{Method: "POST", Path: "/lamps"}, []string{"addLamp, POST /lamps: body: it is required (#/paths/"}},
		{"a body for nobody", Request{Method: "GET", Path: "/lamps", Body: []byte("{}")}, []string{"body: the operation takes none"}},
		{"a member", lamp(`{"brightness": 140}`), []string{"body /brightness: must be at most 100, but is 140 (#/components/schemas/Lamp"}},
		{"half a body", lamp(`{"brigh`), []string{"body: not JSON"}},
		{"no credential", Request{Method: "GET", Path: "/lamps/7", Unsigned: true}, []string{"credential: a valid one is wanted"}},
		{"no header", Request{Method: "POST", Path: "/lamps/7:dim"}, []string{"header If-Match: it is required"}},
		{"a long header", dim(`"seven"`), []string{"header If-Match: "}},
		{"an unknown header", Request{Method: "GET", Path: "/lamps", Header: map[string]string{"If-Match": "1"}},
			[]string{"header If-Match: the operation has no such parameter"}},
		{"another type", Request{Method: "POST", Path: "/lamps", Body: []byte(`{"brightness": 1}`),
			Header: map[string]string{"Content-Type": "text/plain"}}, []string{"header Content-Type: must be application/json"}},
	} {
		found := routes.Misfits(c.sent)
		if len(found) > 1 || (len(found) == 1) != (c.want != nil) {
			t.Errorf("%s: %v", c.name, found)
			continue
		}
		for _, part := range c.want {
			if text := found[0].String(); !strings.Contains(text, part) {
				t.Errorf("%s: %q does not say %q", c.name, text, part)
			}
		}
	}
}
