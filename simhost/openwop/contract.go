package openwop

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/openassay/assay/internal/validate"
)

// operation is what the API document demands of the requests of one operation.
type operation struct {
	id           string
	takesBody    bool
	bodyRequired bool
	body         *validate.Schema
	parameters   []parameter
	idempotent   bool // it declares an Idempotency-Key
}

// parameter is one path, query or header parameter with the constraints on its value.
type parameter struct {
	name, in string
	text     bool // its type is string, so the value is taken as it stands; else it is JSON
	schema   *validate.Schema
}

// contract maps "POST /v1/runs" to its operation. It comes from the same document that the server is generated
// from, so routes, bodies and parameters cannot drift apart.
type contract map[string]*operation

// judgedLater names the parameters whose values their handler judges: an unknown stream mode has an error code
// of its own, a buffer time above the maximum is clamped to it, not refused, and the path of a file that cannot be is a
// bad request, where other things in a path are not found.
var judgedLater = map[string]bool{"streamMode": true, "bufferMs": true, "path": true}

type apiDocument struct {
	Paths      map[string]map[string]json.RawMessage `json:"paths"`
	Components struct {
		Parameters map[string]apiParameter `json:"parameters"`
		Schemas    map[string]apiSchema    `json:"schemas"`
	} `json:"components"`
}

type apiOperation struct {
	OperationID string         `json:"operationId"`
	Parameters  []apiParameter `json:"parameters"`
	RequestBody *struct {
		Required bool `json:"required"`
	} `json:"requestBody"`
}

type apiParameter struct {
	Ref    string    `json:"$ref"`
	Name   string    `json:"name"`
	In     string    `json:"in"`
	Schema apiSchema `json:"schema"`
}

type apiSchema struct {
	Ref  string `json:"$ref"`
	Type any    `json:"type"`
}

// readContract compiles what the bundled document says about requests.
func readContract(bundled []byte, schemas *validate.Set) (contract, error) {
	var doc apiDocument
	if err := json.Unmarshal(bundled, &doc); err != nil {
		return nil, fmt.Errorf("read the API document: %w", err)
	}
	ops := contract{}
	for path, item := range doc.Paths {
		for method, raw := range item {
			if !isMethod(method) {
				continue // parameters, summary and the like stand beside the methods
			}
			op, err := doc.operation(raw, "/paths/"+escapePointer(path)+"/"+method, schemas)
			if err != nil {
				return nil, fmt.Errorf("read the API document: %s %s: %w", method, path, err)
			}
			ops[strings.ToUpper(method)+" "+path] = op
		}
	}
	return ops, nil
}

func (d *apiDocument) operation(raw json.RawMessage, at string, schemas *validate.Set) (*operation, error) {
	var o apiOperation
	if err := json.Unmarshal(raw, &o); err != nil {
		return nil, err
	}
	op := &operation{id: o.OperationID}
	if o.RequestBody != nil {
		schema, err := schemas.At(at + "/requestBody/content/application~1json/schema")
		if err != nil {
			return nil, err
		}
		op.takesBody, op.body, op.bodyRequired = true, schema, o.RequestBody.Required
	}
	for i, p := range o.Parameters {
		if name, ok := strings.CutPrefix(p.Ref, "#/components/parameters/"); ok {
			p = d.Components.Parameters[name]
		}
		op.idempotent = op.idempotent || p.Name == headerIdempotencyKey
		if judgedLater[p.Name] {
			continue
		}
		schema, err := schemas.At(fmt.Sprintf("%s/parameters/%d/schema", at, i))
		if err != nil {
			return nil, err
		}
		op.parameters = append(op.parameters, parameter{name: p.Name, in: p.In, text: d.isText(p.Schema), schema: schema})
	}
	return op, nil
}

// isText tells whether a schema, or the one that it refers to, is of type string.
func (d *apiDocument) isText(s apiSchema) bool {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		s = d.Components.Schemas[name]
	}
	return s.Type == "string"
}

func isMethod(key string) bool {
	switch strings.ToUpper(key) {
	case http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodHead, http.MethodOptions:
		return true
	}
	return false
}

func escapePointer(token string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(token)
}
