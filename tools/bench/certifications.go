package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/prove"
)

// cost is what one certification takes.
type cost struct {
	processor, wall time.Duration
	allocations     uint64
}

// certified is a certification of a simulated host in this process, as a proof has a thousand of them, and what it took
// when the figure was committed: on 2026-11-23, Go 1.26, linux/amd64, 2 cores that others used too, reports not written.
// The processor time depends on the machine, the wall time on what a protocol has a drive wait for; allocations are the same
// everywhere, but for the looks that a drive takes while it waits. Who makes certifications cheaper commits new figures.
type certified struct {
	name  string
	hosts func() []prove.Host
	then  cost
}

var certifications = []certified{
	{"OpenWOP", prove.Honest, cost{610 * time.Millisecond, 1480 * time.Millisecond, 1_890_000}},
	{"OpenIntent", prove.HonestIntents, cost{240 * time.Millisecond, 3800 * time.Millisecond, 550_000}},
	{"agentic loop", prove.HonestAgents, cost{680 * time.Millisecond, 8400 * time.Millisecond, 2_180_000}},
}

// certifications measures one certification of each protocol, beside the figures that are committed.
func (b *bench) certifications(ctx context.Context) (rows []row, err error) {
	lab, err := prove.NewLab(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lab.Close(context.WithoutCancel(ctx))) }()
	for _, c := range certifications {
		now, err := c.measure(ctx, lab)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		rows = append(rows, c.rows(now)...)
	}
	return rows, nil
}

// measure is the second of two certifications: the first one compiles what is compiled once a process.
func (c certified) measure(ctx context.Context, lab *prove.Lab) (now cost, err error) {
	for range 2 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begun, err := processorTime()
		if err != nil {
			return cost{}, err
		}
		begin := time.Now()
		if _, err := lab.Certify(ctx, c.hosts()[0], scenarios.Options{Seed: 1}); err != nil {
			return cost{}, err
		}
		now.wall = time.Since(begin)
		ended, err := processorTime()
		if err != nil {
			return cost{}, err
		}
		runtime.ReadMemStats(&after)
		now.processor, now.allocations = ended-begun, after.Mallocs-before.Mallocs
	}
	return now, nil
}

// rows has the committed figures where others have a budget.
func (c certified) rows(now cost) []row {
	of := func(now, then float64, shown string) string { return fmt.Sprintf("%s (%.2f of it)", shown, now/then) }
	return []row{
		{"one certification in process, " + c.name + ", CPU", "was " + round(c.then.processor), of(float64(now.processor), float64(c.then.processor), round(now.processor))},
		{"  wall", "was " + round(c.then.wall), of(float64(now.wall), float64(c.then.wall), round(now.wall))},
		{"  allocations", "was " + thousands(c.then.allocations), of(float64(now.allocations), float64(c.then.allocations), thousands(now.allocations))},
	}
}

// thousands is a count without its last three digits.
func thousands(n uint64) string { return fmt.Sprintf("%d k", (n+500)/1000) }
