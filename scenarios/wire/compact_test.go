package wire_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios/wire"
)

func TestCompactIsTheBeginOfTheJSON(t *testing.T) {
	long := strings.Repeat("ü<", 5000)
	wide := map[string]any{}
	for i := range 500 {
		wide[fmt.Sprintf("member-%d", i)] = []any{json.Number("1"), long, nil, true}
	}
	for name, v := range map[string]any{
		"nothing": nil, "a text": "a <b> \u2028 \xff", "a long text": long, "a number": json.Number("1.50"), "an int": 7,
		"a list": []any{json.Number("1"), "x", nil, []any{}, map[string]any{}}, "no list": []any(nil), "no object": map[string]any(nil),
		"a wide object": wide, "a list of wide objects": []any{wide, wide}, "an object": map[string]any{"b": 1, "a": []string{"x"}},
		"an emoji at the cut": strings.Repeat("😀", 299) + "é😀😀",
	} {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		want := string(raw)
		if runes := []rune(want); len(runes) > 300 {
			want = string(runes[:300]) + "…"
		}
		if got := wire.Compact(v); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := wire.Compact([]any{math.Inf(1)}); got != "[+Inf]" {
		t.Errorf("what is no JSON: %q", got)
	}
}
