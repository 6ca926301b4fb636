package golang

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/openassay/assay/internal/testenv"
	"github.com/openassay/assay/internal/validate"
)

// Values that their schemas take come back from generated code as they were: every member, null, empty and absent apart.
func TestRoundTripsKeepAllThatWasSaid(t *testing.T) {
	documents, instances, seed := 3, 60, 371231405
	if testenv.Long() {
		documents, instances, seed = 40, 400, int(time.Now().UnixNano()%1e9)
	}
	t.Logf("seed %d", seed)
	trips := &trips{dir: t.TempDir(), strange: true}
	for i := range documents {
		trips.add(t, i, schemasOnly.Example(seed+i), instances, seed)
	}
	trips.run(t)
}

var schemasOnly = rapid.Custom(func(t *rapid.T) object {
	doc := document(t)
	doc["paths"] = object{}
	doc["components"] = object{"schemas": obj(doc["components"])["schemas"]}
	withoutGoTypes(doc)
	return doc
})

// objectsTyped makes the generator's reading a part of a document: a schema that has properties, say, and no type is one of
// objects, and not of everything that is none.
func objectsTyped(v any) any {
	switch v := v.(type) {
	case object:
		out := object{}
		for k, below := range v {
			out[k] = objectsTyped(below)
		}
		if v["type"] == nil && valuesOf(v) == nil && kindsOf(v) == structure {
			out["type"] = "object"
			if v["nullable"] == true {
				out["type"] = []any{"object", "null"}
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = objectsTyped(v[i])
		}
		return out
	}
	return v
}

// withoutGoTypes removes the types that a document orders by name: what these lose is the affair of whoever ordered them.
func withoutGoTypes(v any) {
	switch v := v.(type) {
	case object:
		delete(v, "x-go-type")
		for _, below := range v {
			withoutGoTypes(below)
		}
	case []any:
		for _, below := range v {
			withoutGoTypes(below)
		}
	}
}

// The same for schemas that people write often, and that chance seldom draws as a whole.
func TestRoundTripsOfCommonSchemas(t *testing.T) {
	raw, err := os.ReadFile("testdata/common.json")
	if err != nil {
		t.Fatal(err)
	}
	var common struct {
		Document object
		Values   map[string][]json.RawMessage
	}
	if err := json.Unmarshal(raw, &common); err != nil {
		t.Fatal(err)
	}
	encoded, _ := json.Marshal(common.Document)
	trips := &trips{dir: t.TempDir()}
	doc := decodeDocument(encoded)
	names := trips.generate(t, 0, doc)
	for _, component := range keys(common.Values) {
		for _, v := range common.Values[component] {
			trips.lines = append(trips.lines, trip{"p0." + names[component], string(v), component})
		}
	}
	trips.run(t)
}

type trip struct{ Type, Value, component string }

// trips is a program of generated packages that decodes values and encodes them again.
type trips struct {
	dir      string
	lines    []trip
	packages []string
	types    []string
	strange  bool // the schemas are drawn at random
}

// generate writes the package of a document and returns the Go names of its components.
func (p *trips) generate(t *testing.T, i int, doc object) map[string]string {
	t.Helper()
	name := fmt.Sprintf("p%d", i)
	made, err := Generate(t.Context(), doc, Config{Package: name, Unknown: "keep"})
	if err != nil || len(made.Types) == 0 {
		return nil // refused, as another test looks at, or empty
	}
	if err := os.Mkdir(filepath.Join(p.dir, name), 0o755); err != nil {
		t.Fatal(err)
	}
	for file, src := range made.Files {
		if err := os.WriteFile(filepath.Join(p.dir, name, file), src, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p.packages = append(p.packages, name)
	for _, goType := range made.Types {
		p.types = append(p.types, name+"."+goType)
	}
	return made.Types
}

func (p *trips) add(t *testing.T, i int, doc object, instances, seed int) {
	t.Helper()
	names := p.generate(t, i, doc)
	raw, err := json.Marshal(objectsTyped(doc))
	if err != nil {
		t.Fatal(err)
	}
	set, err := validate.New(raw)
	if err != nil {
		return // it has a $ref that is too odd for the validator
	}
	schemas := obj(obj(doc["components"])["schemas"])
	for _, component := range keys(names) {
		schema, err := set.At(join("/components/schemas", component))
		if err != nil {
			continue
		}
		draw := rapid.Custom(func(t *rapid.T) string {
			v := &valueDrawing{&drawing{T: t}, schemas}
			raw, _ := json.Marshal(v.value(schemas[component], 0))
			return string(raw)
		})
		for n := range instances / max(len(names), 1) {
			value := draw.Example(seed + n)
			if value != "null" && len(schema.Validate([]byte(value))) == 0 { // a field that may be null is a pointer, say
				p.lines = append(p.lines, trip{fmt.Sprintf("p%d.%s", i, names[component]), value, literal(schemas[component])})
			}
		}
	}
}

func (p *trips) run(t *testing.T) {
	t.Helper()
	if len(p.packages) == 0 {
		return
	}
	var main strings.Builder
	main.WriteString("package main\n\nimport (\n\t\"bufio\"\n\t\"encoding/json\"\n\t\"fmt\"\n\t\"os\"\n\n")
	for _, name := range p.packages {
		main.WriteString("\t\"trips/" + name + "\"\n")
	}
	main.WriteString(")\n\nvar made = map[string]func(data []byte) (any, error){\n")
	for _, goType := range p.types {
		name, _, _ := strings.Cut(goType, ".")
		fmt.Fprintf(&main, "\t%q: func(data []byte) (any, error) { var v %s; err := %s.Decode(data, &v); return v, err },\n",
			goType, goType, name)
	}
	main.WriteString(`}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var line struct{ Type, Value string }
		if err := json.Unmarshal(in.Bytes(), &line); err != nil {
			panic(err)
		}
		v, err := made[line.Type]([]byte(line.Value))
		var out []byte
		if err == nil {
			out, err = json.Marshal(v)
		}
		if err != nil {
			out = fmt.Appendf(nil, "error: %q", err) // in one line
		}
		fmt.Printf("%s\n", out)
	}
}
`)
	files := map[string]string{"go.mod": "module trips\n\ngo 1.24\n", "main.go": main.String()}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-trimpath", "-o", "trips", ".")
	build.Dir, build.Env = p.dir, append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var in bytes.Buffer
	for _, l := range p.lines {
		raw, _ := json.Marshal(l)
		in.Write(append(raw, '\n'))
	}
	program := exec.CommandContext(t.Context(), filepath.Join(p.dir, "trips"))
	program.Stdin, program.Stderr = &in, os.Stderr
	out, err := program.Output()
	if err != nil {
		t.Fatal(err)
	}
	results := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(p.lines) == 0 {
		return
	}
	if len(results) != len(p.lines) {
		t.Fatalf("%d values, %d results", len(p.lines), len(results))
	}
	refused := 0
	for i, l := range p.lines {
		if p.strange && strings.HasPrefix(results[i], "error: ") {
			refused++ // a Go type may take less than an odd schema does, as long as it says so
			continue
		}
		if !sameJSON(l.Value, results[i]) {
			t.Errorf("%s: %s\ncame back as %s\nof %s", l.Type, l.Value, results[i], l.component)
		}
	}
	t.Logf("%d values of %d packages, %d refused", len(p.lines), len(p.packages), refused)
}

// sameJSON compares two JSON texts by their meaning: the order of members and the spelling of numbers have none.
func sameJSON(a, b string) bool {
	read := func(s string) (v any, ok bool) {
		d := json.NewDecoder(strings.NewReader(s))
		d.UseNumber()
		return v, d.Decode(&v) == nil
	}
	x, ok := read(a)
	y, fine := read(b)
	return ok && fine && sameValue(x, y)
}

func sameValue(x, y any) bool {
	switch x := x.(type) {
	case object:
		y, ok := y.(object)
		if !ok || len(x) != len(y) {
			return false
		}
		for k := range x {
			if v, there := y[k]; !there || !sameValue(x[k], v) {
				return false
			}
		}
		return true
	case []any:
		y, ok := y.([]any)
		return ok && slices.EqualFunc(x, y, sameValue)
	case json.Number:
		y, ok := y.(json.Number)
		if !ok {
			return false
		}
		m, _ := new(big.Rat).SetString(x.String())
		n, _ := new(big.Rat).SetString(y.String())
		return m.Cmp(n) == 0
	}
	return x == y
}

// valueDrawing draws values that a schema should take. It need not be right: a validator has the last word.
type valueDrawing struct {
	*drawing
	schemas object
}

func (d *valueDrawing) value(v any, depth int) any {
	s := obj(v)
	if r := str(s["$ref"]); r != "" {
		target := d.value(d.schemas[unescape(strings.TrimPrefix(r, componentPrefix))], depth+1)
		return d.mix(target, without(s, "$ref"), depth)
	}
	if depth > 6 {
		return object{}
	}
	if values := valuesOf(s); values != nil {
		return pick1(d.drawing, "value", values...)
	}
	for _, k := range []string{"oneOf", "anyOf"} {
		if branches := list(s[k]); len(branches) > 0 {
			return d.mix(d.value(pick1(d.drawing, "branch", branches...), depth+1), without(s, "oneOf", "anyOf"), depth)
		}
	}
	if branches := list(s["allOf"]); len(branches) > 0 {
		out := d.value(branches[0], depth+1)
		for _, more := range branches[1:] {
			out = d.mix(out, obj(more), depth)
		}
		return d.mix(out, without(s, "allOf"), depth)
	}
	return d.plain(s, depth)
}

// mix adds the members that another schema wants.
func (d *valueDrawing) mix(v any, more object, depth int) any {
	o, ok := v.(object)
	if !ok {
		return v
	}
	if added, ok := d.value(more, depth+1).(object); ok && more["properties"] != nil {
		for k, m := range added {
			if _, there := o[k]; !there {
				o[k] = m
			}
		}
	}
	return o
}

func (d *valueDrawing) plain(s object, depth int) any {
	kinds := kindsOf(s)
	var of []int
	for _, k := range []int{null, boolean, number, text, array, structure} {
		if kinds&k != 0 {
			of = append(of, k)
		}
	}
	if len(of) == 0 {
		return nil
	}
	switch pick1(d.drawing, "kind", of...) {
	case boolean:
		return d.once(2)
	case number:
		if types := list(s["type"]); s["type"] == "integer" || slices.Contains(types, any("integer")) && !slices.Contains(types, any("number")) {
			if strings.HasPrefix(str(s["format"]), "uint") || strings.HasSuffix(str(s["format"]), "int32") {
				return json.Number(pick1(d.drawing, "integer", "0", "1", "60000.0", "6e4", "2147483647"))
			}
			return json.Number(pick1(d.drawing, "integer", "0", "1", "-7", "60000.0", "6e4", "9007199254740993", "2147483647", "10"))
		}
		return json.Number(pick1(d.drawing, "number", "0", "1.5", "-2e-7", "60000.0", "1e300", "9007199254740992"))
	case text:
		if texts := map[string][]string{"date-time": {"2026-01-02T03:04:05Z", "2026-01-02T03:04:05.25+02:00"}, "byte": {"",
			"AAE="}}[str(s["format"])]; texts != nil {
			return pick1(d.drawing, "text", texts...)
		}
		return pick1(d.drawing, "text", "", "x", "<a href=\"&\">", "\u2028 ü 日本 \x00", "null", "1")
	case array:
		out := []any{}
		for i := range d.n(3) {
			if prefix := list(s["prefixItems"]); i < len(prefix) {
				out = append(out, d.value(prefix[i], depth+1))
			} else {
				out = append(out, d.value(s["items"], depth+1))
			}
		}
		return out
	case structure:
		return d.members(s, depth)
	}
	return nil
}

func (d *valueDrawing) members(s object, depth int) any {
	out := object{}
	properties := obj(s["properties"])
	for _, name := range keys(properties) {
		if slices.Contains(list(s["required"]), any(name)) || d.once(2) {
			out[name] = d.value(properties[name], depth+1)
		}
	}
	for _, name := range list(s["required"]) {
		if _, there := out[str(name)]; !there {
			out[str(name)] = "there"
		}
	}
	if !hasFalse(s) && d.once(2) {
		out["another"] = d.value(s["additionalProperties"], depth+1)
	}
	for _, schema := range obj(s["patternProperties"]) {
		if d.once(2) {
			out["x-more"] = d.value(schema, depth+1)
		}
	}
	return out
}
