package eventlog

import (
	"context"
	"iter"
	"sync"
)

// Tail yields the entries of a log with a revision above after, and then every later one as it is appended, each once and
// in order. The log need not exist yet. The sequence ends with the loop over it or with an error, which is yielded last:
// that of ctx when it ends, ErrClosed when the store is closed, or that of a read that failed.
//
// A loop that is slow costs nobody else: entries wait in the store, not in memory.
func (s *Store) Tail(ctx context.Context, log string, after uint64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		appended, leave := s.tails.join(log)
		defer leave()
		for {
			entries, err := s.Read(ctx, log, after)
			if err != nil {
				yield(Entry{}, err)
				return
			}
			for _, e := range entries {
				if !yield(e, nil) {
					return
				}
				after = e.Revision
			}
			select {
			case <-appended:
			case <-ctx.Done():
				yield(Entry{}, ctx.Err())
				return
			case <-s.closing:
				yield(Entry{}, ErrClosed)
				return
			}
		}
	}
}

// tails knows who waits for which log.
type tails struct {
	mu        sync.Mutex
	logs      map[string]map[chan struct{}]struct{}
	followers map[*Appends]struct{} // of all logs
}

// join returns a channel that receives after every append to the log; appends in quick succession share one receipt.
func (t *tails) join(log string) (appended <-chan struct{}, leave func()) {
	c := make(chan struct{}, 1)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.logs == nil {
		t.logs = map[string]map[chan struct{}]struct{}{}
	}
	if t.logs[log] == nil {
		t.logs[log] = map[chan struct{}]struct{}{}
	}
	t.logs[log][c] = struct{}{}
	return c, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.logs[log], c)
		if len(t.logs[log]) == 0 {
			delete(t.logs, log)
		}
	}
}

func (t *tails) wake(log string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for c := range t.logs[log] {
		select {
		case c <- struct{}{}:
		default: // it has yet to look at an earlier one, and will see both
		}
	}
	for a := range t.followers {
		a.hear(log)
	}
}
