package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/internal/nearest"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/openwop"
	"github.com/openassay/assay/simhost/rules"
)

const simhostLong = `Runs a host that speaks OpenWOP v1 and keeps every promise it makes, or breaks
the one you name with --fault. It prints where it listens, its key, what it
claims, and a line to try. Stop it with Ctrl-C.

Its logs live in memory unless --data names a folder; there they survive a
crash of the process, and with --sync always a loss of power too.`

type simhostFlags struct {
	listen  string
	sync    string
	tenants []string
	host    openwop.Options
}

func newSimhost() *cobra.Command {
	o := &simhostFlags{}
	cmd := &cobra.Command{
		Use:     "simhost",
		Short:   "Run the simulated host",
		Long:    simhostLong,
		Example: "  assay simhost\n  assay simhost --listen 127.0.0.1:0 --version 4 --without replay\n  assay simhost --fault loop.iteration-resets-on-resume",
		Args:    args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd); err != nil {
				return err
			}
			return o.serve(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.listen, "listen", "127.0.0.1:7411", "`ADDRESS` to listen on; port 0 takes a free one")
	f.StringVar(&o.host.Key, "key", openwop.DefaultKey, "bearer `KEY` that clients must send")
	f.StringArrayVar(&o.tenants, "tenant", nil, "further tenant and its key, `NAME=KEY`; may be repeated")
	f.IntVar(&o.host.Version, "version", openwop.DefaultVersion, "version `N` of the execution model, 1 to 6")
	f.StringSliceVar(&o.host.Without, "without", nil, "`CLAIMS` to leave off, separated by commas")
	f.StringVar(&o.host.ExperimentalUntil, "experimental-until", "", "advertise the execution model as experimental until this `DAY`, YYYY-MM-DD")
	f.StringVar(&o.host.EscalationInterrupt, "escalation-interrupt", openwop.EscalationInterrupts()[0], "`KIND` of interrupt that a decision below the confidence floor raises: clarification or approval")
	f.StringSliceVar(&o.host.Faults, "fault", nil, "violation to commit, by its `ID` (assay list faults); may be repeated")
	f.StringVar(&o.host.Workflows, "workflows", "", "`DIR` of further workflow definitions, *.json")
	f.StringVar(&o.host.CORS, "cors", "", "`ORIGIN` whose pages may call the host, or *")
	f.StringVar(&o.host.DataDir, "data", "", "`DIR` for the logs (default in memory)")
	f.StringVar(&o.sync, "sync", syncSystem, "`WHEN` logs in files reach the disk: system, or always (before each answer)")
	f.Int64Var(&o.host.LogMax, "log-max", 0, "most `BYTES` that all logs may hold (default 256 MiB in memory, unbounded in files)")
	f.Uint64Var(&o.host.Seed, "seed", 0, "`N` that makes the ids of runs and the tokens of interrupts repeatable (default random)")
	return cmd
}

const (
	syncSystem = "system"
	syncAlways = "always"
)

// check finds what can be wrong with the flags before anything is opened.
func (o *simhostFlags) check(cmd *cobra.Command) error {
	for _, c := range o.host.Without {
		if !slices.Contains(openwop.ClaimNames(), c) {
			return unknown("claim to leave off", c, openwop.ClaimNames())
		}
	}
	var faults []string
	for _, f := range rules.Faults() {
		faults = append(faults, f.ID)
	}
	for _, f := range o.host.Faults {
		if !slices.Contains(faults, f) {
			return &scenarios.UsageError{Kind: "fault", Name: f, Near: nearest.Name(f, faults)}
		}
	}
	switch {
	case o.sync != syncSystem && o.sync != syncAlways:
		return unknown("value of --sync", o.sync, []string{syncSystem, syncAlways})
	case !slices.Contains(openwop.EscalationInterrupts(), o.host.EscalationInterrupt):
		return unknown("value of --escalation-interrupt", o.host.EscalationInterrupt, openwop.EscalationInterrupts())
	case cmd.Flags().Changed("sync") && o.host.DataDir == "":
		return usage("simhost --sync: logs in memory reach no disk: name a folder with --data")
	case o.host.Version < 1 || o.host.Version > 6:
		return usage("simhost --version %d: give one from 1 to 6", o.host.Version)
	case o.host.Key == "":
		return usage("simhost --key: give a key that is not empty")
	}
	o.host.SyncAlways = o.sync == syncAlways
	return o.readTenants()
}

// readTenants takes the further tenants apart. No error repeats a key.
func (o *simhostFlags) readTenants() error {
	for _, t := range o.tenants {
		name, key, ok := strings.Cut(t, "=")
		if _, twice := o.host.Tenants[name]; !ok || twice {
			return usage("simhost --tenant %s: write NAME=KEY, each name once", name)
		}
		if o.host.Tenants == nil {
			o.host.Tenants = map[string]string{}
		}
		o.host.Tenants[name] = key
	}
	return nil
}

func (o *simhostFlags) serve(ctx context.Context, out, errs io.Writer) (err error) {
	o.host.Release = version()
	o.host.Logger = slog.New(slog.NewTextHandler(errs, nil))
	var listener net.ListenConfig
	ln, err := listener.Listen(ctx, "tcp", o.listen)
	if err != nil {
		return usage("simhost --listen %s: %w: choose another address", o.listen, err)
	}
	host, err := openwop.New(ctx, o.host)
	if mistake := (*openwop.OptionError)(nil); errors.As(err, &mistake) {
		return errors.Join(usage("simhost: %w", mistake), ln.Close())
	}
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	defer func() {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		err = errors.Join(err, host.Close(bounded))
	}()
	if _, err := io.WriteString(out, host.Banner("http://"+dialable(ln.Addr()))); err != nil {
		return errors.Join(fmt.Errorf("simhost: print the banner: %w", err), ln.Close())
	}
	return host.Serve(ctx, ln)
}

// dialable is an address that a client on this machine can use: a host that listens everywhere has no address of its own.
func dialable(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return a.String()
	}
	return fmt.Sprintf("localhost:%d", tcp.Port)
}
