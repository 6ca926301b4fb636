package main

import (
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/simhost/clock"
	"github.com/openassay/assay/simhost/openintent"
	"github.com/openassay/assay/simhost/openwop"
)

const simhostLong = `Runs a host that speaks OpenWOP v1, or with --protocol openintent an OpenIntent
server, and keeps every promise it makes, or breaks the one you name with --fault. With --vary it differs from the usual host as real
hosts do, and keeps its promises all the same. It prints where it listens, its
key, what it claims, and a line to try. Stop it with Ctrl-C.

A console for people is at /console: runs as they happen, forms that answer what
they ask, the workspace as a turn saw it, goals, the clock and the faults. It asks
for the key once, and answers to this machine alone unless --console-remote is given.

Its logs live in memory unless --data names a folder; there they survive a
crash of the process, and with --sync always a loss of power too.`

type simhostFlags struct {
	listen  string
	sync    string
	tenants []string
	voters  []string
	peers   []string
	keys    []string // of the peers
	without []string
	faults  []string
	vary    []string
	host    openwop.Options

	clock         string
	manual        *clock.Manual // nil where time goes by itself
	console       bool
	consoleRemote bool

	protocols []string
	intents   openintent.Options // of the OpenIntent server, where it is asked for
}

func newSimhost() *cobra.Command {
	o := &simhostFlags{}
	cmd := &cobra.Command{
		Use:     "simhost",
		Short:   "Run the simulated host",
		Long:    simhostLong,
		Example: "  assay simhost\n  assay simhost --listen 127.0.0.1:0 --version 4 --without replay\n  assay simhost --fault loop.iteration-resets-on-resume\n  assay simhost --protocol openintent --config openintent.yaml",
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
	f.StringVar(&o.host.Key, "key", openwop.DefaultKey, "`KEY` that clients must send: as a bearer key, to OpenIntent as X-API-Key")
	f.StringArrayVar(&o.tenants, "tenant", nil, "further tenant and its key, `NAME=KEY`; may be repeated")
	f.StringArrayVar(&o.voters, "voter", nil, "further principal of the first tenant and its key, `NAME=KEY`, with a vote of its own; to OpenIntent a further caller; may be repeated")
	f.StringVar(&o.host.LowScopeKey, "low-scope-key", "", "further `KEY` of the first tenant, which may not answer interrupts (default none)")
	f.IntVar(&o.host.Version, "version", openwop.DefaultVersion, "version `N` of the execution model, 1 to 6")
	f.StringSliceVar(&o.protocols, "protocol", []string{protocolOpenWOP}, "`PROTOCOL` to speak: openwop or openintent; both may be given, and share one log")
	f.StringVar(&o.intents.Config, "config", "", "`FILE` with the server config of OpenIntent, openintent.yaml (default none)")
	f.StringSliceVar(&o.without, "without", nil, "`CLAIMS` to leave off, separated by commas")
	f.StringVar(&o.host.ExperimentalUntil, "experimental-until", "", "advertise the execution model as experimental until this `DAY`, YYYY-MM-DD")
	f.StringVar(&o.host.EscalationInterrupt, "escalation-interrupt", openwop.EscalationInterrupts()[0], "`KIND` of interrupt that a decision below the confidence floor raises: clarification or approval")
	f.StringVar(&o.host.GoalJudge, "goal-judge", openwop.GoalJudges()[0], "`WHO` judges the runs of standing goals: host or verifier")
	f.StringVar(&o.host.HostID, "host-id", "", "`ID` of this host in causes that are told across hosts (default "+openwop.DefaultHostID+")")
	f.StringArrayVar(&o.peers, "peer", nil, "other host that runs the workers NAME/WORKFLOW of this one, `NAME=URL`; may be repeated")
	f.StringArrayVar(&o.keys, "peer-key", nil, "key that this host has there, `NAME=KEY`; may be repeated")
	f.StringSliceVar(&o.faults, "fault", nil, "violation to commit, by its `ID` (assay list faults); may be repeated")
	f.StringSliceVar(&o.vary, "vary", nil, "way to differ from the usual host without being wrong, by its `ID` (assay list variations), or all of them; may be repeated")
	f.StringVar(&o.host.Workflows, "workflows", "", "`DIR` of further workflow definitions, *.json")
	f.StringVar(&o.host.CORS, "cors", "", "`ORIGIN` whose pages may call the host, or *")
	f.StringVar(&o.host.DataDir, "data", "", "`DIR` for the logs (default in memory)")
	f.StringVar(&o.sync, "sync", syncSystem, "`WHEN` logs in files reach the disk: system, or always (before each answer)")
	f.Int64Var(&o.host.LogMax, "log-max", 0, "most `BYTES` that all logs may hold (default 256 MiB in memory, unbounded in files)")
	f.IntVar(&o.host.MemoryHistory, "memory-history", 0, "most `ENTRIES` that may be written to a memory before a run that knows none of them can no longer be forked (default unbounded)")
	f.StringVar(&o.clock, "clock", clockReal, "`WHAT` moves the clock of the host: real time, or manual, by the console")
	f.BoolVar(&o.console, "console", true, "serve the console, a page at /console for people on this machine")
	f.BoolVar(&o.consoleRemote, "console-remote", false, "let other machines use the console, too")
	f.Uint64Var(&o.host.Seed, "seed", 0, "`N` that makes the ids of runs and the tokens of interrupts repeatable (default random)")
	return cmd
}

const (
	syncSystem  = "system"
	syncAlways  = "always"
	clockReal   = "real"
	clockManual = "manual"
)

// check finds what can be wrong with the flags before anything is opened.
func (o *simhostFlags) check(cmd *cobra.Command) error {
	if err := o.checkProtocols(); err != nil {
		return err
	}
	switch {
	case o.sync != syncSystem && o.sync != syncAlways:
		return unknown("value of --sync", o.sync, []string{syncSystem, syncAlways})
	case !slices.Contains(openwop.EscalationInterrupts(), o.host.EscalationInterrupt):
		return unknown("value of --escalation-interrupt", o.host.EscalationInterrupt, openwop.EscalationInterrupts())
	case o.clock != clockReal && o.clock != clockManual:
		return unknown("value of --clock", o.clock, []string{clockReal, clockManual})
	case o.consoleRemote && !o.console:
		return usage("simhost --console-remote: there is no console to open: leave --console=false out")
	case o.clock == clockManual && !o.console:
		return usage("simhost --clock manual: nothing moves the clock but the console: leave --console=false out")
	case cmd.Flags().Changed("sync") && o.host.DataDir == "":
		return usage("simhost --sync: logs in memory reach no disk: name a folder with --data")
	case o.host.Version < 1 || o.host.Version > 6:
		return usage("simhost --version %d: give one from 1 to 6", o.host.Version)
	case o.host.Key == "":
		return usage("simhost --key: give a key that is not empty")
	}
	if o.clock == clockManual {
		o.manual = clock.NewManual(time.Now().UTC().Truncate(time.Second))
		o.host.Clock = o.manual
	}
	o.host.SyncAlways = o.sync == syncAlways
	return errors.Join(readKeys("--tenant", o.tenants, &o.host.Tenants), readKeys("--voter", o.voters, &o.host.Voters), o.readPeers())
}

// readPeers puts the addresses of peers and their keys together.
func (o *simhostFlags) readPeers() error {
	urls, err := peerURLs(o.peers)
	if err != nil {
		return err
	}
	var keys map[string]string
	if err := readKeys("--peer-key", o.keys, &keys); err != nil {
		return err
	}
	for name := range keys {
		if _, known := urls[name]; !known {
			return usage("simhost --peer-key %s: there is no such peer: name it with --peer %s=URL", name, name)
		}
	}
	o.host.Peers = make(map[string]openwop.Peer, len(urls))
	for name, url := range urls {
		o.host.Peers[name] = openwop.Peer{URL: url, Key: keys[name]}
	}
	return nil
}

// readKeys takes values of a flag apart that are NAME=KEY. No error repeats a key.
func readKeys(flag string, values []string, into *map[string]string) error {
	for _, v := range values {
		name, key, ok := strings.Cut(v, "=")
		if _, twice := (*into)[name]; !ok || twice {
			return usage("simhost %s %s: write NAME=KEY, each name once", flag, name)
		}
		if *into == nil {
			*into = map[string]string{}
		}
		(*into)[name] = key
	}
	return nil
}

func peerURLs(values []string) (map[string]string, error) {
	urls := map[string]string{}
	for _, v := range values {
		name, url, ok := strings.Cut(v, "=")
		if _, twice := urls[name]; !ok || twice {
			return nil, usage("simhost --peer %s: write NAME=URL, each name once", name)
		}
		urls[name] = url
	}
	return urls, nil
}

// dialable is an address that a client on this machine can use: a host that listens everywhere has no address of its own.
func dialable(a net.Addr) string {
	tcp, ok := a.(*net.TCPAddr)
	if !ok || !tcp.IP.IsUnspecified() {
		return a.String()
	}
	return fmt.Sprintf("localhost:%d", tcp.Port)
}
