package challenge

import (
	"testing"

	"pgregory.net/rapid"
)

// Of any looks, the first eight include a list if there is one, and none is lost.
func TestListsAreAmongTheFirst(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		looks := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) look { return look{list: rapid.IntRange(0, 30).Draw(t, "is") == 0} }), 0, 90).
			Draw(t, "looks")
		out := alternately(looks)
		count := func(of []look) (lists int) {
			for _, l := range of {
				if l.list {
					lists++
				}
			}
			return lists
		}
		if len(out) != len(looks) || count(out) != count(looks) {
			t.Fatalf("%d looks have become %d", len(looks), len(out))
		}
		if count(looks) > 0 && count(out[:min(8, len(out))]) == 0 {
			t.Fatalf("none of %d lists is among the first eight", count(looks))
		}
	})
}
