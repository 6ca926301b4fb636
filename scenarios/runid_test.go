package scenarios

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The names that a text holds are those that a regular expression finds in it, whatever stands around them.
func TestSpokenIn(t *testing.T) {
	form := regexp.MustCompile(`([a-z]{3,5})-([a-z]{3,5})-([a-z]{3,5})-[0-9]{6}`)
	list, known := words()
	parts := append(slices.Clone(list[:9]), "-", "-", "-", "-", "-", "-", "-", "-", "123456", "654321", "1", "a", "xyz", "zzzzzzz", " ", "Ä")
	found := 0
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(parts), rapid.Custom(func(t *rapid.T) string {
			return spoken(rapid.String().Draw(t, "of"))
		})), 0, 20).Draw(t, "pieces")
		text := strings.Join(pieces, rapid.SampledFrom([]string{"", "-"}).Draw(t, "between"))
		var want []string
		for _, m := range form.FindAllStringSubmatch(text, -1) {
			if known[m[1]] && known[m[2]] && known[m[3]] {
				want = append(want, m[0])
			}
		}
		found += len(want)
		if got := spokenIn(text); !slices.Equal(got, want) {
			t.Fatalf("%q holds %q, want %q", text, got, want)
		}
	})
	if found == 0 {
		t.Error("no text held a name")
	}
}
