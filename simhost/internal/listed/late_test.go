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
	faulty := honest()
	faulty.Counts.Shown = func(n int64) int64 { return min(n, 1) }
	faulty.Counts.Holds = func(time.Time, time.Time) bool { return false }
	faulty.Counts.Opens = func([]string) bool { return true }
	faulty.Counts.Takes = func(key) bool { return true }
	faulty.Counts.Reads = func(run) bool { return true }
	late := listed.Late(honest(), faulty, 3)

	var shown []int64
	for _, n := range []int64{1, 2, 2, 1, 2, 3} { // one is the same either way, and no chance
		shown = append(shown, late.Counts.Shown(n))
	}
	if want := []int64{1, 2, 2, 1, 1, 1}; !slices.Equal(shown, want) {
		t.Errorf("shown are %v, want %v", shown, want)
	}
	var opens []bool
	for range 3 {
		opens = append(opens, late.Counts.Opens([]string{"done", "open"}))
	}
	if want := []bool{false, false, true}; !slices.Equal(opens, want) {
		t.Errorf("opens are %v, want %v", opens, want)
	}
	now := time.Unix(0, 0)
	at := func(n int) time.Time { return now.Add(time.Duration(n) * time.Second) }
	var holds []bool
	for _, n := range []int{1, 1, 2, 3, 1} { // a question with a time in it is the same one when it comes again
		holds = append(holds, late.Counts.Holds(at(n), now))
	}
	if want := []bool{true, true, true, false, true}; !slices.Equal(holds, want) {
		t.Errorf("holds are %v, want %v", holds, want)
	}
	var takes, reads []bool
	for range 3 { // what a key may do is asked anew each time; whether a run is read, once and for all
		takes = append(takes, late.Counts.Takes(key{Lacks: true}))
		reads = append(reads, late.Counts.Reads(run{RunID: "r"}))
	}
	if want := []bool{false, false, true}; !slices.Equal(takes, want) {
		t.Errorf("takes are %v, want %v", takes, want)
	}
	if slices.Contains(reads, true) {
		t.Errorf("reads are %v, want none", reads)
	}
}
