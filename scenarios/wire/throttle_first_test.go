package wire

import (
	"testing"
	"time"
)

// Where few may be on their way at once, those that go first do; the others go when none of these waits.
func TestWhatGoesFirstGetsTheNextPlace(t *testing.T) {
	th := &throttle{now: time.Now, beside: 1}
	goes := func(rank int64) (waits chan struct{}) {
		_, waits = th.admit(rank)
		return waits
	}
	if goes(0) != nil {
		t.Fatal("nothing is on its way, and a request waits")
	}
	th.line(1, 1)
	th.leave()
	behind := goes(0)
	if behind == nil {
		t.Fatal("a request takes the place of one that goes first")
	}
	if goes(1) != nil {
		t.Fatal("a request that goes first waits, and none is on its way")
	}
	th.line(1, -1)
	select {
	case <-behind:
	default:
		t.Error("nobody wakes what waited behind it")
	}
	if goes(0) == nil {
		t.Error("two are on their way, where one may be")
	}
	th.leave()
	if goes(0) != nil {
		t.Error("nothing is on its way, and none goes first, and a request waits")
	}
}

// Where any number may be on their way, nothing waits for what goes first.
func TestNothingWaitsBehindWhatGoesFirstWithoutALimit(t *testing.T) {
	th := &throttle{now: time.Now}
	th.line(1, 1)
	for range 3 {
		if _, waits := th.admit(0); waits != nil {
			t.Fatal("a request waits")
		}
	}
}
