package main

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/observed"
	"github.com/openassay/assay/tools/internal/protocols"
)

const observeLong = `Judges what a host or a plugin did for others, from recordings. Of each requirement that
can be judged so it says whether it was borne out (how often, and of how many runs or other
things), violated (and where), or never touched. Nothing is asked of the target.

FOLDER holds any of these:
  *.json                    transcripts of assay record, or of a certification
  *.har                     archives of HTTP, as browsers and proxies write them
  *.ndjson, *.jsonl         events of logs, one a line; or *.events.json, a list of them
  NAME.request.json         what a plugin read, with what it printed in NAME.response.json
                            and, where that is known, its exit code in NAME.exit;
                            or request.json, response.json and exit in a folder NAME

A recording is taken for a part of what happened: nobody is accused for what it lacks.
Rules that hold only where nobody else was at work are left out, unless --alone says
that everything asked of the host is in the recording. A rule that rests on a claim is
judged only if the discovery document of the host is in it, or --expect-claim says that
the host makes it.

Exit codes, the highest that applies:
  2  the command was not understood, or the recording cannot be read
  6  Assay itself broke
  1  a requirement is violated
  4  nothing could be judged
  0  nothing is violated`

type observeFlags struct {
	protocol    string
	expected    []string // claims
	alone, json bool
}

func newObserve() *cobra.Command {
	o := &observeFlags{}
	cmd := &cobra.Command{
		Use:     "observe FOLDER",
		Short:   "Judge what a host or a plugin did for others, from recordings",
		Long:    observeLong,
		Example: "  assay observe recording\n  assay observe out/transcripts --alone",
		Args:    args("FOLDER"),
		RunE: func(cmd *cobra.Command, words []string) error {
			return o.observe(cmd.OutOrStdout(), words[0])
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.protocol, "protocol", "", "`NAME` of the protocol that the host speaks: "+protocols.OrList(protocols.Names(watched()))+
		" (default the one whose discovery document is in the recording)")
	f.StringSliceVar(&o.expected, "expect-claim", nil, "`CLAIMS` that the host makes though its discovery document is not in the recording: ids or "+
		"patterns, such as protocol or all (see assay list claims)")
	f.BoolVar(&o.alone, "alone", false, "the recording has everything that was asked of the host")
	f.BoolVar(&o.json, "json", false, "print JSON")
	return cmd
}

// watched are the protocols whose hosts can be observed.
func watched() []*protocols.Row {
	return slices.DeleteFunc(protocols.All(), func(r *protocols.Row) bool { return r.Protocol.Watched == nil })
}

// spoken returns the protocols of rows.
func spoken(rows []*protocols.Row) (all []*scenarios.Protocol) {
	for _, row := range rows {
		all = append(all, row.Protocol)
	}
	return all
}

// watchedNamed returns the protocol of watched with a name, or all for "".
func watchedNamed(name string) ([]*protocols.Row, error) {
	rows := watched()
	if name == "" {
		return rows, nil
	}
	row := protocols.Named(name)
	if row == nil || !slices.Contains(rows, row) {
		return nil, unknown("protocol", name, protocols.Names(rows))
	}
	return []*protocols.Row{row}, nil
}

// speaks reports whether a recording shows that its host or plugin speaks a protocol.
func speaks(row *protocols.Row, r observed.Recording) bool {
	if r.Program {
		return row.Protocol.Program != nil && !row.Hosted()
	}
	return r.Discovers(row.Protocol)
}

func (o *observeFlags) observe(out io.Writer, folder string) error {
	defer relaxGC()()
	rows, err := watchedNamed(o.protocol)
	if err != nil {
		return err
	}
	var suites []scenarios.Suite
	for _, row := range rows {
		suites = append(suites, row.Targets[0].Suites()...)
	}
	if err := (scenarios.Selection{ExpectClaims: o.expected}).CheckClaims(suites); err != nil {
		return fmt.Errorf("observe: %w", err)
	}
	recordings, err := observed.Read(os.DirFS(folder), spoken(rows)...)
	if err != nil {
		return usage("observe %s: %w: give a folder of assay record, or another that assay observe --help names", folder, err)
	}
	worst := scenarios.ExitNothing
	var all []observation
	for _, r := range recordings {
		one := o.judged(r, rows)
		all = append(all, one)
		worst = worse(worst, one.code())
	}
	if len(all) == 0 {
		return usage("observe %s: it holds no exchange with a host", folder)
	}
	if err := o.print(out, all); err != nil {
		return err
	}
	if worst == scenarios.ExitProved {
		return nil
	}
	return &exit{Code: worst}
}

// judged judges a recording by the protocol that the operator names, or whose discovery document it has. Without either the host may
// be anybody's, and nothing is judged.
func (o *observeFlags) judged(r observed.Recording, rows []*protocols.Row) observation {
	var all []observation
	for _, row := range rows {
		if o.protocol != "" || speaks(row, r) {
			j := observed.Judge{Protocol: row.Protocol, Suites: row.Targets[0].Suites(), Tell: row.Targets[0].Tell,
				Expected: o.expected, Alone: o.alone}
			all = append(all, observation{row, j.Judge(r)})
		}
	}
	if len(all) == 0 {
		return observation{rows[0], &observed.Report{Origin: r.Origin, Exchanges: r.Len(), Events: r.Events, Left: r.Left}}
	}
	return slices.MaxFunc(all, func(a, b observation) int { return len(a.report.Rows) - len(b.report.Rows) })
}

// observation is what was seen of a host.
type observation struct {
	protocol *protocols.Row
	report   *observed.Report
}

func (o observation) code() int {
	switch {
	case o.report.Panicked != "":
		return scenarios.ExitBroken
	case slices.ContainsFunc(o.report.Rows, observed.Row.Violated):
		return scenarios.ExitViolated
	case len(o.report.Rows) == 0:
		return scenarios.ExitNothing
	}
	return scenarios.ExitProved
}

// worse returns the exit code that says more.
func worse(a, b int) int {
	order := []int{scenarios.ExitNothing, scenarios.ExitProved, scenarios.ExitViolated, scenarios.ExitBroken}
	return order[max(slices.Index(order, a), slices.Index(order, b))]
}
