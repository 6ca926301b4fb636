package eventlog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// eachStorage runs a test on a store in memory and on one in files.
func eachStorage(t *testing.T, test func(t *testing.T, s *Store)) {
	t.Run("memory", func(t *testing.T) { test(t, openStore(t, Options{})) })
	t.Run("files", func(t *testing.T) { test(t, openStore(t, Options{Dir: t.TempDir()})) })
}

func openStore(t testing.TB, o Options) *Store {
	t.Helper()
	s, err := Open(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { mustClose(t, s) })
	return s
}

func mustClose(t testing.TB, s *Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func mustAppend(t testing.TB, s *Store, log string, after uint64, data string) uint64 {
	t.Helper()
	revision, err := s.Append(t.Context(), log, after, []byte(data))
	if err != nil {
		t.Fatal(err)
	}
	if revision <= after {
		t.Fatalf("append to %q after %d gave revision %d, which is not above it", log, after, revision)
	}
	return revision
}

func mustRead(t testing.TB, s *Store, log string, after uint64) []string {
	t.Helper()
	entries, err := s.Read(context.Background(), log, after)
	if err != nil {
		t.Fatal(err)
	}
	var data []string
	for _, e := range entries {
		if e.Revision <= after {
			t.Fatalf("read of %q after %d gave revision %d", log, after, e.Revision)
		}
		after = e.Revision
		data = append(data, string(e.Data))
	}
	return data
}

func mustList(t testing.TB, s *Store) []string {
	t.Helper()
	var names []string
	for name, err := range s.List(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

func mustPending(t testing.TB, s *Store) []string {
	t.Helper()
	names, err := s.Pending(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func wantEqual(t testing.TB, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: got %q, want %q", what, got, want)
	}
}

func wantError(t testing.TB, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("got error %v, want %v", err, want)
	}
}

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

func TestFull(t *testing.T) {
	for name, test := range map[string]struct {
		options Options
		mend    string
	}{
		"memory": {Options{MaxBytes: 64 << 10}, "keep the log in files with --data"},
		"files":  {Options{MaxBytes: 64 << 10, Dir: t.TempDir()}, "raise --log-max"},
	} {
		t.Run(name, func(t *testing.T) {
			s := openStore(t, test.options)
			var want []string
			after, err := uint64(0), error(nil)
			for err == nil {
				data := fmt.Sprintf("%d %s", len(want), strings.Repeat("x", 1000))
				var revision uint64
				if revision, err = s.Append(t.Context(), "a", after, []byte(data)); err == nil {
					after, want = revision, append(want, data)
				}
				if len(want) > 64 {
					t.Fatal("more was stored than MaxBytes allows")
				}
			}
			wantError(t, err, ErrFull)
			for _, part := range []string{"--log-max", test.mend} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not name the mend %q", err, part)
				}
			}
			if len(want) < 32 {
				t.Errorf("full after %d entries of 1000 bytes", len(want))
			}
			wantEqual(t, "what was there before", mustRead(t, s, "a", 0), want)
			_, err = s.Append(t.Context(), "b", 0, make([]byte, 1100))
			wantError(t, err, ErrFull)
			wantEqual(t, "logs", mustList(t, s), []string{"a"})
		})
	}
}

func TestOptionsOutOfRange(t *testing.T) {
	for _, o := range []Options{{MaxPayload: -1}, {MaxPayload: maxMaxPayload + 1}, {MaxBytes: -1}} {
		if s, err := Open(t.Context(), o); err == nil {
			mustClose(t, s)
			t.Errorf("%+v was accepted", o)
		}
	}
}

func TestCancelledContextWritesNothing(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *Store) {
		mustAppend(t, s, "a", 0, "one")
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := s.Append(ctx, "b", 0, nil)
		wantError(t, err, context.Canceled)
		wantError(t, s.MarkPending(ctx, "b"), context.Canceled)
		_, err = s.Read(ctx, "a", 0)
		wantError(t, err, context.Canceled)
		_, err = s.Pending(ctx)
		wantError(t, err, context.Canceled)
		for _, err := range s.List(ctx) {
			wantError(t, err, context.Canceled)
		}
		wantEqual(t, "logs", mustList(t, s), []string{"a"})
		wantEqual(t, "pending", mustPending(t, s), nil)
	})
}

func TestClosed(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *Store) {
		mustAppend(t, s, "a", 0, "one")
		mustClose(t, s)
		mustClose(t, s)
		_, err := s.Append(t.Context(), "a", 1, nil)
		wantError(t, err, ErrClosed)
		_, err = s.Read(t.Context(), "a", 0)
		wantError(t, err, ErrClosed)
		_, err = s.Pending(t.Context())
		wantError(t, err, ErrClosed)
		wantError(t, s.MarkPending(t.Context(), "a"), ErrClosed)
		s.ClearPending("a")
		for _, err := range s.List(t.Context()) {
			wantError(t, err, ErrClosed)
		}
		for _, err := range s.Tail(t.Context(), "a", 0) {
			wantError(t, err, ErrClosed)
		}
	})
}

// Whatever is under way when the store is closed either succeeds, and is then in the files, or says ErrClosed.
func TestCloseUnderLoad(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, Options{Dir: dir})
	const writers = 4
	var (
		wg      sync.WaitGroup
		begun   sync.WaitGroup
		written [writers][]string
	)
	begun.Add(writers)
	for writer := range writers {
		wg.Go(func() {
			log, after := fmt.Sprintf("log-%d", writer), uint64(0)
			for i := 0; ; i++ {
				if i == 10 {
					begun.Done()
				}
				data := fmt.Sprint(i)
				revision, err := s.Append(t.Context(), log, after, []byte(data))
				if err != nil {
					wantError(t, err, ErrClosed)
					return
				}
				after, written[writer] = revision, append(written[writer], data)
				if _, err := s.Read(t.Context(), log, 0); err != nil {
					wantError(t, err, ErrClosed)
					return
				}
			}
		})
	}
	begun.Wait()
	mustClose(t, s)
	wg.Wait()
	s = openStore(t, Options{Dir: dir})
	for writer, want := range written {
		wantEqual(t, "log", mustRead(t, s, fmt.Sprintf("log-%d", writer), 0), want)
	}
}

func TestListIsSortedByPages(t *testing.T) {
	s := openStore(t, Options{})
	var want []string
	for i := range 300 {
		want = append(want, fmt.Sprintf("log-%03d", i))
	}
	for i := range want {
		mustAppend(t, s, want[(i*7)%len(want)], 0, "")
	}
	wantEqual(t, "logs", mustList(t, s), want)
	for name := range s.List(t.Context()) {
		if name != want[0] {
			t.Errorf("first is %q", name)
		}
		break // and nothing is left behind
	}
	page, err := s.subjectPage(t.Context(), logStream, logPrefix, 290)
	if err != nil || len(page.State.Subjects) != 10 || page.Total != 300 {
		t.Errorf("the page at 290 has %d of %d names, error %v", len(page.State.Subjects), page.Total, err)
	}
}

func TestDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "made", "here")
	s := openStore(t, Options{Dir: dir})
	mustAppend(t, s, "a", 0, "one")
	for _, made := range []string{filepath.Dir(dir), dir} {
		info, err := os.Stat(made)
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); mode != 0o700 {
			t.Errorf("%s has mode %o, want 700", made, mode)
		}
	}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s can be read by others: mode %o", path, info.Mode().Perm())
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestMemoryLeavesNoFiles(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := openStore(t, Options{})
	mustAppend(t, s, "a", 0, "one")
	left, err := os.ReadDir(os.TempDir())
	if err != nil || len(left) > 0 {
		t.Errorf("TMPDIR holds %v, error %v", left, err)
	}
}

func TestDirectoryThatCannotBe(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	sealed := filepath.Join(t.TempDir(), "sealed")
	if err := os.Mkdir(sealed, 0o500); err != nil {
		t.Fatal(err)
	}
	taken := t.TempDir()
	if err := os.WriteFile(filepath.Join(taken, "jetstream"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, dir := range map[string]string{"a file": file, "beneath a file": filepath.Join(file, "x"), "sealed": sealed, "taken": taken} {
		t.Run(name, func(t *testing.T) {
			if name == "sealed" && os.Geteuid() == 0 {
				t.Skip("root writes everywhere")
			}
			s, err := Open(t.Context(), Options{Dir: dir})
			if err == nil {
				mustClose(t, s)
				t.Fatal("opened")
			}
			for _, part := range []string{dir, "--data"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not say %q", err, part)
				}
			}
		})
	}
}

func TestOneStoreADirectory(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, Options{Dir: dir})
	_, err := Open(t.Context(), Options{Dir: dir})
	wantError(t, err, ErrLocked)
	mustAppend(t, s, "a", 0, "the first goes on")
	mustClose(t, s)
	s = openStore(t, Options{Dir: dir})
	wantEqual(t, "log", mustRead(t, s, "a", 0), []string{"the first goes on"})
}

// Whether the disk keeps its word cannot be tested here; that the server was told to ask it can.
func TestSyncAlways(t *testing.T) {
	for _, always := range []bool{false, true} {
		dir := t.TempDir()
		s := openStore(t, Options{Dir: dir, SyncAlways: always})
		if got := s.server.JetStreamConfig().SyncAlways; got != always {
			t.Errorf("SyncAlways is %v at the server, want %v", got, always)
		}
		mustAppend(t, s, "a", 0, "one")
		mustClose(t, s)
		s = openStore(t, Options{Dir: dir})
		wantEqual(t, "reopened", mustRead(t, s, "a", 0), []string{"one"})
	}
}

func TestLowerBoundOnReopen(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, Options{Dir: dir})
	data := strings.Repeat("x", 100_000)
	mustAppend(t, s, "a", 0, data)
	mustClose(t, s)
	s = openStore(t, Options{Dir: dir, MaxBytes: 1000})
	wantEqual(t, "what was there before", mustRead(t, s, "a", 0), []string{data})
	_, err := s.Append(t.Context(), "b", 0, nil)
	wantError(t, err, ErrFull)
}
