package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openassay/assay/gen/results"
	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/assay/internal/progress"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove"
)

const proveLong = `Runs all suites against the simulated hosts and the reference agent, honest in
every way they can be and with each of their faults, many at once in this process,
but for the few faults of the agent that show only where each turn is a process.
Every fault must be caught by a scenario that cites a requirement the fault breaks,
nothing else may fail, and no honest host may be accused. It prints what catches
what and which profiles each fault costs, and writes kill-matrix.json and
kill-matrix.md. Exit 1 when a fault survives, is caught for a wrong reason, breaks a
MUST that a profile is about and leaves it certified (a profile survivor), or when an
honest host is accused. Profiles are not looked at with --suite or --scenario.

Hosts are asked at --depth quick. A fault whose row names a greater depth shows only
there: it is left out, and they are counted. --depth standard proves all that show at
that depth, and writes kill-matrix-standard.json and .md: make prove DEPTH=standard.

Until every host is done, kill-matrix.part.ndjson in --out has those that are, a
line each, however the process ends; --resume goes on from there. --shard 2/8 proves
every eighth host from the second on, on as many machines as there are shards, and
assay prove merge makes one matrix of their folders. Both give the same bytes as a
proof that went through.

--target URL proves instead that a certification of your own host would notice: the
host is certified as it is, then through each fault that can stand in front of a host,
see assay fault-proxy. Exit 1 when the scenarios about a fault pass all the same.`

type proveFlags struct {
	faults    []string
	draw      uint64
	depth     string
	leftOut   int // faults that show only at a greater depth
	protocols []string
	shard     string
	out       string
	check     bool
	resume    bool
	options   prove.Options
	target    provedTarget
}

func newProve() *cobra.Command {
	o := &proveFlags{}
	cmd := &cobra.Command{
		Use:   "prove",
		Short: "Prove the suites: every fault against every suite",
		Long:  proveLong,
		Example: "  assay prove" + protocols.Examples("prove") + "\n  assay prove --fault 'loop.*' --suite stateful-resume\n" +
			"  assay prove --shard 2/8 --out shard-2\n  assay prove --out docs --check",
		Args: args(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.settle(cmd.Flags()); err != nil {
				return err
			}
			if o.target.url != "" {
				return o.proveTarget(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
			}
			return o.prove(cmd.Context(), cmd.OutOrStdout(), cmd.ErrOrStderr())
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.protocols, "protocol", nil,
		"only the hosts and suites of these `PROTOCOLS`: "+strings.Join(protocols.Names(protocols.All()), ", "))
	f.StringSliceVar(&o.faults, "fault", nil,
		"only faults whose ids match the `PATTERN`, such as loop.*, beside one honest host; may be repeated")
	f.Uint64Var(&o.draw, "fault-draw", 0, "draw what can be set of the faults with this `SEED`, from 1 (default: nothing is set)")
	f.StringSliceVar(&o.options.Select.Suites, "suite", nil, "only the scenarios of these `SUITES`")
	f.StringSliceVar(&o.options.Select.Scenarios, "scenario", nil, "only these scenarios, by `ID`")
	f.BoolVar(&o.options.Aimed, "aimed", false, "ask a faulty host only the scenarios that prove what its fault breaks")
	f.StringVar(&o.shard, "shard", "", "only the `I/N` part of the hosts, such as 2/8")
	f.BoolVar(&o.resume, "resume", false, "go on with the unfinished matrix in --out")
	f.IntVar(&o.options.AtOnce, "at-once", 0,
		"`N` hosts of each protocol at the same time, as far as the machine keeps up (default 16 a core)")
	f.DurationVar(&o.options.Patience, "patience", 0, "how long faulty hosts may take for what must happen (default 6s)")
	f.StringVar(&o.depth, "depth", scenarios.Quick.String(), "ask at this `DEPTH`: quick, standard or deep, each with a matrix of its own; "+
		"faults that show only at a greater one are left out")
	f.Uint64Var(&o.options.Seed, "seed", 1, "`N` that all random values come of")
	f.StringVar(&o.out, "out", "out", "`DIR` for kill-matrix.json and kill-matrix.md")
	f.BoolVar(&o.check, "check", false, "write nothing; exit 1 when the matrix in --out is another one")
	o.target.register(f)
	cmd.AddCommand(newProveMerge())
	return cmd
}

func newProveMerge() *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "merge DIR...",
		Short: "Make one kill matrix of the shards in some folders",
		Long: "Reads kill-matrix.part.ndjson of each folder, and writes the kill matrix when every host is done in one of them.\n" +
			"Exit 1 when some are not, and then nothing is written.",
		Example: "  assay prove --shard 1/2 --out shard-1\n  assay prove --shard 2/2 --out shard-2\n  assay prove merge " +
			"shard-1 shard-2 --out docs",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, dirs []string) error {
			if len(dirs) == 0 {
				return usage("prove merge: name the folders of the shards")
			}
			merged, err := prove.MergeParts(dirs...)
			if err != nil {
				return usage("prove merge: %w", err)
			}
			options, err := merged.Options()
			if err != nil {
				return usage("prove merge: %w", err)
			}
			m, err := options.Whole()
			if err != nil {
				return &exit{Code: exitFailed, Cause: fmt.Errorf("prove merge: %w: prove them with --resume, or name the folders of all shards", err)}
			}
			return conclude(cmd.OutOrStdout(), m, out, false)
		},
	}
	cmd.Flags().StringVar(&out, "out", "out", "`DIR` for kill-matrix.json and kill-matrix.md")
	return cmd
}

func (o *proveFlags) settle(flags *pflag.FlagSet) error {
	if err := o.target.settle(flags); err != nil {
		return err
	}
	if o.options.AtOnce < 0 || flags.Changed("at-once") && o.options.AtOnce == 0 {
		return usage("prove --at-once %d: give how many hosts, from 1", o.options.AtOnce)
	}
	if o.options.Patience < 0 || flags.Changed("patience") && o.options.Patience == 0 {
		return usage("prove --patience %s: give a time above zero", o.options.Patience)
	}
	if o.narrowed() && o.check {
		return usage("prove --check: the matrix is that of all faults and all suites: leave off --protocol, --fault, --fault-draw, " +
			"--suite, --scenario, --aimed and --shard")
	}
	if o.options.Aimed && (o.resume || o.shard != "") {
		return usage("prove --aimed: what is proved so is no part of a matrix: leave off --resume and --shard")
	}
	if o.options.Aimed && o.options.Select.Narrows() {
		return usage("prove --aimed: what a fault breaks says what is asked: leave off --suite and --scenario")
	}
	if o.resume && o.check {
		return usage("prove --check: it writes nothing, so there is nothing to resume: leave off --resume")
	}
	if err := o.readShard(); err != nil {
		return err
	}
	if _, err := o.options.Select.Pick(known().Suites...); err != nil {
		return err
	}
	var err error
	if o.options.Depth, err = scenarios.ParseDepth(o.depth); err != nil {
		return usage("prove --depth: %w", err)
	}
	o.options.Hosts = prove.Hosts()
	if len(o.faults) > 0 {
		hosts, err := prove.Matching(o.faults...)
		if none, ok := errors.AsType[*prove.NoFaultError](err); ok {
			return &scenarios.UsageError{Kind: "fault", Name: none.Pattern, Near: none.Near}
		}
		if err != nil {
			return err
		}
		o.options.Hosts = hosts
	}
	o.options.Hosts, o.leftOut = prove.AtDepth(o.options.Hosts, o.options.Depth)
	if len(o.faults) > 0 && !slices.ContainsFunc(o.options.Hosts, func(h prove.Host) bool { return h.Fault != nil }) {
		return usage("prove --fault: at --depth %s none of these shows: prove with a greater --depth", o.options.Depth)
	}
	if o.draw != 0 {
		if o.options.Hosts, err = prove.Drawn(o.options.Hosts, o.draw); err != nil {
			return err
		}
	}
	return o.pickProtocols()
}

// pickProtocols keeps the hosts that speak one of the protocols of --protocol.
func (o *proveFlags) pickProtocols() error {
	if len(o.protocols) == 0 {
		return nil
	}
	speak := map[*scenarios.Protocol]bool{}
	for _, name := range o.protocols {
		row := protocols.Named(name)
		if row == nil {
			return unknown("protocol", name, protocols.Names(protocols.All()))
		}
		speak[row.Protocol] = true
	}
	o.options.Hosts = slices.DeleteFunc(o.options.Hosts, func(h prove.Host) bool { return !speak[h.Protocol()] })
	if len(o.options.Hosts) == 0 {
		return usage("prove: no fault of --fault is one of %s: leave off --protocol", strings.Join(o.protocols, ", "))
	}
	return nil
}

func (o *proveFlags) readShard() error {
	if o.shard == "" {
		return nil
	}
	i, of, _ := strings.Cut(o.shard, "/")
	var err1, err2 error
	o.options.Shard.I, err1 = strconv.Atoi(i)
	o.options.Shard.Of, err2 = strconv.Atoi(of)
	if s := o.options.Shard; err1 != nil || err2 != nil || s.I < 1 || s.I > s.Of {
		return usage("prove --shard %s: give which of how many parts, such as 2/8", o.shard)
	}
	return nil
}

// narrowed reports whether the flags select less than the whole matrix.
func (o *proveFlags) narrowed() bool {
	selected := len(o.faults) + len(o.protocols) + len(o.options.Select.Suites) + len(o.options.Select.Scenarios)
	return selected > 0 || o.draw != 0 || o.options.Aimed || o.shard != ""
}

// proveMemory is the soft memory limit of a proof, in bytes.
const proveMemory = 3 << 29

func (o *proveFlags) prove(ctx context.Context, out, errs io.Writer) (err error) {
	if os.Getenv("GOMEMLIMIT") == "" {
		defer debug.SetMemoryLimit(debug.SetMemoryLimit(proveMemory))
	}
	defer relaxGC()()
	p := progress.New(errs, isTerminal(errs), time.Now, "hosts", "honest", "accused", "caught", "survived", "wrong-reason")
	defer p.End()
	keep, end, err := o.part(p)
	if err != nil {
		return err
	}
	todo, err := o.options.Todo()
	if err != nil {
		return errors.Join(err, end(false))
	}
	lab, err := prove.NewLab(ctx)
	if err != nil {
		return errors.Join(err, end(false))
	}
	defer func() { err = errors.Join(err, lab.Close(context.WithoutCancel(ctx))) }()
	if o.leftOut > 0 {
		p.Say("%s left out at --depth %s, as only a greater one shows them", textsafe.Count(o.leftOut, "fault"), o.options.Depth)
	}
	p.Estimate()
	p.Begin(len(todo))
	o.options.Progress = func(host string, r prove.Result) error {
		p.Ended(progressOf(r))
		return keep(host, r)
	}
	m, err := lab.Prove(ctx, o.options)
	p.End()
	unfinished, isUnfinished := errors.AsType[*prove.UnfinishedError](err)
	switch {
	case errors.Is(err, context.Canceled):
		return &exit{Code: scenarios.ExitInterrupted, Cause: errors.Join(errors.New("interrupted: "+o.left()), end(false))}
	case isUnfinished:
		_, err := fmt.Fprintf(out, "shard %s is done: %d of %d hosts are not: assay prove merge makes one matrix of the "+
			"folders of all shards\n", o.shard, len(unfinished.Pending), unfinished.Of)
		return errors.Join(err, end(false))
	case err != nil:
		return errors.Join(err, end(false))
	}
	if err := conclude(out, m, o.out, o.check); err != nil {
		return errors.Join(err, end(!writeFailed(err)))
	}
	return end(true)
}

// part opens the file that holds finished hosts until the matrix is whole. keep adds a host; end closes the file, and
// removes it if the matrix is whole.
func (o *proveFlags) part(p *progress.Printer) (keep func(string, prove.Result) error, end func(whole bool) error, err error) {
	if o.check {
		return func(string, prove.Result) error { return nil }, func(bool) error { return nil }, nil
	}
	open := prove.CreatePart
	if o.resume {
		open = prove.ResumePart
	}
	part, err := open(o.out, o.options)
	switch {
	case errors.Is(err, prove.ErrNoPart):
		return nil, nil, usage("prove --resume: %w: leave off --resume, or name the folder with --out", err)
	case errors.Is(err, scenarios.ErrNothingSelected):
		return nil, nil, fmt.Errorf("prove: %w that these hosts are asked: leave off --protocol or --fault", err)
	case err != nil:
		return nil, nil, usage("prove: %w", err)
	}
	o.options.Done = maps.Clone(part.Done())
	if n := len(part.Done()); n > 0 {
		p.Say("%d hosts are done already", n)
	}
	return part.Keep, func(whole bool) error {
		if whole {
			return part.Remove()
		}
		return part.Close()
	}, nil
}

// left describes what an interrupted proof leaves behind.
func (o *proveFlags) left() string {
	if o.check {
		return "nothing was compared"
	}
	return filepath.Join(o.out, prove.PartName) + " has the hosts that are done: assay prove --resume goes on from there"
}

// progressOf returns the arguments of [progress.Printer.Ended] for a result.
func progressOf(r prove.Result) (name, result, alarm string) {
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

// writeError means that the matrix could not be written.
type writeError struct{ error }

func writeFailed(err error) bool {
	_, failed := errors.AsType[writeError](err)
	return failed
}

// depthOf returns the depth of a matrix.
func depthOf(m results.KillMatrix) scenarios.Depth {
	if d, err := scenarios.ParseDepth(string(m.Depth)); err == nil {
		return d
	}
	return scenarios.Quick
}

// conclude prints a matrix, and writes it to dir or compares it with the one there. The error carries the exit code.
func conclude(out io.Writer, m results.KillMatrix, dir string, check bool) error {
	if err := printMatrix(out, m); err != nil {
		return err
	}
	if check {
		if err := prove.Check(dir, m); err != nil {
			return &exit{Code: exitFailed, Cause: fmt.Errorf("prove --check: %w: run make prove", err)}
		}
	} else if err := prove.Write(dir, m); err != nil {
		return &exit{Code: scenarios.ExitUsage, Cause: writeError{fmt.Errorf("prove: %w: give another folder with --out", err)}}
	} else if _, err := fmt.Fprintf(out, "kill matrix in %s\n", filepath.Join(dir, prove.MarkdownName(depthOf(m)))); err != nil {
		return err
	}
	if !prove.Clean(m) {
		return &exit{Code: exitFailed, Cause: nil}
	}
	return nil
}

// printMatrix writes a line for each fault, every mistake in full, and the figures.
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
		if len(f.Costs) > 0 {
			fmt.Fprintf(b, "    costs     %s\n", strings.Join(f.Costs, ", "))
		}
		if len(f.Spares) > 0 {
			fmt.Fprintf(b, "    survives  %s: it breaks a MUST that they are about, and they stay certified\n", strings.Join(f.Spares, ", "))
		}
		for _, w := range f.Wrong {
			fmt.Fprintf(b, "    wrong     %s is %s: %s\n", w.Scenario, w.Verdict, textsafe.Line(w.Reason))
		}
	}
}
