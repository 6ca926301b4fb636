package faulty

import (
	"context"
	"errors"
	"fmt"

	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/simhost/serving"
)

// Switchable is a host whose faults and variations can be switched while it is open.
type Switchable struct {
	*serving.Switchable[*surface.Host]
	opts  Options
	store *eventlog.Store
	own   bool // the store is ours to close
}

// OpenSwitchable opens a host as [New] does.
func OpenSwitchable(ctx context.Context, o Options) (_ *Switchable, err error) {
	s := &Switchable{opts: o, store: o.Store}
	if s.store == nil {
		store, err := eventlog.Open(ctx, eventlog.Options{Dir: o.DataDir, Checked: true, SyncAlways: o.SyncAlways, MaxBytes: o.LogMax})
		if err != nil {
			return nil, fmt.Errorf("start the simulated host: %w", err)
		}
		s.store, s.own, s.opts.Store = store, true, store
	}
	with := func(on serving.Switches) Options {
		o := s.opts
		o.Faults, o.Vary = on.Faults, on.Variations
		return o
	}
	s.Switchable, err = serving.OpenSwitchable(ctx, o.Logger, serving.Switches{Faults: o.Faults, Variations: o.Vary},
		func(on serving.Switches) error { return with(on).Check() },
		func(ctx context.Context, on serving.Switches) (*surface.Host, error) { return New(ctx, with(on)) })
	if err != nil {
		return nil, errors.Join(err, s.closeStore())
	}
	return s, nil
}

// Store is where the logs are. It stays the same when faults are switched.
func (s *Switchable) Store() *eventlog.Store { return s.store }

// Options are those that the host was opened with, but for what is switched.
func (s *Switchable) Options() Options { return s.opts }

// Close closes the host as [surface.Host.Close] does.
func (s *Switchable) Close(ctx context.Context) error {
	return errors.Join(s.Switchable.Close(ctx), s.closeStore())
}

func (s *Switchable) closeStore() error {
	if !s.own {
		return nil
	}
	return s.store.Close()
}
