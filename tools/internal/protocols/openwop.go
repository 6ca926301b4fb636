package protocols

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/openassay/assay/scenarios"
	suites "github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openwop/fault"
	"github.com/openassay/assay/simhost/openwop/faulty"
	"github.com/openassay/assay/simhost/openwop/pages"
	"github.com/openassay/assay/simhost/openwop/surface"
	"github.com/openassay/assay/simhost/openwop/variation"
	"github.com/openassay/assay/simhost/snapshot"
	"github.com/openassay/assay/tools/internal/cli"
)

var openWOP = &Row{
	Protocol: suites.Protocol, Brand: "OpenWOP",
	Targets: []Target{{Name: "host", Suites: suites.Suites, Models: suites.Models, Tell: suites.Tell}},
	Honest:  honestHosts, Faults: hostFaults, Variations: hostVariations,
	Speaker: "simulated host",
	Unkilled: map[Check]string{
		{"openwop/iteration-monotonic/as-planned", "OWP-0037-A1"}: "a loop that stalls: it is not within the patience that the run ends",
		{"openwop/iteration-monotonic/as-planned", "OWP-0037-A5"}: "a loop whose next turn begins before its worker has ended; " +
			"handoff/turn-waits-for-worker looks closer",
		{"openwop/stateful-resume/below-floor", "OWP-INT-5"}: "a decision below the floor that is not held; " +
			"the suite confidence looks closer",
		{"openwop/execution-loop/turn-waits-for-worker", "OWP-DSP-1"}: "a decision that is told behind what it brings about, " +
			"where its worker takes its time",
	},
	Unbroken: map[string]string{
		"OWP-0037-A1": "a loop that stalls does so under every scenario that runs one, and each of them says which of its own steps never came",
		"OWP-INT-1": "a suspended run that goes on by itself does so under every scenario that suspends one, " +
			"and which of them sees it first is chance",
		"OWP-0061-H1": "a heartbeat that moves suspended loops moves those of other scenarios under way as well, " +
			"and which of them sees it first is chance",
		"OWP-CTL-8": "the simulated host's snapshots are typed: what they show has the shape of its schema, or is not there",
	},
	Second:  secondHost,
	Simhost: func() Simhost { return &hostSimhost{} },
	Cost:    Cost{610 * time.Millisecond, 1480 * time.Millisecond, 1_890_000},
}

// OpenWOP is a simulated host of OpenWOP to certify.
type OpenWOP struct {
	surface.Options
	Faults []string // that it commits
}

// Protocol implements [Specimen].
func (OpenWOP) Protocol() *scenarios.Protocol { return suites.Protocol }

// Committing implements [Faulty].
func (h OpenWOP) Committing(faults []string) (Specimen, error) {
	h.Faults = faults
	return h, faulty.Options{Options: h.Options, Faults: faults}.Check()
}

// Start implements [Specimen]. It also starts the second host that this one works with, unless t names one.
func (h OpenWOP) Start(ctx context.Context, t wire.Target, p Place) (wire.Target, func(context.Context) error, error) {
	stopSecond := func(context.Context) error { return nil }
	if t.SecondURL == "" {
		second, key, err := secondHost(ctx, p)
		if err != nil {
			return t, nil, err
		}
		t.SecondURL, t.SecondKey, stopSecond = second.URL, key, second.Close
	}
	s, err := h.Serve(ctx, t, p, nil)
	if err != nil {
		return t, nil, errors.Join(err, stopSecond(ctx))
	}
	t.URL = s.URL
	return t, func(ctx context.Context) error { return errors.Join(s.Close(ctx), stopSecond(ctx)) }, nil
}

// Serve starts the host with the keys and the second host of t. A non-nil wrap goes in front of it.
func (h OpenWOP) Serve(ctx context.Context, t wire.Target, p Place, wrap func(http.Handler) http.Handler) (*Served, error) {
	o := h.Options.WithSecond(surface.Peer{URL: t.SecondURL, Key: t.SecondKey})
	o.Key, o.Tenants, o.Voters, o.LowScopeKey = t.Key, map[string]string{"other": t.OtherKey}, votersOf(t), t.LowScopeKey
	o.Vault, o.Workflows = nil, cmp.Or(o.Workflows, p.Workflows)
	if t.HostSecret != "" {
		o.Vault = []string{t.HostSecret}
	}
	return serveHost(ctx, faulty.Options{Options: o, Faults: h.Faults}, p, wrap)
}

func secondHost(ctx context.Context, p Place) (*Served, string, error) {
	o := surface.Options{Key: rand.Text(), HostID: "assay-simhost-second", Workflows: p.Workflows}
	s, err := serveHost(ctx, faulty.Options{Options: o}, p, nil)
	return s, o.Key, err
}

func serveHost(ctx context.Context, o faulty.Options, p Place, wrap func(http.Handler) http.Handler) (*Served, error) {
	o.Release, o.Logger = p.Release, p.Logger
	return Serve(ctx, wrap, func(url string) (Host, error) {
		o.URL = url
		return faulty.New(ctx, o)
	})
}

// honestHosts returns a host for every version, hosts without single claims, hosts with other operator choices, and
// hosts for each variation, alone and combined.
func honestHosts() []Honest {
	hosts := []Honest{{"honest", OpenWOP{Options: surface.Options{Version: surface.HighestVersion}}}}
	add := func(flags string, o surface.Options) { hosts = append(hosts, Honest{flags, OpenWOP{Options: o}}) }
	for v := 1; v <= surface.HighestVersion; v++ {
		o := surface.Options{Version: v}
		if v == surface.DefaultVersion {
			o.Version = 0
		}
		add(fmt.Sprintf("--version %d", v), o)
	}
	for _, claim := range surface.ClaimNames() {
		add("--without "+claim, surface.Options{Without: []string{claim}})
	}
	for _, claim := range []string{"verifier", "verifierGating", "verifySeam", "dispatchMapping", "fixtures"} {
		add("--version 6 --without "+claim, surface.Options{Version: 6, Without: []string{claim}})
	}
	add("--version 6 --max-loop-iterations 2", surface.Options{Version: 6, MaxLoopIterations: 2})
	add("--max-loop-iterations 2", surface.Options{MaxLoopIterations: 2})
	add("--max-loop-iterations 5", surface.Options{MaxLoopIterations: 5})
	add("--max-node-executions 100", surface.Options{MaxNodeExecutions: 100})
	add("--escalation-interrupt approval", surface.Options{EscalationInterrupt: "approval"})
	add("--goal-judge verifier", surface.Options{GoalJudge: "verifier"})
	for _, name := range append(variation.Names(), variation.All) {
		add("--version 6 --vary "+name, surface.Options{Version: surface.HighestVersion, Vary: []string{name}})
	}
	return hosts
}

func hostFaults() (out []Fault) {
	for _, f := range fault.All() {
		out = append(out, HostFault(f))
	}
	return out
}

// HostFault returns a fault of the simulated host, with a host that shows it.
func HostFault(f fault.Fault) Fault {
	o := surface.Options{
		Version: cmp.Or(f.Under.Version, surface.HighestVersion), Without: f.Under.Without, EscalationInterrupt: f.Under.EscalationInterrupt,
	}
	if f.Under.Experimental {
		o.ExperimentalUntil = time.Now().AddDate(0, 1, 0).Format(time.DateOnly)
	}
	var front *mutate.Changes
	if changes, ok := f.OnWire(); ok {
		front = &changes
	}
	return Fault{
		ID: f.ID, Title: f.Title, Looks: f.Looks, Breaks: f.Breaks, Spots: f.Spots, Under: f.Under.String(), Twin: f.Twin, Depth: f.Depth,
		Run: strings.TrimSpace("assay simhost --fault " + f.Spec() + " " + f.Under.String()), Specimen: OpenWOP{o, []string{f.Spec()}},
		OnWire: front,
		Params: f.Params(), With: with(fault.Find, HostFault),
	}
}

func hostVariations() (out []Variation) {
	for _, v := range variation.List() {
		out = append(out, Variation{ID: v.ID, Title: v.Title, About: v.About, Slips: v.Slips, Run: "assay simhost --vary " + v.ID})
	}
	return out
}

// hostSimhost runs the host for the command simhost.
type hostSimhost struct {
	o                    surface.Options
	tenants, peers, keys []string // keys holds the keys of the peers
}

func (*hostSimhost) Words() SimhostWords {
	return SimhostWords{Is: "a host that speaks OpenWOP v1", Key: "as a bearer key", Voter: "with a vote of its own"}
}

func (h *hostSimhost) Flags(behind string, f *pflag.FlagSet) {
	o := &h.o
	switch behind {
	case "key":
		f.StringArrayVar(&h.tenants, "tenant", nil, "further tenant and its key, `NAME=KEY`; may be repeated")
		cli.Secret(f, "tenant")
	case "voter":
		f.BoolVar(&o.TrustVoters, "trust-voters", false,
			"take resumeValue.voter of an answer, or the voter whose token it comes with, for who votes")
		f.StringArrayVar(&o.Vault, "host-secret", nil, "`VALUE` that the host keeps as a secret, and stores nowhere as content; may be repeated")
		cli.Secret(f, "host-secret")
		f.StringVar(&o.LowScopeKey, "low-scope-key", "", "further `KEY` of the first tenant, which may not answer interrupts (default none)")
		cli.Secret(f, "low-scope-key")
		f.IntVar(&o.Version, "version", surface.DefaultVersion, "version `N` of the execution model, 1 to 6")
	case "without":
		f.StringVar(&o.ExperimentalUntil, "experimental-until", "", "advertise the execution model as experimental until this `DAY`, YYYY-MM-DD")
		f.StringVar(&o.EscalationInterrupt, "escalation-interrupt", surface.EscalationInterrupts()[0],
			"`KIND` of interrupt that a decision below the confidence floor raises: clarification or approval")
		f.StringVar(&o.GoalJudge, "goal-judge", surface.GoalJudges()[0], "`WHO` judges the runs of standing goals: host or verifier")
		f.StringVar(&o.HostID, "host-id", "", "`ID` of this host in causes that are told across hosts (default "+surface.DefaultHostID+")")
		f.StringArrayVar(&h.peers, "peer", nil, "other host that runs the workers NAME/WORKFLOW of this one, `NAME=URL`; may be repeated")
		f.StringArrayVar(&h.keys, "peer-key", nil, "key that this host has there, `NAME=KEY`; may be repeated")
		cli.Secret(f, "peer-key")
	case "vary":
		f.StringVar(&o.Workflows, "workflows", "", "`DIR` of further workflow definitions, *.json")
		f.StringVar(&o.CORS, "cors", "", "`ORIGIN` whose pages may call the host, or *")
		f.DurationVar(&o.TurnTime, "turn-time", 0, "`TIME` that a supervisor takes for each decision, as a real model does (default none)")
	case "log-max":
		f.IntVar(&o.MemoryHistory, "memory-history", 0,
			"most `ENTRIES` that may be written to a memory before a run that knows none of them can no longer be forked (default unbounded)")
	}
}

func (h *hostSimhost) Read(bool) error {
	switch {
	case !slices.Contains(surface.EscalationInterrupts(), h.o.EscalationInterrupt):
		return cli.Unknown("value of --escalation-interrupt", h.o.EscalationInterrupt, surface.EscalationInterrupts())
	case h.o.Version < 1 || h.o.Version > surface.HighestVersion:
		return cli.Usage("simhost --version %d: give one from 1 to 6", h.o.Version)
	}
	var err error
	if h.o.Tenants, err = cli.Pairs("simhost --tenant", "KEY", h.tenants); err != nil {
		return err
	}
	return h.readPeers()
}

// readPeers joins the addresses and keys of peers.
func (h *hostSimhost) readPeers() error {
	urls, err := cli.Pairs("simhost --peer", "URL", h.peers)
	if err != nil {
		return err
	}
	keys, err := cli.Pairs("simhost --peer-key", "KEY", h.keys)
	if err != nil {
		return err
	}
	for name := range keys {
		if _, known := urls[name]; !known {
			return cli.Usage("simhost --peer-key %s: there is no such peer: name it with --peer %s=URL", name, name)
		}
	}
	h.o.Peers = make(map[string]surface.Peer, len(urls))
	for name, url := range urls {
		h.o.Peers[name] = surface.Peer{URL: url, Key: keys[name]}
	}
	return nil
}

func (h *hostSimhost) options(s Settings) faulty.Options {
	o := h.o
	o.Key, o.Voters, o.Without, o.Vary, o.Seed = s.Key, s.Voters, s.Without, s.Vary, s.Seed
	o.Store, o.DataDir, o.SyncAlways, o.LogMax = s.Store, s.DataDir, s.SyncAlways, s.LogMax
	o.URL, o.Release, o.Logger, o.Clock, o.LeastLimit = s.URL, s.Release, s.Logger, s.Clock, s.LeastLimit
	return faulty.Options{Options: o, Faults: s.Faults}
}

func (h *hostSimhost) Check(s Settings) error {
	return misused[*surface.OptionError](h.options(s).Check())
}

func (h *hostSimhost) Open(ctx context.Context, s Settings) (Bannered, error) {
	host, err := faulty.OpenSwitchable(ctx, h.options(s))
	return host, misused[*surface.OptionError](err)
}

func (*hostSimhost) Pages(h Bannered) console.Part { return pages.Part(h.(*faulty.Switchable)) }
func (*hostSimhost) Owns(string) bool              { return false }
func (*hostSimhost) Credential() (string, string)  { return "Authorization", "Bearer" }
func (*hostSimhost) Things() []string              { return pages.Things() }
func (*hostSimhost) Secrets() snapshot.Secrets     { return surface.Secrets() }
func (*hostSimhost) Claims() []string              { return surface.ClaimNames() }
func (*hostSimhost) Faults() []string              { return fault.IDs() }
func (*hostSimhost) Variations() []string          { return append(variation.Names(), variation.All) }
