package specgen

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/openassay/assay/internal/validate"
)

// checkExamples finds examples and defaults that their own schema refuses. data is the bundled document.
func (b *bundled) checkExamples(data []byte) error {
	set, err := validate.New(data, validate.MaxDepth(maxDepth))
	if err != nil {
		return err
	}
	c := &exampleCheck{b: b, set: set}
	schemas := asObject(asObject(b.doc["components"])["schemas"])
	for _, name := range sortedKeys(schemas) {
		walkSchema(schemas[name], join("/components/schemas", name), c.schema)
	}
	walkAPIObjects(b.doc, "", func(o object, pointer string) {
		for _, k := range schemaSlots {
			walkSchema(o[k], join(pointer, k), c.schema)
		}
		if _, ok := o["schema"]; ok {
			c.media(o, pointer)
		}
	})
	return nil
}

type exampleCheck struct {
	b   *bundled
	set *validate.Set
}

// schema checks the values that a schema gives of itself.
func (c *exampleCheck) schema(s object, pointer string) {
	for i, v := range asList(s["examples"]) {
		c.value(pointer, join(pointer+"/examples", strconv.Itoa(i)), v)
	}
	for _, k := range []string{"example", "default"} {
		if v, ok := s[k]; ok {
			c.value(pointer, join(pointer, k), v)
		}
	}
}

// media checks the examples of a media type, a parameter or a header.
func (c *exampleCheck) media(o object, pointer string) {
	schema := join(pointer, "schema")
	if v, ok := o["example"]; ok && isJSONAt(pointer) {
		c.value(schema, join(pointer, "example"), v)
	}
	all := asObject(o["examples"])
	for _, name := range sortedKeys(all) {
		here := join(pointer+"/examples", name)
		e, doc := asObject(all[name]), c.b.folder.root
		if ref := asString(e["$ref"]); ref != "" {
			to, problem := c.b.folder.resolve(doc, here, ref)
			if problem != "" {
				c.finding(here, "$ref "+ref+": "+problem, "correct it")
				continue
			}
			found, _ := at(to.doc.tree, to.pointer)
			e, doc = asObject(found), to.doc
		}
		if v, ok := e["value"]; ok && isJSONAt(pointer) {
			c.value(schema, join(here, "value"), v)
		}
		if file := asString(e["externalValue"]); file != "" {
			c.external(doc, schema, join(here, "externalValue"), file)
		}
	}
}

// isJSONAt reports whether the values at a pointer are JSON: those of a parameter, or of a media type that says so.
func isJSONAt(pointer string) bool {
	head, media, ok := strings.Cut(pointer, "/content/")
	return !ok || head == "" || strings.Contains(media, "json")
}

// external checks an example that lies in a file of its own. One that lies elsewhere is not fetched.
func (c *exampleCheck) external(d *document, schema, pointer, file string) {
	if strings.Contains(file, "://") || path.Ext(file) != ".json" {
		return
	}
	other, err := c.b.folder.readValue(path.Join(path.Dir(d.rel), file))
	if err != nil {
		c.finding(pointer, err.Error(), "correct the path, or add the file")
		return
	}
	c.value(schema, pointer, other)
}

func (c *exampleCheck) value(schema, pointer string, v any) {
	s, err := c.set.At(schema)
	if err != nil {
		c.finding(schema, "no validator takes the schema: "+err.Error(), "mend its keywords")
		return
	}
	raw, err := json.Marshal(v)
	if err != nil {
		c.finding(pointer, err.Error(), "write JSON")
		return
	}
	what := "the example"
	if strings.HasSuffix(pointer, "/default") {
		what = "the default"
	}
	if found := s.Validate(raw); len(found) > 0 {
		c.finding(pointer, fmt.Sprintf("%s does not fit its schema: %s", what, found[0]), "mend the one or the other")
	}
}

func (c *exampleCheck) finding(pointer, problem, mend string) {
	file, where := c.b.source(pointer)
	c.b.findings.add(&SpecError{File: file, Pointer: where, Problem: problem, Mend: mend})
}

// readValue reads a JSON file that is no document of the contract.
func (f *folder) readValue(rel string) (any, error) {
	data, err := f.content(rel)
	if err != nil {
		return nil, err
	}
	v, err := parse(f.shown(rel), data)
	f.others = slices.DeleteFunc(f.others, func(other string) bool { return other == rel })
	return v, err
}
