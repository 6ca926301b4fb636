// Command bench measures Assay's budgets on this machine and prints them as a table. What is compared is compared
// within one run, so that the ratios hold on a slow machine too. Nothing here passes or fails.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"time"
	"unicode/utf8"
)

// bench is one run of the command.
type bench struct {
	assay   string // the built command
	schemas string // a folder of schemas to generate code of, or ""
	full    bool   // what takes a minute or more too
	log     io.Writer
}

// row is one line of the table.
type row struct{ what, budget, measured string }

func main() {
	var b bench
	flag.StringVar(&b.assay, "assay", "bin/assay", "the built command")
	flag.StringVar(&b.schemas, "schemas", "", "folder of JSON Schemas to generate code of, beside our own")
	flag.BoolVar(&b.full, "full", false, "also measure what takes a minute or more: the proof of 100 faults, memory "+
		"after 500,000 finished runs, and a log of 1,000,000 events")
	flag.Parse()
	b.log = os.Stderr
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := b.run(ctx, os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (b *bench) run(ctx context.Context, out io.Writer) error {
	fmt.Fprintf(out, "%s, %d cores, %s/%s\n\n", runtime.Version(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	type part struct {
		name    string
		measure func(context.Context) ([]row, error)
	}
	parts := []part{
		{"the command's start", b.start},
		{"certifying the simulated host", b.certify},
		{"one certification of each protocol", b.certifications},
		{"the simulated host's start", b.startOfHost},
		{"the simulated host's memory", b.someInMemory},
		{"creating runs, log in memory", func(ctx context.Context) ([]row, error) { return b.create(ctx, "memory", "0.5", "") }},
		{"creating runs, log in files", b.createOnFiles},
		{"the first event of a stream", b.firstEvent},
		{"generating code", b.generate},
		{"judging a log", b.observe},
	}
	if b.full {
		parts = append(parts,
			part{"the proof of many faults (this takes a minute)", b.prove},
			part{"memory after many runs (this takes minutes)", b.memory})
	}
	rows := []row{{"WHAT", "BUDGET", "MEASURED"}}
	for _, p := range parts {
		fmt.Fprintf(b.log, "measuring %s\n", p.name)
		measured, err := p.measure(ctx)
		if err != nil {
			return fmt.Errorf("measure %s: %w", p.name, err)
		}
		rows = append(rows, measured...)
	}
	_, err := io.WriteString(out, table(rows))
	return err
}

func table(rows []row) string {
	what, budget := 0, 0
	for _, r := range rows {
		what, budget = max(what, utf8.RuneCountInString(r.what)), max(budget, utf8.RuneCountInString(r.budget))
	}
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "%-*s  %-*s  %s\n", what, r.what, budget, r.budget, r.measured)
	}
	return b.String()
}

// round keeps three digits of a duration or so.
func round(d time.Duration) string {
	switch {
	case d > time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d > time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(time.Microsecond).String()
}
