// Package serving puts the handler of a host onto a listener, and ends it so that streams and long polls end first.
package serving

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

// The patience of the server. There is no whole-request read timeout and no write timeout: both would cut
// streams and long polls. Bodies and stream writes set deadlines of their own instead.
const (
	headerPatience = 10 * time.Second
	idlePatience   = 2 * time.Minute
	// ShutdownPatience is how long requests under way may take to end.
	ShutdownPatience = 5 * time.Second
	maxHeaderBytes   = 64 << 10
)

// Serve answers on ln until ctx ends, then stops cleanly: open streams and long polls end, requests under
// way are finished within a few seconds, and ln is closed. It returns nil after such a stop. The handler stays usable.
func Serve(ctx context.Context, ln net.Listener, handler http.Handler, log *slog.Logger) error {
	stopping, stop := context.WithCancel(context.Background())
	defer stop()
	silent := &silentConns{}
	server := &http.Server{
		ConnState:         silent.note,
		Handler:           handler,
		ReadHeaderTimeout: headerPatience,
		IdleTimeout:       idlePatience,
		MaxHeaderBytes:    maxHeaderBytes,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
		BaseContext: func(net.Listener) context.Context {
			return context.WithValue(context.Background(), stoppingKey{}, stopping)
		},
	}
	served := make(chan error, 1)
	go func() { served <- server.Serve(ln) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve on %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	silent.close()
	stop() // waiting requests give up their waiting; only then can Shutdown come to an end
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), ShutdownPatience)
	defer cancel()
	err := server.Shutdown(grace)
	if err != nil {
		err = errors.Join(fmt.Errorf("stop serving on %s: requests were still open after %s: %w", ln.Addr(), ShutdownPatience, err),
			server.Close())
	}
	<-served //nolint:errcheck // a server that was shut down tells no more than that it was
	return err
}

// silentConns are connections on which nothing was asked yet: browsers open some in advance. Shutdown would wait for them
// as long as for a request under way.
type silentConns struct {
	mu      sync.Mutex
	conns   map[net.Conn]bool
	stopped bool
}

func (s *silentConns) note(c net.Conn, state http.ConnState) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(s.conns, c)
	case s.stopped:
		_ = c.Close() // accepted while the listener was closing: nobody will answer
	case s.conns == nil:
		s.conns = map[net.Conn]bool{c: true}
	default:
		s.conns[c] = true
	}
}

func (s *silentConns) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped = true
	for c := range s.conns {
		_ = c.Close() // the peer sees the end of the stream, which is what is meant
	}
}

// stoppingKey carries, in the context of a request, the context that ends when its server stops.
type stoppingKey struct{}

// Waiting returns a context for a request that waits or streams: it ends with the request, when the server
// that took the request stops, and when its host closes. Only waiting is cut short by a stop; a request that
// works is finished.
func Waiting(ctx, closing context.Context) (context.Context, context.CancelFunc) {
	Waits(ctx)
	ctx, cancel := context.WithCancel(ctx)
	stops := []func() bool{context.AfterFunc(closing, cancel)}
	if stopping, ok := ctx.Value(stoppingKey{}).(context.Context); ok {
		stops = append(stops, context.AfterFunc(stopping, cancel))
	}
	return ctx, func() {
		for _, stop := range stops {
			stop()
		}
		cancel()
	}
}
