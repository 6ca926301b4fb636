package lazyregexp

import "testing"

func TestNew(t *testing.T) {
	re := New(`^(\w+)-(\d+)$`)
	if got := re.FindStringSubmatch("turn-3"); len(got) != 3 || got[1] != "turn" || got[2] != "3" {
		t.Errorf("turn-3: %q", got)
	}
	if re.MatchString("turn") {
		t.Error("turn matches")
	}
	if got := re.ReplaceAllString("turn-3", "$2"); got != "3" {
		t.Errorf("replaced: %q", got)
	}
}

// The tests of a package find its invalid patterns, even if they do not use them.
func TestNotValid(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("New took a pattern that is not valid")
		}
	}()
	New(`(`)
}
