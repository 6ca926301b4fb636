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
	first := func(doc map[string]any, list string) map[string]any { return doc[list].([]any)[0].(map[string]any) }
	cases := map[string]struct {
		spoil     func(doc map[string]any)
		at, under string // instance location and keyword of one of the problems
	}{
		"another format":            {func(d map[string]any) { d["schema"] = "assay.kill-matrix/2" }, "/schema", "const"},
		"a field more":              {func(d map[string]any) { d["seconds"] = 9 }, "", "additionalProperties"},
		"no figure":                 {func(d map[string]any) { delete(d["totals"].(map[string]any), "alone") }, "/totals", "required"},
		"a fault that breaks none":  {func(d map[string]any) { first(d, "faults")["breaks"] = []any{} }, "/faults/0/breaks", "minItems"},
		"one that breaks four":      {func(d map[string]any) { first(d, "faults")["breaks"] = []any{"A", "B", "C", "D"} }, "/faults/0/breaks", "maxItems"},
		"a verdict that is none":    {func(d map[string]any) { first(d, "faults")["verdict"] = "alive" }, "/faults/0/verdict", "enum"},
		"a kill without a citation": {func(d map[string]any) { delete(first(first(d, "faults"), "kills"), "requirement") }, "/faults/0/kills/0", "required"},
		"a host without a name":     {func(d map[string]any) { first(d, "honest")["host"] = "" }, "/honest/0/host", "minLength"},
		"a check without its kills": {func(d map[string]any) { delete(first(first(d, "scenarios"), "checks"), "kills") }, "/scenarios/0/checks/0", "required"},
	}
	for name, tc := range cases {
		t.Run(name, func(t *testing.T) { refused(t, "kill-matrix", killMatrixExample, tc.spoil, tc.at, tc.under) })
	}
}
