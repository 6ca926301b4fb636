package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/openassay/assay/tools/prove"
)

// proved is how many faults are measured.
const proved = 100

// prove measures the suites against as many faults, spread over all of them, several hosts at once.
func (b *bench) prove(ctx context.Context) (_ []row, err error) {
	var faulty []prove.Host
	for _, h := range prove.Hosts() {
		if h.Fault != nil {
			faulty = append(faulty, h)
		}
	}
	if len(faulty) < proved {
		return nil, fmt.Errorf("there are only %d faults", len(faulty))
	}
	some := make([]prove.Host, proved)
	for i := range some {
		some[i] = faulty[i*len(faulty)/proved]
	}
	lab, err := prove.NewLab(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, lab.Close(context.WithoutCancel(ctx))) }()
	begin := time.Now()
	m, err := lab.Prove(ctx, prove.Options{Hosts: some, Seed: 1})
	if err != nil {
		return nil, err
	}
	wall := time.Since(begin)
	caught := 0
	for _, p := range m.Protocols {
		caught += int(p.Totals.Caught)
	}
	return []row{{fmt.Sprintf("all suites against %d of %d faults (%d caught), wall", proved, len(faulty), caught), "90 s", round(wall)}}, nil
}
