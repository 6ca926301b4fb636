package host_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/openassay/assay/scenarios/agenticloop/host"
)

func TestSizeOfIsThatOfTheJSON(t *testing.T) {
	for _, v := range []any{
		nil, true, false, "", "a text", "with \"quotes\", \\, <tags> & \n lines", "übung 😀 \u2028 \xff", json.Number("-1.5e3"), 7,
		[]any{}, []any{"a", nil, json.Number("1")}, host.Object{}, host.Object{"ü": []any{host.Object{"b": "x"}}, "a": 1, "n": nil},
		strings.Repeat("so it goes on ", 1000), []string{"a"},
	} {
		raw, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if got := host.SizeOf(v); got != len(raw) {
			t.Errorf("%s takes %d bytes, want %d", raw, got, len(raw))
		}
	}
}
