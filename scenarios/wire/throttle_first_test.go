package wire

import (
	"testing"
	"time"
)

// Where few may be on their way at once, those that go first do; the others go when none of these waits.
func TestWhatGoesFirstGetsTheNextPlace(t *testing.T) {
	th := &throttle{now: time.Now, beside: 1}
	goes := func(first bool) (waits chan struct{}) {
		_, waits = th.admit(first)
		return waits
	}
	if goes(false) != nil {
		t.Fatal("nothing is on its way, and a request waits")
	}
	th.line(1)
	th.leave()
	behind := goes(false)
	if behind == nil {
		t.Fatal("a request takes the place of one that goes first")
	}
	if goes(true) != nil {
		t.Fatal("a request that goes first waits, and none is on its way")
	}
	th.line(-1)
	select {
	case <-behind:
	default:
		t.Error("nobody wakes what waited behind it")
	}
	if goes(false) == nil {
		t.Error("two are on their way, where one may be")
	}
	th.leave()
	if goes(false) != nil {
		t.Error("nothing is on its way, and none goes first, and a request waits")
	}
}

// Where any number may be on their way, nothing waits for what goes first.
func TestNothingWaitsBehindWhatGoesFirstWithoutALimit(t *testing.T) {
	th := &throttle{now: time.Now}
	th.line(1)
	for range 3 {
		if _, waits := th.admit(false); waits != nil {
			t.Fatal("a request waits")
		}
	}
}
