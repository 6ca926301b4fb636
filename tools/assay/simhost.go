package main

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/serving/onward"
	"github.com/openassay/assay/tools/internal/cli"
	"github.com/openassay/assay/tools/internal/faultflag"
	"github.com/openassay/assay/tools/internal/protocols"
)

const simhostLong = "Runs %s, and keeps every promise it makes, or breaks the one you name with --fault. " +
	"With --vary it differs from the usual host as real\n" +
	`hosts do, and keeps its promises all the same. It prints where it listens, its
key, what it claims, and a line to try. Stop it with Ctrl-C.

A console for people is at /console: runs as they happen, forms that answer what
they ask, the workspace as a turn saw it, goals, the clock and the faults. It asks
for the key once, and answers to this machine alone unless --console-remote is given.

Its logs live in memory unless --data names a folder; there they survive a
crash of the process, and with --sync always a loss of power too.

While it runs, its clock, faults and variations follow the commands below, which
also save all it has into one file. They ask the console.

` + recordedLong

type simhostFlags struct {
	listen   string
	sync     string
	voters   []string
	without  []string
	faults   faultflag.Flags
	vary     []string
	settings protocols.Settings

	clock, clockAt      string
	begins              time.Time // of clockAt; zero for now
	skipAfter, skipMost time.Duration
	moved               clock.Moved // nil with --clock real
	nonce               string
	console             bool
	consoleRemote       bool
	front, fallback     onward.Other
	recorded            recordedFlags
	given, keys         []string // flags of the command line, and the keys among their values

	protocols []string
	hosts     []protocolHost // hosts of all protocols
}

// protocolHost is the simulated host of one protocol.
type protocolHost struct {
	protocols.Simhost
	name string // name of the protocol
}

func newSimhost() *cobra.Command {
	o := newSimhostFlags()
	cmd := &cobra.Command{
		Use:   "simhost",
		Short: "Run the simulated host",
		Long:  fmt.Sprintf(simhostLong, o.kinds()),
		Example: "  assay simhost\n  assay simhost --listen 127.0.0.1:0 --version 4 --without replay\n" +
			"  assay simhost --fault loop.iteration-resets-on-resume\n" +
			"  assay simhost --recorded recording --recorded-report report.json" +
			protocols.Examples("simhost"),
		Args: args(),
		RunE: func(cmd *cobra.Command, _ []string) error { return o.recordedOr(cmd) },
	}
	o.register(cmd.Flags())
	cmd.AddCommand(newSimhostDoctor(), o.newClock(), newSwitches("fault"), newSwitches("variation"), o.newSnapshot())
	return cmd
}

func newSimhostFlags() *simhostFlags {
	o := &simhostFlags{}
	for _, row := range protocols.Table {
		if row.Simhost != nil {
			o.hosts = append(o.hosts, protocolHost{row.Simhost(), row.Name()})
		}
	}
	return o
}

// kinds describes the hosts for the help.
func (o *simhostFlags) kinds() string {
	words := o.hosts[0].Words().Is
	for _, h := range o.hosts[1:] {
		words += ", or with --protocol " + h.name + " " + h.Words().Is
	}
	return words
}

// words joins one part of the help of all hosts.
func (o *simhostFlags) words(separator string, of func(protocols.SimhostWords) string) string {
	var all []string
	for _, h := range o.hosts {
		all = append(all, of(h.Words()))
	}
	return strings.Join(all, separator)
}

func (o *simhostFlags) names() []string {
	var names []string
	for _, h := range o.hosts {
		names = append(names, h.name)
	}
	return names
}

// register adds the flags that all hosts share. After each come the flags of single protocols that belong there.
func (o *simhostFlags) register(f *pflag.FlagSet) {
	own := func(behind string) {
		for _, h := range o.hosts {
			h.Flags(behind, f)
		}
	}
	s := &o.settings
	f.StringVar(&o.listen, "listen", "127.0.0.1:7411", "`ADDRESS` to listen on; port 0 takes a free one")
	f.StringVar(&s.Key, "key", protocols.DefaultKey,
		"`KEY` that clients must send: "+o.words(", ", func(w protocols.SimhostWords) string { return w.Key }))
	cli.Secret(f, "key")
	own("key")
	f.StringArrayVar(&o.voters, "voter", nil, "further principal of the first tenant and its key, `NAME=KEY`, "+
		o.words("; ", func(w protocols.SimhostWords) string { return w.Voter })+"; may be repeated")
	cli.Secret(f, "voter")
	own("voter")
	f.StringSliceVar(&o.protocols, "protocol", o.names()[:1],
		"`PROTOCOL` to speak: "+protocols.OrList(o.names())+"; both may be given, and share one log")
	own("protocol")
	f.StringSliceVar(&o.without, "without", nil, "`CLAIMS` to leave off, separated by commas")
	own("without")
	o.faults.Register(f)
	f.StringSliceVar(&o.vary, "vary", nil, "way to differ from the usual host without being wrong, by its `ID` (assay list "+
		"variations), or all of them; may be repeated")
	own("vary")
	f.StringVar(&s.DataDir, "data", "", "`DIR` for the logs (default in memory)")
	f.StringVar(&o.sync, "sync", syncSystem, "`WHEN` logs in files reach the disk: system, or always (before each answer)")
	f.Int64Var(&s.LogMax, "log-max", 0, "most `BYTES` that all logs may hold (default 256 MiB in memory, unbounded in files)")
	own("log-max")
	f.StringVar(&o.clock, "clock", clockReal, "`WHAT` moves the clock of the host: real time; manual, by the console or "+
		"assay simhost clock; or skip, real time that jumps to what is due next when everything waits")
	f.StringVar(&o.clockAt, "clock-at", "", "`TIME` at which --clock manual or skip begins, such as 2027-01-31T09:00:00Z (default now)")
	f.DurationVar(&s.LeastLimit, "least-limit", 0, "shortest `TIME` that it takes for a deadline, a lease, or the timeout of what a person is asked (default any)")
	f.DurationVar(&o.skipAfter, "skip-after", 200*time.Millisecond, "`TIME` without work after which --clock skip jumps")
	f.DurationVar(&o.skipMost, "skip-most", 24*time.Hour, "most `TIME` that --clock skip jumps in all until a client changes something again")
	f.StringVar(&o.front.URL, "front", "", "`URL` of another host that is asked first: what it answers with 404 or 501, this one answers")
	f.StringVar(&o.fallback.URL, "fallback", "", "`URL` of another host that gets the operations that this one does not serve")
	f.StringVar(&o.front.Key, "front-key", "", "`KEY` to send to --front in place of a key of this host, which never leaves it (default none)")
	f.StringVar(&o.fallback.Key, "fallback-key", "", "`KEY` to send to --fallback in place of a key of this host (default none)")
	f.StringVar(&o.front.CAFile, "cacert", "", "PEM `FILE` of certificate authorities to trust for --front and --fallback beside the system's")
	cli.Secret(f, "front-key")
	cli.Secret(f, "fallback-key")
	f.BoolVar(&o.console, "console", true, "serve the console, a page at /console for people on this machine")
	f.BoolVar(&o.consoleRemote, "console-remote", false, "let other machines use the console, too")
	f.StringVar(&o.nonce, "nonce", "", "`VALUE` to publish in the header "+wire.NonceHeader+" of the discovery document, for certify --nonce")
	o.recorded.register(f)
	f.Uint64Var(&s.Seed, "seed", 0, "`N` that makes the ids of runs and the tokens of interrupts repeatable (default random)")
}

const (
	syncSystem  = "system"
	syncAlways  = "always"
	clockReal   = "real"
	clockManual = "manual"
	clockSkip   = "skip"
)

// check validates the flags and completes the settings. It opens nothing.
func (o *simhostFlags) check(cmd *cobra.Command) error {
	if err := o.checkProtocols(); err != nil {
		return err
	}
	switch {
	case o.sync != syncSystem && o.sync != syncAlways:
		return unknown("value of --sync", o.sync, []string{syncSystem, syncAlways})
	case !slices.Contains([]string{clockReal, clockManual, clockSkip}, o.clock):
		return unknown("value of --clock", o.clock, []string{clockReal, clockManual, clockSkip})
	case o.clock != clockSkip && (cmd.Flags().Changed("skip-after") || cmd.Flags().Changed("skip-most")):
		return usage("simhost --skip-after, --skip-most: only --clock skip jumps: add it, or leave them out")
	case o.settings.LeastLimit < 0:
		return usage("simhost --least-limit %s: give a time that is not negative", o.settings.LeastLimit)
	case o.skipAfter < 0, o.skipMost <= 0:
		return usage("simhost --skip-after %s, --skip-most %s: give times that are not negative, and let it jump at all", o.skipAfter, o.skipMost)
	case o.consoleRemote && !o.console:
		return usage("simhost --console-remote: there is no console to open: leave --console=false out")
	case o.clock == clockManual && !o.console:
		return usage("simhost --clock manual: nothing moves the clock but the console: leave --console=false out")
	case cmd.Flags().Changed("sync") && o.settings.DataDir == "":
		return usage("simhost --sync: logs in memory reach no disk: name a folder with --data")
	case o.nonce != "" && !scenarios.IsNonce(o.nonce):
		return usage("simhost --nonce: give %s", scenarios.NonceForm)
	case o.settings.Key == "":
		return usage("simhost --key: give a key that is not empty")
	}
	if err := o.checkOthers(); err != nil {
		return err
	}
	if err := o.checkClockAt(); err != nil {
		return err
	}
	if o.clock == clockManual {
		o.moved = clock.NewManual(cmp.Or(o.begins, time.Now().UTC().Truncate(time.Second)))
		o.settings.Clock = o.moved
	}
	o.given, o.keys = cli.Given(cmd.Flags(), "listen", "data", "sync", "fault", "fault-draw", "vary", "clock-at")
	o.settings.SyncAlways = o.sync == syncAlways
	var err error
	o.settings.Voters, err = cli.Pairs("simhost --voter", "KEY", o.voters)
	return err
}

// checkClockAt reads --clock-at.
func (o *simhostFlags) checkClockAt() (err error) {
	switch {
	case o.clockAt == "":
		return nil
	case o.clock == clockReal:
		return usage("simhost --clock-at: the real clock begins nowhere else: add --clock manual or --clock skip")
	}
	if o.begins, err = time.Parse(time.RFC3339, o.clockAt); err != nil {
		return usage("simhost --clock-at %s: write a time such as 2027-01-31T09:00:00Z", o.clockAt)
	}
	if o.begins = o.begins.UTC(); o.clock == clockSkip && o.begins.Before(time.Now()) {
		return usage("simhost --clock-at %s: --clock skip goes on from now, or from a later time", o.clockAt)
	}
	return nil
}

// listen listens on the address that a command was given with --listen.
func listen(ctx context.Context, command, address string) (net.Listener, error) {
	var listener net.ListenConfig
	ln, err := listener.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, usage("%s --listen %s: %w: choose another address", command, address, err)
	}
	return ln, nil
}

// dialable returns an address that a client on this machine can dial: for a host that listens on all interfaces,
// localhost.
func dialable(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return a.String()
	}
	return fmt.Sprintf("localhost:%d", tcp.Port)
}
