package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/openassay/assay/internal/nearest"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/console"
	"github.com/openassay/assay/simhost/eventlog"
	"github.com/openassay/assay/simhost/param"
	"github.com/openassay/assay/simhost/serving"
	"github.com/openassay/assay/tools/internal/protocols"
)

// selected returns the hosts of the protocols that --protocol names, in that order.
func (o *simhostFlags) selected() (hosts []protocolHost) {
	for _, name := range o.protocols {
		hosts = append(hosts, o.hosts[slices.Index(o.names(), name)])
	}
	return hosts
}

// checkProtocols returns an error for a protocol that does not exist, and for a claim, variation or fault that no
// selected protocol has.
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
	var claims, variations []string
	var rows []*protocols.Row
	for _, h := range o.selected() {
		claims, variations = append(claims, h.Claims()...), append(variations, h.Variations()...)
		rows = append(rows, protocols.Named(h.name))
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
	err := o.faults.Settle(func(spec string) ([]param.Param, error) {
		f, err := protocols.Committed(spec, rows)
		return f.Params, err
	})
	if _, ok := errors.AsType[*scenarios.UsageError](err); err != nil && !ok {
		return usage("simhost --fault: %w", err)
	}
	return err
}

// settingsOf returns the settings for a host, with only the claims, faults and variations that the host knows.
func (o *simhostFlags) settingsOf(h protocolHost) protocols.Settings {
	known := func(asked, names []string) []string {
		return slices.DeleteFunc(slices.Clone(asked), func(name string) bool { return !slices.Contains(names, name) })
	}
	s := o.settings
	s.Without, s.Vary = known(o.without, h.Claims()), known(o.vary, h.Variations())
	s.Faults = slices.DeleteFunc(slices.Clone(o.faults.Specs), func(spec string) bool {
		id, _ := param.Split(spec)
		return !slices.Contains(h.Faults(), id)
	})
	return s
}

// collectAt is how far the heap of a host may grow, in percent, before it is collected: most of it is the log in memory, and a
// host on a laptop is not to take twice what its log takes.
const collectAt = 40

func (o *simhostFlags) serve(ctx context.Context, out, errs io.Writer) (err error) {
	if err := o.checkOptions(); err != nil {
		return err
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectAt)
	}
	log := slog.New(slog.NewTextHandler(errs, nil))
	var listener net.ListenConfig
	ln, err := listener.Listen(ctx, "tcp", o.listen)
	if err != nil {
		return usage("simhost --listen %s: %w: choose another address", o.listen, err)
	}
	store, err := eventlog.Open(ctx, eventlog.Options{
		Dir: o.settings.DataDir, Checked: true, SyncAlways: o.settings.SyncAlways, MaxBytes: o.settings.LogMax,
	})
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

// withConsole puts the console in front of the hosts. done ends its streams.
func (o *simhostFlags) withConsole(hosts []protocols.Bannered, log *slog.Logger) (handler http.Handler, done func()) {
	api := o.handler(hosts)
	if !o.console {
		return api, func() {}
	}
	options := console.Options{Store: o.settings.Store, Clock: o.manual, Remote: o.consoleRemote, Logger: log}
	for _, h := range o.hosts { // in the order of the table, however they were named
		if i := slices.Index(o.protocols, h.name); i >= 0 {
			options.Parts = append(options.Parts, h.Pages(hosts[i]))
		}
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

// open starts the selected hosts in order. If one fails, it also returns those that it started before.
func (o *simhostFlags) open(ctx context.Context) (hosts []protocols.Bannered, err error) {
	for _, h := range o.selected() {
		host, err := h.Open(ctx, o.settingsOf(h))
		if err != nil {
			return hosts, err
		}
		hosts = append(hosts, host)
	}
	return hosts, nil
}

// checkOptions has each selected host check its options before serve opens anything: wrong options must be reported
// rather than an address in use.
func (o *simhostFlags) checkOptions() error {
	for _, h := range o.selected() {
		if err := h.Check(o.settingsOf(h)); err != nil {
			return err
		}
	}
	return nil
}

// handler routes each request to the host that owns its path. All other paths go to the first selected protocol of the
// table.
func (o *simhostFlags) handler(hosts []protocols.Bannered) http.Handler {
	selected := o.selected()
	first := slices.IndexFunc(o.hosts, func(h protocolHost) bool { return slices.Contains(o.protocols, h.name) })
	rest := slices.Index(o.protocols, o.hosts[first].name)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := slices.IndexFunc(selected, func(h protocolHost) bool { return h.Owns(r.URL.Path) })
		if at < 0 {
			at = rest
		}
		hosts[at].Handler().ServeHTTP(w, r)
	})
}
