package main

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/tools/verify"
)

// liveFlags holds the flags of verify for a host that is asked again. But for URL and seed they are flags of certify.
type liveFlags struct {
	url     string
	seed    uint64
	certify certifyFlags
}

// liveFlag begins the names of the flags.
const liveFlag = "live"

// askingFlags lists the flags of certify that say how to ask a host.
var askingFlags = []string{"key", "key-file", "tenant-b-key", "voter-key", "low-scope-key", "host-secret", "second-host",
	"second-host-key", "header", "user-agent", "cacert", "seam-prefix", "role", "workers", "rate", "patience", "timeout", "real-time"}

func (l *liveFlags) register(f *pflag.FlagSet) {
	f.StringVar(&l.url, liveFlag, "", "`URL` of the host, to ask it a random tenth of the scenarios again and compare the verdicts")
	f.Uint64Var(&l.seed, liveFlag+"-seed", 0, "`N` that draws these scenarios, and what they are asked with (default random)")
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	l.certify.register(all)
	for _, name := range askingFlags {
		flag := *all.Lookup(name)
		flag.Name = liveFlag + "-" + name
		f.AddFlag(&flag)
	}
}

// read validates the flags, and returns how to ask the host; nil if it is not to be asked. It sends nothing.
func (l *liveFlags) read(cmd *cobra.Command) (*certify, error) {
	given := cmd.Flags().Changed
	if !given(liveFlag) {
		var stray error
		cmd.Flags().Visit(func(f *pflag.Flag) {
			if strings.HasPrefix(f.Name, liveFlag+"-") {
				stray = usage("verify --%s: it says how to ask a host again: add --live URL", f.Name)
			}
		})
		return nil, stray
	}
	if _, err := wire.ParseBase(l.url); err != nil {
		return nil, usage("verify --live: %w", err)
	}
	l.certify.seed, l.certify.seedWasGiven = l.seed, given(liveFlag+"-seed")
	l.certify.depth = scenarios.Standard.String()
	l.certify.timeoutWasGiven = given(liveFlag + "-timeout")
	t, err := l.certify.target(l.url)
	if err != nil {
		return nil, l.own(err)
	}
	options, err := l.certify.options()
	if err != nil {
		return nil, l.own(err)
	}
	return &certify{target: t, options: options, stdout: cmd.OutOrStdout(), stderr: cmd.ErrOrStderr()}, nil
}

// asking returns the way to ask the host of a bundle again; nil if c is.
func (l *liveFlags) asking(ctx context.Context, c *certify, m results.BundleManifest) (*verify.Asking, error) {
	switch {
	case c == nil:
		return nil, nil
	case !strings.Contains(m.Target.Address, "://"):
		return nil, usage("verify --live: the bundle is of a program, which has no URL: leave it out")
	case strconv.FormatUint(c.options.Seed, 10) == m.Seed:
		return nil, usage("verify --live-seed %d: the bundle has that seed, and answers to it are known: give another", c.options.Seed)
	}
	return &verify.Asking{
		Address: c.target.name, Seed: c.options.Seed,
		Ask: func(selection scenarios.Selection, suites []scenarios.Suite) (*scenarios.Report, error) {
			defer bounded()()
			c.suites, c.options.Select = suites, selection
			report, err := c.ask(ctx, "asking again")
			switch {
			case ctx.Err() != nil:
				return nil, verify.ErrInterrupted
			case err != nil:
				return nil, errors.New(strings.TrimPrefix(err.Error(), "certify: "))
			}
			return report, nil
		},
	}, nil
}

// own returns a usage error of certify in the words of verify.
func (l *liveFlags) own(err error) error {
	text := strings.Replace(err.Error(), "certify", "verify", 1)
	text = strings.Replace(text, "verify: ", "verify --"+liveFlag+": ", 1)
	for _, name := range askingFlags {
		text = strings.ReplaceAll(text, "--"+name, "--"+liveFlag+"-"+name)
	}
	return &exit{Code: exitCode(err), Cause: errors.New(text)}
}
