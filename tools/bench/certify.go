package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/challenge"
)

// start measures how long assay list takes from start to end, and what assay version takes of the machine.
func (b *bench) start(ctx context.Context) ([]row, error) {
	list, _, _, err := b.short(ctx, "list", "scenarios")
	if err != nil {
		return nil, err
	}
	_, processor, resident, err := b.short(ctx, "version")
	if err != nil {
		return nil, err
	}
	return []row{
		{"assay list, start to end (median of 21)", "50 ms", round(list.at(0.5))},
		{"assay version, processor time (median of 21)", "20 ms", round(processor.at(0.5))},
		{"  resident memory at most, pages of the program included", "20 MiB", mebibytes(resident)},
	}, nil
}

// short measures a command that prints something and ends: how long it takes, its processor time, and the most memory it holds.
func (b *bench) short(ctx context.Context, command ...string) (took, processor sortedTimes, resident int64, err error) {
	for range 21 {
		begin := time.Now()
		cmd := exec.CommandContext(ctx, b.assay, command...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, nil, 0, fmt.Errorf("%s %s: %w: %s: build it with make build", b.assay, strings.Join(command, " "), err, out)
		}
		took = append(took, time.Since(begin))
		processor = append(processor, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
			resident = max(resident, usage.Maxrss)
		}
	}
	if runtime.GOOS != "darwin" { // which counts bytes
		resident <<= 10
	}
	return times(took), times(processor), resident, nil
}

// certify has the command certify the simulated host, with everything on, then judges all of it again from what was kept.
// The second figure is above what judging costs: it includes reading the transcripts.
func (b *bench) certify(ctx context.Context) ([]row, error) {
	dir, cleanUp, err := temporary()
	if err != nil {
		return nil, err
	}
	defer cleanUp()
	begin := time.Now()
	cmd := exec.CommandContext(ctx, b.assay, "certify", "simhost", "--seed", "1",
		"--depth", scenarios.Standard.String(), "--out", dir, "--bundle", filepath.Join(dir, evidence),
		"--no-challenge")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s certify simhost: %w: what was measured is no full run: %s", b.assay, err, out)
	}
	wall := time.Since(begin)
	content, err := os.ReadFile(filepath.Join(dir, "results.json"))
	if err != nil {
		return nil, err
	}
	var report results.Results
	if err := json.Unmarshal(content, &report); err != nil {
		return nil, err
	}
	begun, err := processorTime()
	if err != nil {
		return nil, err
	}
	transcripts := os.DirFS(filepath.Join(dir, "transcripts"))
	again, err := scenarios.Rejudge(transcripts, scenarios.Standard, scenarios.Selection{}, measured.Targets[0].Suites()...)
	if err != nil {
		return nil, err
	}
	ended, err := processorTime()
	if err != nil {
		return nil, err
	}
	if len(again) != len(report.Scenarios) {
		return nil, fmt.Errorf("%d of %d scenarios were judged again", len(again), len(report.Scenarios))
	}
	challenged, err := challengeAll(filepath.Join(dir, "transcripts"), report)
	if err != nil {
		return nil, err
	}
	verified, err := b.verify(ctx, filepath.Join(dir, evidence))
	if err != nil {
		return nil, err
	}
	return []row{
		{fmt.Sprintf("all %s suites against the simulated host (%d scenarios), wall", measured.Brand, len(again)), "2 s",
			round(time.Duration(report.Seconds * float64(time.Second)))},
		{"  and with start, hosts and reports", "", round(wall)},
		{"  the same, CPU", "0.7 s", round(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime())},
		{"judging all of it again from its transcripts, reading them included, CPU", "500 ms", round(ended - begun)},
		challenged,
		{"assay verify of its bundle, start to end (median of 5), wall", "2 s", round(verified)},
	}, nil
}

// challengeAll measures how long it takes to show all passes of a certification able to fail.
func challengeAll(transcripts string, of results.Results) (row, error) {
	report, err := scenarios.Derive(os.DirFS(transcripts), scenarios.Given{Address: of.Target.Address, Started: of.StartedAt, Seed: of.Seed},
		measured.Targets[0].Suites()...)
	if err != nil {
		return row{}, err
	}
	begun, err := processorTime()
	if err != nil {
		return row{}, err
	}
	result, err := challenge.Settle(report)
	if err != nil {
		return row{}, err
	}
	ended, err := processorTime()
	if err != nil {
		return row{}, err
	}
	return row{fmt.Sprintf("all passes challenged (%s), CPU", result.Sentence()), "3 s", round(ended - begun)}, nil
}

// evidence is the name of the bundle of what was certified.
const evidence = "evidence.tar.gz"

// verify measures how long the command takes to verify a bundle that is honest.
func (b *bench) verify(ctx context.Context, bundle string) (time.Duration, error) {
	var took []time.Duration
	for range 5 {
		begin := time.Now()
		if out, err := exec.CommandContext(ctx, b.assay, "verify", bundle).CombinedOutput(); err != nil {
			return 0, fmt.Errorf("%s verify: %w: %s", b.assay, err, out)
		}
		took = append(took, time.Since(begin))
	}
	return times(took).at(0.5), nil
}

// processorTime is what this process has used so far.
func processorTime() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, fmt.Errorf("ask for the processor time: %w", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}
