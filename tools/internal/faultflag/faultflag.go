// Package faultflag is the flags by which a command is told which faults to commit, and how far they go.
package faultflag

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/openassay/assay/simhost/param"
)

// Flags are --fault and --fault-draw.
type Flags struct {
	Specs []string // ids, each with what is set of it (package param); complete after Settle
	draw  uint64
}

// Register adds the flags to those of a command.
func (f *Flags) Register(flags *pflag.FlagSet) {
	flags.StringSliceVar(&f.Specs, "fault", nil,
		"violation to commit, by its `ID` (assay list faults), with what is set of it behind a colon, as in ID:from=3; may be repeated")
	flags.Uint64Var(&f.draw, "fault-draw", 0, "draw what can be set of the faults with this `SEED`, from 1")
}

// Settle checks the faults by params, which returns what can be set of one or why it cannot be committed, and draws what is to be
// drawn. What was set by hand stays.
func (f *Flags) Settle(params func(spec string) ([]param.Param, error)) error {
	f.Specs = param.Joined(f.Specs)
	if f.draw != 0 && len(f.Specs) == 0 {
		return fmt.Errorf("--fault-draw %d: name the fault with --fault", f.draw)
	}
	for i, spec := range f.Specs {
		all, err := params(spec)
		if err != nil {
			return err
		}
		if id, set := param.Split(spec); f.draw != 0 && set == "" {
			f.Specs[i] = param.Join(id, param.Drawn(id, all, f.draw))
		}
	}
	return nil
}
