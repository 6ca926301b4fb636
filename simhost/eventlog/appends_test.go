package eventlog

import (
	"context"
	"fmt"
	"slices"
	"testing"
)

// Who follows hears the name of every log that is appended to, and what comes while it is busy in one step.
func TestAppendsAreHeard(t *testing.T) {
	s := openStore(t, Options{})
	appendTo := func(log string, after uint64) uint64 {
		t.Helper()
		revision, err := s.Append(t.Context(), log, after, []byte("x"))
		if err != nil {
			t.Fatal(err)
		}
		return revision
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	began, heard := make(chan struct{}), make(chan []string)
	go func() {
		defer close(heard)
		close(began)
		for logs := range s.Appends(ctx) {
			heard <- logs
		}
	}()
	<-began
	first := uint64(0)
	for logs := []string(nil); len(logs) == 0; { // until the loop has joined
		first = appendTo("a", first)
		select {
		case logs = <-heard:
			if !slices.Equal(logs, []string{"a"}) {
				t.Fatalf("heard %q", logs)
			}
		default:
		}
	}
	last := appendTo("b", 0)
	appendTo("b", last)
	appendTo("c", 0)
	got := map[string]bool{}
	for !got["b"] || !got["c"] {
		for _, log := range <-heard {
			got[log] = true
		}
	}
	cancel()
	for range heard { // ends with ctx
	}
}

// Too many names to keep are told as such.
func TestTooManyAppendsToName(t *testing.T) {
	f := &follower{woken: make(chan struct{}, 1)}
	for i := range heardMost + 1 {
		f.hear(fmt.Sprint("log-", i))
	}
	if logs := f.take(); logs != nil {
		t.Errorf("%d names", len(logs))
	}
	f.hear("a")
	if logs := f.take(); !slices.Equal(logs, []string{"a"}) {
		t.Errorf("then %q", logs)
	}
}

// Latest goes from the last append of all logs to the first.
func TestLatestAppends(t *testing.T) {
	s := openStore(t, Options{})
	var want []string
	for _, log := range []string{"a", "b", "a", "c"} {
		last, err := s.Last(t.Context(), log)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Append(t.Context(), log, last.Revision, []byte("x")); err != nil {
			t.Fatal(err)
		}
		want = append(want, log)
	}
	slices.Reverse(want)
	read := func(below uint64, most int) (logs []string, last uint64) {
		t.Helper()
		err := s.Latest(t.Context(), below, func(log string, revision uint64) bool {
			logs, last = append(logs, log), revision
			return len(logs) < most
		})
		if err != nil {
			t.Fatal(err)
		}
		return logs, last
	}
	if got, _ := read(0, 100); !slices.Equal(got, want) {
		t.Errorf("all: %q, want %q", got, want)
	}
	half, at := read(0, 2)
	rest, _ := read(at, 100)
	if got := slices.Concat(half, rest); !slices.Equal(got, want) {
		t.Errorf("in two halves: %q, want %q", got, want)
	}
	if got, _ := read(1, 100); len(got) > 0 {
		t.Errorf("before the first: %q", got)
	}
}
