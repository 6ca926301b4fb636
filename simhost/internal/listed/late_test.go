package listed_test

import (
	"slices"
	"testing"
	"time"

	"github.com/openassay/assay/simhost/internal/listed"
)

type rules struct {
	Counts struct {
		Shown func(waiting int64) int64
		Holds func(expires, now time.Time) bool
		Opens func(statuses []string) bool
		Takes func(from key) bool
		Reads func(run run) bool
	}
}

type (
	key struct{ Lacks, Beside bool }
	run struct {
		RunID string
		Ended bool
	}
)

func honest() (r rules) {
	r.Counts.Shown = func(n int64) int64 { return n }
	r.Counts.Holds = func(expires, now time.Time) bool { return now.Before(expires) }
	r.Counts.Opens = func(statuses []string) bool { return !slices.Contains(statuses, "open") }
	r.Counts.Takes = func(k key) bool { return !k.Lacks }
	r.Counts.Reads = func(r run) bool { return r.Ended }
	return r
}

// A fault that begins with the third chance is honest in two, and wrong from then on.
func TestLate(t *testing.T) {
	late := func(replace func(*rules)) rules {
		faulty := honest()
		replace(&faulty)
		return listed.Late(honest(), faulty, 3)
	}
	counts := late(func(r *rules) { r.Counts.Shown = func(n int64) int64 { return min(n, 1) } }).Counts
	var shown []int64
	for _, n := range []int64{1, 2, 2, 1, 2, 3} { // one is the same either way, and no chance
		shown = append(shown, counts.Shown(n))
	}
	if want := []int64{1, 2, 2, 1, 1, 1}; !slices.Equal(shown, want) {
		t.Errorf("shown are %v, want %v", shown, want)
	}
	counts = late(func(r *rules) { r.Counts.Opens = func([]string) bool { return true } }).Counts
	var opens []bool
	for range 3 {
		opens = append(opens, counts.Opens([]string{"done", "open"}))
	}
	if want := []bool{false, false, true}; !slices.Equal(opens, want) {
		t.Errorf("opens are %v, want %v", opens, want)
	}
	now := time.Unix(0, 0)
	at := func(n int) time.Time { return now.Add(time.Duration(n) * time.Second) }
	counts = late(func(r *rules) { r.Counts.Holds = func(time.Time, time.Time) bool { return false } }).Counts
	var holds []bool
	for _, n := range []int{1, 1, 2, 3, 1} { // a question with a time in it is the same one when it comes again
		holds = append(holds, counts.Holds(at(n), now))
	}
	if want := []bool{true, true, true, false, true}; !slices.Equal(holds, want) {
		t.Errorf("holds are %v, want %v", holds, want)
	}
	takes := func(r *rules) { r.Counts.Takes = func(key) bool { return true } }
	reads := func(r *rules) { r.Counts.Reads = func(run) bool { return true } }
	taken, read := late(takes).Counts, late(reads).Counts
	for i := range 4 { // what a key may do is asked anew each time; whether a run is read, once and for all
		if got := taken.Takes(key{Lacks: true}); got != (i > 1) {
			t.Errorf("question %d: a key that lacks something is taken: %t", i+1, got)
		}
		if read.Reads(run{RunID: "r"}) {
			t.Errorf("question %d: a run is read that was not before", i+1)
		}
	}
	both := late(func(r *rules) { takes(r); reads(r) }).Counts // they share their chances
	if both.Takes(key{Lacks: true}) || both.Reads(run{RunID: "r"}) || !both.Reads(run{RunID: "s"}) || !both.Takes(key{Lacks: true}) ||
		both.Reads(run{RunID: "r"}) {
		t.Error("two rules of one fault have chances of their own")
	}
}
