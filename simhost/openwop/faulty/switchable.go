package faulty

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openwop/fault"
	"github.com/openassay/assay/simhost/openwop/surface"
)

// Switchable is a host whose faults can be switched while it is open. What a host goes by is settled when it is opened: its
// engine, its stores, its discovery document. So switching closes the host and opens another one on the same logs, as after a
// restart: runs that have not ended go on, and requests that come meanwhile wait for it. Streams end, and their clients come
// back for the rest. Its methods may be called concurrently.
type Switchable struct {
	opts  Options
	log   *slog.Logger
	store *eventlog.Store
	own   bool // the store is ours to close

	switching sync.Mutex // one switch at a time

	mu     sync.RWMutex // guards what follows; held for reading by every request
	host   *surface.Host
	faults []string
	down   error // why there is no host
}

// drain is how long a switch waits for requests under way.
const drain = 5 * time.Second

// OpenSwitchable opens a host as [New] does.
func OpenSwitchable(ctx context.Context, o Options) (*Switchable, error) {
	s := &Switchable{opts: o, log: o.Logger, store: o.Store}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if s.store == nil {
		store, err := eventlog.Open(ctx, eventlog.Options{Dir: o.DataDir, Checked: true, SyncAlways: o.SyncAlways, MaxBytes: o.LogMax})
		if err != nil {
			return nil, fmt.Errorf("start the simulated host: %w", err)
		}
		s.store, s.own, s.opts.Store = store, true, store
	}
	host, err := New(ctx, s.opts)
	if err != nil {
		return nil, errors.Join(err, s.closeStore())
	}
	s.host, s.faults = host, slices.Clone(o.Faults)
	return s, nil
}

// Handler answers requests.
func (s *Switchable) Handler() http.Handler {
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
func (s *Switchable) Banner(baseURL string) string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.host.Banner(baseURL)
}

// With calls do with the host, which stays open as long. do must not call a method of s.
func (s *Switchable) With(do func(*surface.Host) error) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.down != nil {
		return s.down
	}
	return do(s.host)
}

// Store is where the logs are. It stays the same when faults are switched.
func (s *Switchable) Store() *eventlog.Store { return s.store }

// Options are those that the host was opened with, but for the faults.
func (s *Switchable) Options() Options { return s.opts }

// Faults are those that the host commits now, in the order in which they were put in.
func (s *Switchable) Faults() []string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.Clone(s.faults)
}

// Switch has the host commit these faults from now on, and no others. Where they cannot be, nothing changes. ctx is heard
// until the host is closed.
func (s *Switchable) Switch(ctx context.Context, faults []string) error {
	if _, err := fault.Rules(faults...); err != nil {
		return fmt.Errorf("switch faults: %w", err)
	}
	s.switching.Lock()
	defer s.switching.Unlock()
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("switch faults: %w", err)
	}
	s.mu.RLock()
	same, host := slices.Equal(faults, s.faults) && s.down == nil, s.host
	s.mu.RUnlock()
	if same {
		return nil
	}
	if host != nil {
		host.Hurry() // ends streams and what waits, so that nothing holds the lock for long
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(s.down, errClosed) {
		return s.down
	}
	return s.reopen(context.WithoutCancel(ctx), faults)
}

// errClosed: the host was closed for good.
var errClosed = errors.New("the host is closed")

// reopen puts another host in the place of the one that is open. The caller has the lock.
func (s *Switchable) reopen(ctx context.Context, faults []string) error {
	if s.host != nil {
		bounded, cancel := context.WithTimeout(ctx, drain)
		err := s.host.Close(bounded)
		cancel()
		s.host = nil
		if err != nil {
			s.log.Error("close the host to switch its faults", "error", err)
		}
	}
	before := s.faults
	var failed error
	for _, try := range [][]string{faults, before} {
		o := s.opts
		o.Faults = try
		host, err := New(ctx, o)
		if err == nil {
			s.host, s.faults, s.down = host, slices.Clone(try), nil
			return failed
		}
		failed = errors.Join(failed, err)
	}
	s.down = fmt.Errorf("the host could not be opened again: %w: start it anew", failed)
	return s.down
}

// Close closes the host as [surface.Host.Close] does.
func (s *Switchable) Close(ctx context.Context) error {
	s.switching.Lock()
	defer s.switching.Unlock()
	s.mu.RLock()
	if s.host != nil {
		s.host.Hurry()
	}
	s.mu.RUnlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if s.host != nil {
		err = s.host.Close(ctx)
	}
	s.host, s.down = nil, errClosed
	return errors.Join(err, s.closeStore())
}

func (s *Switchable) closeStore() error {
	if !s.own {
		return nil
	}
	return s.store.Close()
}
