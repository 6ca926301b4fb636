package eventlog

import (
	"context"
	"fmt"
	"sync"
	"testing"
)

func TestPending(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *Store) {
		for _, log := range []string{"b", "a", "c", "a"} {
			if err := s.MarkPending(t.Context(), log); err != nil {
				t.Fatal(err)
			}
		}
		wantEqual(t, "marked", mustPending(t, s), []string{"a", "b", "c"})
		s.ClearPending("b")
		s.ClearPending("never marked")
		wantEqual(t, "one cleared", mustPending(t, s), []string{"a", "c"})
		if err := s.MarkPending(t.Context(), "b"); err != nil {
			t.Fatal(err)
		}
		wantEqual(t, "and marked again", mustPending(t, s), []string{"a", "b", "c"})
		wantEqual(t, "a mark is no log", mustList(t, s), nil)
	})
}

func TestPendingAcrossReopen(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, Options{Dir: dir})
	for _, log := range []string{"a", "b", "c"} {
		if err := s.MarkPending(t.Context(), log); err != nil {
			t.Fatal(err)
		}
	}
	s.ClearPending("b")
	mustClose(t, s)
	s = openStore(t, Options{Dir: dir})
	wantEqual(t, "reopened", mustPending(t, s), []string{"a", "c"})
	s.ClearPending("a")
	s.ClearPending("c")
	mustClose(t, s)
	s = openStore(t, Options{Dir: dir})
	wantEqual(t, "all cleared", mustPending(t, s), nil)
}

// Many logs come and go while a few stay: the stream of marks stays small, and no mark of those that stay is swept away.
func TestPendingIsSwept(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, Options{Dir: dir})
	const workers, rounds, stay = 4, 2 * enoughDead, 5
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			for i := range rounds {
				log := fmt.Sprintf("w%d-%d", worker, i)
				if err := s.MarkPending(context.Background(), log); err != nil {
					t.Error(err)
					return
				}
				if i%(rounds/stay) != 0 {
					s.ClearPending(log)
				}
			}
		})
	}
	wg.Wait()
	var want []string
	for worker := range workers {
		for i := range rounds {
			if i%(rounds/stay) == 0 {
				want = append(want, fmt.Sprintf("w%d-%d", worker, i))
			}
		}
	}
	got := mustPending(t, s)
	if len(got) != len(want) {
		t.Errorf("%d logs are pending, want %d", len(got), len(want))
	}
	mustClose(t, s)
	s = openStore(t, Options{Dir: dir})
	wantEqual(t, "reopened", mustPending(t, s), got)
	info, err := s.pending.marks.Info(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if info.State.Msgs != uint64(len(want)) {
		t.Errorf("the stream holds %d marks for %d logs", info.State.Msgs, len(want))
	}
}
