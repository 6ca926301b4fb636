package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/wire"
	"github.com/openassay/assay/tools/internal/protocols"
)

// againFlags say how a part of the scenarios is asked again.
type againFlags struct {
	times int
	over  time.Duration
	salts []string
}

const mostRepetitions = 100

func (a *againFlags) register(f *pflag.FlagSet) {
	f.IntVar(&a.times, "again", 0, "ask a third of the scenarios again, `N` times, in another order and under other names, and report what differs")
	f.DurationVar(&a.over, "over", 0, "`TIME` after the end within which the times of --again are drawn (default at once, one after the other)")
	f.StringSliceVar(&a.salts, "again-salt", nil, "`TEXTS` from which the names of further fixtures on the host were drawn, for one time of --again each")
}

// check returns an error if the flags do not fit each other or the others.
func (a *againFlags) check(given func(string) bool, o *certifyFlags, rows []*protocols.Row) error {
	switch {
	case a.times < 0 || a.times > mostRepetitions:
		return usage("certify --again %d: give 1 to %d", a.times, mostRepetitions)
	case a.times == 0 && (given("over") || given("again-salt")):
		return usage("certify --over, --again-salt: nothing is asked again: say how often with --again")
	case a.times > 0 && o.plan:
		return usage("certify --again: --plan sends nothing, so nothing is asked again: leave it out")
	case a.times > 0 && (o.ticket.launch != "" || o.ticket.check != ""):
		return usage("certify --again: what is launched is not over, so nothing is asked again: leave it out")
	case a.over < 0:
		return usage("certify --over %s: give a duration like 10m", a.over)
	}
	for _, salt := range a.salts {
		switch {
		case !scenarios.IsSalt(salt):
			return usage("certify --again-salt: give %s", scenarios.SaltForm)
		case rows[0].Protocol.Salted == nil:
			return usage("certify --again-salt: %s has no fixtures whose names could be drawn: leave it out", rows[0].Name())
		}
	}
	return nil
}

// drawn returns the salts for a host that is started for the occasion, and can have any fixtures.
func (a *againFlags) drawn(seed uint64) []string {
	if len(a.salts) > 0 {
		return a.salts
	}
	out := make([]string, a.times)
	for n := range out {
		out[n] = fmt.Sprintf("again-%d-%d", seed, n+1)
	}
	return out
}

// askAgain asks a part of the scenarios again, and adds what came of it to the report. An interrupt ends it: the
// command says so.
func (c *certify) askAgain(ctx context.Context, target wire.Target, report *scenarios.Report) error {
	if c.repeat.times == 0 || ctx.Err() != nil {
		return nil
	}
	options := c.options
	options.Progress = nil
	err := scenarios.Again{
		Times: c.repeat.times, Over: c.repeat.over, Salts: c.target.again,
		Told: func(n int, at time.Duration, asked int) {
			fmt.Fprintf(c.stderr, "asking %s again, %d of %d, drawn for %s after the end\n", textsafe.Count(asked, "scenario"), n,
				c.repeat.times, at.Round(time.Second/10))
		},
	}.Ask(ctx, target, report, options, c.suites...)
	if err != nil && ctx.Err() == nil {
		return usage("certify --again: %w", err)
	}
	return nil
}

// writeRepetitions writes the reports of each time into a folder of its own.
func (c *certify) writeRepetitions(report *scenarios.Report) error {
	for n, a := range report.Repetitions {
		if a.Report == nil {
			continue
		}
		doc := reports.Results(a.Report, reports.Stamp{Version: version(), ExitCode: a.Report.ExitCode(), Again: c.againWith(a)})
		if err := reports.Write(filepath.Join(c.out, scenarios.RepetitionDir(n+1)), a.Report, doc); err != nil {
			return err
		}
	}
	return nil
}

// againWith returns the commands that ask one scenario as a repetition did.
func (c *certify) againWith(a scenarios.Repetition) func(scenarios.ScenarioID) string {
	return func(id scenarios.ScenarioID) string {
		command, _, _ := strings.Cut(c.again(id), " --seed ")
		if a.Salt != "" && a.Salt != c.target.salt {
			command += " --salt " + textsafe.Shell(a.Salt)
		}
		return fmt.Sprintf("%s --run-id %s --seed %d", command, a.RunID.ID, a.Seed)
	}
}
