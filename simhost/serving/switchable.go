package serving

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Switches are the faults that a host commits and the variations it shows, in the order in which they were switched on.
type Switches struct{ Faults, Variations []string }

// Equal reports whether two hosts with these switches behave alike.
func (s Switches) Equal(other Switches) bool {
	return slices.Equal(s.Faults, other.Faults) && slices.Equal(s.Variations, other.Variations)
}

func (s Switches) clone() Switches {
	return Switches{slices.Clone(s.Faults), slices.Clone(s.Variations)}
}

// Switched is a host that can be opened again on the same logs.
type Switched interface {
	Handler() http.Handler
	Banner(baseURL string) string
	// Serves reports whether the host has the operation that a request is for.
	Serves(r *http.Request) bool
	// Fail answers with a refusal, in the form of the protocol.
	Fail(w http.ResponseWriter, r *http.Request, err error)
	// Hurry ends streams and long polls, so that nothing but work under way is left to wait for.
	Hurry()
	Close(ctx context.Context) error
}

// Switchable is a host whose faults and variations can be switched while it is open. What a host goes by is settled when it is
// opened: its engine, its stores, its discovery document. So switching closes the host and opens another one on the same logs,
// as after a restart: work that has not ended goes on, and requests that come meanwhile wait for it. Streams end, and their
// clients come back for the rest. Its methods may be called concurrently.
type Switchable[H Switched] struct {
	log   *slog.Logger
	open  func(context.Context, Switches) (H, error)
	check func(Switches) error

	switching sync.Mutex // one switch at a time

	mu   sync.RWMutex // guards what follows; held for reading by every request
	host H
	has  bool // host is open
	on   Switches
	down error // why there is no host
}

// drain is how long a switch waits for requests under way.
const drain = 5 * time.Second

// OpenSwitchable opens a host with some switches on. check reports what open would refuse, without opening anything. A nil log
// discards.
func OpenSwitchable[H Switched](ctx context.Context, log *slog.Logger, on Switches, check func(Switches) error,
	open func(context.Context, Switches) (H, error)) (*Switchable[H], error) {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	host, err := open(ctx, on)
	if err != nil {
		return nil, err
	}
	return &Switchable[H]{log: log, open: open, check: check, host: host, has: true, on: on.clone()}, nil
}

// Handler answers requests.
func (s *Switchable[H]) Handler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.RLock()
		defer s.mu.RUnlock()
		if s.down != nil {
			http.Error(w, s.down.Error(), http.StatusServiceUnavailable)
			return
		}
		s.host.Handler().ServeHTTP(w, r)
	})
}

// Banner is that of the host.
func (s *Switchable[H]) Banner(baseURL string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.host.Banner(baseURL)
}

// Serves reports whether the host has the operation that a request is for.
func (s *Switchable[H]) Serves(r *http.Request) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.has && s.host.Serves(r)
}

// Fail answers with a refusal, in the form of the protocol.
func (s *Switchable[H]) Fail(w http.ResponseWriter, r *http.Request, err error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if !s.has {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	s.host.Fail(w, r, err)
}

// With calls do with the host, which stays open as long. do must not call a method of s.
func (s *Switchable[H]) With(do func(H) error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.down != nil {
		return s.down
	}
	return do(s.host)
}

// On returns what is switched on now.
func (s *Switchable[H]) On() Switches {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.on.clone()
}

// Switch has these faults and variations on from now on, and no others. Where they cannot be, nothing changes. ctx is heard
// until the host is closed.
func (s *Switchable[H]) Switch(ctx context.Context, on Switches) error {
	if err := s.check(on); err != nil {
		return fmt.Errorf("switch faults: %w", err)
	}
	s.switching.Lock()
	defer s.switching.Unlock()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("switch faults: %w", err)
	}
	s.mu.RLock()
	if on.Equal(s.on) && s.down == nil {
		s.mu.RUnlock()
		return nil
	}
	if s.has {
		s.host.Hurry() // ends streams and what waits, so that nothing holds the lock for long
	}
	s.mu.RUnlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(s.down, ErrHostClosed) {
		return s.down
	}
	return s.reopen(context.WithoutCancel(ctx), on)
}

// ErrHostClosed means that the host was closed for good.
var ErrHostClosed = errors.New("the host is closed")

// reopen puts another host in the place of the one that is open. The caller has the lock.
func (s *Switchable[H]) reopen(ctx context.Context, on Switches) error {
	if s.has {
		bounded, cancel := context.WithTimeout(ctx, drain)
		err := s.host.Close(bounded)
		cancel()
		s.has = false
		if err != nil {
			s.log.Error("close the host to switch its faults", "error", err)
		}
	}
	before := s.on
	var failed error
	for _, try := range []Switches{on, before} {
		host, err := s.open(ctx, try)
		if err == nil {
			s.host, s.has, s.on, s.down = host, true, try.clone(), nil
			return failed
		}
		failed = errors.Join(failed, err)
	}
	s.down = fmt.Errorf("the host could not be opened again: %w: start it anew", failed)
	return s.down
}

// Close closes the host for good.
func (s *Switchable[H]) Close(ctx context.Context) (err error) {
	s.switching.Lock()
	defer s.switching.Unlock()
	s.mu.RLock()
	if s.has {
		s.host.Hurry()
	}
	s.mu.RUnlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.has {
		err = s.host.Close(ctx)
	}
	s.has, s.down = false, ErrHostClosed
	return err
}
