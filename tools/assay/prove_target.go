package main

import (
	"context"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/assay/internal/progress"
	"github.com/openassay/assay/tools/internal/protocols"
	"github.com/openassay/assay/tools/prove"
)

// provedTarget names the host of prove --target.
type provedTarget struct {
	url   string
	flags certifyFlags // of certify, those that reach a host
}

func (t *provedTarget) register(f *pflag.FlagSet) {
	f.StringVar(&t.url, "target", "", "put the faults in front of the host at this `URL` instead, and say which a certification notices")
	f.StringVar(&t.flags.key, "key", "", "`KEY` that --target knows; or set "+keyVariable)
	f.StringVar(&t.flags.keyFile, "key-file", "", "`FILE` that holds it")
	f.StringVar(&t.flags.caCert, "cacert", "", "PEM `FILE` of certificate authorities to trust beside the system's")
}

// forMatrix names the flags of prove that mean nothing for --target, and forTarget those that mean nothing without it.
var (
	forMatrix = []string{"suite", "scenario", "shard", "resume", "at-once", "out", "check"}
	forTarget = []string{"key", "key-file", "cacert"}
)

func (t *provedTarget) settle(flags *pflag.FlagSet) error {
	wrong, why := forTarget, "it is for --target: name a host, or leave it off"
	if t.url != "" {
		wrong, why = forMatrix, "it is not for --target: leave it off"
	}
	for _, name := range wrong {
		if flags.Changed(name) {
			return usage("prove --%s: %s", name, why)
		}
	}
	return nil
}

// proveTarget certifies a host through faults that stand in front of it.
func (o *proveFlags) proveTarget(ctx context.Context, out, errs io.Writer) error {
	t, err := o.target.flags.target(o.target.url)
	if err != nil {
		return err
	}
	rows := protocols.Hosts()
	if len(o.protocols) > 0 {
		rows = slices.DeleteFunc(rows, func(r *protocols.Row) bool { return !slices.Contains(o.protocols, r.Name()) })
	}
	var values []*scenarios.Protocol
	for _, r := range rows {
		values = append(values, r.Protocol)
	}
	if len(values) == 0 {
		return usage("prove --protocol %s: no host speaks it: faults stand in front of hosts", strings.Join(o.protocols, ","))
	}
	speaks, err := scenarios.Detect(ctx, t.wire, scenarios.Options{}, values...)
	if err != nil {
		return fmt.Errorf("prove --target: %w", err)
	}
	row := protocols.Of(speaks)
	front := prove.Front{Row: row, Target: t.wire, Faults: o.matching(row.Faults()), Seed: o.options.Seed, Patience: o.options.Patience}
	faults := 0
	for _, f := range front.Faults {
		if f.OnWire != nil {
			faults++
		}
	}
	if faults == 0 {
		return usage("prove --target: none of these faults can stand in front of a host: each is a decision that only a host can take")
	}
	p := progress.New(errs, isTerminal(errs), time.Now, "faults", string(prove.Noticed), string(prove.Missed), string(prove.Impossible))
	defer p.End()
	p.Say("certifying %s as it is, then through %d faults", t.name, faults)
	p.Begin(faults)
	front.Progress = func(f prove.InFront) {
		alarm := ""
		if f.Result == prove.Missed {
			alarm = f.Why
		}
		p.Ended(f.Fault.ID, string(f.Result), alarm)
	}
	all, err := front.Prove(ctx)
	p.End()
	if err != nil {
		return err
	}
	if err := printFront(out, all, len(front.Faults)-faults); err != nil {
		return err
	}
	switch {
	case slices.ContainsFunc(all, func(f prove.InFront) bool { return f.Result == prove.Missed }):
		return &exit{Code: exitFailed}
	case !slices.ContainsFunc(all, func(f prove.InFront) bool { return f.Result == prove.Noticed }):
		return &exit{Code: scenarios.ExitNothing}
	}
	return nil
}

// matching returns the faults that --fault selects.
func (o *proveFlags) matching(all []protocols.Fault) []protocols.Fault {
	if len(o.faults) == 0 {
		return all
	}
	return slices.DeleteFunc(all, func(f protocols.Fault) bool {
		return !slices.ContainsFunc(o.faults, func(pattern string) bool {
			ok, _ := path.Match(pattern, f.ID) // settle has looked at the patterns
			return ok
		})
	})
}

// printFront writes a line for each fault, and what the result of the others is.
func printFront(out io.Writer, all []prove.InFront, inside int) error {
	var b strings.Builder
	count := map[prove.FrontResult]int{}
	for _, f := range all {
		count[f.Result]++
		fmt.Fprintf(&b, "%-11s %s  breaks %s\n", f.Result, f.Fault.ID, strings.Join(f.Fault.Breaks, ", "))
		for _, by := range f.By {
			fmt.Fprintf(&b, "            by %s\n", textsafe.Line(by))
		}
		if f.Why != "" {
			fmt.Fprintf(&b, "            %s\n", textsafe.Line(f.Why))
		}
	}
	fmt.Fprintf(&b, "\n%s: %d noticed, %d missed, %d impossible on this host\n", textsafe.Count(len(all), "fault"),
		count[prove.Noticed], count[prove.Missed], count[prove.Impossible])
	if inside > 0 {
		fmt.Fprintf(&b, "%s: decisions that only a host itself can take; assay simhost --fault ID commits them\n",
			textsafe.Count(inside, "other fault"))
	}
	_, err := io.WriteString(out, b.String())
	return err
}
