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
	appends := s.Appends()
	first := appendTo("a", 0)
	if logs, ok := appends.Next(t.Context()); !ok || !slices.Equal(logs, []string{"a"}) {
		t.Errorf("heard %q, %t", logs, ok)
	}
	appendTo("b", appendTo("b", 0))
	appendTo("a", first)
	logs, ok := appends.Next(t.Context())
	slices.Sort(logs)
	if !ok || !slices.Equal(logs, []string{"a", "b"}) {
		t.Errorf("then %q, %t", logs, ok)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if logs, ok := appends.Next(gone); ok {
		t.Errorf("who has left hears %q", logs)
	}
	appends.Stop()
	appendTo("c", 0)
	if n := len(s.tails.followers); n != 0 {
		t.Errorf("%d still follow", n)
	}
	last := s.Appends()
	ended := make(chan bool)
	go func() {
		_, ok := last.Next(t.Context())
		ended <- ok
	}()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if <-ended {
		t.Error("a store that is closed was appended to")
	}
}

// Too many names to keep are told as such.
func TestTooManyAppendsToName(t *testing.T) {
	f := &Appends{woken: make(chan struct{}, 1)}
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
