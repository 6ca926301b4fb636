package serving

import (
	"context"
	"fmt"
	"net/http"
	"sync"
)

// Active counts the requests under way, so that a host can wait for them when it closes. The zero value counts from 0.
type Active struct {
	mu   sync.Mutex
	n    int
	none chan struct{} // closed when n falls to 0 after somebody began to wait; nil until then
}

// Count counts the requests that a handler answers.
func (q *Active) Count(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q.add(1)
		defer q.add(-1)
		next.ServeHTTP(w, r)
	})
}

func (q *Active) add(n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.n += n
	if q.n == 0 && q.none != nil {
		close(q.none)
		q.none = nil
	}
}

// Len returns how many requests are under way.
func (q *Active) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.n
}

// Wait returns when no request is under way, or with an error when ctx ends first.
func (q *Active) Wait(ctx context.Context) error {
	q.mu.Lock()
	n := q.n
	if n > 0 && q.none == nil {
		q.none = make(chan struct{})
	}
	none := q.none
	q.mu.Unlock()
	if n == 0 {
		return nil
	}
	select {
	case <-none:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("close the host: %d requests are still under way: %w", n, ctx.Err())
	}
}
