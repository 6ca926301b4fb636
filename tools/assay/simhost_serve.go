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
	"github.com/openassay/assay/simhost/fault"
	"github.com/openassay/assay/simhost/openintent"
	intentfault "github.com/openassay/assay/simhost/openintent/fault"
	intentvariation "github.com/openassay/assay/simhost/openintent/variation"
	"github.com/openassay/assay/simhost/openwop"
	"github.com/openassay/assay/simhost/serving"
	"github.com/openassay/assay/simhost/variation"
)

func (o *simhostFlags) speaks(protocol string) bool { return slices.Contains(o.protocols, protocol) }

// checkProtocols gives what the flags say to the protocols that it is for.
func (o *simhostFlags) checkProtocols() error {
	var claims, faults []string
	for _, p := range o.protocols {
		switch p {
		case protocolOpenWOP:
			claims, faults = append(claims, openwop.ClaimNames()...), append(faults, fault.IDs()...)
		case protocolOpenIntent:
			claims, faults = append(claims, openintent.FeatureNames()...), append(faults, intentfault.IDs()...)
		default:
			return unknown("protocol", p, []string{protocolOpenWOP, protocolOpenIntent})
		}
	}
	switch {
	case len(o.protocols) == 0:
		return usage("simhost --protocol: give openwop or openintent")
	case o.intents.Config != "" && !o.speaks(protocolOpenIntent):
		return usage("simhost --config: it is the server config of OpenIntent: add --protocol openintent")
	}
	for _, c := range o.without {
		if !slices.Contains(claims, c) {
			return unknown("claim to leave off", c, claims)
		}
		if slices.Contains(openwop.ClaimNames(), c) {
			o.host.Without = append(o.host.Without, c)
		}
		if slices.Contains(openintent.FeatureNames(), c) {
			o.intents.Without = append(o.intents.Without, c)
		}
	}
	if err := o.checkVary(); err != nil {
		return err
	}
	for _, f := range o.faults {
		switch {
		case !slices.Contains(faults, f):
			return &scenarios.UsageError{Kind: "fault", Name: f, Near: nearest.Name(f, faults)}
		case slices.Contains(intentfault.IDs(), f):
			o.intents.Faults = append(o.intents.Faults, f)
		default:
			o.host.Faults = append(o.host.Faults, f)
		}
	}
	return nil
}

// checkVary gives the variations to the protocols that have them; all is for each.
func (o *simhostFlags) checkVary() error {
	known := []string{variation.All}
	if o.speaks(protocolOpenWOP) {
		known = append(known, variation.Names()...)
	}
	if o.speaks(protocolOpenIntent) {
		known = append(known, intentvariation.Names()...)
	}
	for _, v := range o.vary {
		if !slices.Contains(known, v) {
			return &scenarios.UsageError{Kind: "variation", Name: v, Near: nearest.Name(v, known)}
		}
		if v == variation.All || slices.Contains(variation.Names(), v) {
			o.host.Vary = append(o.host.Vary, v)
		}
		if v == intentvariation.All || slices.Contains(intentvariation.Names(), v) {
			o.intents.Vary = append(o.intents.Vary, v)
		}
	}
	return nil
}

// served is a host of one protocol.
type served interface {
	Handler() http.Handler
	Banner(baseURL string) string
	Close(ctx context.Context) error
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
	store, err := eventlog.Open(ctx, eventlog.Options{Dir: o.host.DataDir, SyncAlways: o.host.SyncAlways, MaxBytes: o.host.LogMax})
	if err != nil {
		return errors.Join(fmt.Errorf("start the simulated host: %w", err), ln.Close())
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	o.host.URL, o.host.Release, o.host.Logger, o.host.Store = "http://"+dialable(ln.Addr()), version(), log, store
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
		if _, err := io.WriteString(out, h.Banner(o.host.URL)); err != nil {
			return errors.Join(fmt.Errorf("simhost: print the banner: %w", err), ln.Close())
		}
	}
	handler, done := o.withConsole(hosts, log)
	defer done()
	if o.console {
		if _, err := fmt.Fprintf(out, "console: %s%s\n", o.host.URL, console.Prefix); err != nil {
			return errors.Join(fmt.Errorf("simhost: print the banner: %w", err), ln.Close())
		}
	}
	return serving.Serve(ctx, ln, handler, log)
}

// withConsole puts the console in front of the hosts. done ends what it streams.
func (o *simhostFlags) withConsole(hosts []served, log *slog.Logger) (handler http.Handler, done func()) {
	api := o.handler(hosts)
	if !o.console {
		return api, func() {}
	}
	options := console.Options{Clock: o.manual, Remote: o.consoleRemote, Logger: log}
	for _, h := range hosts {
		switch h := h.(type) {
		case *openwop.Switchable:
			options.Host = h
		case *openintent.Host:
			options.Intents = h
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

// open starts a host for each protocol, in the order in which they are asked for. Those that were started are returned also
// where one after them fails.
func (o *simhostFlags) open(ctx context.Context) (hosts []served, err error) {
	for _, p := range o.protocols {
		var h served
		if p == protocolOpenIntent {
			h, err = openintent.New(ctx, o.intentOptions())
		} else {
			h, err = openwop.OpenSwitchable(ctx, o.host)
		}
		if err != nil {
			return hosts, misused(err)
		}
		hosts = append(hosts, h)
	}
	return hosts, nil
}

// checkOptions finds what the hosts will refuse before anything is opened: an address that is taken is no answer to somebody
// whose options are wrong.
func (o *simhostFlags) checkOptions() error {
	for _, p := range o.protocols {
		check := o.host.Check
		if p == protocolOpenIntent {
			check = o.intentOptions().Check
		}
		if err := check(); err != nil {
			return misused(err)
		}
	}
	return nil
}

// misused tells mistakes in the options from what else can keep a host from starting.
func misused(err error) error {
	wrong, astray := (*openwop.OptionError)(nil), (*openintent.OptionError)(nil)
	switch {
	case errors.As(err, &wrong):
		return usage("simhost: %w", wrong)
	case errors.As(err, &astray):
		return usage("simhost: %w", astray)
	default:
		return err
	}
}

// intentOptions are those of the OpenIntent server: what both protocols have is the same.
func (o *simhostFlags) intentOptions() openintent.Options {
	i := o.intents
	i.Key, i.Callers, i.Store, i.DataDir, i.Seed = o.host.Key, o.host.Voters, o.host.Store, o.host.DataDir, o.host.Seed
	i.Release, i.Logger, i.Clock = o.host.Release, o.host.Logger, o.host.Clock
	return i
}

// handler has each protocol answer at its own paths.
func (o *simhostFlags) handler(hosts []served) http.Handler {
	if len(hosts) == 1 {
		return hosts[0].Handler()
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		at := slices.Index(o.protocols, protocolOpenIntent)
		if !openintent.Owns(r.URL.Path) {
			at = slices.Index(o.protocols, protocolOpenWOP)
		}
		hosts[at].Handler().ServeHTTP(w, r)
	})
}
