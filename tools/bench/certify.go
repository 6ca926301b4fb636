package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/openwop"
	"github.com/openassay/assay/scenarios/wire"
)

// start measures how long assay list takes from start to end.
func (b *bench) start(ctx context.Context) ([]row, error) {
	var took []time.Duration
	for range 21 {
		begin := time.Now()
		if out, err := exec.CommandContext(ctx, b.assay, "list", "scenarios").CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s list scenarios: %w: %s: build it with make build", b.assay, err, out)
		}
		took = append(took, time.Since(begin))
	}
	t := times(took)
	return []row{{"assay list, start to end (median of 21)", "50 ms", round(t.at(0.5))}}, nil
}

// certify runs all OpenWOP suites against a simulated host in this process, then judges all of it again from what was
// kept. The second figure is above what judging costs: it includes reading the transcripts.
func (b *bench) certify(ctx context.Context) ([]row, error) {
	host, err := serve(ctx, "")
	if err != nil {
		return nil, err
	}
	defer host.stop()
	begin := time.Now()
	c, err := scenarios.Certify(ctx, wire.Target{URL: host.url, Key: host.key}, scenarios.Options{Seed: 1}, openwop.Suites()...)
	if err != nil {
		return nil, err
	}
	report := c.Finish(ctx)
	wall := time.Since(begin)
	if report.ExitCode() != scenarios.ExitProved {
		return nil, fmt.Errorf("the certification ended with exit code %d: what was measured is no full run", report.ExitCode())
	}
	host.stop()
	judging, err := judgeAgain(report)
	if err != nil {
		return nil, err
	}
	return []row{
		{fmt.Sprintf("all OpenWOP suites against the simulated host (%d scenarios), wall", len(report.Outcomes)), "2 s", round(wall)},
		{"judging all of it again from its transcripts, reading them included, CPU", "500 ms", round(judging)},
	}, nil
}

func judgeAgain(report *scenarios.Report) (time.Duration, error) {
	dir, err := os.MkdirTemp("", "assay-bench-*")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(dir)
	for _, d := range report.Drives {
		content, err := scenarios.MarshalTranscript(d)
		if err != nil {
			return 0, err
		}
		if err := os.WriteFile(filepath.Join(dir, scenarios.TranscriptName(d.ID)), content, 0o600); err != nil {
			return 0, err
		}
	}
	begin, err := processorTime()
	if err != nil {
		return 0, err
	}
	again, err := scenarios.Rejudge(dir, scenarios.Selection{}, openwop.Suites()...)
	if err != nil {
		return 0, err
	}
	end, err := processorTime()
	if len(again) != len(report.Outcomes) {
		return 0, fmt.Errorf("%d of %d scenarios were judged again", len(again), len(report.Outcomes))
	}
	return end - begin, err
}

// processorTime is what this process has used so far.
func processorTime() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, fmt.Errorf("ask for the processor time: %w", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}
