package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/simhost/openintent"
	"github.com/openassay/assay/simhost/openwop"
	"github.com/openassay/assay/simhost/serving"
)

// startSimhost serves a host of OpenWOP on a free port of this machine; stop ends it.
func startSimhost(ctx context.Context, o openwop.Options, log io.Writer) (address string, stop func(), err error) {
	return serveHere(ctx, log, func(ctx context.Context, url string, logger *slog.Logger) (served, error) {
		o.URL, o.Release, o.Logger = url, version(), logger
		return openwop.New(ctx, o)
	})
}

// startIntentHost serves the OpenIntent server with everything that it can do, for the keys of a target, whose address is filled in.
// fault is a violation that it commits, "" for none.
func startIntentHost(ctx context.Context, t *wire.Target, fault string, log io.Writer) (stop func(), err error) {
	o := openintent.Options{Key: t.Key, Callers: votersOf(*t), Release: version()}
	if fault != "" {
		o.Faults = []string{fault}
	}
	t.URL, stop, err = serveHere(ctx, log, func(ctx context.Context, _ string, logger *slog.Logger) (served, error) {
		o.Logger = logger
		return openintent.New(ctx, o)
	})
	return stop, err
}

// serveHere serves what start makes for its URL on a free port of this machine. It outlives ctx, because what was made on it is
// cleaned up after an interrupt too; stop ends it.
func serveHere(ctx context.Context, log io.Writer, start func(ctx context.Context, url string, logger *slog.Logger) (served, error)) (address string, stop func(), err error) {
	ctx = context.WithoutCancel(ctx)
	var listener net.ListenConfig
	ln, err := listener.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("listen on a free port: %w", err)
	}
	address = "http://" + ln.Addr().String()
	logger := slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelWarn})) // not every reminder
	host, err := start(ctx, address, logger)
	if err != nil {
		return "", nil, errors.Join(err, ln.Close())
	}
	running, end := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- serving.Serve(running, ln, host.Handler(), logger) }()
	return address, func() {
		end()
		stopped := <-ended
		bounded, cancel := context.WithTimeout(ctx, 5*time.Second)
		defer cancel()
		if err := errors.Join(stopped, host.Close(bounded)); err != nil {
			fmt.Fprintln(log, "assay: stop the simulated host:", err)
		}
	}, nil
}
