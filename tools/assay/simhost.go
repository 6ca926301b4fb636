package main

import (
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openassay/assay/simhost/clock"
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
crash of the process, and with --sync always a loss of power too.`

type simhostFlags struct {
	listen   string
	sync     string
	voters   []string
	without  []string
	faults   faultflag.Flags
	vary     []string
	settings protocols.Settings

	clock         string
	manual        *clock.Manual // nil with --clock real
	console       bool
	consoleRemote bool

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
			"  assay simhost --fault loop.iteration-resets-on-resume" +
			protocols.Examples("simhost"),
		Args: args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.check(cmd); err != nil {
				return err
			}
			return o.serve(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	o.register(cmd.Flags())
	cmd.AddCommand(newSimhostDoctor())
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
	own("key")
	f.StringArrayVar(&o.voters, "voter", nil, "further principal of the first tenant and its key, `NAME=KEY`, "+
		o.words("; ", func(w protocols.SimhostWords) string { return w.Voter })+"; may be repeated")
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
	f.StringVar(&o.clock, "clock", clockReal, "`WHAT` moves the clock of the host: real time, or manual, by the console")
	f.BoolVar(&o.console, "console", true, "serve the console, a page at /console for people on this machine")
	f.BoolVar(&o.consoleRemote, "console-remote", false, "let other machines use the console, too")
	f.Uint64Var(&s.Seed, "seed", 0, "`N` that makes the ids of runs and the tokens of interrupts repeatable (default random)")
}

const (
	syncSystem  = "system"
	syncAlways  = "always"
	clockReal   = "real"
	clockManual = "manual"
)

// check validates the flags and completes the settings. It opens nothing.
func (o *simhostFlags) check(cmd *cobra.Command) error {
	if err := o.checkProtocols(); err != nil {
		return err
	}
	switch {
	case o.sync != syncSystem && o.sync != syncAlways:
		return unknown("value of --sync", o.sync, []string{syncSystem, syncAlways})
	case o.clock != clockReal && o.clock != clockManual:
		return unknown("value of --clock", o.clock, []string{clockReal, clockManual})
	case o.consoleRemote && !o.console:
		return usage("simhost --console-remote: there is no console to open: leave --console=false out")
	case o.clock == clockManual && !o.console:
		return usage("simhost --clock manual: nothing moves the clock but the console: leave --console=false out")
	case cmd.Flags().Changed("sync") && o.settings.DataDir == "":
		return usage("simhost --sync: logs in memory reach no disk: name a folder with --data")
	case o.settings.Key == "":
		return usage("simhost --key: give a key that is not empty")
	}
	if o.clock == clockManual {
		o.manual = clock.NewManual(time.Now().UTC().Truncate(time.Second))
		o.settings.Clock = o.manual
	}
	o.settings.SyncAlways = o.sync == syncAlways
	var err error
	o.settings.Voters, err = cli.Pairs("simhost --voter", "KEY", o.voters)
	return err
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
