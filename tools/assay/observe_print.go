package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/openassay/assay/internal/textsafe"
	"github.com/openassay/assay/scenarios"
	"github.com/openassay/assay/scenarios/observed"
)

func (o *observeFlags) print(out io.Writer, all []observation) error {
	if o.json {
		return writeJSON(out, "observe", observationsOf(all))
	}
	texts := make([]string, len(all))
	for i, one := range all {
		texts[i] = one.text(o.alone)
	}
	_, err := io.WriteString(out, strings.Join(texts, "\n"))
	return err
}

// text is the observation for people. alone is what the flag says.
func (o observation) text(alone bool) string {
	t := &strings.Builder{}
	o.about(t)
	violated, borne := split(o.report.Rows)
	for _, row := range violated {
		o.violation(t, row)
	}
	if len(borne) > 0 {
		fmt.Fprintf(t, "\nborne out:\n")
	}
	for _, row := range borne {
		fmt.Fprintf(t, "  %-14s %7d times, of %d\n", row.Requirement, row.Times, row.Of)
	}
	never := o.untouched()
	if len(never) > 0 {
		fmt.Fprintf(t, "\nnever touched:\n")
	}
	for _, id := range never {
		said, _ := o.protocol.Ledger.Find(id)
		fmt.Fprintf(t, "  %-14s %s\n", id, said.Text)
	}
	fmt.Fprintf(t, "\n%d requirements: %d borne out, %d violated, %d never touched\n", len(borne)+len(violated)+len(never), len(borne),
		len(violated), len(never))
	if !alone && !o.ofProgram() {
		fmt.Fprintf(t, "more can be judged where the recording has everything that was asked of the host: --alone\n")
	}
	return t.String()
}

// about says what the recording is, and what is not judged.
func (o observation) about(t *strings.Builder) {
	r := o.report
	what := "exchanges"
	if o.ofProgram() {
		what = "turns"
	}
	n := r.Exchanges
	if r.Events > 0 {
		n, what = r.Events, "events"
	}
	fmt.Fprintf(t, "%s (%s): %d %s\n", textsafe.Line(r.Origin), o.protocol.ID, n, what)
	if !r.Discovery && !o.ofProgram() {
		fmt.Fprintf(t, "its discovery document (%s) is not in the recording: what rests on a claim is not judged, unless\n"+
			"--expect-claim names it, and nothing is without --protocol\n", o.protocol.DiscoveryPath)
	}
	if r.Panicked != "" {
		fmt.Fprintf(t, "a judge broke: %s\n", textsafe.Line(r.Panicked))
	}
	if r.Undecidable > 0 {
		fmt.Fprintf(t, "histories that a model cannot decide: %d\n", r.Undecidable)
	}
	for _, left := range r.Left {
		fmt.Fprintf(t, "left out: %s\n", textsafe.Line(left))
	}
}

// ofProgram reports whether only programs speak the protocol. All that a turn rests on is in its request.
func (o observation) ofProgram() bool { return !o.protocol.Hosted() }

// violation says what is violated, and where that is seen first.
func (o observation) violation(t *strings.Builder, row observed.Row) {
	said, _ := o.protocol.Ledger.Find(row.Requirement)
	fmt.Fprintf(t, "\n%s: violated, %d of %d times\n    %s\n", row.Requirement, row.Violations, row.Times, said.Text)
	e := row.At
	what := e.Label
	if e.Request != nil {
		what = e.Request.Method + " " + e.Request.URL
	}
	if !e.At.IsZero() {
		what += ", " + e.At.Format("15:04:05.000")
	}
	fmt.Fprintf(t, "    at      %s of %s\n", row.First.Where, textsafe.Line(what))
	fmt.Fprintf(t, "    wanted  %s\n", textsafe.Line(row.First.Expected))
	if row.First.Actual != "" {
		fmt.Fprintf(t, "    got     %s\n", textsafe.Line(row.First.Actual))
	}
	for _, picture := range row.Pictures[:min(1, len(row.Pictures))] {
		for line := range strings.Lines(picture) {
			fmt.Fprintf(t, "    %s\n", textsafe.Line(strings.TrimRight(line, "\n")))
		}
	}
}

// split parts the rows by what they say.
func split(rows []observed.Row) (violated, borne []observed.Row) {
	for _, row := range rows {
		if row.Violated() {
			violated = append(violated, row)
		} else {
			borne = append(borne, row)
		}
	}
	return violated, borne
}

// untouched returns the requirements that recordings can show, and this one does not.
func (o observation) untouched() (all scenarios.IDs) {
	for _, id := range observed.Watched(o.protocol.Protocol, o.protocol.Targets[0].Suites()) {
		if !slices.ContainsFunc(o.report.Rows, func(r observed.Row) bool { return r.Requirement == id }) {
			all = append(all, id)
		}
	}
	return all
}

// observationJSON is an observation as --json prints it.
type observationJSON struct {
	Target       string            `json:"target"`
	Protocol     string            `json:"protocol"`
	Exchanges    int               `json:"exchanges"`
	Events       int               `json:"events"` // of a log
	Discovery    bool              `json:"discovery"`
	Left         []string          `json:"left"`
	Requirements []observedRowJSON `json:"requirements"`
}

type observedRowJSON struct {
	ID         string `json:"id"`
	Verdict    string `json:"verdict"` // borne-out, violated or untouched
	Times      int    `json:"times"`
	Of         int    `json:"of"`
	Violations int    `json:"violations"`
	Where      string `json:"where,omitempty"`
	Expected   string `json:"expected,omitempty"`
	Actual     string `json:"actual,omitempty"`
}

func observationsOf(all []observation) []observationJSON {
	out := make([]observationJSON, 0, len(all))
	for _, o := range all {
		one := observationJSON{Target: o.report.Origin, Protocol: o.protocol.ID, Exchanges: o.report.Exchanges, Events: o.report.Events,
			Discovery: o.report.Discovery, Left: append([]string{}, o.report.Left...)}
		for _, r := range o.report.Rows {
			row := observedRowJSON{ID: string(r.Requirement), Verdict: "borne-out", Times: r.Times, Of: r.Of, Violations: r.Violations,
				Where: r.First.Where.String()}
			if r.Violated() {
				row.Verdict, row.Expected, row.Actual = "violated", r.First.Expected, r.First.Actual
			}
			one.Requirements = append(one.Requirements, row)
		}
		for _, id := range o.untouched() {
			one.Requirements = append(one.Requirements, observedRowJSON{ID: string(id), Verdict: "untouched"})
		}
		out = append(out, one)
	}
	return out
}
