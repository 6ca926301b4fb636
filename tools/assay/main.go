// Command assay finds out whether an agent host keeps the promises it makes. See assay help.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/openassay/assay/internal/process"
	_ "github.com/openassay/assay/internal/startheap" // as early as a package can be
	"github.com/openassay/assay/scenarios"
)

func main() {
	ctx, stop := interruptible(context.Background())
	code := execute(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// interruptible is a context that ends with the first signal, which asks a command to end in order. A second one ends the
// process at once: programs that it started, which have sessions of their own and hear of no signal, and its temporary
// folders go before it.
func interruptible(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it
		signal.Notify(signals, syscall.SIGHUP)
	}
	// Who reads our output may leave, as head does. That must not end us on the spot, with plugins under way.
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
