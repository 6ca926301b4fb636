package wire

import (
	"testing"
	"time"
)

// Where the target is limited, requests of drives that hang on time go before others, those of the first such drive first of all.
// The time in which any request was held back is known.
func TestWhoHangsOnTimeGoesFirst(t *testing.T) {
	now := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	n := &Network{throttle: &throttle{now: func() time.Time { return now }}}
	late, early := n.Client("late"), n.Client("early")
	early.GoFirst()
	late.GoFirst()
	late.GoFirst() // its rank stays
	if e, l := early.rank.Load(), late.rank.Load(); e != 1 || l != 2 {
		t.Fatalf("ranks %d and %d", e, l)
	}
	goes := func(rank int64) bool {
		due, turn := n.throttle.admit(rank)
		if due <= 0 && turn == nil {
			n.throttle.leave()
			return true
		}
		return false
	}
	if apart := n.throttle.spacing(); apart != 0 {
		t.Errorf("looks are %s apart although the target takes any number", apart)
	}
	n.throttle.line(2, 1)
	if !goes(0) {
		t.Error("a request waits for another although the target takes any number")
	}
	n.throttle.refused(time.Second)
	if rate := n.Rate(); rate <= 0 {
		t.Errorf("the target takes %.1f requests a second", rate)
	}
	if apart := n.throttle.spacing(); apart != 2*time.Second {
		t.Errorf("looks are %s apart", apart)
	}
	n.throttle.hold(1)
	now = now.Add(10 * time.Second)
	n.throttle.line(1, 1)
	if goes(0) || goes(2) {
		t.Error("a request goes before one that waits and comes first")
	}
	if !goes(1) {
		t.Error("the first of all waits")
	}
	n.throttle.line(1, -1)
	if now = now.Add(time.Second); goes(0) || !goes(2) {
		t.Error("the second does not go before others")
	}
	n.throttle.line(2, -1)
	if now = now.Add(time.Second); !goes(0) {
		t.Error("a request waits for none")
	}
	n.throttle.hold(-1)
	now = now.Add(time.Hour)
	if held := n.Held(); held != 12*time.Second {
		t.Errorf("held back for %s", held)
	}
}
