package specgen

import "strings"

const (
	bundledAPI     = "openapi.bundled.json"
	bundledSchemas = "schemas.bundled.json"
)

// schemaFiles returns the bundled document for validation, and the Go file that embeds it. A folder without an API
// becomes one JSON Schema whose $defs are the components.
func (c *contract) schemaFiles(pkg string) (map[string][]byte, error) {
	name, doc, prefix := bundledAPI, any(c.doc), "/components/schemas"
	if c.folder.root == nil {
		name, doc, prefix = bundledSchemas, c.asSchema(), "/$defs"
	}
	data, err := encode(doc)
	if err != nil {
		return nil, err
	}
	type component struct{ Name, Pointer string }
	var components []component
	for _, n := range sortedKeys(asObject(asObject(c.doc["components"])["schemas"])) {
		components = append(components, component{n, join(prefix, n)})
	}
	code, err := render(schemasTemplate, struct {
		Package, File string
		Components    []component
	}{pkg, name, components})
	return map[string][]byte{name: data, "schemas.gen.go": code}, err
}

// asSchema moves the components to $defs.
func (b *bundled) asSchema() object {
	defs := clone(asObject(b.doc["components"])["schemas"]).(object)
	move := func(m object, key string) {
		if ref, ok := m[key].(string); ok {
			m[key] = "#/$defs/" + strings.TrimPrefix(ref, componentPrefix)
		}
	}
	for _, s := range defs {
		walkSchema(s, "", func(s object, _ string) {
			move(s, "$ref")
			mapping := asObject(asObject(s["discriminator"])["mapping"])
			for k := range mapping {
				move(mapping, k)
			}
		})
	}
	return object{"$schema": dialect, "$defs": defs}
}

const schemasTemplate = `
package {{.Package}}

import _ "embed"

//go:embed {{.File}}
var bundled string

// Bundled returns the whole contract as one self-contained document, as validation uses it.
func Bundled() []byte { return []byte(bundled) }

// ComponentPointer returns the JSON pointer of a schema in the bundled document, by its component name.
func ComponentPointer(name string) (pointer string, ok bool) {
	pointer, ok = componentPointers[name]
	return pointer, ok
}

var componentPointers = map[string]string{
{{- range .Components}}
	{{printf "%q: %q" .Name .Pointer}},
{{- end}}
}
`
