// Package contract reads what a bundled OpenAPI document demands of requests, so that a host checks them against the document
// that its server is generated from.
package contract

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-openapi/jsonpointer"

	"github.com/openassay/assay/internal/validate"
)

// Operation is what the API document demands of the requests of one operation.
type Operation struct {
	ID           string
	TakesBody    bool
	BodyRequired bool
	Body         *validate.Schema
	Parameters   []Parameter
	Declared     []string    // the names of all parameters, also those that Read passes over
	integers     []Parameter // those of all whose type is integer
}

// Parameter is one path, query or header parameter with the constraints on its value.
type Parameter struct {
	Name, In string
	text     bool // its type is string, so the value is taken as it stands; else it is JSON
	schema   *validate.Schema
}

// Check judges a value as it was sent.
func (p *Parameter) Check(value string) []validate.Problem {
	raw := []byte(value)
	if p.text {
		raw, _ = json.Marshal(value) // a string always encodes
	}
	return p.schema.Validate(raw)
}

// Operations maps "POST /v1/runs" to its operation. It comes from the same document that the server is generated
// from, so routes, bodies and parameters cannot drift apart.
type Operations map[string]*Operation

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

// Read compiles what the bundled document says about requests. Parameters of the names in later are not compiled: their
// handlers judge them.
func Read(bundled []byte, schemas *validate.Set, later map[string]bool) (Operations, error) {
	var doc apiDocument
	if err := json.Unmarshal(bundled, &doc); err != nil {
		return nil, fmt.Errorf("read the API document: %w", err)
	}
	ops := Operations{}
	for path, item := range doc.Paths {
		for method, raw := range item {
			if !isMethod(method) {
				continue // parameters, summary and the like stand beside the methods
			}
			op, err := doc.operation(raw, "/paths/"+EscapePointer(path)+"/"+method, schemas, later)
			if err != nil {
				return nil, fmt.Errorf("read the API document: %s %s: %w", method, path, err)
			}
			ops[strings.ToUpper(method)+" "+path] = op
		}
	}
	return ops, nil
}

func (d *apiDocument) operation(raw json.RawMessage, at string, schemas *validate.Set, later map[string]bool) (*Operation, error) {
	var o apiOperation
	if err := json.Unmarshal(raw, &o); err != nil {
		return nil, err
	}
	op := &Operation{ID: o.OperationID}
	if o.RequestBody != nil {
		schema, err := schemas.At(at + "/requestBody/content/application~1json/schema")
		if err != nil {
			return nil, err
		}
		op.TakesBody, op.Body, op.BodyRequired = true, schema, o.RequestBody.Required
	}
	for i, p := range o.Parameters {
		if name, ok := strings.CutPrefix(p.Ref, "#/components/parameters/"); ok {
			p = d.Components.Parameters[name]
		}
		op.Declared = append(op.Declared, p.Name)
		if d.typeOf(p.Schema) == "integer" {
			op.integers = append(op.integers, Parameter{Name: p.Name, In: p.In})
		}
		if later[p.Name] {
			continue
		}
		schema, err := schemas.At(fmt.Sprintf("%s/parameters/%d/schema", at, i))
		if err != nil {
			return nil, err
		}
		op.Parameters = append(op.Parameters, Parameter{Name: p.Name, In: p.In, text: d.typeOf(p.Schema) == "string", schema: schema})
	}
	return op, nil
}

// typeOf is the type of a schema, or of the one that it refers to.
func (d *apiDocument) typeOf(s apiSchema) any {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		s = d.Components.Schemas[name]
	}
	return s.Type
}

func isMethod(key string) bool {
	switch strings.ToUpper(key) {
	case http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodHead, http.MethodOptions:
		return true
	}
	return false
}

// EscapePointer is a key as it stands in a JSON pointer.
func EscapePointer(token string) string {
	return jsonpointer.Escape(token)
}
