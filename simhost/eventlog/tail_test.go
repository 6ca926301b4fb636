package eventlog

import (
	"context"
	"fmt"
	"sync"
	"testing"
)

func TestTailSeesEverythingOnce(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *Store) {
		const logs, entries, tailers = 3, 100, 3
		var wg sync.WaitGroup
		for log := range logs {
			name := fmt.Sprintf("log-%d", log)
			for range tailers {
				wg.Go(func() {
					next, after := 0, uint64(0)
					for e, err := range s.Tail(t.Context(), name, 0) {
						if err != nil {
							t.Error(err)
							return
						}
						if want := fmt.Sprint(next); string(e.Data) != want || e.Revision <= after {
							t.Errorf("%s: got %q at revision %d after %d, want %q", name, e.Data, e.Revision, after, want)
							return
						}
						next, after = next+1, e.Revision
						if next == entries {
							return
						}
					}
				})
			}
			wg.Go(func() {
				after := uint64(0)
				for i := range entries {
					revision, err := s.Append(t.Context(), name, after, fmt.Append(nil, i))
					if err != nil {
						t.Error(err)
						return
					}
					after = revision
				}
			})
		}
		wg.Wait()
		if len(s.tails.logs) != 0 {
			t.Errorf("%d logs are still waited for", len(s.tails.logs))
		}
	})
}

func TestTailFromTheMiddle(t *testing.T) {
	s := openStore(t, Options{})
	first := mustAppend(t, s, "a", 0, "one")
	second := mustAppend(t, s, "a", first, "two")
	for e, err := range s.Tail(t.Context(), "a", first) {
		if err != nil {
			t.Fatal(err)
		}
		switch string(e.Data) {
		case "two":
			mustAppend(t, s, "a", second, "three") // from within the loop: the store is not held
			continue
		case "three":
		default:
			t.Errorf("got %q", e.Data)
		}
		break
	}
}

func TestTailEndsWithItsContext(t *testing.T) {
	s := openStore(t, Options{})
	mustAppend(t, s, "a", 0, "one")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var ends []error
	for _, err := range s.Tail(ctx, "a", 0) {
		if err != nil {
			ends = append(ends, err)
			continue
		}
		cancel()
	}
	if len(ends) != 1 {
		t.Fatalf("ended with %v, want one error", ends)
	}
	wantError(t, ends[0], context.Canceled)
}

func TestTailEndsWithTheStore(t *testing.T) {
	eachStorage(t, func(t *testing.T, s *Store) {
		waiting, ended := make(chan struct{}), make(chan error, 1)
		go func() {
			var last error
			for _, err := range s.Tail(t.Context(), "a", 0) {
				if err == nil {
					close(waiting)
				}
				last = err
			}
			ended <- last
		}()
		mustAppend(t, s, "a", 0, "one")
		<-waiting
		mustClose(t, s)
		wantError(t, <-ended, ErrClosed)
	})
}
