package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove"
)

// certifications measures one certification of each protocol, beside the figures that are committed.
func (b *bench) certifications(ctx context.Context) (rows []row, err error) {
	lab, err := prove.NewLab(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lab.Close(context.WithoutCancel(ctx))) }()
	for _, of := range protocols.All() {
		now, err := measure(ctx, lab, prove.Honest(of)[0])
		if err != nil {
			return nil, fmt.Errorf("%s: %w", of.Brand, err)
		}
		rows = append(rows, costs(of.Brand, of.Cost, now)...)
	}
	return rows, nil
}

// measure is the second of two certifications: the first one compiles what is compiled once a process.
func measure(ctx context.Context, lab *prove.Lab, h prove.Host) (now protocols.Cost, err error) {
	for range 2 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		begun, err := processorTime()
		if err != nil {
			return protocols.Cost{}, err
		}
		begin := time.Now()
		if _, err := lab.Certify(ctx, h, scenarios.Options{Seed: 1}); err != nil {
			return protocols.Cost{}, err
		}
		now.Wall = time.Since(begin)
		ended, err := processorTime()
		if err != nil {
			return protocols.Cost{}, err
		}
		runtime.ReadMemStats(&after)
		now.Processor, now.Allocations = ended-begun, after.Mallocs-before.Mallocs
	}
	return now, nil
}

// costs has the committed figures where other rows have a budget.
func costs(name string, then, now protocols.Cost) []row {
	name = "one certification in process, " + name + ", CPU"
	of := func(now, then float64, shown string) string { return fmt.Sprintf("%s (%.2f of it)", shown, now/then) }
	return []row{
		{name, "was " + round(then.Processor), of(float64(now.Processor), float64(then.Processor), round(now.Processor))},
		{"  wall", "was " + round(then.Wall), of(float64(now.Wall), float64(then.Wall), round(now.Wall))},
		{"  allocations", "was " + thousands(then.Allocations),
			of(float64(now.Allocations), float64(then.Allocations), thousands(now.Allocations))},
	}
}

// thousands is a count without its last three digits.
func thousands(n uint64) string { return fmt.Sprintf("%d k", (n+500)/1000) }
