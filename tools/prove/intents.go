package prove

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/openassay/assay/scenarios"
	intentsuites "github.com/openassay/assay/scenarios/openintent"
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
	host, err := openintent.New(ctx, options)
	if err != nil {
		return nil, fmt.Errorf("start the server %s: %w", h.Name, err)
	}
	defer func() { err = errors.Join(err, host.Close(context.WithoutCancel(ctx))) }()
	var listener net.ListenConfig
	ln, err := listener.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	server := &http.Server{Handler: host.Handler(), ReadHeaderTimeout: time.Minute}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(ln) // says only that it was closed
	}()
	defer func() {
		err = errors.Join(err, server.Close())
		<-ended
	}()
	t := wire.Target{URL: "http://" + ln.Addr().String(), Key: Key, VoterKeys: l.Target("").VoterKeys}
	c, err := scenarios.Certify(ctx, t, o, intentsuites.ServerSuites()...)
	if err != nil {
		return nil, fmt.Errorf("certify the server %s: %w", h.Name, err)
	}
	r := c.Finish(context.WithoutCancel(ctx))
	r.Drives = nil
	return r, ctx.Err()
}
