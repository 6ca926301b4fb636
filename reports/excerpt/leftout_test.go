package excerpt_test

import (
	"strings"
	"testing"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/reports/excerpt"
)

func TestLeftOut(t *testing.T) {
	part := func(n int, claims ...string) results.LeftOut {
		return results.LeftOut{Claims: claims, Requirements: make([]string, n)}
	}
	for _, c := range []struct {
		parts []results.LeftOut
		want  string
	}{
		{nil, ""},
		{[]results.LeftOut{part(2, "retry")}, "left out, as not claimed: retry (2)"},
		{[]results.LeftOut{part(2, "retry"), part(7, "workspace", "files")},
			"left out, as not claimed: retry (2), workspace or files (7)"},
	} {
		if got := excerpt.LeftOut(results.ProfileResult{LeftOut: c.parts}); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	many := excerpt.LeftOut(results.ProfileResult{LeftOut: make([]results.LeftOut, 100)})
	if !strings.HasSuffix(many, "and 88 more") {
		t.Error(many)
	}
	if long := excerpt.LeftOut(results.ProfileResult{LeftOut: []results.LeftOut{part(1, strings.Repeat("x", 10_000))}}); len(long) > 200 {
		t.Errorf("%d characters", len(long))
	}
}
