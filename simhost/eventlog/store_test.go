package eventlog

import (
	"context"
	"errors"
	"fmt"
	"slices"
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
	page, err := s.subjectPage(t.Context(), s.stream, s.prefix, 290)
	if err != nil || len(page.State.Subjects) != 10 || page.Total != 300 {
		t.Errorf("the page at 290 has %d of %d names, error %v", len(page.State.Subjects), page.Total, err)
	}
}
