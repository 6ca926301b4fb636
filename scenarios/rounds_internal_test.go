package scenarios

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Drives of a part have at least what each of all has, and no more in total than all may take.
func TestRoundsOfAPart(t *testing.T) {
	usual := Rounds{Most: 5, Entries: 40, Time: 500 * time.Millisecond}
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.IntRange(1, 300).Draw(t, "all")
		asked := rapid.IntRange(1, all).Draw(t, "asked")
		got := usual.forPart(asked, all)
		if got.Most != usual.Most || got.Entries < usual.Entries || got.Time < usual.Time || got.Time > partTime {
			t.Errorf("%d of %d drives: %+v", asked, all, got)
		}
		if asked*got.Entries > all*usual.Entries || time.Duration(asked)*got.Time > time.Duration(all)*usual.Time {
			t.Errorf("%d of %d drives may take %+v each", asked, all, got)
		}
		if more := usual.forPart(min(asked+1, all), all); more.Entries > got.Entries || more.Time > got.Time {
			t.Errorf("%d of %d drives: %+v, and one more of them: %+v", asked, all, got, more)
		}
	})
	for _, c := range []struct {
		asked   int
		entries int
		small   bool
	}{{0, 40, false}, {1, 4000, true}, {10, 400, true}, {50, 80, true}, {51, 78, false}, {100, 40, false}} {
		if got := usual.forPart(c.asked, 100); got.Entries != c.entries || got.small != c.small {
			t.Errorf("%d of 100 drives: %+v", c.asked, got)
		}
	}
	if got := defaultRounds[Quick].forPart(1, 100); got != defaultRounds[Quick] {
		t.Errorf("quick: %+v", got)
	}
}
