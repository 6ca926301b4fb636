// Package apidoc reads what a bundled OpenAPI document demands of requests: a host checks those that arrive, and a client those
// that it is about to send.
package apidoc

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/go-openapi/jsonpointer"

	"github.com/openassay/assay/internal/validate"
)

// Operation is what the API document demands of the requests of one operation.
type Operation struct {
	ID           string
	TakesBody    bool
	BodyRequired bool
	Body         *Schema     // of a body in JSON, nil if it takes none
	Secured      bool        // it asks for a credential
	Tags         []string    // in the order of the document
	Gives        []string    // the media types of what it answers with success, sorted
	Parameters   []Parameter // those that are checked
	Declared     []string    // the names of all parameters, also those that Read passes over
	Integers     []Parameter // those of all whose type is integer
}

// Parameter is one path, query or header parameter with the constraints on its value.
type Parameter struct {
	Name, In string
	Required bool
	At       string // JSON pointer of its schema in the document
	text     bool   // its type is string, so the value is taken as it stands; else it is JSON
	schema   *Schema
}

// Schema is a schema of the document, compiled when it is first needed.
type Schema struct {
	At      string // its JSON pointer in the document
	compile func() (*validate.Schema, error)
}

func newSchema(schemas *validate.Set, at string) *Schema {
	return &Schema{At: at, compile: sync.OnceValues(func() (*validate.Schema, error) { return schemas.At(at) })}
}

// Validate returns the problems of a JSON document, none if it is valid. A schema that does not compile is a problem, too:
// see [Operations.Compile].
func (s *Schema) Validate(raw []byte) []validate.Problem {
	return s.with(func(schema *validate.Schema) []validate.Problem { return schema.Validate(raw) })
}

func (s *Schema) with(judge func(*validate.Schema) []validate.Problem) []validate.Problem {
	schema, err := s.compile()
	if err != nil {
		return []validate.Problem{{Keyword: "schema", Message: err.Error()}}
	}
	return judge(schema)
}

// Check judges a value as it was sent.
func (p *Parameter) Check(value string) []validate.Problem {
	if p.text {
		value = strings.ToValidUTF8(value, "\uFFFD") // as JSON would have it
		return p.schema.with(func(schema *validate.Schema) []validate.Problem { return schema.ValidateText(value) })
	}
	return p.schema.Validate([]byte(value))
}

// Operations maps "POST /v1/runs" to its operation. It comes from the same document that the server is generated
// from, so routes, bodies and parameters cannot drift apart.
type Operations map[string]*Operation

// Compile compiles all schemas. It returns an error for one that is no valid schema.
func (o Operations) Compile() error {
	for name, op := range o {
		var schemas []*Schema
		for _, p := range op.Parameters {
			schemas = append(schemas, p.schema)
		}
		if op.TakesBody {
			schemas = append(schemas, op.Body)
		}
		for _, s := range schemas {
			if _, err := s.compile(); err != nil {
				return fmt.Errorf("read the API document: %s: %w", name, err)
			}
		}
	}
	return nil
}

type apiDocument struct {
	Security   []json.RawMessage                     `json:"security"`
	Paths      map[string]map[string]json.RawMessage `json:"paths"`
	Components struct {
		Parameters map[string]apiParameter `json:"parameters"`
		Schemas    map[string]apiSchema    `json:"schemas"`
	} `json:"components"`
}

type apiOperation struct {
	OperationID string             `json:"operationId"`
	Parameters  []apiParameter     `json:"parameters"`
	Security    *[]json.RawMessage `json:"security"` // nil: as of the whole document
	Tags        []string           `json:"tags"`
	Responses   map[string]struct {
		Content map[string]json.RawMessage `json:"content"`
	} `json:"responses"`
	RequestBody *struct {
		Required bool `json:"required"`
	} `json:"requestBody"`
}

type apiParameter struct {
	Ref      string    `json:"$ref"`
	Name     string    `json:"name"`
	In       string    `json:"in"`
	Required bool      `json:"required"`
	Schema   apiSchema `json:"schema"`
}

type apiSchema struct {
	Ref  string `json:"$ref"`
	Type any    `json:"type"`
}

// Read reads what the bundled document says about requests. Parameters of the names in later are passed over: their
// handlers judge them. Nothing is compiled yet.
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
	op := &Operation{ID: o.OperationID, Secured: len(d.Security) > 0, Tags: o.Tags}
	if o.Security != nil {
		op.Secured = len(*o.Security) > 0
	}
	if o.RequestBody != nil {
		op.TakesBody, op.BodyRequired = true, o.RequestBody.Required
		op.Body = newSchema(schemas, at+"/requestBody/content/application~1json/schema")
	}
	for status, response := range o.Responses {
		if strings.HasPrefix(status, "2") {
			op.Gives = slices.AppendSeq(op.Gives, maps.Keys(response.Content))
		}
	}
	slices.Sort(op.Gives)
	op.Gives = slices.Compact(op.Gives)
	for i, p := range o.Parameters {
		if name, ok := strings.CutPrefix(p.Ref, "#/components/parameters/"); ok {
			p = d.Components.Parameters[name]
		}
		op.Declared = append(op.Declared, p.Name)
		if d.typeOf(p.Schema) == "integer" {
			op.Integers = append(op.Integers, Parameter{Name: p.Name, In: p.In})
		}
		if later[p.Name] {
			continue
		}
		schema := newSchema(schemas, fmt.Sprintf("%s/parameters/%d/schema", at, i))
		op.Parameters = append(op.Parameters, Parameter{
			Name: p.Name, In: p.In, Required: p.Required, At: schema.At, text: d.typeOf(p.Schema) == "string", schema: schema,
		})
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
