package prove

import (
	"context"
	"errors"
	"fmt"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/simhost/openintent"
	intentfault "github.com/openassay/assay/simhost/openintent/fault"
	intentvariation "github.com/openassay/assay/simhost/openintent/variation"
)

// HonestIntents list OpenIntent servers that keep every promise they make: with every feature, with each left off alone, and
// in each manner in which honest servers differ, alone and all at once. Their names are the flags of assay simhost that make them.
func HonestIntents() []Host {
	hosts := []Host{{Name: "--protocol openintent", Intents: &openintent.Options{}}}
	add := func(flags string, o openintent.Options) {
		hosts = append(hosts, Host{Name: "--protocol openintent " + flags, Intents: &o})
	}
	for _, name := range openintent.FeatureNames() {
		add("--without "+name, openintent.Options{Without: []string{name}})
	}
	for _, name := range append(intentvariation.Names(), intentvariation.All) {
		add("--vary "+name, openintent.Options{Vary: []string{name}})
	}
	return hosts
}

// FaultyIntents is the OpenIntent server that commits a fault.
func FaultyIntents(f intentfault.Fault) Host {
	return Host{
		Name: f.ID, Intents: &openintent.Options{Faults: []string{f.ID}},
		Fault: &Violation{ID: f.ID, Title: f.Title, Looks: f.Looks, Breaks: f.Breaks, Twin: f.Twin},
	}
}

// certifyIntents runs the suites against an OpenIntent server of its own, to the end. The report is without transcripts.
func (l *Lab) certifyIntents(ctx context.Context, h Host, o scenarios.Options) (_ *scenarios.Report, err error) {
	options := *h.Intents
	options.Key, options.Callers = Key, voters
	s, err := served(ctx, func(string) (host, error) { return openintent.New(ctx, options) }, nil)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", h.Name, err)
	}
	defer func() { err = errors.Join(err, s.Close(context.WithoutCancel(ctx))) }()
	return finish(ctx, h, wire.Target{URL: s.URL, Key: Key, VoterKeys: l.Target("").VoterKeys}, o)
}
