// Package faulty opens simulated OpenIntent servers that break promises. The servers know nothing of that: they go by rules, some
// of which a fault has replaced, and what comes in and goes out passes by changes that they do not see.
package faulty

import (
	"context"
	"fmt"

	"github.com/openassay/assay/simhost/openintent"
	"github.com/openassay/assay/simhost/openintent/fault"
)

// Options are those of a server, and the faults that it commits, each as [fault.Find] reads it.
type Options struct {
	openintent.Options
	Faults []string
}

// New opens a server as [openintent.New] does.
func New(ctx context.Context, o Options) (*openintent.Host, error) {
	own, err := o.committed()
	if err != nil {
		return nil, fmt.Errorf("start the simulated OpenIntent server: %w", err)
	}
	return openintent.New(ctx, own)
}

// Check reports what is wrong with options without opening anything: an [openintent.OptionError].
func (o Options) Check() error {
	own, err := o.committed()
	if err != nil {
		return err
	}
	return own.Check()
}

// committed are the options of a server that commits the faults.
func (o Options) committed() (openintent.Options, error) {
	set, err := fault.Rules(o.Faults...)
	if err != nil {
		return o.Options, &openintent.OptionError{Err: err}
	}
	changes, err := fault.Changes(o.Faults...)
	if err != nil {
		return o.Options, &openintent.OptionError{Err: err}
	}
	own := o.Options
	own.Rules, own.Changes = &set, changes
	return own, nil
}
