package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/tools/assay/internal/catalogue"
	"github.com/openassay/assay/tools/assay/internal/doctor"
	"github.com/openassay/assay/tools/internal/protocols"
)

const doctorLong = `Looks at a target before anything is certified, and says for each look whether it is
well, and what would mend it: the way to a host (proxy, DNS, TCP, TLS), its discovery
document and clock, whether it takes the keys and refuses who has none, which test
seams and fixtures it shows; of a plugin or a resolver, whether it can be started, what
is declared of it, and whether it answers.

It does no harm. A host is sent GET requests only, for its discovery document, for a
run that is nowhere, and for the paths of test seams; a plugin is started once, for its
command health, and a resolver once, with an empty question.

TARGET and the flags are those of assay certify; assay.yaml is read, too.

Exit codes:
  0  nothing is in the way of a certification; there may be warnings
  1  the target is reached, and something is in the way
  2  the command was not understood
  3  the target is not reached, or does not say what it can do`

// targetFlags lists the flags of assay certify that name the target and how to reach it.
var targetFlags = []string{
	"protocol", "key", "key-file", "tenant-b-key", "voter-key", "low-scope-key", "host-secret", "header", "cacert", "seam-prefix", "config", "json",
}

func newDoctor() *cobra.Command {
	o := &certifyFlags{}
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
			return examine(cmd.Context(), c, o, cmd.OutOrStdout())
		},
	}
	// All flags of certify are registered, because a file of parameters may set any of them. Those without meaning here
	// stay hidden.
	o.register(cmd.Flags())
	cmd.Flags().VisitAll(func(f *pflag.Flag) { f.Hidden = !slices.Contains(targetFlags, f.Name) && o.commands[f.Name] == nil })
	cmd.Flags().Lookup("json").Usage = "print what was seen as JSON"
	return cmd
}

// doctorTarget reads the flags as assay certify does, and refuses those that only certify knows.
func doctorTarget(cmd *cobra.Command, o *certifyFlags, targets []string) (*certify, error) {
	var foreign string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Hidden {
			foreign = f.Name
		}
	})
	if foreign != "" {
		return nil, usage("doctor --%s: it is for assay certify: leave it out", foreign)
	}
	c, err := o.read(cmd, targets)
	if err == nil {
		return c, nil
	}
	if rest, ok := strings.CutPrefix(err.Error(), "certify"); ok {
		err = &exit{Code: exitCode(err), Cause: errors.New("doctor" + rest)}
	}
	return nil, err
}

func examine(ctx context.Context, c *certify, o *certifyFlags, out io.Writer) error {
	defer bounded()()
	target, stop, err := c.target.open(ctx)
	if err != nil {
		return err
	}
	defer stop()
	options := doctor.Options{Target: target, Seams: c.options.SeamPrefixes}
	for _, suites := range append([][]scenarios.Suite{c.suites}, c.others...) {
		options.Protocols = append(options.Protocols, suites[0].Protocol)
	}
	report, err := doctor.Examine(ctx, options)
	if err != nil {
		return usage("doctor: %w", err)
	}
	if ctx.Err() != nil {
		return &exit{Code: scenarios.ExitInterrupted, Cause: errors.New("doctor: interrupted")}
	}
	if err := printExamination(out, report, o.json); err != nil {
		return err
	}
	if code := report.ExitCode(); code != 0 {
		return &exit{Code: code}
	}
	return nil
}

func printExamination(out io.Writer, r *doctor.Report, asJSON bool) error {
	if asJSON {
		raw, err := json.MarshalIndent(struct {
			*doctor.Report
			ExitCode int `json:"exitCode"`
		}{r, r.ExitCode()}, "", "  ")
		if err != nil {
			return fmt.Errorf("doctor: encode what was seen: %w", err)
		}
		_, err = out.Write(append(textsafe.JSON(raw), '\n'))
		return err
	}
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
