package assay_test

import "testing"

const (
	killMatrixExample   = "testdata/kill-matrix.json"
	killMatrixCommitted = "../../docs/kill-matrix.json"
)

func TestKillMatrices(t *testing.T) {
	for _, path := range []string{killMatrixExample, killMatrixCommitted} {
		if err := compile(t, "kill-matrix").Validate(read(t, path)); err != nil {
			t.Errorf("%s: %#v", path, err)
		}
	}
}

func TestKillMatrixRefusals(t *testing.T) {
	first := func(doc map[string]any, list string) map[string]any {
		if protocols, ok := doc["protocols"].([]any); ok {
			doc = protocols[0].(map[string]any)
		}
		return doc[list].([]any)[0].(map[string]any)
	}
	cases := map[string]struct {
		spoil     func(doc map[string]any)
		at, under string // instance location and keyword of one of the problems
	}{
		"another format": {func(d map[string]any) { d["schema"] = "assay.kill-matrix/1" }, "/schema", "const"},
		"a field more":   {func(d map[string]any) { d["seconds"] = 9 }, "", "additionalProperties"},
		"no figure": {func(d map[string]any) {
			delete(d["protocols"].([]any)[0].(map[string]any)["totals"].(map[string]any), "alone")
		}, "/protocols/0/totals", "required"},
		"a fault that breaks none": {func(d map[string]any) { first(d, "faults")["breaks"] = []any{} }, "/protocols/0/faults/0/breaks",
			"minItems"},
		"one that breaks six": {func(d map[string]any) { first(d, "faults")["breaks"] = []any{"A", "B", "C", "D", "E", "F"} },
			"/protocols/0/faults/0/breaks", "maxItems"},
		"a verdict that is none": {func(d map[string]any) { first(d, "faults")["verdict"] = "alive" },
			"/protocols/0/faults/0/verdict", "enum"},
		"a kill without a citation": {func(d map[string]any) { delete(first(first(d, "faults"), "kills"), "requirement") },
			"/protocols/0/faults/0/kills/0", "required"},
		"a host without a name": {func(d map[string]any) { first(d, "honest")["host"] = "" }, "/protocols/0/honest/0/host", "minLength"},
		"a profile without a digest": {func(d map[string]any) { first(d, "profiles")["digest"] = "sha256:0" }, "/protocols/0/profiles/0/digest",
			"pattern"},
		"a check without its kills": {func(d map[string]any) { delete(first(first(d, "scenarios"), "checks"), "kills") },
			"/protocols/0/scenarios/0/checks/0", "required"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { refused(t, "kill-matrix", killMatrixExample, tc.spoil, tc.at, tc.under) })
	}
}
