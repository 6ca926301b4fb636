package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/openassay/assay/internal/nearest"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/simhost/clock"
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
	ln, err := listen(ctx, "simhost", o.listen)
	if err != nil {
		return err
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
	skip := o.skipping(log)
	if skip != nil {
		defer skip.Stop()
	}
	if err := o.notItself(ln.Addr()); err != nil {
		return errors.Join(err, ln.Close())
	}
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
	parts := o.parts(hosts)
	api, err := o.beside(hosts, parts, log)
	if err != nil {
		return errors.Join(err, ln.Close())
	}
	handler, done := o.withConsole(o.publishing(api), parts, log)
	defer done()
	if skip != nil {
		handler = serving.Busy(skip, handler)
	}
	if s.Clock != nil {
		handler = serving.Dated(s.Clock.Now, handler)
	}
	if o.console {
		if _, err := fmt.Fprintf(out, "console: %s%s\n", o.settings.URL, console.Prefix); err != nil {
			return errors.Join(fmt.Errorf("simhost: print the banner: %w", err), ln.Close())
		}
	}
	return serving.Serve(ctx, ln, handler, log)
}

// skipping returns the clock of --clock skip, with which the hosts are opened; nil for another one.
func (o *simhostFlags) skipping(log *slog.Logger) *clock.Skipping {
	if o.clock != clockSkip {
		return nil
	}
	skip := clock.Skip(clock.SkipOptions{
		Base: clock.Real(), Wire: clock.Real(), Quiet: o.skipAfter, Most: o.skipMost,
		OnCap: func(ahead time.Duration) {
			log.Info("the clock does not jump: what is due next is further than --skip-most lets it", "due in", ahead.Round(time.Second).String(),
				"skip-most", o.skipMost.String())
		},
	})
	if !o.begins.IsZero() {
		skip.Advance(time.Until(o.begins))
	}
	o.moved, o.settings.Clock = skip, skip
	return skip
}

// parts returns what the console shows of the hosts, in the order of the selected ones.
func (o *simhostFlags) parts(hosts []protocols.Bannered) (parts []console.Part) {
	for i, h := range o.selected() {
		parts = append(parts, h.Pages(hosts[i]))
	}
	return parts
}

// withConsole puts the console in front of the hosts. done ends its streams.
func (o *simhostFlags) withConsole(api http.Handler, parts []console.Part, log *slog.Logger) (handler http.Handler, done func()) {
	if !o.console {
		return api, func() {}
	}
	options := console.Options{
		Store: o.settings.Store, Clock: o.moved, Remote: o.consoleRemote, Logger: log, Key: o.settings.Key, Snapshot: o.snapshotOptions(),
	}
	for _, h := range o.hosts { // in the order of the table, however they were named
		if i := slices.Index(o.protocols, h.name); i >= 0 {
			options.Parts = append(options.Parts, parts[i])
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

// handler routes each request to its owner.
func (o *simhostFlags) handler(hosts []protocols.Bannered) http.Handler {
	owner := o.owner()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { hosts[owner(r)].Handler().ServeHTTP(w, r) })
}

// owner returns the place of the selected host that a request is for: the one that owns its path. All other paths go to the first
// selected protocol of the table.
func (o *simhostFlags) owner() func(*http.Request) int {
	selected := o.selected()
	first := slices.IndexFunc(o.hosts, func(h protocolHost) bool { return slices.Contains(o.protocols, h.name) })
	rest := slices.Index(o.protocols, o.hosts[first].name)
	return func(r *http.Request) int {
		if at := slices.IndexFunc(selected, func(h protocolHost) bool { return h.Owns(r.URL.Path) }); at >= 0 {
			return at
		}
		return rest
	}
}
