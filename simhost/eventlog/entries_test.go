package eventlog

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
)

func TestAppendAndRead(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *Store) {
		wantEqual(t, "a log that does not exist", mustRead(t, s, "a", 0), nil)
		first := mustAppend(t, s, "a", 0, "one")
		mustAppend(t, s, "b", 0, "other")
		second := mustAppend(t, s, "a", first, "")
		third := mustAppend(t, s, "a", second, "three\r\n\x00")
		wantEqual(t, "all", mustRead(t, s, "a", 0), []string{"one", "", "three\r\n\x00"})
		wantEqual(t, "after the first", mustRead(t, s, "a", first), []string{"", "three\r\n\x00"})
		wantEqual(t, "after the last", mustRead(t, s, "a", third), nil)
		wantEqual(t, "after what is to come", mustRead(t, s, "a", third+100), nil)
		wantEqual(t, "between revisions", mustRead(t, s, "a", first+1), []string{"", "three\r\n\x00"})
		wantEqual(t, "list", mustList(t, s), []string{"a", "b"})
	})
}

func TestLast(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *Store) {
		last := func(log string) Entry {
			t.Helper()
			entry, err := s.Last(t.Context(), log)
			if err != nil {
				t.Fatal(err)
			}
			return entry
		}
		if got := last("a"); got.Revision != 0 || got.Data != nil {
			t.Errorf("a log that does not exist ends with %d %q", got.Revision, got.Data)
		}
		first := mustAppend(t, s, "a", 0, "one")
		second := mustAppend(t, s, "a", first, "two")
		mustAppend(t, s, "b", 0, "other")
		if got := last("a"); got.Revision != second || string(got.Data) != "two" {
			t.Errorf("the log ends with %d %q, want %d %q", got.Revision, got.Data, second, "two")
		}
		mustAppend(t, s, "a", last("a").Revision, "three")
		_, err := s.Last(t.Context(), "a.b")
		wantError(t, err, ErrName)
		mustClose(t, s)
		_, err = s.Last(t.Context(), "a")
		wantError(t, err, ErrClosed)
	})
}

func TestAppendGuardsTheRevision(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *Store) {
		_, err := s.Append(t.Context(), "a", 1, nil)
		wantError(t, err, ErrConflict) // it does not exist
		first := mustAppend(t, s, "a", 0, "one")
		second := mustAppend(t, s, "a", first, "two")
		mustAppend(t, s, "b", 0, "other")
		for _, after := range []uint64{0, first, second + 1, second + 2} {
			_, err := s.Append(t.Context(), "a", after, []byte("no"))
			wantError(t, err, ErrConflict)
		}
		wantEqual(t, "log", mustRead(t, s, "a", 0), []string{"one", "two"})
	})
}

func TestGet(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *Store) {
		first := mustAppend(t, s, "a", 0, "one")
		other := mustAppend(t, s, "b", 0, "other")
		last := mustAppend(t, s, "a", first, "two\x00")
		for revision, want := range map[uint64]string{first: "one", last: "two\x00"} {
			e, err := s.Get(t.Context(), "a", revision)
			if err != nil || e.Revision != revision || string(e.Data) != want {
				t.Errorf("entry %d: got %d, %q, error %v", revision, e.Revision, e.Data, err)
			}
		}
		for name, revision := range map[string]uint64{"none": 0, "of another log": other, "to come": last + 1} {
			_, err := s.Get(t.Context(), "a", revision)
			if !errors.Is(err, ErrNoEntry) {
				t.Errorf("%s: got error %v", name, err)
			}
		}
		_, err := s.Get(t.Context(), "a.b", first)
		wantError(t, err, ErrName)
		mustClose(t, s)
		_, err = s.Get(t.Context(), "a", first)
		wantError(t, err, ErrClosed)
	})
}

// What Each shows does not depend on how much of a log it holds.
func TestEachShowsWhatReadReturns(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *Store) {
		var revisions []uint64
		after := uint64(0)
		for i := range 5 {
			after = mustAppend(t, s, "a", after, strings.Repeat("x", i))
			revisions = append(revisions, after)
			mustAppend(t, s, "b"+strconv.Itoa(i), 0, "other")
		}
		for _, from := range append(revisions, 0) {
			want := mustRead(t, s, "a", from)
			for hold := range 12 { // the log has 10 bytes
				var got []string
				err := s.each(t.Context(), "a", from, hold, func(e Entry) error {
					got = append(got, string(e.Data))
					return nil
				})
				if err != nil {
					t.Fatal(err)
				}
				wantEqual(t, fmt.Sprintf("after %d, %d bytes held", from, hold), got, want)
			}
		}
	})
}

func TestEachEndsWithTheFirstError(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *Store) {
		mustAppend(t, s, "a", mustAppend(t, s, "a", 0, "one"), "two")
		enough, calls := errors.New("enough"), 0
		see := func(Entry) error { calls++; return enough }
		for _, hold := range []int{0, 3, 6} {
			if err := s.each(t.Context(), "a", 0, hold, see); !errors.Is(err, enough) {
				t.Errorf("%d bytes held: %v", hold, err)
			}
		}
		if err := s.Each(t.Context(), "a", 0, see); !errors.Is(err, enough) || calls != 4 {
			t.Errorf("%v after %d calls, want one a log", err, calls)
		}
		if err := s.Each(t.Context(), "none", 0, see); err != nil || calls != 4 {
			t.Errorf("a log that does not exist: %v after %d calls", err, calls)
		}
		wantError(t, s.Each(t.Context(), "a.b", 0, see), ErrName)
		mustClose(t, s)
		wantError(t, s.Each(t.Context(), "a", 0, see), ErrClosed)
	})
}

func TestConcurrentAppendsToOneLogHaveOneWinner(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *Store) {
		const writers, rounds = 8, 20
		after, want := uint64(0), []string(nil)
		for round := range rounds {
			var (
				wg   sync.WaitGroup
				mu   sync.Mutex
				won  []string
				next uint64
			)
			for writer := range writers {
				wg.Go(func() {
					data := fmt.Sprintf("%d-%d", round, writer)
					revision, err := s.Append(t.Context(), "a", after, []byte(data))
					if err != nil {
						wantError(t, err, ErrConflict)
						return
					}
					mu.Lock()
					defer mu.Unlock()
					won, next = append(won, data), revision
				})
			}
			wg.Wait()
			if len(won) != 1 {
				t.Fatalf("round %d: won by %q, want one", round, won)
			}
			after, want = next, append(want, won...)
		}
		wantEqual(t, "log", mustRead(t, s, "a", 0), want)
	})
}

func TestNames(t *testing.T) {
	s := openStore(t, Options{})
	for _, name := range []string{"a", "A-Z_09", strings.Repeat("x", 128)} {
		mustAppend(t, s, name, 0, "")
	}
	for _, name := range []string{"", strings.Repeat("x", 129), "a.b", "*", ">", "a b", "a\r\nb", "ä", "a/b", "\x00"} {
		_, err := s.Append(t.Context(), name, 0, nil)
		wantError(t, err, ErrName)
		_, err = s.Read(t.Context(), name, 0)
		wantError(t, err, ErrName)
		wantError(t, s.MarkPending(t.Context(), name), ErrName)
		for _, err := range s.Tail(t.Context(), name, 0) {
			wantError(t, err, ErrName)
		}
		s.ClearPending(name) // nothing to clear, nothing to say
	}
}

func TestPayloadBound(t *testing.T) {
	s := openStore(t, Options{MaxPayload: 1000})
	mustAppend(t, s, strings.Repeat("x", 128), 0, strings.Repeat("y", 1000))
	_, err := s.Append(t.Context(), "a", 0, make([]byte, 1001))
	wantError(t, err, ErrTooLarge)
	wantEqual(t, "log", mustRead(t, s, "a", 0), nil)
}

func TestLargestPayloadSurvives(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, Options{Dir: dir, MaxPayload: maxMaxPayload})
	data := strings.Repeat("y", maxMaxPayload)
	mustAppend(t, s, "a", 0, data)
	mustClose(t, s)
	// The server's own summary would spare it a look at the entry.
	removeIndex(t, dir)
	s = openStore(t, Options{Dir: dir})
	if got := mustRead(t, s, "a", 0); len(got) != 1 || got[0] != data {
		t.Errorf("the entry did not come back: %d entries", len(got))
	}
}

// Eight readers of 16 MiB entries have more under way than a server usually lets one client owe it.
func TestManyLargeReadsAtOnce(t *testing.T) {
	s := openStore(t, Options{MaxPayload: 16 << 20})
	mustAppend(t, s, "a", 0, strings.Repeat("y", 16<<20))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			entries, err := s.Read(t.Context(), "a", 0)
			if err != nil || len(entries) != 1 || len(entries[0].Data) != 16<<20 {
				t.Errorf("read gave %d entries, error %v", len(entries), err)
			}
		})
	}
	wg.Wait()
	mustAppend(t, s, "b", 0, "still writable")
}
