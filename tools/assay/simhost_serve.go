package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/openassay/assay/internal/nearest"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/serving"
	"github.com/openassay/assay/tools/internal/protocols"
)

// speaking are the hosts of the protocols that are asked for, in that order.
func (o *simhostFlags) speaking() (hosts []spokenHost) {
	for _, name := range o.protocols {
		hosts = append(hosts, o.hosts[slices.Index(o.names(), name)])
	}
	return hosts
}

// checkProtocols finds names that none of the protocols has.
func (o *simhostFlags) checkProtocols() error {
	for _, p := range o.protocols {
		if !slices.Contains(o.names(), p) {
			return unknown("protocol", p, o.names())
		}
	}
	if len(o.protocols) == 0 {
		return usage("simhost --protocol: give %s", protocols.OrList(o.names()))
	}
	for _, h := range o.hosts {
		if err := h.Read(slices.Contains(o.protocols, h.name)); err != nil {
			return err
		}
	}
	var claims, faults, variations []string
	for _, h := range o.speaking() {
		claims, faults, variations = append(claims, h.Claims()...), append(faults, h.Faults()...), append(variations, h.Variations()...)
	}
	for _, c := range o.without {
		if !slices.Contains(claims, c) {
			return unknown("claim to leave off", c, claims)
		}
	}
	for _, v := range o.vary {
		if !slices.Contains(variations, v) {
			return &scenarios.UsageError{Kind: "variation", Name: v, Near: nearest.Name(v, variations)}
		}
	}
	for _, f := range o.faults {
		if !slices.Contains(faults, f) {
			return &scenarios.UsageError{Kind: "fault", Name: f, Near: nearest.Name(f, faults)}
		}
	}
	return nil
}

// settingsOf are the settings with what a host knows of the names that are asked for.
func (o *simhostFlags) settingsOf(h spokenHost) protocols.Settings {
	known := func(asked, names []string) []string {
		return slices.DeleteFunc(slices.Clone(asked), func(name string) bool { return !slices.Contains(names, name) })
	}
	s := o.settings
	s.Without, s.Faults, s.Vary = known(o.without, h.Claims()), known(o.faults, h.Faults()), known(o.vary, h.Variations())
	return s
}

func (o *simhostFlags) serve(ctx context.Context, out, errs io.Writer) (err error) {
	if err := o.checkOptions(); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(errs, nil))
	var listener net.ListenConfig
	ln, err := listener.Listen(ctx, "tcp", o.listen)
	if err != nil {
		return usage("simhost --listen %s: %w: choose another address", o.listen, err)
	}
	store, err := eventlog.Open(ctx, eventlog.Options{Dir: o.settings.DataDir, SyncAlways: o.settings.SyncAlways, MaxBytes: o.settings.LogMax})
	if err != nil {
		return errors.Join(fmt.Errorf("start the simulated host: %w", err), ln.Close())
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	s := &o.settings
	s.URL, s.Release, s.Logger, s.Store = "http://"+dialable(ln.Addr()), version(), log, store
	hosts, err := o.open(ctx)
	defer func() {
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		for _, h := range hosts {
			err = errors.Join(err, h.Close(bounded))
		}
	}()
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	for _, h := range hosts {
		if _, err := io.WriteString(out, h.Banner(o.settings.URL)); err != nil {
			return errors.Join(fmt.Errorf("simhost: print the banner: %w", err), ln.Close())
		}
	}
	handler, done := o.withConsole(hosts, log)
	defer done()
	if o.console {
		if _, err := fmt.Fprintf(out, "console: %s%s\n", o.settings.URL, console.Prefix); err != nil {
			return errors.Join(fmt.Errorf("simhost: print the banner: %w", err), ln.Close())
		}
	}
	return serving.Serve(ctx, ln, handler, log)
}

// withConsole puts the console in front of the hosts. done ends what it streams.
func (o *simhostFlags) withConsole(hosts []protocols.Bannered, log *slog.Logger) (handler http.Handler, done func()) {
	api := o.handler(hosts)
	if !o.console {
		return api, func() {}
	}
	options := console.Options{Clock: o.manual, Remote: o.consoleRemote, Logger: log}
	for i, h := range o.speaking() {
		h.Show(hosts[i], &options)
	}
	c := console.New(options)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if console.Owns(r.URL.Path) {
			c.Handler().ServeHTTP(w, r)
			return
		}
		api.ServeHTTP(w, r)
	}), c.Close
}

// open starts a host for each protocol, in the order in which they are asked for. Those that were started are returned also
// where one after them fails.
func (o *simhostFlags) open(ctx context.Context) (hosts []protocols.Bannered, err error) {
	for _, h := range o.speaking() {
		host, err := h.Open(ctx, o.settingsOf(h))
		if err != nil {
			return hosts, err
		}
		hosts = append(hosts, host)
	}
	return hosts, nil
}

// checkOptions finds what the hosts will refuse before anything is opened: an address that is taken is no answer to somebody
// whose options are wrong.
func (o *simhostFlags) checkOptions() error {
	for _, h := range o.speaking() {
		if err := h.Check(o.settingsOf(h)); err != nil {
			return err
		}
	}
	return nil
}

// handler has each protocol answer at its own paths, and the first of the table at the rest.
func (o *simhostFlags) handler(hosts []protocols.Bannered) http.Handler {
	speaking := o.speaking()
	first := slices.IndexFunc(o.hosts, func(h spokenHost) bool { return slices.Contains(o.protocols, h.name) })
	rest := slices.Index(o.protocols, o.hosts[first].name)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := slices.IndexFunc(speaking, func(h spokenHost) bool { return h.Owns(r.URL.Path) })
		if at < 0 {
			at = rest
		}
		hosts[at].Handler().ServeHTTP(w, r)
	})
}
