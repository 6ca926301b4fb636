// Command assay certifies that an agent host keeps the promises it makes. See assay help.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/openassay/assay/internal/process"
	_ "github.com/openassay/assay/internal/startheap" // runs before packages that allocate much
	"github.com/openassay/assay/scenarios"
)

func main() {
	ctx, stop := interruptible(context.Background())
	code := execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// interruptible returns a context that the first signal cancels, so that a command can end in order. A second signal
// ends the process at once. Before that it kills the programs it started, which run in sessions of their own and get no
// signal, and removes its temporary folders.
func interruptible(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signal.Notify(signals, syscall.SIGHUP)
	}
	// A reader of our output may close it early, as head does. That must not kill the process while plugins run.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	go func() {
		<-signals
		cancel()
		<-signals
		process.Abandon()
		os.Exit(scenarios.ExitInterrupted)
	}()
	return ctx, func() {
		signal.Stop(signals)
		cancel()
	}
}
