package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/reports"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/assay/internal/catalogue"
	"github.com/openassay/assay/tools/assay/internal/doctor"
	"github.com/openassay/assay/tools/assay/internal/ways"
	"github.com/openassay/assay/tools/internal/protocols"
)

const doctorLong = `Looks at a target before anything is certified, and says for each look whether it is
well, and what would mend it: the way to a host (proxy, DNS, TCP, TLS), its discovery
document and clock, whether it takes the keys and refuses who has none, which test
seams and fixtures it shows; of a plugin or a resolver, whether it can be started, what
is declared of it, and whether it answers.

If nothing is in the way, it asks the target all that assay certify would ask, writes no
report of it, and lists what blocks scenarios: how many each cause holds, and the
shortest way out with a command to type, the one that gains most first.

With --look it only looks, and does no harm. A host is sent GET requests only, for its
discovery document, for a run that is nowhere, and for the paths of test seams; a plugin
is started once, for its command health, and a resolver once, with an empty question.

TARGET and the flags are those of assay certify; assay.yaml is read, too.

Exit codes:
  0  nothing is in the way of a certification; there may be warnings, and scenarios
     that are blocked
  1  the target is reached, and something is in the way
  2  the command was not understood
  3  the target is not reached, or does not say what it can do
  130  interrupted`

// targetFlags lists the flags of assay certify that name the target, how to reach it, and how to ask it.
var targetFlags = []string{
	"protocol", "key", "key-file", "tenant-b-key", "voter-key", "low-scope-key", "host-secret", "header", "user-agent", "cacert", "salt",
	"seam-prefix", "role", "expect-claim", "workers", "rate", "max-requests", "max-runs", "max-turns", "patience", "max-patience", "timeout",
	"real-time", "config", "json",
}

func newDoctor() *cobra.Command {
	o, look := &certifyFlags{}, false
	cmd := &cobra.Command{
		Use: "doctor TARGET|--exec COMMAND|--resolver COMMAND", Short: "Say what is in the way of a certification, and what would mend it",
		Long: doctorLong,
		Example: "  assay doctor http://localhost:3000 --key-file ./key\n  assay doctor ./" + protocols.Hostless()[0].Name() +
			"\n  assay doctor simhost --json",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, targets []string) error {
			c, err := doctorTarget(cmd, o, targets)
			if err != nil {
				return err
			}
			return examine(cmd.Context(), c, o.json, look)
		},
	}
	// All flags of certify are registered, because a file of parameters may set any of them. Those without meaning here
	// stay hidden.
	o.register(cmd.Flags())
	cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Hidden = !slices.Contains(targetFlags, f.Name) && o.commands[f.Name] == nil })
	cmd.Flags().Lookup("json").Usage = "print what was seen as JSON"
	cmd.Flags().BoolVar(&look, "look", false, "only look: ask nothing of what assay certify asks")
	return cmd
}

// doctorTarget reads the flags as assay certify does, and refuses those that only certify knows.
func doctorTarget(cmd *cobra.Command, o *certifyFlags, targets []string) (*certify, error) {
	if err := refuseHidden(cmd); err != nil {
		return nil, err
	}
	c, err := o.read(cmd, targets)
	if err == nil {
		return c, nil
	}
	return nil, inCommand("doctor", err)
}

// refuseHidden returns an error if a flag is set that only certify knows.
func refuseHidden(cmd *cobra.Command) error {
	var foreign string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Hidden {
			foreign = f.Name
		}
	})
	if foreign != "" {
		return usage("%s --%s: it is for assay certify: leave it out", cmd.Name(), foreign)
	}
	return nil
}

// inCommand returns an error of certify in the words of another command.
func inCommand(name string, err error) error {
	if rest, ok := strings.CutPrefix(err.Error(), "certify"); ok {
		return &exit{Code: exitCode(err), Cause: errors.New(name + rest)}
	}
	return err
}

// examine looks at the target and, unless that is all, finds out what blocks scenarios.
func examine(ctx context.Context, c *certify, asJSON, look bool) error {
	report, err := looked(ctx, c)
	if err != nil {
		return err
	}
	if !asJSON {
		if err := printExamination(c.stdout, report); err != nil {
			return err
		}
	}
	code, found := report.ExitCode(), []ways.Way(nil)
	if code == 0 && !look {
		if err := c.announce(); err != nil {
			return err
		}
		if found, err = waysOut(ctx, c); err != nil {
			return err
		}
	}
	if asJSON {
		err = printExaminationJSON(c.stdout, report, found)
	} else {
		err = printWays(c.stdout, found)
	}
	if err == nil && code != 0 {
		err = &exit{Code: code}
	}
	return err
}

// announce says what finding out what is blocked asks the target for, before it does.
func (c *certify) announce() error {
	_, drives, _, err := c.planned()
	if err != nil {
		return err
	}
	cost, err := c.estimate(drives)
	if err == nil && cost != "" {
		_, err = fmt.Fprintf(c.stderr, "asking the target for %s; --look leaves that out, --max-runs and --max-turns bound it\n", cost)
	}
	return err
}

func looked(ctx context.Context, c *certify) (*doctor.Report, error) {
	defer bounded()()
	target, stop, err := c.target.open(ctx)
	if err != nil {
		return nil, err
	}
	defer stop()
	options := doctor.Options{Target: target, Seams: c.options.SeamPrefixes}
	for _, suites := range append([][]scenarios.Suite{c.suites}, c.others...) {
		options.Protocols = append(options.Protocols, suites[0].Protocol)
	}
	report, err := doctor.Examine(ctx, options)
	if err != nil {
		return nil, usage("doctor: %w", err)
	}
	if ctx.Err() != nil {
		return nil, errExamined
	}
	return report, nil
}

// errExamined ends an examination that was interrupted.
var errExamined = &exit{Code: scenarios.ExitInterrupted, Cause: errors.New("doctor: interrupted")}

// waysOut asks the target everything, and returns the ways out of what is blocked. They are never nil.
func waysOut(ctx context.Context, c *certify) ([]ways.Way, error) {
	defer bounded()()
	report, err := c.ask(ctx, "looking what is blocked at")
	switch {
	case ctx.Err() != nil:
		return nil, errExamined
	case err != nil:
		return nil, inCommand("doctor", err)
	}
	return ways.Of(reports.Results(report, reports.Stamp{ExitCode: report.ExitCode(), Again: c.again}), c.waysOut), nil
}

func printExaminationJSON(out io.Writer, r *doctor.Report, blocked []ways.Way) error {
	return writeJSON(out, "doctor", struct {
		*doctor.Report
		Blocked  []ways.Way `json:"blocked,omitzero"` // none where it was not asked
		ExitCode int        `json:"exitCode"`
	}{r, blocked, r.ExitCode()})
}

// printWays lists what is blocked, and the ways out.
func printWays(out io.Writer, all []ways.Way) error {
	if len(all) == 0 {
		return nil
	}
	n := 0
	var b strings.Builder
	for _, w := range all {
		n += len(w.Scenarios)
		writeWay(&b, w.Do, w.Command, len(w.Scenarios))
		for _, r := range w.Reasons[:min(len(w.Reasons), mostReasons)] {
			fmt.Fprintf(&b, "          since %s\n", textsafe.Clip(r, mostWords))
		}
		if more := len(w.Reasons) - mostReasons; more > 0 {
			fmt.Fprintf(&b, "          and for %s more\n", textsafe.Count(more, "reason"))
		}
	}
	_, err := io.WriteString(out, textsafe.Log(fmt.Sprintf("\nblocked: %s; to unblock them, what gains most first:\n%s",
		textsafe.Count(n, "scenario"), b.String())))
	return err
}

// mostReasons bounds the reasons that are listed with a way out of them.
const mostReasons = 3

func printExamination(out io.Writer, r *doctor.Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s", textsafe.Line(r.Target))
	if r.Protocol != "" {
		b.WriteString(" · " + r.Protocol)
	}
	b.WriteString("\n\n")
	rows := [][]string{}
	counts := map[doctor.Status]int{}
	for _, c := range r.Checks {
		counts[c.Status]++
		rows = append(rows, []string{"  " + string(c.Status), c.Name, textsafe.Clip(textsafe.Line(c.Seen), mostWords)})
		if c.Mend != "" {
			rows = append(rows, []string{"", "", "  -> " + c.Mend})
		}
	}
	b.WriteString(catalogue.Aligned(rows))
	fmt.Fprintf(&b, "\n%d ok, %d to note, %d in the way (exit %d)\n", counts[doctor.OK], counts[doctor.Warn],
		counts[doctor.Fail], r.ExitCode())
	_, err := io.WriteString(out, b.String())
	return err
}
