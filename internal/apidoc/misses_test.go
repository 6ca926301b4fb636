package apidoc_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/openassay/assay/internal/apidoc"
	"github.com/openassay/assay/internal/validate"
)

const lamp = `{"paths": {}, "components": {"schemas": {
  "Lamp": {"type": "object", "required": ["name", "of"], "additionalProperties": false, "properties": {
    "name": {"type": "string", "maxLength": 3}, "of": {"$ref": "#/components/schemas/Of"}, "free": {},
    "steps": {"type": "array", "maxItems": 1, "items": {"type": "integer", "minimum": 2}}}},
  "Of": {"type": "object", "required": ["unit"], "properties": {"unit": {"enum": ["lumen", "candela"]}}},
  "Either": {"type": "object", "anyOf": [{"required": ["on"]}, {"required": ["off"]}], "properties": {"on": {"type": "boolean"}}}}}}`

func missesOf(t *testing.T, schema string, right any) (all []apidoc.Miss, found *validate.Schema) {
	t.Helper()
	samples, err := apidoc.NewSamples([]byte(lamp))
	if err != nil {
		t.Fatal(err)
	}
	set, err := validate.Embedded([]byte(lamp))
	if err != nil {
		t.Fatal(err)
	}
	pointer := "/components/schemas/" + schema
	if found, err = set.At(pointer); err != nil {
		t.Fatal(err)
	}
	return samples.Misses(pointer, found, right, "plain"), found
}

func TestMisses(t *testing.T) {
	misses, schema := missesOf(t, "Lamp", map[string]any{"name": "x", "of": map[string]any{"unit": "lumen"}})
	var got []string
	for _, m := range misses {
		if len(schema.Validate(m.Raw)) == 0 {
			t.Errorf("%s fits", m.Raw)
		}
		got = append(got, fmt.Sprintf("%s %s=%s %v", m.Kind, m.At, m.Is, m.Bare))
	}
	for _, want := range []string{
		"a body that is no JSON =one cut in the middle false",
		"a body that is no JSON =a word false",
		"a body that is no object =null false",
		"a body that is no object =[] false",
		"a member left out /name=left out true",
		"a member left out /of/unit=left out false",
		"a member of another type /name=7 false",
		"a member of another type /of/unit=\"plain\" false",
		"a member of another type /steps/0=[] false",
		"a member out of its range /name=\"xxxx\" false",
		"a member out of its range /steps/0=1 false",
		"a member out of its range /steps/0=1.5 false",
		"a member out of its range /steps=[2,2] false",
		"a member that there is not /plain=true false",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not among\n%s", want, strings.Join(got, "\n"))
		}
	}
	for _, m := range got {
		if strings.Contains(m, "/free") || strings.Contains(m, "/of/plain") {
			t.Errorf("%s: anything fits there", m)
		}
	}
}

// What only one of several alternatives demands is demanded by none.
func TestMissesOfAlternatives(t *testing.T) {
	misses, _ := missesOf(t, "Either", map[string]any{"on": true})
	i := slices.IndexFunc(misses, func(m apidoc.Miss) bool { return m.Kind == apidoc.Missing })
	if i < 0 || misses[i].Bare {
		t.Errorf("the misses are %v", misses)
	}
}
