package protocols

import (
	"context"
	"net/http"
	"time"

	"github.com/spf13/pflag"

	"github.com/openassay/assay/scenarios"
	suites "github.com/openassay/assay/scenarios/openintent"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/simhost/mutate"
	"github.com/openassay/assay/simhost/openintent"
	"github.com/openassay/assay/simhost/openintent/fault"
	"github.com/openassay/assay/simhost/openintent/faulty"
	"github.com/openassay/assay/simhost/openintent/pages"
	"github.com/openassay/assay/simhost/openintent/variation"
	"github.com/openassay/assay/simhost/snapshot"
	"github.com/openassay/assay/tools/internal/cli"
	commands "github.com/openassay/assay/tools/internal/protocols/openintent"
)

var openIntent = &Row{
	Protocol: suites.Protocol, Brand: "OpenIntent",
	Targets: []Target{
		{Name: "server", Suites: suites.ServerSuites, Models: suites.Models, Tell: suites.Tell},
		{Name: "resolver", Suites: suites.ResolverSuites, Flag: &Flag{
			Name:    "resolver",
			Usage:   "`COMMAND` of a program that resolves OpenIntent retry policies as assay resolve-policy does, in place of TARGET",
			Long:    "--resolver takes a\nprogram that resolves the retry policies of OpenIntent: assay help resolve-policy.",
			Example: "python3 resolve.py", Target: suites.Resolver,
		}},
	},
	Honest: honestIntents, Faults: intentFaults, Variations: intentVariations,
	Speaker: "OpenIntent server",
	Unbroken: map[string]string{
		"OIP-0026-T1": "a server on which an intent cannot be suspended stops every scenario before it asks anything",
		"OIP-0026-T3": "the phase is blocked from its activation on, since what it depends on is not completed: " +
			"a server that has it run at T+0 had it run before",
		"OIP-0026-T10": "an intent that does not go on once it is answered does so under every scenario that answers one",
	},
	Simhost: func() Simhost { return &intentSimhost{} }, Clocked: "an OpenIntent server",
	Commands: []Command{{After: "prove", New: commands.NewResolvePolicy}},
	Examples: map[string]string{
		"prove": "  assay prove --protocol openintent", "simhost": "  assay simhost --protocol openintent --config openintent.yaml",
		"certify": "  assay certify --resolver 'assay resolve-policy'",
	},
	Cost: Cost{240 * time.Millisecond, 3800 * time.Millisecond, 550_000},
}

// OpenIntent is a simulated OpenIntent server to certify.
type OpenIntent struct {
	openintent.Options
	Faults []string // that it commits
}

// Protocol implements [Specimen].
func (OpenIntent) Protocol() *scenarios.Protocol { return suites.Protocol }

// Committing implements [Faulty].
func (h OpenIntent) Committing(faults []string) (Specimen, error) {
	h.Faults = faults
	return h, faulty.Options{Options: h.Options, Faults: faults}.Check()
}

// Start implements [Specimen].
func (h OpenIntent) Start(ctx context.Context, t wire.Target, p Place) (wire.Target, func(context.Context) error, error) {
	s, err := h.Serve(ctx, t, p, nil)
	if err != nil {
		return t, nil, err
	}
	t.URL = s.URL
	return t, s.Close, nil
}

// Serve starts the server with the credentials of a target. wrap may stand in front of it.
func (h OpenIntent) Serve(ctx context.Context, t wire.Target, p Place, wrap func(http.Handler) http.Handler) (*Served, error) {
	o := h.Options
	o.Key, o.Callers, o.Release, o.Logger = t.Key, votersOf(t), p.Release, p.Logger
	return Serve(ctx, wrap, func(string) (Host, error) { return faulty.New(ctx, faulty.Options{Options: o, Faults: h.Faults}) })
}

// honestIntents returns servers with every feature, servers without single features, and servers for each variation,
// alone and combined.
func honestIntents() []Honest {
	const plain = "--protocol openintent"
	hosts := []Honest{{plain, OpenIntent{}}}
	for _, name := range openintent.FeatureNames() {
		hosts = append(hosts, Honest{plain + " --without " + name, OpenIntent{Options: openintent.Options{Without: []string{name}}}})
	}
	for _, name := range append(variation.Names(), variation.All) {
		hosts = append(hosts, Honest{plain + " --vary " + name, OpenIntent{Options: openintent.Options{Vary: []string{name}}}})
	}
	return hosts
}

func intentFaults() (out []Fault) {
	for _, f := range fault.All() {
		out = append(out, intentFault(f))
	}
	return out
}

func intentFault(f fault.Fault) Fault {
	var front *mutate.Changes
	if changes, ok := f.OnWire(); ok {
		front = &changes
	}
	return Fault{
		ID: f.ID, Title: f.Title, Looks: f.Looks, Breaks: f.Breaks, ByChance: f.ByChance, Twin: f.Twin, Depth: f.Depth,
		Run:      "assay simhost --protocol openintent --fault " + f.Spec(),
		Specimen: OpenIntent{Faults: []string{f.Spec()}}, OnWire: front,
		Params: f.Params(), With: with(fault.Find, intentFault),
	}
}

func intentVariations() (out []Variation) {
	for _, v := range variation.List() {
		out = append(out, Variation{
			ID: v.ID, Title: v.Title, About: v.About, Slips: v.Slips, Run: "assay simhost --protocol openintent --vary " + v.ID,
		})
	}
	return out
}

// intentSimhost runs the server for the command simhost.
type intentSimhost struct{ config string }

func (*intentSimhost) Words() SimhostWords {
	return SimhostWords{Is: "an OpenIntent\nserver", Key: "to OpenIntent as X-API-Key", Voter: "to OpenIntent a further caller"}
}

func (h *intentSimhost) Flags(behind string, f *pflag.FlagSet) {
	if behind == "protocol" {
		f.StringVar(&h.config, "config", "", "`FILE` with the server config of OpenIntent, openintent.yaml (default none)")
	}
}

func (h *intentSimhost) Read(spoken bool) error {
	if h.config != "" && !spoken {
		return cli.Usage("simhost --config: it is the server config of OpenIntent: add --protocol openintent")
	}
	return nil
}

func (h *intentSimhost) options(s Settings) faulty.Options {
	return faulty.Options{Faults: s.Faults, Options: openintent.Options{
		Key: s.Key, Callers: s.Voters, Without: s.Without, Config: h.config, Store: s.Store, DataDir: s.DataDir, SyncAlways: s.SyncAlways,
		LogMax: s.LogMax, Seed: s.Seed, Clock: s.Clock, LeastLimit: s.LeastLimit, Vary: s.Vary, Release: s.Release, Logger: s.Logger,
	}}
}

func (h *intentSimhost) Check(s Settings) error {
	return misused[*openintent.OptionError](h.options(s).Check())
}

func (h *intentSimhost) Open(ctx context.Context, s Settings) (Bannered, error) {
	host, err := faulty.OpenSwitchable(ctx, h.options(s))
	return host, misused[*openintent.OptionError](err)
}

func (*intentSimhost) Pages(h Bannered) console.Part { return pages.Part(h.(*faulty.Switchable)) }
func (*intentSimhost) Credential() (string, string)  { return "X-API-Key", "" }
func (*intentSimhost) Things() []string              { return pages.Things() }
func (*intentSimhost) Secrets() snapshot.Secrets     { return snapshot.Secrets{} }
func (*intentSimhost) Owns(path string) bool         { return openintent.Owns(path) }
func (*intentSimhost) Claims() []string              { return openintent.FeatureNames() }
func (*intentSimhost) Faults() []string              { return fault.IDs() }
func (*intentSimhost) Variations() []string          { return append(variation.Names(), variation.All) }
