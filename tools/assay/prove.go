package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/assay/internal/progress"
	"github.com/openassay/assay/tools/prove"
)

const proveLong = `Runs all suites against the simulated host, the OpenIntent server and the
reference agent, honest in every way they can be and with each of their faults,
many at once in this process, but for the few faults of the agent that show only
where each turn is a process. Every fault must be caught by a scenario that cites
a requirement the fault breaks, nothing else may fail, and no honest host may be
accused. It prints what catches what, and writes
kill-matrix.json and kill-matrix.md. Exit 1 when a fault survives, is caught for
a wrong reason, or an honest host is accused.`

type proveFlags struct {
	faults  []string
	out     string
	check   bool
	options prove.Options
}

func newProve() *cobra.Command {
	o := &proveFlags{}
	cmd := &cobra.Command{
		Use:     "prove",
		Short:   "Prove the suites: every fault against every suite",
		Long:    proveLong,
		Example: "  assay prove\n  assay prove --fault 'loop.*' --suite stateful-resume\n  assay prove --out docs --check",
		Args:    args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.settle(cmd.Flags()); err != nil {
				return err
			}
			return o.prove(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.faults, "fault", nil, "only faults whose ids match the `PATTERN`, such as loop.*, beside one honest host; may be repeated")
	f.StringSliceVar(&o.options.Select.Suites, "suite", nil, "only the scenarios of these `SUITES`")
	f.StringSliceVar(&o.options.Select.Scenarios, "scenario", nil, "only these scenarios, by `ID`")
	f.IntVar(&o.options.AtOnce, "at-once", 0, "`N` hosts at the same time (default 3 a core)")
	f.DurationVar(&o.options.Patience, "patience", 0, "how long faulty hosts may take for what must happen (default 6s)")
	f.Uint64Var(&o.options.Seed, "seed", 1, "`N` that all random values come of")
	f.StringVar(&o.out, "out", "out", "`DIR` for kill-matrix.json and kill-matrix.md")
	f.BoolVar(&o.check, "check", false, "write nothing; exit 1 when the matrix in --out is another one")
	return cmd
}

func (o *proveFlags) settle(flags *pflag.FlagSet) error {
	if o.options.AtOnce < 0 || flags.Changed("at-once") && o.options.AtOnce == 0 {
		return usage("prove --at-once %d: give how many hosts, from 1", o.options.AtOnce)
	}
	if o.options.Patience < 0 || flags.Changed("patience") && o.options.Patience == 0 {
		return usage("prove --patience %s: give a time above zero", o.options.Patience)
	}
	if o.narrowed() && o.check {
		return usage("prove --check: the matrix is that of all faults and all suites: leave off --fault, --suite and --scenario")
	}
	if _, err := o.options.Select.Pick(known().Suites...); err != nil {
		return err
	}
	if len(o.faults) == 0 {
		return nil
	}
	var err error
	o.options.Hosts, err = prove.Matching(o.faults...)
	if none, ok := errors.AsType[*prove.NoFaultError](err); ok {
		return &scenarios.UsageError{Kind: "fault", Name: none.Pattern, Near: none.Near}
	}
	return err
}

// narrowed tells whether less than everything is asked for.
func (o *proveFlags) narrowed() bool {
	return len(o.faults)+len(o.options.Select.Suites)+len(o.options.Select.Scenarios) > 0
}

func (o *proveFlags) prove(ctx context.Context, out, errs io.Writer) (err error) {
	lab, err := prove.NewLab(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lab.Close(context.WithoutCancel(ctx))) }()
	hosts := o.options.Hosts
	if hosts == nil {
		hosts = prove.Hosts()
	}
	o.options.Hosts = hosts
	p := progress.New(errs, isTerminal(errs), time.Now, "hosts", "honest", "accused", "caught", "survived", "wrong-reason")
	defer p.End()
	p.Begin(len(hosts))
	o.options.Progress = func(r prove.Result) { p.Ended(told(r)) }
	m, err := lab.Prove(ctx, o.options)
	p.End()
	if errors.Is(err, context.Canceled) {
		return &exit{scenarios.ExitInterrupted, errors.New("interrupted: nothing was written")}
	}
	if err != nil {
		return err
	}
	if err := printMatrix(out, m); err != nil {
		return err
	}
	return o.settled(out, m)
}

// told is a result in the words of progress: whose it is, how it ended, and what is wrong.
func told(r prove.Result) (name, word, alarm string) {
	if h := r.Honest; h != nil {
		if len(h.Accused) == 0 {
			return h.Host, "honest", ""
		}
		return h.Host, "accused", h.Accused[0].Scenario + ": " + h.Accused[0].Reason
	}
	switch f := r.Fault; f.Verdict {
	case results.FaultResultVerdictCaught:
		return f.ID, string(f.Verdict), ""
	case results.FaultResultVerdictWrongReason:
		return f.ID, string(f.Verdict), f.Wrong[0].Scenario + ": " + f.Wrong[0].Reason
	default:
		return f.ID, string(f.Verdict), "breaks " + strings.Join(f.Breaks, ", ")
	}
}

// settled writes or compares the matrix, and says what the whole is worth.
func (o *proveFlags) settled(out io.Writer, m results.KillMatrix) error {
	if o.check {
		if err := prove.Check(o.out, m); err != nil {
			return &exit{exitFailed, fmt.Errorf("prove --check: %w: run make prove", err)}
		}
	} else if err := prove.Write(o.out, m); err != nil {
		return &exit{scenarios.ExitUsage, fmt.Errorf("prove: %w: give another folder with --out", err)}
	} else if _, err := fmt.Fprintf(out, "kill matrix in %s\n", filepath.Join(o.out, prove.MarkdownName)); err != nil {
		return err
	}
	if !prove.Clean(m) {
		return &exit{exitFailed, nil}
	}
	return nil
}

// printMatrix writes a line to each fault, what is wrong in full, and the figures.
func printMatrix(out io.Writer, m results.KillMatrix) error {
	var b strings.Builder
	for _, p := range m.Protocols {
		printProved(&b, p)
	}
	for _, p := range m.Protocols {
		b.WriteString("\n" + p.Title + ":\n")
		for _, line := range prove.Figures(p) {
			b.WriteString(line + "\n")
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func printProved(b *strings.Builder, p results.ProvedProtocol) {
	for _, h := range p.Honest {
		for _, a := range h.Accused {
			fmt.Fprintf(b, "accused       %s  %s is %s: %s\n", h.Host, a.Scenario, a.Verdict, textsafe.Line(a.Reason))
		}
	}
	for _, f := range p.Faults {
		fmt.Fprintf(b, "%-13s %s  breaks %s\n", f.Verdict, f.ID, strings.Join(f.Breaks, ", "))
		for _, k := range f.Kills {
			fmt.Fprintf(b, "    killed by %s, which cites %s\n", k.Scenario, k.Requirement)
		}
		for _, w := range f.Wrong {
			fmt.Fprintf(b, "    wrong     %s is %s: %s\n", w.Scenario, w.Verdict, textsafe.Line(w.Reason))
		}
	}
}
