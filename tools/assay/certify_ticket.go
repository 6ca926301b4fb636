package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports/register"
	"github.com/openassay/assay/reports/ticket"
	"github.com/openassay/assay/scenarios"
)

// ticketFlags holds the flags for what is left running until a limit of the target is over.
type ticketFlags struct {
	launch, check string

	binary string          // digest of this program
	typed  map[string]bool // flags of the command line
	taken  *ticket.Ticket  // that --check names
}

func (t *ticketFlags) register(f *pflag.FlagSet) {
	f.StringVar(&t.launch, "launch", "",
		"leave running what waits for a limit of hours or days, and write into `FILE` what --check needs to look at it later")
	f.StringVar(&t.check, "check", "",
		"go on with what --launch left running, by its `FILE`, when the limits are over; the target and what is asked stand there")
}

// takeUp reads the ticket that --check names. It returns the target: that of the ticket, unless one is given.
func (o *certifyFlags) takeUp(cmd *cobra.Command, targets []string) ([]string, error) {
	t := &o.ticket
	if !cmd.Flags().Changed("check") {
		return targets, nil
	}
	if t.check == "" {
		return nil, usage("certify --check: name the file that --launch wrote")
	}
	if cmd.Flags().Changed("register") {
		return nil, usage("certify --check: the plan was made when it was launched: leave out --register")
	}
	for _, flag := range []string{"launch", "seed", "depth", "salt", "run-id", "suite", "scenario", "requirement", "filter", "expect-claim", "plan",
		"real-time", "fault"} {
		if t.typed[flag] { // a file of parameters may say what the launch was told
			return nil, usage("certify --check: the ticket says what is asked, and how: leave out --%s", flag)
		}
	}
	taken, err := ticket.Read(t.check)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, usage("certify --check %s: there is no such file: name the one that --launch wrote", t.check)
	case err != nil:
		return nil, usage("certify --check %s: %w", t.check, err)
	}
	t.taken = taken
	o.suites, o.scenarios, o.requirements = taken.Select.Suites, taken.Select.Scenarios, taken.Select.Requirements
	o.filter, o.expectClaims = taken.Select.Filter, taken.Select.ExpectClaims
	o.seed, o.seedWasGiven, o.salt = taken.Begun.Seed, true, taken.Salt
	if len(targets) == 0 {
		targets = []string{taken.Address}
	}
	return targets, nil
}

// fits returns an error if the ticket is of another target.
func (t *ticketFlags) fits(at target) error {
	if t.taken != nil && at.name != t.taken.Address {
		return usage("certify --check %s: it is of %s, and not of %s: leave the target out, or name its own", t.check, t.taken.Address, at.name)
	}
	return nil
}

// speaks returns an error if the target speaks another protocol now than the ticket has it.
func (t *ticketFlags) speaks(protocol string) error {
	if t.taken != nil && protocol != t.taken.Protocol {
		return usage("certify --check %s: it is of a target of %s, and this one speaks %s", t.check, t.taken.Protocol, protocol)
	}
	return nil
}

// checkFlags validates the flags, and completes the options.
func (t *ticketFlags) checkFlags(given func(string) bool, at target, o *certifyFlags, options *scenarios.Options) (err error) {
	if !given("launch") && t.taken == nil {
		return nil
	}
	if t.binary, err = register.Binary(); err != nil {
		return fmt.Errorf("certify: read the program, whose digest is kept: %w", err)
	}
	options.Launch, options.Binary, o.bundle.binary = true, t.binary, t.binary
	if taken := t.taken; taken != nil {
		if taken.Version != version() || taken.Binary != t.binary {
			return usage("certify --check %s: another Assay wrote it, %s (program %.12s), which may ask otherwise than this one, %s (%.12s): "+
				"look with that one, or launch again", t.check, taken.Version, taken.Binary, version(), t.binary)
		}
		options.Resume = &taken.Begun
		return nil
	}
	switch {
	case t.launch == "":
		return usage("certify --launch: name a file")
	case at.specimen != nil:
		return usage("certify --launch: %s ends with the certification, and nothing of it is left running: start a host with assay simhost",
			simulated)
	case at.kind.Target != nil:
		return usage("certify --launch: nothing of a program is left running when its turn is over: leave it out")
	case o.plan:
		return usage("certify --plan: it sends nothing, so there is nothing to launch: leave out --launch")
	case given("register"):
		return usage("certify --launch: a plan in a register is that of one run, and this one goes on later: leave out --register")
	}
	if _, err := os.Stat(t.launch); err == nil {
		return usage("certify --launch %s: the file is there, and may be what a launch left running: name another one", t.launch)
	}
	if info, err := os.Stat(filepath.Dir(t.launch)); err != nil || !info.IsDir() {
		return usage("certify --launch %s: there is no folder %s: make it, or name another file", t.launch, filepath.Dir(t.launch))
	}
	return nil
}

// begin notes that a ticket is gone on with: what it left running is cleaned up at the end.
func (t *ticketFlags) begin() error {
	if t.taken == nil {
		return nil
	}
	if err := t.taken.Checked(t.check, time.Now()); err != nil {
		return usage("certify --check %s: it cannot be noted there that it was gone on with: %w", t.check, err)
	}
	return nil
}

// leave writes the ticket of what is left running. line tells the operator where it is, and when to look.
func (t *ticketFlags) leave(r *scenarios.Report, binary string) (line string, err error) {
	file := t.launch
	if t.taken != nil {
		file = t.check
	}
	if file == "" {
		return "", nil
	}
	written, err := ticket.Write(file, r, version(), binary)
	switch {
	case err != nil:
		return "", fmt.Errorf("write the ticket %s: %w", file, err)
	case !written && t.taken == nil:
		return "nothing is left running: no limit was too long to wait for, and no ticket was written\n", nil
	case !written:
		return "", nil
	}
	last := slices.MaxFunc(r.Pending, func(a, b scenarios.Pending) int { return a.Due().Compare(b.Due()) })
	return fmt.Sprintf("left running: %s; look from %s on (by the clock of the target): assay certify --check %s\n",
		textsafe.Count(len(r.Pending), "drive"), last.Due().UTC().Format(time.RFC3339), textsafe.Shell(file)), nil
}

func isNotDue(err error) bool {
	_, is := errors.AsType[*scenarios.NotDueError](err)
	return is
}

// notDue says when to come again.
func (t *ticketFlags) notDue(err error) error {
	return &exit{Code: scenarios.ExitUnproved, Cause: fmt.Errorf("certify --check %s: too early: %w: come again then; nothing was asked",
		t.check, err)}
}
