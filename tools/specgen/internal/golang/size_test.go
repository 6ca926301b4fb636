package golang

import (
	"fmt"
	"os"
	"strconv"
	"testing"
)

// largeDocument has n operations on n/4 resources, each with schemas of its own.
func largeDocument(n int) object {
	paths, schemas := object{}, object{}
	str := func() any { return object{"type": "string"} }
	for i := range n / 4 {
		name := fmt.Sprintf("Resource%d", i)
		ref := object{"$ref": componentPrefix + name}
		event := object{"oneOf": []any{object{"$ref": componentPrefix + name + "Made"}, object{"$ref": componentPrefix + name + "Gone"}}}
		kind := func(k string) any {
			return object{"type": "object", "required": []any{"kind"}, "properties": object{"kind": object{"const": k}, "of": ref}}
		}
		schemas[name+"Made"], schemas[name+"Gone"], schemas[name+"Event"] = kind("made"), kind("gone"), event
		schemas[name+"Base"] = object{"type": "object", "required": []any{"id"}, "properties": object{"id": str(),
			"tags": object{"type": "array", "items": str()}}}
		schemas[name] = object{"allOf": []any{object{"$ref": componentPrefix + name + "Base"}, object{"type": "object", "properties": object{
			"state": object{"enum": []any{"open", "closed"}}, "parent": object{"$ref": fmt.Sprintf("%sResource%d", componentPrefix, i/2)},
			"note": object{"type": []any{"string", "null"}}, "last": object{"$ref": componentPrefix + name + "Event"}}}}}
		body := object{"content": object{"application/json": object{"schema": ref}}}
		replies := object{"200": object{"description": "It.", "content": body["content"]}, "default": object{"description": "No.",
			"content": object{"application/problem+json": object{"schema": object{"$ref": componentPrefix + "Problem"}}}}}
		limit := []any{object{"name": "limit", "in": "query", "schema": object{"type": "integer"}}}
		paths[fmt.Sprintf("/v1/resources%d", i)] = object{
			"get":  object{"operationId": "list" + name, "parameters": limit, "responses": replies},
			"post": object{"operationId": "make" + name, "requestBody": body, "responses": replies}}
		paths[fmt.Sprintf("/v1/resources%d/{id}", i)] = object{
			"get": object{"operationId": "get" + name, "responses": replies}, "delete": object{"operationId": "drop" + name, "responses": replies}}
	}
	schemas["Problem"] = object{"type": "object", "properties": object{"title": str()}}
	return object{"paths": paths, "components": object{"schemas": schemas}}
}

// BenchmarkOperations generates and checks a document of 2,000 operations, or of OPERATIONS.
func BenchmarkOperations(b *testing.B) {
	n, err := strconv.Atoi(os.Getenv("OPERATIONS"))
	if err != nil {
		n = 2000
	}
	doc := largeDocument(n)
	b.ReportAllocs()
	for b.Loop() {
		made, err := Generate(b.Context(), doc, Config{Package: "large", Client: true, Server: true})
		if err != nil {
			b.Fatal(err)
		}
		size := 0
		for _, f := range made.Files {
			size += len(f)
		}
		if err := Check(made.Files, made.Owners); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(size), "bytes/package")
	}
}
