package nearest_test

import (
	"slices"
	"testing"

	"github.com/openassay/assay/internal/nearest"
)

func TestName(t *testing.T) {
	known := []string{"version5-shape", "iteration-monotonic"}
	for typed, want := range map[string]string{
		"version-shape": "version5-shape", "iteration-monotone": "iteration-monotonic", "Version5-Shape": "version5-shape",
		"iteration": "iteration-monotonic", "zzz": "", "": "", "v": "",
	} {
		if got := nearest.Name(typed, known); got != want {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
	if got := nearest.Name("x", nil); got != "" {
		t.Errorf("out of nothing: %q", got)
	}
}

func TestNames(t *testing.T) {
	known := []string{"no-goals", "goals", "goals-schedule", "memory", "goals-replay"}
	for typed, want := range map[string][]string{
		"gaols": {"goals"}, "goals": {"goals", "goals-schedule"}, "memroy": {"memory"}, "zzz": nil, "": nil,
		"Goals-": {"goals", "goals-schedule"},
	} {
		if got := nearest.Names(typed, known, 2); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", typed, got, want)
		}
	}
}
