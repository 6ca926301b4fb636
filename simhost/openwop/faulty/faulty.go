// Package faulty opens simulated hosts that break promises. The hosts know nothing of that: they go by rules, some of which a
// fault has replaced, and what comes in, goes out and is appended passes by changes that they do not see.
package faulty

import (
	"context"
	"fmt"

	"github.com/openassay/assay/simhost/openwop/fault"
	"github.com/openassay/assay/simhost/openwop/surface"
)

// Options are those of a host, and the faults that it commits, each as [fault.Find] reads it.
type Options struct {
	surface.Options
	Faults []string
}

// New opens a host as [surface.New] does.
func New(ctx context.Context, o Options) (*surface.Host, error) {
	own, err := o.committed()
	if err != nil {
		return nil, fmt.Errorf("start the simulated host: %w", err)
	}
	return surface.New(ctx, own)
}

// Check reports what is wrong with options without opening anything: a [surface.OptionError].
func (o Options) Check() error {
	own, err := o.committed()
	if err != nil {
		return err
	}
	return own.Check()
}

// committed are the options of a host that commits the faults.
func (o Options) committed() (surface.Options, error) {
	set, err := fault.Rules(o.Faults...)
	if err != nil {
		return o.Options, &surface.OptionError{Err: err}
	}
	changes, err := fault.Changes(o.Faults...)
	if err != nil {
		return o.Options, &surface.OptionError{Err: err}
	}
	own := o.Options
	own.Rules, own.Changes = &set, changes
	return own, nil
}
